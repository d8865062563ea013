"""The marks that some declarations of inline styles mean."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cmsmig.richtext.html.inline_style import looks
from cmsmig.richtext.schema.nodes import Mark, MarkSet, added, without

_LIGHT = re.compile(r"normal|lighter|initial|[1-4]?[0-9]{1,2}")
_NOT_OWN = "initial|inherit|unset"
UNDONE: Mapping[str, tuple[str, re.Pattern[str]]] = {
    "bold": ("font-weight", re.compile(rf"{_LIGHT.pattern}|{_NOT_OWN}")),
    "italic": ("font-style", re.compile(rf"normal|{_NOT_OWN}")),
    "underline": (
        "text-decoration",
        re.compile(
            rf"none\b.*|{_NOT_OWN}|(?!.*underline).*(?:overline|line-through).*"
        ),
    ),
    "strike": (
        "text-decoration",
        re.compile(rf"none\b.*|{_NOT_OWN}|(?!.*line-through).*(?:over|under)line.*"),
    ),
    "superscript": ("vertical-align", re.compile(rf"baseline|sub|{_NOT_OWN}")),
    "subscript": ("vertical-align", re.compile(rf"baseline|super|{_NOT_OWN}")),
}
"""By mark, the property that gives an element its look, and values without it."""
_HEAVY = re.compile(r"(?:bold(?:er)?|[5-9][0-9]{2,})\Z")


def undoes(style: str, mark: str) -> bool:
    """Return whether the style of an element takes the mark away that its tag gives,
    one of `UNDONE`."""
    name, values = UNDONE[mark]
    found = looks(style)
    said = found.get(f"{name}-line", found.get(name, ""))
    return values.fullmatch(said) is not None


def styled_marks(style: str, marks: MarkSet) -> MarkSet:
    """Return `marks` with what a `style` attribute adds and takes away."""
    found = looks(style)
    if not found:
        return marks
    weight = found.get("font-weight", "")
    if _LIGHT.fullmatch(weight):
        marks = without("bold", marks)
    elif _HEAVY.match(weight):
        marks = added(Mark("bold", {}), marks)
    slant = found.get("font-style", "")
    if slant in ("normal", "initial"):
        marks = without("italic", marks)
    elif slant.startswith(("italic", "oblique")):
        marks = added(Mark("italic", {}), marks)
    decoration = found.get("text-decoration", "")
    if "line-through" in decoration:
        marks = added(Mark("strike", {}), marks)
    if "underline" in decoration:
        marks = added(Mark("underline", {}), marks)
    raised = found.get("vertical-align", "")
    if raised == "super":
        marks = added(Mark("superscript", {}), marks)
    elif raised == "sub":
        marks = added(Mark("subscript", {}), marks)
    return marks


def is_light(style: str) -> bool:
    """Return whether a style takes bold or italic away where the official converter,
    which knows one value of each, leaves it."""
    found = looks(style)
    weight = found.get("font-weight", "")
    light = weight != "400" and _LIGHT.fullmatch(weight) is not None
    return light or found.get("font-style") == "initial"


UNDOING: Mapping[str, str] = {
    "strong": "bold",
    "b": "bold",
    "em": "italic",
    "i": "italic",
    "s": "strike",
    "del": "strike",
    "strike": "strike",
    "u": "underline",
    "sup": "superscript",
    "sub": "subscript",
}
"""By element, the mark that it gives."""
