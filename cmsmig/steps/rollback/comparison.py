"""What this ledger created, compared with the space: what of it exists, and what of
that was edited. Reads only.

Edited is what holds something else than our last write left in it. A change date alone
is no edit: a story is read where it differs, and its content compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeVar

from cmsmig.canonical import Json, fingerprint
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.delivery import READ_TOGETHER
from cmsmig.destination.typed_records import (
    Asset,
    AssetFolder,
    Component,
    Story,
    StoryRow,
)
from cmsmig.ledger.intents import DELETE
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
from cmsmig.steps.plan.publication.version_pair import (
    SHOW,
    VersionPair,
    open_pairs,
)
from cmsmig.steps.plan.recorded import Recorded
from cmsmig.steps.plan.recorded_stories import last_write
from cmsmig.steps.rollback.reverse import Reverse, RollbackJob
from cmsmig.steps.snapshot import Listed, Snapshot
from cmsmig.steps.story_reader import Sought, StoryReader, as_written
from cmsmig.steps.worker_pool import batches, together

A = TypeVar("A")
D = TypeVar("D")
_LISTED_AS = {START: "is_startpage", TAGS: "tag_list"}
"""The names of fields in the JSON documents of a rollback."""
_RESTORED = "restored"
"""The edit of a story that an import deleted and an editor took out of the trash."""
_TAKEN_FROM_VISITORS = (GoneState.TO_UNPUBLISH, GoneState.UNPUBLISHED)
_UNDECIDED = ConflictsDecision()


async def compare(
    job: RollbackJob, reader: StoryReader, lists: Snapshot, ours: Iterable[Recorded]
) -> list[Reverse]:
    """Return those of `ours` that exist, as they are; stories that changed are read."""
    folders = job.ledger.inventory.made(Kind.FOLDER).values()
    rules = FolderRules({row.name: row.destination_id for row in folders})
    objects, stories = lists.objects(), _Stories.of(job)
    there = [
        (each, objects[each.kind, each.number])
        for each in ours
        if (each.kind, each.number) in objects
    ]
    found: list[Reverse | None] = []
    for part in batches(there, READ_TOGETHER):
        sought = dict(stories.sought(part))
        read = dict(
            zip(sought, await reader.read_part([*sought.values()]), strict=True)
        )
        replaced = await together(_other_bytes(job.client, each) for each, _ in part)
        for (each, listed), other in zip(part, replaced, strict=True):
            if isinstance(each.row, ItemRow) and isinstance(listed, StoryRow):
                found.append(stories.compare(each, each.row, listed, read))
            elif (edits := _edits(each.row, listed, rules)) is not None:
                stamp = stamp_of(listed)
                found.append(
                    _reverse(each, stamp, [*edits, "file"], [stamp, other])
                    if other
                    else _reverse(each, stamp, edits, stamp)
                )
    return [each for each in found if each is not None]


def _reverse(
    ours: Recorded, stamp: str, fields: Sequence[str] = (), seen: Json = None
) -> Reverse:
    own = ours.kind, ours.key, ours.name, ours.number, ours.row, ours.made
    intent = Intent(DELETE, ours.subject, stamp)
    return Reverse(*own, intent, fields=tuple(fields), seen=seen_of(seen))


def _edits(
    row: ItemRow | AssetRow | MadeRow, there: Listed, folders: FolderRules
) -> list[str] | None:
    """Return what was edited of an object that is no story; None where it is another
    one: a space that was made again may give an old number."""
    match row, there:
        case AssetRow(), Asset() if is_file_of(row, there):
            return compare_resource(asset_resource(row, there), _UNDECIDED).edited
        case MadeRow(), StoryRow() if row.uuid == there.uuid or (
            row.name == there.full_slug
        ):
            return _edited(row, there, folders)
        case MadeRow(), Component():
            return _edited(row, there, ComponentRules())
        case MadeRow(), AssetFolder():
            return _edited(row, there, ASSET_FOLDERS)
        case MadeRow(), StoredDatasource():
            return _edited(row, there, DATASOURCES)
    return None


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


async def _other_bytes(client: DestinationClient, ours: Recorded) -> str:
    """Return the hash of the bytes that an editor put in place of a file's; empty where
    there are none. Reads the public address only, which costs no quota.
    """
    row = ours.row
    if isinstance(row, AssetRow) and row.is_uploaded:
        there = await client.public_hash(row.content_url)
        # An answer may be damaged on its way: other bytes count if read twice.
        if there and there != row.sha256:
            return there if there == await client.public_hash(row.content_url) else ""
    return ""


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
        self, part: Iterable[tuple[Recorded, Listed]]
    ) -> Iterator[tuple[int, Sought]]:
        """Yield the stories that are to be read, by number: a list does not show that
        they are as we left them."""
        for each, row in part:
            if isinstance(each.row, ItemRow) and isinstance(row, StoryRow):
                last = last_write(self.job.ledger, each.row)
                acts = self._acts(row, last, each.row)
                if acts or edits_without_reading(row, last) != ():
                    yield each.number, as_written(row, last)

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
        shown: Json = [story.row.name, story.row.full_slug, comparable(story.content)]
        found = _reverse(ours, stamp, [*edits, *acts], shown)
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
