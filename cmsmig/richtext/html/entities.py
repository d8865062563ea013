"""Character references, decoded as the official converter's parser does.

HTML's own rules, but for two things: a number that is no character stays a
number's character unless Unicode has no place for it, and in attributes a name
that breaks off within a longer one counts in a few more cases. A browser knows
nothing of these cases: `shown_attribute` reads as it does.
"""

from __future__ import annotations

import re
from html.entities import html5

_REFERENCE = re.compile(
    r"&(?:#(?:[xX](?P<hex>[0-9a-fA-F]++)|(?P<decimal>[0-9]++));?"
    r"|(?P<name>[a-zA-Z][a-zA-Z0-9]{0,31}+;?))"
)
_UNKNOWN = "\ufffd"
_HIGHEST = 0x10FFFF
_DIGITS = 9
"""A number of more digits, leading zeros aside, is beyond Unicode."""

_WINDOWS = {
    0x80 + at: character
    for at, character in enumerate("€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ")
    if character != "\0"
}
"""Numbers that old pages mean as characters of Windows-1252."""

_BARE = frozenset(name for name in html5 if not name.endswith(";"))
_LONGEST_BARE = max(map(len, _BARE))
_WHOLE = frozenset(name.rstrip(";") for name in html5)
_BEGINNINGS = frozenset(name[:end] for name in _WHOLE for end in range(1, 33))


def _between(shortest: str, longest: str) -> list[str]:
    return [longest[:end] for end in range(len(shortest), len(longest) + 1)]


_COUNTED = frozenset(
    [
        *_between("divideo", "divideontime"),
        *_between("gtl", "gtlPa"),
        *_between("gtq", "gtques"),
        *_between("gtreql", "gtreqles"),
        *_between("gtrl", "gtrles"),
        *_between("lti", "ltime"),
        *_between("ltl", "ltlar"),
        *_between("ltq", "ltques"),
    ]
)
"""Unfinished names whose beginning counts in attributes, whatever follows."""


def decoded(raw: str) -> str:
    """Return a text with its character references replaced."""
    return _REFERENCE.sub(_in_text, raw) if "&" in raw else raw


def decoded_attribute(raw: str) -> str:
    """Return an attribute's value with its character references replaced."""
    return _REFERENCE.sub(_in_attribute, raw) if "&" in raw else raw


def shown_attribute(raw: str) -> str:
    """Return an attribute's value as browsers read it.

    They show U+0000 as the sign of an unknown character.
    Source: the HTML standard, named character reference state.
    """
    if "\0" in raw:
        raw = raw.replace("\0", _UNKNOWN)
    return _REFERENCE.sub(_as_shown, raw) if "&" in raw else raw


def _as_shown(match: re.Match[str]) -> str:
    name = match["name"]
    if name is None:
        return _numbered(match)
    if name.endswith(";"):
        return html5.get(name, match[0])
    following = match.string[match.end() : match.end() + 1]
    ends = following != "=" and not (following.isascii() and following.isalnum())
    return html5[name] if ends and name in _BARE else match[0]


def _in_text(match: re.Match[str]) -> str:
    name = match["name"]
    if name is None:
        return _numbered(match)
    if name.endswith(";") and name in html5:
        return html5[name]
    begun = _begun(name)
    return html5[begun] + name[len(begun) :] if begun else match[0]


def _in_attribute(match: re.Match[str]) -> str:
    name = match["name"]
    if name is not None and not (name.endswith(";") and name in html5):
        begun = _begun(name)
        if begun and not _counts(name, begun, match.string[match.end() :][:1]):
            return match[0]
    return _in_text(match)


def _begun(name: str) -> str:
    """Return the longest beginning that is a reference without a semicolon."""
    for end in range(min(len(name), _LONGEST_BARE), 1, -1):
        if name[:end] in _BARE:
            return name[:end]
    return ""


def _counts(name: str, begun: str, after: str) -> bool:
    known = begun
    while name[: len(known) + 1] != known and name[: len(known) + 1] in _BEGINNINGS:
        known = name[: len(known) + 1]
    following = name[len(known) : len(known) + 1] or after
    if known not in _WHOLE:
        return known in _COUNTED and following != ""
    if not following:
        return known == begun
    return following != "=" and not (following.isascii() and following.isalnum())


def _numbered(match: re.Match[str]) -> str:
    digits, base = match["hex"], 16
    if digits is None:
        digits, base = match["decimal"], 10
    significant = digits.lstrip("0")
    if not significant or len(significant) > _DIGITS:
        return _UNKNOWN
    number = int(significant, base)
    if number > _HIGHEST or 0xD800 <= number <= 0xDFFF:
        return _UNKNOWN
    return _WINDOWS.get(number) or chr(number)
