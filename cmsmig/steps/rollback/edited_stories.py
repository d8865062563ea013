"""What was edited of the stories of an import: listed, and read where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from cmsmig.canonical import Json, fingerprint
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.errors import NotFoundError
from cmsmig.ledger.rows import GoneState, ItemRow, StoryRecord
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.mapping.uids import story_uid
from cmsmig.reconcile.field_diff import seen_of
from cmsmig.reconcile.rules.story import (
    LastWrite,
    after_update,
    edited_fields,
    edits_without_reading,
)
from cmsmig.reconcile.rules.story_fields import PUBLISHED, START, TAGS
from cmsmig.steps.plan.edits.written_stories import last_write
from cmsmig.steps.plan.publication.version_pair import (
    SHOW,
    VersionPair,
    open_pairs,
)
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.reverse import Reverse

_LISTED_AS = {START: "is_startpage", TAGS: "tag_list"}
"""The names of fields in the JSON documents of a rollback."""
_TAKEN_FROM_VISITORS = (GoneState.TO_UNPUBLISH, GoneState.UNPUBLISHED)


def story_stamp(row: StoryRow) -> str:
    """Return the fingerprint of what a list shows of a story."""
    return fingerprint([row.updated_at, row.full_slug, row.name, row.published])


@dataclass(frozen=True, slots=True)
class EditedStories:
    """Compares stories with what the ledger records of our last write."""

    job: RollbackJob
    updating: Mapping[str, str]
    """What a killed run was about to write, by item."""
    publishing: Set[str]
    """Items that a killed run was about to publish."""
    showing: Mapping[str, VersionPair]
    """The versions that a killed run was writing, by item."""

    @classmethod
    def of(cls, job: RollbackJob) -> EditedStories:
        """Return it for the ledger as it is now."""
        intents = job.ledger.intents
        return cls(
            job,
            updating={
                each.subject: each.request_hash for each in intents.open("update")
            },
            publishing={
                each.subject
                for kind in ("publish", SHOW)
                for each in intents.open(kind)
            },
            showing=open_pairs(job.ledger),
        )

    async def compare(
        self, ours: Reverse, item: ItemRow, row: StoryRow
    ) -> Reverse | None:
        """Return a story with what was edited of it; None where it does not exist."""
        if (story_record := item.story_record) is None:
            return None
        stamped = replace(ours, stamp=story_stamp(row))
        last = last_write(self.job.ledger, item)
        public = [*self._publication(row, story_record, item)]
        if not public and edits_without_reading(row, last) == ():
            return stamped
        try:
            story = await self.job.client.story(ours.number)
        except NotFoundError:
            return None
        if (pair := self.showing.get(str(item.key))) is not None:
            story = pair.after(story)
        uid = story_uid(self.job.namespace, item.key)
        if row.uuid != story_record.uuid and story.content.get("_uid") != uid:
            # A space that was recreated may give an old number again.
            return None
        return replace(
            stamped,
            fields=(*self._edits(story, item, last), *public),
            seen=seen_of(
                [story.row.name, story.row.full_slug, comparable(story.content)]
            ),
            mentions=frozenset(_scalars(story.content)),
            components=frozenset(_components(story.content)),
        )

    def _publication(
        self, row: StoryRow, story_record: StoryRecord, item: ItemRow
    ) -> Iterator[str]:
        """Yield that an editor published it, or took it from visitors."""
        state = item.gone.state if item.gone is not None else None
        if str(item.key) in self.publishing or state in _TAKEN_FROM_VISITORS:
            # An import did so, or may have.
            return
        if row.published != (story_record.left_public or bool(item.published)):
            yield PUBLISHED

    def _edits(self, story: Story, item: ItemRow, last: LastWrite) -> tuple[str, ...]:
        """Return what was edited; nothing where it is all that a killed run sent."""
        intended = self.updating.get(str(item.key))
        last = after_update(last, story, intended) if intended else last
        return tuple(_LISTED_AS.get(name, name) for name in edited_fields(story, last))


def _scalars(value: Json) -> Iterator[str | int]:
    if isinstance(value, str | int):
        yield value
    for part in _parts(value):
        yield from _scalars(part)


def _components(value: Json) -> Iterator[str]:
    if isinstance(value, dict) and isinstance(name := value.get("component"), str):
        yield name
    for part in _parts(value):
        yield from _components(part)


def _parts(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
