"""What this ledger created, compared with the space: what of it exists, and what of
that was edited. Reads only.

Edited is what holds something else than our last write left in it. A change date alone
is no edit: a story is read where it differs, and its content compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from cmsmig.canonical import Json, fingerprint
from cmsmig.destination.delivery import READ_TOGETHER
from cmsmig.destination.typed_records import (
    Asset,
    AssetFolder,
    Component,
    Story,
    StoryRow,
)
from cmsmig.errors import (
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
    UnreachableError,
)
from cmsmig.ledger.rows import AssetRow, GoneState, Intent, ItemRow, MadeRow
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.mapping.uids import story_uid
from cmsmig.reconcile.field_diff import seen_of
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.resource import Resource, Rules
from cmsmig.reconcile.resource import compare as compare_resource
from cmsmig.reconcile.rules.asset import asset_resource, is_file_of
from cmsmig.reconcile.rules.asset_folder import ASSET_FOLDERS
from cmsmig.reconcile.rules.component import ComponentRules
from cmsmig.reconcile.rules.datasource import DATASOURCES, StoredDatasource
from cmsmig.reconcile.rules.folder import FolderRules
from cmsmig.reconcile.rules.story import LastWrite, edited_fields, edits_without_reading
from cmsmig.reconcile.rules.story_fields import PUBLISHED, START, TAGS
from cmsmig.reconcile.rules.update_intents import after_update
from cmsmig.steps.connect import open_delivery
from cmsmig.steps.plan.edits.written_stories import last_write
from cmsmig.steps.plan.publication.version_pair import (
    SHOW,
    VersionPair,
    open_pairs,
)
from cmsmig.steps.plan.recorded import Recorded
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.reverse import Reverse
from cmsmig.steps.snapshot import Listed, Snapshot
from cmsmig.steps.story_reader import Sought, StoryReader, as_written
from cmsmig.steps.worker_pool import Work, batches, work_through

D = TypeVar("D")
A = TypeVar("A")


async def compare(
    job: RollbackJob, lists: Snapshot, ours: Iterable[Recorded]
) -> list[Reverse]:
    """Return those of `ours` that exist, as they are; stories that changed are read."""
    folders = job.ledger.inventory.made(Kind.FOLDER).values()
    rules = FolderRules({row.name: row.destination_id for row in folders})
    objects, stories, listed = lists.objects(), _Stories.of(job), list(ours)
    replaced = await _replaced_files(job, listed)

    def look(each: Recorded, read: Mapping[int, Story | None]) -> Reverse | None:
        there = objects.get((each.kind, each.number))
        if isinstance(each.row, ItemRow) and isinstance(there, StoryRow):
            return stories.compare(each, each.row, there, read)
        edits = None if there is None else _edits(each.row, there, rules)
        if there is None or edits is None:
            return None
        stamp = stamp_of(there)
        if (other := replaced.get(each.key)) is None:
            return _reverse(each, stamp, edits, seen_of(stamp))
        return _reverse(each, stamp, [*edits, "file"], seen_of([stamp, other]))

    found: list[Reverse] = []
    async with open_delivery(job.settings, lists.space, job.observer) as delivery:
        reader = StoryReader(job.client, delivery, lists.space, job.observer)
        for part in batches(listed, READ_TOGETHER):
            sought = stories.sought(part, objects)
            read = dict(zip(sought, await reader.read([*sought.values()]), strict=True))
            seen = (look(each, read) for each in part)
            found += [each for each in seen if each is not None]
    return found


def _reverse(
    ours: Recorded, stamp: str, fields: Sequence[str] = (), seen: str = ""
) -> Reverse:
    own = ours.kind, ours.key, ours.name, ours.number, ours.row, ours.made
    return Reverse(*own, stamp=stamp, fields=tuple(fields), seen=seen)


def _edits(
    row: ItemRow | AssetRow | MadeRow, there: Listed, folders: FolderRules
) -> list[str] | None:
    """Return what was edited of an object that is no story; None where it is another
    one: a space that was made again may give an old number."""
    match row, there:
        case AssetRow(), Asset() if is_file_of(row, there):
            return compare_resource(asset_resource(row, there), _UNDECIDED).edited
        case MadeRow(), StoryRow() if there.uuid == row.uuid:
            return _edited(row, there, folders)
        case MadeRow(), StoryRow() if there.full_slug == row.name:
            return _edited(row, there, folders)
        case MadeRow(), Component():
            return _edited(row, there, ComponentRules())
        case MadeRow(), AssetFolder():
            return _edited(row, there, ASSET_FOLDERS)
        case MadeRow(), StoredDatasource():
            return _edited(row, there, DATASOURCES)
    return None


_UNDECIDED = ConflictsDecision()


def _edited(row: MadeRow, actual: A, rules: Rules[D, A]) -> list[str]:
    """Return the fields of an object that were edited since our last write."""
    resource = Resource(Ref(Kind(row.kind), row.name), None, row, actual, rules)
    return compare_resource(resource, _UNDECIDED).edited


def state_of(there: Listed) -> tuple[str, Json]:
    """Return the name of an object, and what of its state is listed."""
    match there:
        case StoryRow(full_slug=path, name=name, is_folder=True):
            # What goes out of a folder may change its date.
            return path, [path, name, there.uuid, there.default_root]
        case StoryRow(full_slug=path, name=name):
            return path, [there.updated_at, path, name, there.published]
        case Component(name=name):
            return name, there.body
        case Asset(content_url=url, alt=alt):
            state: Json = [alt, there.asset_folder_id, *there.filled]
            return url.rpartition("/")[2], state
        case AssetFolder(name=name):
            return name, [name, there.parent_id]
        case StoredDatasource(datasource=source, entries=entries):
            held = sorted((each.name, each.value) for each in entries)
            return source.slug, [source.name, source.slug, *map(list[Json], held)]


def stamp_of(there: Listed) -> str:
    """Return the fingerprint of the listed state of an object."""
    return fingerprint(state_of(there)[1])


async def _replaced_files(
    job: RollbackJob, ours: Iterable[Recorded]
) -> Mapping[object, str]:
    """Return the files whose bytes an editor replaced: the hash of the new ones by
    that of ours. Reads public addresses only, which costs no quota.
    """
    found: dict[object, str] = {}

    async def look(row: AssetRow) -> None:
        with suppress(
            NotFoundError, UnreachableError, OutcomeUnknownError, RejectedError
        ):
            there = (await job.client.public(row.content_url)).sha256
            if there in ("", row.sha256):
                return
            # An answer may be damaged on its way: other bytes count if read twice.
            if (await job.client.public(row.content_url)).sha256 == there:
                found[row.sha256] = there

    rows = [row for each in ours if isinstance(row := each.row, AssetRow)]
    await work_through(
        [row for row in rows if row.is_uploaded],
        Work(lambda batch: None, look, lambda row: None),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    return found


_LISTED_AS = {START: "is_startpage", TAGS: "tag_list"}
"""The names of fields in the JSON documents of a rollback."""
_RESTORED = "restored"
"""The edit of a story that an import deleted and an editor took out of the trash."""
_TAKEN_FROM_VISITORS = (GoneState.TO_UNPUBLISH, GoneState.UNPUBLISHED)


@dataclass(frozen=True, slots=True)
class _Stories:
    """Compares stories with what the ledger records of our last write."""

    job: RollbackJob
    updating: Mapping[str, Intent]
    """What a killed run was about to write, by item."""
    publishing: Set[str]
    """Items that a killed run was about to publish."""
    showing: Mapping[str, VersionPair]
    """The versions that a killed run was writing, by item."""

    @classmethod
    def of(cls, job: RollbackJob) -> _Stories:
        intents = job.ledger.intents
        return cls(
            job,
            updating={each.subject: each for each in intents.open("update")},
            publishing=intents.subjects("publish", SHOW),
            showing=open_pairs(job.ledger),
        )

    def sought(
        self, ours: Iterable[Recorded], objects: Mapping[tuple[Kind, int], Listed]
    ) -> dict[int, Sought]:
        """Return the stories that are to be read, by number: a list does not show that
        they are as we left them."""
        found: dict[int, Sought] = {}
        for each in ours:
            item, row = each.row, objects.get((each.kind, each.number))
            if isinstance(item, ItemRow) and isinstance(row, StoryRow):
                last = last_write(self.job.ledger, item)
                acts = self._acts(row, last, item)
                if acts or edits_without_reading(row, last) != ():
                    found[each.number] = as_written(row, last)
        return found

    def compare(
        self,
        ours: Recorded,
        item: ItemRow,
        row: StoryRow,
        read: Mapping[int, Story | None],
    ) -> Reverse | None:
        """Return a story with what was edited of it, as it was `read`; None where it
        does not exist."""
        stamp, key = stamp_of(row), str(item.key)
        if ours.number not in read:
            return _reverse(ours, stamp)
        story, last = read[ours.number], last_write(self.job.ledger, item)
        if story is not None and (pair := self.showing.get(key)) is not None:
            story = pair.after(story)
        uid = story_uid(self.job.namespace, item.key)
        if story is None or (
            # A space that was made again may give an old number.
            row.uuid != last.record.uuid and story.content.get("_uid") != uid
        ):
            return None
        acts = self._acts(row, last, item)
        if (intent := self.updating.get(key)) is not None:
            # What a killed run sent is no edit.
            last = after_update(last, story, intent)
        edits = [_LISTED_AS.get(name, name) for name in edited_fields(story, last)]
        if not edits and not acts and item.gone and last.record.kept_edits:
            edits = [_RESTORED]
        shown = [story.row.name, story.row.full_slug, comparable(story.content)]
        found = _reverse(ours, stamp, [*edits, *acts], seen_of(shown))
        return replace(found, content=story.content)

    def _acts(self, row: StoryRow, last: LastWrite, item: ItemRow) -> list[str]:
        """Return that an editor restored it, published it, or took it from visitors."""
        state = item.gone.state if item.gone is not None else None
        if state is GoneState.DELETED:
            return [_RESTORED]
        if str(item.key) in self.publishing or state in _TAKEN_FROM_VISITORS:
            # An import did so, or may have.
            return []
        was_public = last.record.left_public or bool(item.published)
        return [PUBLISHED] if row.published != was_public else []
