"""Inline styles: declarations, and the marks that some of them stand for."""

from __future__ import annotations

import re

from cmsmig.richtext.html.inline_style import computed
from cmsmig.richtext.schema.marks import Mark, MarkSet, added, without

_DECLARATION = re.compile(
    r"\s*(?P<name>[-\w]+)\s*:\s*(?P<value>(?:[^;\"'(]|\"[^\"]*\"|'[^']*'|\([^)]*\)|[\"'(])*)"
)
_HEAVY = re.compile(r"(?:bold(?:er)?|[5-9][0-9]{2,})\Z")


def declarations(style: str) -> dict[str, str]:
    """Return the declarations of a `style` attribute; the last of a name stands."""
    found: dict[str, str] = {}
    for match in _DECLARATION.finditer(style):
        if value := match["value"].strip():
            found[match["name"]] = value
    return found


def styled_marks(style: str, marks: MarkSet) -> MarkSet:
    """Return `marks` with what a `style` attribute adds and takes away."""
    found = computed(style)
    if not found:
        return marks
    weight = found.get("font-weight", "")
    if weight == "400":
        marks = without("bold", marks)
    elif _HEAVY.match(weight):
        marks = added(Mark("bold", {}), marks)
    slant = found.get("font-style", "")
    if slant == "normal":
        marks = without("italic", marks)
    elif slant == "italic":
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
