"""One body as we convert it, compared with the official converter's result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum

from cmsmig.canonical import Json, JsonObject
from cmsmig.json_text import json_text
from cmsmig.richtext.deviations import ALL, Deviation, deviations_in
from cmsmig.richtext.native import Mode, NativeEngine

_SHOWN = 120
"""Characters of each side of a difference."""
_BEFORE = 30
"""How many of them are before the first one that differs."""


class Fault(StrEnum):
    """What is wrong with our conversion of a body."""

    EXACT = "exact"
    """Exact mode differs from the official converter."""
    UNNAMED = "unnamed"
    """Faithful mode differs from it with every deviation off."""
    RAISED = "raised"
    """Our converter ended with an error."""


@dataclass(frozen=True, slots=True)
class Defect:
    """One fault of ours in a body, with the first place where it shows."""

    fault: Fault
    path: str
    """Of the node or value in the document, such as `doc.content[3].attrs`."""
    ours: str
    """What we have there, shortened; or the error."""
    official: str


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of a body: equal, or deviating by these names, or with defects."""

    equal: bool
    """Whether faithful mode gives the official document, byte for byte."""
    deviations: tuple[Deviation, ...] = ()
    """Those that apply to the body, when faithful mode gives another document."""
    defects: tuple[Defect, ...] = ()


def compare(text: str, official: str, *, markdown: bool) -> Compared:
    """Compare both modes with the official JSON of a body. Pure; never raises."""
    try:
        return _compared(text, official, markdown=markdown)
    except Exception as error:
        raised = f"{type(error).__name__}: {error}"
        defect = Defect(Fault.RAISED, "", raised, _around(official, 0))
        return Compared(equal=False, defects=(defect,))


def _compared(text: str, official: str, *, markdown: bool) -> Compared:
    exact = _document(NativeEngine(Mode.EXACT), text, markdown=markdown)
    defects = []
    if json_text(exact) != official:
        defects.append(_difference(Fault.EXACT, exact, official))

    def faithful(on: frozenset[Deviation]) -> JsonObject:
        return _document(NativeEngine(deviations=on), text, markdown=markdown)

    if json_text(faithful(ALL)) == official:
        return Compared(equal=not defects, defects=tuple(defects))
    bare = faithful(frozenset())
    if json_text(bare) != official:
        defects.append(_difference(Fault.UNNAMED, bare, official))
    return Compared(
        equal=False, deviations=deviations_in(faithful), defects=tuple(defects)
    )


def _document(engine: NativeEngine, text: str, *, markdown: bool) -> JsonObject:
    convert = engine.from_markdown if markdown else engine.from_html
    return convert(text).document


def _read(official: str) -> JsonObject | None:
    """Return a document, or None for what Python cannot read or what is none."""
    try:
        read = json.loads(official)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _difference(fault: Fault, ours: JsonObject, official: str) -> Defect:
    """Return the first difference of a document and the official text."""
    theirs = _read(official)
    path, mine, other = (
        ("doc", ours, theirs) if theirs is None else _first(ours, theirs)
    )
    texts = json_text(mine), official if theirs is None else json_text(other)
    differing = (
        at for at, (one, other) in enumerate(zip(*texts, strict=False)) if one != other
    )
    at = next(differing, min(map(len, texts)))
    return Defect(fault, path, _around(texts[0], at), _around(texts[1], at))


def _first(ours: JsonObject, theirs: JsonObject) -> tuple[str, Json, Json]:
    """Return the path of the deepest first difference, and both values."""
    here: tuple[str, Json, Json] = ("doc", ours, theirs)
    while (found := _inside(*here)) is not None:
        here = found
    return here


def _inside(path: str, mine: Json, other: Json) -> tuple[str, Json, Json] | None:
    """Return the first member that differs, None when the values themselves do."""
    if isinstance(mine, dict) and isinstance(other, dict):
        if list(mine) != list(other):
            return None
        pairs = [(f"{path}.{key}", mine[key], other[key]) for key in mine]
    elif isinstance(mine, list) and isinstance(other, list):
        pairs = [
            (f"{path}[{index}]", *both)
            for index, both in enumerate(zip(mine, other, strict=False))
        ]
    else:
        return None
    return next(
        (each for each in pairs if json_text(each[1]) != json_text(each[2])), None
    )


def _around(text: str, at: int) -> str:
    """Return the text around a place, with dots for what is left out."""
    start = max(at - _BEFORE, 0)
    shown = text[start : start + _SHOWN]
    return f"{'…' if start else ''}{shown}{'…' if start + _SHOWN < len(text) else ''}"
