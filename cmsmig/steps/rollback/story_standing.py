"""How the stories of an import stand: listed, and read where something moved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from cmsmig.canonical import Json, fingerprint
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.errors import NotFoundError
from cmsmig.ledger.rows import GoneState, ItemRow, StoryRecord, WrittenStory
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.mapping.uids import story_uid
from cmsmig.reconcile.field_diff import seen_of
from cmsmig.steps.plan.edits.story_fields import (
    START,
    fields_there,
    is_same_field,
    record_of,
    tags_of,
    tags_there,
)
from cmsmig.steps.plan.edits.written_stories import (
    PUBLISHED,
    is_as_written,
    is_hash_of,
)
from cmsmig.steps.plan.publication.version_pair import (
    SHOW,
    VersionPair,
    open_pairs,
)
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.pieces import Piece
from cmsmig.steps.rollback.standing import Records, Standing

_NEVER_SENT = ("publish_at", "expire_at", "pinned")
"""Keys of a story that no import fills."""
_DATED = ("first_published_at",)
"""Fields that a publication sets."""
_TAKEN_FROM_VISITORS = (GoneState.TO_UNPUBLISH, GoneState.UNPUBLISHED)


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
    showing: Mapping[str, VersionPair]
    """The versions that a killed run was writing, by item."""

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
            publishing={
                each.subject
                for kind in ("publish", SHOW)
                for each in intents.open(kind)
            },
            showing=open_pairs(job.ledger),
        )

    async def standing(self, piece: Piece, item: ItemRow) -> Standing | None:
        """Return how a story stands; None where it is gone."""
        row, home = self.records.stories.get(piece.own), item.home
        if row is None or home is None or row.is_folder:
            return None
        stamped = replace(piece, stamp=story_stamp(row))
        written = self.job.ledger.items.last_written(piece.own)
        public = [*self._publication(row, home, item)]
        moved = [*self._moves(row, home, written)]
        untouched = is_as_written(row, home) and row.uuid == home.uuid
        if untouched and not public and not moved:
            return Standing(stamped)
        try:
            story = await self.job.client.story(piece.own)
        except NotFoundError:
            return None
        if (pair := self.showing.get(str(item.key))) is not None:
            story = pair.after(story)
            moved = [*self._moves(story.row, home, written)]
        uid = story_uid(self.job.namespace, item.key)
        if row.uuid != home.uuid and story.content.get("_uid") != uid:
            # A space that was made anew may give an old number again.
            return None
        fields = [] if self._is_as_intended(story, item, written) else moved
        edits = dict.fromkeys((*fields, *self._edits(story, item, written), *public))
        return Standing(
            stamped,
            tuple(edits),
            seen_of([story.row.name, story.row.full_slug, comparable(story.content)]),
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
            if name in written.stood and value != written.stood[name]:
                yield name

    def _publication(
        self, row: StoryRow, home: StoryRecord, item: ItemRow
    ) -> Iterator[str]:
        """Yield that somebody published it, or took it from visitors."""
        state = item.gone.state if item.gone is not None else None
        if str(item.key) in self.publishing or state in _TAKEN_FROM_VISITORS:
            # An import did so, or may have.
            return
        if row.published != (home.left_public or bool(item.published)):
            yield PUBLISHED

    def _is_as_intended(
        self, story: Story, item: ItemRow, written: WrittenStory | None
    ) -> bool:
        """Return whether a story is just what a killed run was about to write."""
        intended = self.updating.get(str(item.key))
        return intended == record_of(fields_there(story, written), story)

    def _edits(
        self, story: Story, item: ItemRow, written: WrittenStory | None
    ) -> Iterator[str]:
        yield from (key for key in _NEVER_SENT if story.body.get(key))
        sent = written.sent if written is not None else {}
        if {*tags_there(story)} - {*tags_of(sent)}:
            yield "tag_list"
        if story.row.is_startpage and not sent.get(START):
            yield "is_startpage"
        if self._is_as_intended(story, item, written):
            return
        if written is not None:
            theirs = fields_there(story, written)
            for field in sorted((theirs.keys() | written.sent.keys()) - {"position"}):
                late = field in _DATED and str(item.key) in self.publishing
                if not late and not is_same_field(theirs, written.sent, field):
                    yield field
        elif item.home is not None:
            slug = item.home.full_slug.rpartition("/")[2]
            if story.row.name.strip() != (item.name.strip() or slug):
                yield "name"
            if not is_hash_of(item.home.content_hash, story.content):
                yield "content"


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
