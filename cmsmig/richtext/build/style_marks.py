"""Inline styles: declarations, and the marks that some of them mean."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cmsmig.richtext.html.inline_style import computed
from cmsmig.richtext.schema.nodes import Mark, MarkSet, added, without

_NAME_BACKWARDS = re.compile(r"[-\w]++")
_SIGN = re.compile(r"[;\"'(]")
_CLOSING = {'"': '"', "'": "'", "(": ")"}
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
    **dict.fromkeys(
        ("superscript", "subscript"),
        ("vertical-align", re.compile(rf"baseline|{_NOT_OWN}")),
    ),
}
"""By mark, the property that gives an element its look, and values without it."""
_HEAVY = re.compile(r"(?:bold(?:er)?|[5-9][0-9]{2,})\Z")


def declarations(style: str) -> dict[str, str]:
    """Return the declarations of a `style` attribute; the last of a name counts."""
    found: dict[str, str] = {}
    at, last = 0, {sign: style.rfind(sign) for sign in _CLOSING.values()}
    while (colon := style.find(":", at)) >= 0:
        name = _NAME_BACKWARDS.match(style[at:colon].rstrip()[::-1])
        at = colon + 1
        if name is None:
            continue
        end = _end_of_value(style, at, last)
        if value := style[at:end].strip():
            found[name[0][::-1]] = value
        at = end
    return found


def _end_of_value(style: str, at: int, last: Mapping[str, int]) -> int:
    """Return where a value ends: at a semicolon outside of quotes and brackets.

    `last` is the last place of each closing sign, so that one that is missing is
    not looked for again and again.
    """
    while (sign := _SIGN.search(style, at)) is not None:
        if sign[0] == ";":
            return sign.start()
        at, closing = sign.end(), _CLOSING[sign[0]]
        if at <= last[closing]:
            at = style.index(closing, at) + 1
    return len(style)


def undoes(style: str, mark: str) -> bool:
    """Return whether the style of an element takes the mark away that its tag gives,
    one of `UNDONE`."""
    name, values = UNDONE[mark]
    return values.fullmatch(computed(style).get(name, "").lower()) is not None


def styled_marks(style: str, marks: MarkSet, *, undoing: bool = False) -> MarkSet:
    """Return `marks` with what a `style` attribute adds and takes away: the official
    takes bold away for one value only, browsers (`undoing`) for each light one."""
    found = computed(style)
    if not found:
        return marks
    weight = found.get("font-weight", "")
    if weight == "400" or (undoing and _LIGHT.fullmatch(weight)):
        marks = without("bold", marks)
    elif _HEAVY.match(weight):
        marks = added(Mark("bold", {}), marks)
    slant = found.get("font-style", "")
    if slant == "normal" or (undoing and slant == "initial"):
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
