"""Start tags as the official converter's HTML parser reads them."""

from __future__ import annotations

import re

from cmsmig.richtext.html.entities import decoded_attribute

SPACE = "\\t-\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
"""What JavaScript counts as a blank, for character classes."""

_PIECES = (
    rf"</(?P<end>[^{SPACE}/!>?]++)[{SPACE}]*+>"
    r"|<!--(?P<comment>)|-->(?P<over>)|--!>(?P<done>)|<!(?P<declaration>)"
    r"|<\?(?P<instruction>)|/>(?P<slash>)|>(?P<bracket>)"
)
MARK = re.compile(rf"<(?P<tag>[^{SPACE}/!>?]++)|{_PIECES}")
"""Everything that can end something or begin something."""
TOKEN = re.compile(
    rf"<(?P<tag>[^{SPACE}/!>?]++)(?:(?P<attributes>[^<>]*+)>)?|{_PIECES}"
)
"""The same, with a start tag that is whole as one piece."""

_ATTRIBUTE = re.compile(
    r"([a-zA-Z0-9\-_:.$@?\\<\[\]]++)"
    rf"(?:[{SPACE}]*+=[{SPACE}]*+"
    r"(?:\"([^\"]*+)(\"?+)|'([^']*+)('?+)|([^\"'=<>\\`" + SPACE + r"]++)))?"
)
_BLANK = re.compile(rf"[{SPACE}]")
_RETRIES = 200
"""After so many beginnings anew the rest is taken for one value."""


class Unclosed(Exception):  # noqa: N818 - not an error, a turn in reading
    """An attribute's quote is not closed before the tag's bracket."""

    def __init__(self, name: str, quote: str, value_at: int) -> None:
        super().__init__(name)
        self.quote = quote
        self.value_at = value_at
        self.consumed = 0


def read_attributes(
    source: str, start: int, end: int, found: dict[str, str], *, lower: bool = True
) -> None:
    """Add the attributes between two places; of doubles the first stands.

    Raises `Unclosed` at a value whose quote is not closed before `end`; what
    came before it has been added.
    """
    for match in _ATTRIBUTE.finditer(source, start, end):
        name, double, closed, single, closing, bare = match.groups()
        value = bare
        if double is not None:
            value = double
            if not closed:
                raise _unclosed(source, start, match, '"')
        elif single is not None:
            value = single
            if not closing:
                raise _unclosed(source, start, match, "'")
        if lower:
            name = lowered(name)
        if name not in found:
            found[name] = decoded_attribute(value) if value else ""


def _unclosed(source: str, start: int, match: re.Match[str], quote: str) -> Unclosed:
    turn = Unclosed(match[1], quote, match.start(2 if quote == '"' else 4))
    before = start
    for read in _ATTRIBUTE.finditer(source, start, match.start()):
        begins = read.start()
        while begins > before and _BLANK.match(source, begins - 1):
            begins -= 1
        before = read.end()
        turn.consumed += before - begins
    return turn


def finish(
    source: str, start: int, found: dict[str, str] | None, *, lower: bool
) -> tuple[int, bool] | None:
    """Read on from `start`, behind a tag's name, to the bracket that ends it.

    With None for `found` attributes aren't read, and no quote hides a bracket.
    Returns where reading goes on and whether the tag closed itself; None when
    no bracket ends it, which hides the rest of the source.
    """
    at, hidden, retries = start, -1, 0
    while (token := MARK.search(source, at)) is not None:
        at, kind = token.end(), token.lastgroup
        if kind == "bracket" or kind == "slash":
            end = token.start()
        elif kind == "end":
            end = at - 1
        else:
            continue
        if end <= hidden:
            continue
        if found is None:
            return at, kind == "slash"
        try:
            read_attributes(source, start, end, found, lower=lower)
        except Unclosed as turn:
            start += turn.consumed
            retries += 1
            if not turn.consumed or retries > _RETRIES:
                hidden = source.find(turn.quote, turn.value_at)
                if hidden < 0:
                    return None
            continue
        return at, kind == "slash"
    return None


def lowered(name: str) -> str:
    """Return a name with its ASCII letters in lower case, others as they are."""
    return name.lower() if name.isascii() else name.translate(_LOWER)


_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
