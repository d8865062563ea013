"""What a verification read before it was stopped: the next one continues there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, cast

from pydantic import TypeAdapter

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.destination.schema import Story
from cmsmig.steps.decide.drafter import DraftStore
from cmsmig.steps.story_reader import Sought, StoryReader

_NAME: Final = "read"
_ROOMS = ("reconcile", "steps")
"""What expects something of a story."""


class Reading(NamedTuple):
    """What is kept of a story that was as expected, without what was expected."""

    body: dict[str, object]
    """Its record without its content."""
    shown: dict[str, str]


_CODEC: Final = TypeAdapter(dict[int, Reading])


class KeptReadings:
    """Reads stories that no stopped verification read before, or that were saved since;
    until everything was read."""

    def __init__(self, reader: StoryReader, store: DraftStore) -> None:
        self._reader = reader
        self._store = store

    async def read(self, sought: Sequence[Sought]) -> list[Story | None]:
        """Return stories, as `StoryReader.read` does."""
        made_of: list[Json] = [
            [repr(each.row), each.wanted, each.written_at] for each in sought
        ]
        name = f"{_NAME} {sought[0].row.uuid}"
        inputs = fingerprint([code_digest(_ROOMS), made_of])
        kept = self._store.derived(name, inputs, _CODEC) or {}
        rest = [each for each in sought if each.row.story_id not in kept]
        found = dict(zip(_ids(rest), await self._reader.read(rest), strict=True))
        if rest:
            whole = {**kept, **dict(self._readings(rest, found))}
            self._store.keep_derived(name, inputs, _CODEC, whole)
        for each in sought:
            if reading := kept.get(each.row.story_id):
                body = cast("JsonObject", reading.body)
                found[each.row.story_id] = Story(each.row, each.content(), body)
                self._reader.shown[each.row.story_id] = reading.shown
        return [found[own] for own in _ids(sought)]

    def forget(self) -> None:
        """Let the next verification read everything."""
        self._store.forget(_NAME)

    def _readings(
        self, sought: Sequence[Sought], found: Mapping[int, Story | None]
    ) -> Iterator[tuple[int, Reading]]:
        for each in sought:
            own, story = each.row.story_id, found[each.row.story_id]
            shown = self._reader.shown.get(own, {})
            # Of translated content, only what delivery shows was compared whole.
            is_same = shown or (story and not each.codes and each.is_expected(story))
            if story is not None and is_same:
                body = {**story.body, "content": None}
                yield own, Reading(cast("dict[str, object]", body), dict(shown))


def _ids(sought: Sequence[Sought]) -> list[int]:
    return [each.row.story_id for each in sought]
