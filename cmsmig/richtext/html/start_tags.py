"""Start tags as the official converter's HTML parser reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cmsmig.richtext.html.dom import tag_set
from cmsmig.richtext.html.entities import decoded_attribute

EMPTY = tag_set("area base br col embed hr img input link meta param source track wbr")
"""Closed as soon as they are opened."""
CHARACTERS = frozenset(("script", "style"))
"""Hold characters, not markup."""
CLOSES_SAME_PARENT = tag_set("h1 h2 h3 h4 h5 h6 li optgroup")
"""Close an element of their own name that would be their parent."""

_CELL_FORBIDS = tag_set("td th tr tbody tfoot thead")
_TERM_FORBIDS = tag_set("dt dd")
_RUBY_FORBIDS = tag_set("rp rt")
FORBIDDEN: dict[str, frozenset[str]] = {
    "caption": tag_set("table tbody thead tfoot tr td th col colgroup"),
    "dd": _TERM_FORBIDS,
    "dt": _TERM_FORBIDS,
    "option": tag_set("option optgroup"),
    "p": tag_set(
        "address article aside blockquote details dialog div dl fieldset figcaption "
        "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre "
        "section table ul"
    ),
    "rp": _RUBY_FORBIDS,
    "rt": _RUBY_FORBIDS,
    "td": _CELL_FORBIDS,
    "th": _CELL_FORBIDS,
}
"""By element: what closes it by beginning directly in it."""

_ROWS_ONLY = frozenset(("tr",))
PERMITTED: dict[str, frozenset[str]] = {
    "colgroup": frozenset(("col",)),
    "table": tag_set("caption colgroup thead tfoot tbody"),
    "tbody": _ROWS_ONLY,
    "tfoot": _ROWS_ONLY,
    "thead": _ROWS_ONLY,
    "tr": frozenset(("td", "th")),
}
"""By element: all that may begin directly in it."""

_TABLE_PARTS = tag_set("caption colgroup thead tfoot tbody")
STAYS: dict[str, frozenset[str]] = {
    "table": frozenset(),
    "tbody": _TABLE_PARTS,
    "tfoot": _TABLE_PARTS,
    "thead": _TABLE_PARTS,
    "tr": _TABLE_PARTS | _ROWS_ONLY,
}
"""By element: what is not moved out before the table though not permitted."""

_TABLE = frozenset(("table",))
PARENTS: dict[str, frozenset[str]] = {
    "caption": _TABLE,
    "col": frozenset(("colgroup",)),
    "tbody": _TABLE,
    "td": _ROWS_ONLY,
    "tfoot": _TABLE,
    "th": _ROWS_ONLY,
    "thead": _TABLE,
    "tr": tag_set("tbody tfoot thead"),
}
"""By element: the only parents it may have. A row in a table gets a `tbody`."""

SPECIAL_PARENTS = frozenset(FORBIDDEN) | frozenset(PERMITTED)
SPECIAL_CHILDREN = frozenset(PARENTS) | CLOSES_SAME_PARENT | {"a"}

_DRAWN = """
svg animate animateMotion animateTransform circle clipPath defs desc ellipse
feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix
feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA
feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology
feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence filter
foreignObject g image line linearGradient marker mask metadata mpath path
pattern polygon polyline radialGradient rect script set stop style switch symbol
text textPath title tspan use view
"""
SVG_NAMES: dict[str, str] = {name.lower(): name for name in _DRAWN.split()}
"""Elements of drawings by lower case name: others keep the case they have."""


SPACE = "\\t-\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
"""What JavaScript counts as a blank, for character classes."""

MARK = re.compile(
    rf"<(?P<tag>[^{SPACE}/!>?]++)"
    rf"|</(?P<end>[^{SPACE}/!>?]++)[{SPACE}]*+>"
    r"|<!--(?P<comment>)|-->(?P<over>)|--!>(?P<done>)|<!(?P<declaration>)"
    r"|<\?(?P<instruction>)|/>(?P<slash>)|>(?P<bracket>)"
)
"""Everything that can end something or begin something."""
_ATTRIBUTE = re.compile(
    r"([a-zA-Z0-9\-_:.$@?\\<\[\]]++)"
    rf"(?:[{SPACE}]*+=[{SPACE}]*+"
    r"(?:\"([^\"]*+)(\"?+)|'([^']*+)('?+)|([^\"'=<>\\`" + SPACE + r"]++)))?"
)
_BLANK = re.compile(rf"[{SPACE}]")
_RETRIES = 200
"""After so many restarts the rest counts as one value."""


@dataclass(frozen=True, slots=True)
class _Unclosed:
    """A quote that is not closed before a tag's bracket."""

    quote: str
    value_at: int
    consumed: int
    """Characters before it that need not be read again."""


def _read_attributes(
    source: str, start: int, end: int, found: dict[str, str], *, lower: bool
) -> _Unclosed | None:
    """Add the attributes between two places, of doubles the first, up to a value whose
    quote is not closed before `end`; return that quote."""
    for match in _ATTRIBUTE.finditer(source, start, end):
        name, double, closed, single, closing, bare = match.groups()
        if double is not None and not closed:
            return _unclosed(source, start, match, '"')
        if single is not None and not closing:
            return _unclosed(source, start, match, "'")
        name = lowered(name) if lower else name
        if name not in found:
            found[name] = decoded_attribute(double or single or bare or "")
    return None


def _unclosed(source: str, start: int, match: re.Match[str], quote: str) -> _Unclosed:
    before, consumed = start, 0
    for read in _ATTRIBUTE.finditer(source, start, match.start()):
        begins = read.start()
        while begins > before and _BLANK.match(source, begins - 1):
            begins -= 1
        before = read.end()
        consumed += before - begins
    return _Unclosed(quote, match.start(2 if quote == '"' else 4), consumed)


def finish(
    source: str, start: int, found: dict[str, str] | None, *, lower: bool
) -> tuple[int, bool] | None:
    """Read on from `start`, behind a tag's name, to the bracket that ends it.

    With None for `found` attributes aren't read, and no quote hides a bracket.
    Returns where reading continues and whether the tag closed itself; None when
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
        turn = None
        if found is not None and end > start:
            turn = _read_attributes(source, start, end, found, lower=lower)
        if turn is None:
            return at, kind == "slash"
        start += turn.consumed
        retries += 1
        if not turn.consumed or retries > _RETRIES:
            hidden = source.find(turn.quote, turn.value_at)
            if hidden < 0:
                return None
    return None


def lowered(name: str) -> str:
    """Return a name with its ASCII letters in lower case, others as they are."""
    return name.lower() if name.isascii() else name.translate(_LOWER)


_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
