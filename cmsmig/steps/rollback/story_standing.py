"""How the stories of an import stand: listed, and read where something moved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from cmsmig.canonical import Json, JsonObject, canonical, fingerprint
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.errors import NotFoundError
from cmsmig.ledger.rows import ItemRow, StoryRecord, WrittenStory
from cmsmig.mapping.draft import Place
from cmsmig.mapping.uids import story_uid
from cmsmig.steps.plan.edit_conflicts import seen_of
from cmsmig.steps.plan.story_fields import fields_there
from cmsmig.steps.plan.written_stories import (
    comparable,
    content_hash,
    is_as_written,
    record_hash,
)
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.pieces import Piece
from cmsmig.steps.rollback.standing import Records, Standing

_NEVER_SENT = ("tag_list", "is_startpage", "publish_at", "expire_at", "pinned")
"""Keys of a story that no import fills."""


def story_stamp(row: StoryRow) -> str:
    """Return the fingerprint of what a list shows of a story."""
    return fingerprint([row.updated_at, row.full_slug, row.name, row.published])


@dataclass(frozen=True, slots=True)
class StoryStandings:
    """Compares stories with what the ledger says of our last write."""

    job: RollbackJob
    records: Records
    updating: Mapping[str, str]
    """What a killed run was about to write, by item."""
    publishing: Set[str]
    """Items that a killed run was about to publish."""
    published: Set[str]
    """Items whose publication an import ever asked for."""

    @classmethod
    def of(cls, job: RollbackJob, records: Records) -> StoryStandings:
        """Return it for the ledger as it is now."""
        intents = job.ledger.intents
        return cls(
            job,
            records,
            updating={
                each.subject: each.request_hash for each in intents.open("update")
            },
            publishing={each.subject for each in intents.open("publish")},
            published=intents.subjects("publish"),
        )

    async def standing(self, piece: Piece, item: ItemRow) -> Standing | None:
        """Return how a story stands; None where it is gone."""
        row, home = self.records.stories.get(piece.own), item.home
        if row is None or home is None or row.is_folder:
            return None
        stamped = replace(piece, stamp=story_stamp(row))
        written = self.job.ledger.items.last_written(piece.own)
        listed = [*self._moves(row, home, written), *self._publication(row, item)]
        if not listed and is_as_written(row, home) and row.uuid == home.uuid:
            return Standing(stamped)
        try:
            story = await self.job.client.story(piece.own)
        except NotFoundError:
            return None
        uid = story_uid(self.job.namespace, item.key)
        if row.uuid != home.uuid and story.content.get("_uid") != uid:
            # A space that was made anew may give an old number again.
            return None
        edits = dict.fromkeys((*listed, *self._edits(story, item, written)))
        return Standing(
            stamped,
            tuple(edits),
            seen_of([story.row.name, story.row.full_slug, story.content]),
            mentions=frozenset(_scalars(story.content)),
            components=frozenset(_components(story.content)),
        )

    def _moves(
        self, row: StoryRow, home: StoryRecord, written: WrittenStory | None
    ) -> Iterator[str]:
        """Yield what differs of its name and place; what a list tells."""
        if written is None:
            yield from self.records.places.moves(row, home.full_slug)
            return
        there = {"name": row.name, "slug": row.slug, "folder": row.parent_id}
        for name, value in there.items():
            if value != written.stood.get(name):
                yield name

    def _publication(self, row: StoryRow, item: ItemRow) -> Iterator[str]:
        """Yield that somebody published it: no import ever did."""
        ours = item.published or str(item.key) in self.published
        if row.published and not ours:
            yield "publication"

    def _edits(
        self, story: Story, item: ItemRow, written: WrittenStory | None
    ) -> Iterator[str]:
        if written is not None:
            yield from self._field_edits(story, item, written)
        elif item.home is not None:
            slug = item.home.full_slug.rpartition("/")[2]
            if story.row.name.strip() != (item.name.strip() or slug):
                yield "name"
            if content_hash(story.content) != item.home.content_hash:
                yield "content"
        yield from (key for key in _NEVER_SENT if story.body.get(key))

    def _field_edits(
        self, story: Story, item: ItemRow, written: WrittenStory
    ) -> Iterator[str]:
        """Yield the fields that hold something else than was last written, or than a
        killed run was about to write."""
        theirs = fields_there(story, written)
        if _record_of(theirs, story) == self.updating.get(str(item.key)):
            return
        left_alone = {"position"}
        if str(item.key) in self.publishing:
            left_alone.add("first_published_at")
        for field in sorted((theirs.keys() | written.sent.keys()) - left_alone):
            if _held(theirs, field) != _held(written.sent, field):
                yield field


def _record_of(fields: JsonObject, story: Story) -> str:
    """Return the fingerprint that an update to just these fields would have."""
    place = Place(str(fields.get("folder", "")), str(fields.get("slug", "")), 0)
    published, day = (
        str(fields.get(name, "")) for name in ("first_published_at", "sort_by_date")
    )
    content = content_hash(story.content)
    return record_hash(str(fields.get("name", "")), place, (published, day), content)


def _held(fields: JsonObject, field: str) -> bytes:
    return canonical(comparable({field: fields.get(field)}))


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
