"""Character references in attributes, decoded as browsers do."""

from __future__ import annotations

import re
from html.entities import html5

from cmsmig.character_references import shown_text

_REFERENCE = re.compile(
    r"&(?:#(?:[xX][0-9a-fA-F]++|[0-9]++);?"
    r"|(?P<name>[a-zA-Z][a-zA-Z0-9]{0,31}+;?))"
)
_UNKNOWN = "\ufffd"
_BARE = frozenset(name for name in html5 if not name.endswith(";"))


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
        return shown_text(match[0])
    if name.endswith(";"):
        return html5.get(name, match[0])
    following = match.string[match.end() : match.end() + 1]
    ends = following != "=" and not (following.isascii() and following.isalnum())
    return html5[name] if ends and name in _BARE else match[0]
