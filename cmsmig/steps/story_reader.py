"""Stories as editors see them, with content: many in one call of the delivery side.

What is not as expected there is read once more, from the management side: the delivery
side may be some seconds behind, and does not give all that a story holds. Reads only.
"""

from __future__ import annotations

from collections.abc import (
    AsyncIterator,
    Callable,
    Iterable,
    Mapping,
    Sequence,
    Set,
)
from dataclasses import dataclass
from typing import TypeVar

from cmsmig.canonical import JsonObject
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.delivery import READ_TOGETHER, DeliveryClient
from cmsmig.destination.reading import parse_time
from cmsmig.destination.typed_records import Space, Story, StoryRow
from cmsmig.errors import ServiceError
from cmsmig.events import Noticed, Observer
from cmsmig.item_key import ItemKey
from cmsmig.reconcile.rules.story import LastWrite, edited_fields
from cmsmig.reconcile.rules.visible_prints import exact_print, is_visible
from cmsmig.steps.worker_pool import batches, together

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Sought:
    """A story that is to be read, and what is expected of it."""

    row: StoryRow
    """As it is listed."""
    is_expected: Callable[[Story], bool]
    written_at: str = ""
    """The change date of our last write; empty where an editor may have saved it."""
    codes: Sequence[str] = ()
    """The languages that its fields are translated into."""
    content: Callable[[], JsonObject] = dict
    """Returns its content with all translations, as is expected; asked for where there
    are any."""


def as_written(row: StoryRow, last: LastWrite) -> Sought:
    """Return a listed story, expected to hold what our last write left in it."""
    return Sought(row, lambda story: not edited_fields(story, last))


class StoryReader:
    """Reads stories of one space, and counts how."""

    def __init__(
        self,
        client: DestinationClient,
        delivery: DeliveryClient,
        space: Space,
        observer: Observer,
    ) -> None:
        self.client = client
        self._delivery = delivery
        self._is_translated = bool(space.languages)
        self._observer = observer
        self.singly = 0
        """Stories that were read from the management side, a call each."""
        self.unread = ""
        """Why the delivery side could not be read; empty where it was."""
        self.shown: dict[int, Mapping[str, str]] = {}
        """The exact prints of what delivery shows of stories that are as expected, by
        id and language."""

    async def read(
        self, sought: Iterable[tuple[K, Sought]]
    ) -> AsyncIterator[tuple[K, Story | None]]:
        """Yield stories in the order in which they are `sought`; see `read_part`."""
        for part in batches(sought, READ_TOGETHER):
            stories = await self.read_part([each for _, each in part])
            for (key, _), story in zip(part, stories, strict=True):
                yield key, story

    async def read_part(self, sought: Sequence[Sought]) -> list[Story | None]:
        """Return stories in the order in which they are `sought`, at most as many as
        delivery gives together; None for one that is gone.

        Costs a call of the delivery side for all of them, and one for each language;
        one of the management side for each that is not as expected.
        """
        known = [each for each in sought if self._is_shown_whole(each)]
        views = await self._read_views(known) if known else {}
        found = {each.row.story_id: self._expected(each, views) for each in known}
        single = [
            each.row.story_id for each in sought if not found.get(each.row.story_id)
        ]
        self.singly += len(single)
        read = await together(self.client.find_story(each) for each in single)
        found.update(zip(single, read, strict=True))
        return [found[each.row.story_id] for each in sought]

    async def glance(
        self, rows: Iterable[tuple[K, StoryRow]]
    ) -> AsyncIterator[tuple[K, Story | None]]:
        """Yield listed stories for what is around their content: that holds no
        translations."""
        sought = (((k, e), Sought(e, lambda _: True, e.updated_at)) for k, e in rows)
        async for (key, row), story in self.read(sought):
            self.shown.pop(row.story_id, None)
            yield key, story

    async def find_by_uid(
        self,
        keys: Mapping[str, ItemKey],
        listed: Iterable[StoryRow],
        paths: Set[str],
        types: Set[str],
    ) -> dict[ItemKey, StoryRow]:
        """Return the rows of the stories whose root block has the `_uid` of an item, by
        item: of those at its path, or while some are missing, of its content types.

        A copy that an editor made has the same `_uid`: the oldest counts.
        """
        rows = [
            row
            for row in listed
            if not row.is_folder
            and (row.full_slug in paths or row.content_type in ("", *types))
        ]
        rows.sort(key=lambda row: (row.full_slug not in paths, row.story_id))
        found: dict[ItemKey, StoryRow] = {}
        async for _, story in self.glance((row, row) for row in rows if keys):
            key = keys.get(str(story.content.get("_uid"))) if story else None
            if story is not None and key is not None:
                found.setdefault(key, story.row)
            if len(found) == len(keys):
                break
        return found

    def _is_shown_whole(self, sought: Sought) -> bool:
        """Return whether delivery shows all of a story: it shows no translation that an
        editor added. Source: delivery, reading through delivery."""
        if self.unread or sought.row.is_folder:
            return False
        is_saved = sought.row.updated_at != sought.written_at
        return not (self._is_translated and is_saved)

    async def _read_views(
        self, sought: Sequence[Sought]
    ) -> Mapping[str, Mapping[str, Story]]:
        """Return stories as delivery shows them, by language and UUID; none where it
        cannot be read, which is reported once."""
        uuids = {"": [each.row.uuid for each in sought]}
        for each in sought:
            for code in each.codes:
                uuids.setdefault(code, []).append(each.row.uuid)
        try:
            shown = await together(
                self._delivery.drafts(names, code) for code, names in uuids.items()
            )
        except ServiceError as error:
            if not self.unread:
                self.unread = (
                    "Stories could not be read through the delivery side, so each "
                    f"takes a call of the management side: {error}"
                )
                self._observer(Noticed("delivery", self.unread))
            return {}
        return dict(zip(uuids, shown, strict=True))

    def _expected(
        self, sought: Sought, views: Mapping[str, Mapping[str, Story]]
    ) -> Story | None:
        """Return a story as delivery shows it, if that is as expected."""
        row = sought.row
        story = views.get("", {}).get(row.uuid)
        if story is None or not _is_current(story, row):
            return None
        found = Story(row, story.content, {**story.body, **dict(row.by_hand)})
        shown = {
            code: views[code][row.uuid]
            for code in ("", *sought.codes)
            if row.uuid in views[code]
        }
        if sought.codes:
            found = Story(row, sought.content(), found.body)
            if len(shown) <= len(sought.codes) or not all(
                is_visible(found, code, shown[code]) for code in shown
            ):
                return None
        if not sought.is_expected(found):
            return None
        self.shown[row.story_id] = {
            code: exact_print(shown[code], code) for code in shown
        }
        return found


def _is_current(story: Story, row: StoryRow) -> bool:
    """Return whether what delivery shows is no older than the list of stories."""
    shown = story.row.updated_at
    return shown in ("", row.updated_at) or parse_time(shown) == parse_time(
        row.updated_at
    )
