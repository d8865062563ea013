"""The blocks of a story's content, each with where an editor finds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Place:
    """One block; the story's own content is the first."""

    block: JsonObject
    holder: str
    """The component that holds it; empty for the story's own."""
    field: str
    """The field of that component."""
    said: str
    """Such as "block 3 (figure) in `body`"; empty for the story's own."""

    @property
    def component(self) -> str:
        """The name of its component."""
        return str(self.block.get("component"))

    @property
    def uid(self) -> str:
        """Its `_uid`; empty without one."""
        return str(self.block.get("_uid") or "")

    def names(self, field: str) -> str:
        """Return one of its fields for an editor."""
        return f"`{field}` of {self.said}" if self.said else f"`{field}`"


def block_places(content: JsonObject) -> Iterator[Place]:
    """Yield every block in the content's order, those in rich text too."""
    yield from _from(Place(content, "", "", ""))


def _from(place: Place) -> Iterator[Place]:
    yield place
    for field, value in place.block.items():
        for number, block in enumerate(_blocks(value), 1):
            said = f"block {number} ({block.get('component')}) in {place.names(field)}"
            yield from _from(Place(block, place.component, field, said))


def _blocks(value: Json) -> Iterator[JsonObject]:
    """Yield the blocks directly in a value, however deep in a document."""
    pending: list[Json] = [value]
    while pending:
        found = pending.pop()
        if isinstance(found, list):
            pending += reversed(found)
        elif isinstance(found, dict) and "component" in found:
            yield found
        elif isinstance(found, dict):
            pending += reversed([*found.values()])
