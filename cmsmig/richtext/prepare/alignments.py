"""The alignment that pictures and frames have from what is around them."""

from __future__ import annotations

from cmsmig.richtext.html.dom import Element, tag_set
from cmsmig.richtext.html.inline_style import declarations

_APART = tag_set("figure table td th")
"""Elements that list their own alignment, and in which none from outside counts."""
_MOVING = {
    "center": "center",
    "-webkit-center": "center",
    "right": "right",
    "-webkit-right": "right",
    "end": "right",
}
"""What moves a picture from where it is without; left and the rest do not."""


def alignment_in(element: Element, around: str) -> str:
    """Return how a picture in an element is aligned, or empty. `around`: how it is
    around the element."""
    if element.tag in _APART:
        return ""
    given = element.attributes
    said = declarations(given.get("style", "")).get("text-align")
    if said is None:
        said = "center" if element.tag == "center" else given.get("align", "inherit")
    value = said.split("!")[0].strip().lower()
    return around if value in ("inherit", "unset") else _MOVING.get(value, "")
