"""Which sizes a browser knows. Source: the CSS module of values and units."""

from __future__ import annotations

import re

from cmsmig.richtext.html.dom import Element

AUTO = frozenset(("", "auto", "none"))
_SIZE = re.compile(
    r"\+?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:%|px|r?em|r?ex|r?ch|r?ic|r?lh|r?cap|in|cm|mm"
    r"|q|pt|pc|[sld]?v(?:w|h|i|b|min|max)|cq(?:w|h|i|b|min|max))?"
    r"|(?:calc|min|max|clamp|var|env|fit-content)\(.*\)"
    r"|(?:min|max|fit)-content|stretch|inherit|initial|unset|revert",
    re.IGNORECASE | re.DOTALL,
)
UNFIT = "This is no size that a browser knows, and it is left out."


def width_of(element: Element) -> str:
    """Return a picture's own width as a size; empty without one, or for no size."""
    given = element.attributes.get("width", "").strip().lower()
    if given in AUTO or not is_size(given):
        return ""
    return f"{given}px" if given.isdecimal() else given


def is_size(value: str) -> bool:
    """Say whether a browser knows a size; numbers without a unit count as such."""
    bare = value.strip().lower().removesuffix("!important").strip()
    return _SIZE.fullmatch(bare) is not None
