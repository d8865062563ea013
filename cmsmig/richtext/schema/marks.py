"""Marks, and the set of them that a text carries."""

from __future__ import annotations

from typing import TypeAlias

from cmsmig.canonical import JsonObject
from cmsmig.richtext.html.dom import Element
from cmsmig.richtext.schema.content_model import MARKS

RANKS = {name: rank for rank, name in enumerate(MARKS)}


class Mark:
    """One mark; where it came from does not count when two are compared."""

    __slots__ = ("attributes", "name", "rank", "source")

    def __init__(
        self, name: str, attributes: JsonObject, source: Element | None = None
    ) -> None:
        self.name = name
        self.rank = RANKS[name]
        self.attributes = attributes
        self.source = source

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Mark)
            and self.name == other.name
            and self.attributes == other.attributes
        )

    __hash__ = None  # type: ignore[assignment]

    def as_json(self) -> JsonObject:
        """Return the mark as a document holds it; `attrs` only if there are any."""
        if not self.attributes:
            return {"type": self.name}
        return {"type": self.name, "attrs": dict(self.attributes)}


MarkSet: TypeAlias = tuple[Mark, ...]


def added(mark: Mark, marks: MarkSet) -> MarkSet:
    """Return `marks` with `mark` in its rank's place.

    It takes the place of one of its own type; code tolerates no other mark,
    neither one that comes nor one that is there.
    """
    if mark.name == "code":
        return (mark,)
    kept: list[Mark] = []
    for other in marks:
        if other.name == "code":
            return marks
        if other.name != mark.name:
            kept.append(other)
    at = sum(1 for other in kept if other.rank < mark.rank)
    kept.insert(at, mark)
    return tuple(kept)


def without(name: str, marks: MarkSet) -> MarkSet:
    """Return `marks` without those of one type."""
    return tuple(mark for mark in marks if mark.name != name)
