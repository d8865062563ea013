"""What this ledger created, compared with the space: what of it exists, and what of
that was edited. Reads only.

Edited is what holds something else than our last write left in it. A change date alone
is no edit: a story is read where it differs, and its content compared.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from cmsmig.canonical import Json, fingerprint
from cmsmig.destination.delivery import READ_TOGETHER
from cmsmig.destination.typed_records import (
    Asset,
    AssetFolder,
    Component,
    Datasource,
    Story,
    StoryRow,
)
from cmsmig.errors import (
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
    UnreachableError,
)
from cmsmig.ledger.rows import (
    AssetRow,
    GoneState,
    Intent,
    ItemRow,
    MadeRow,
    StoryRecord,
)
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
from cmsmig.reconcile.rules.folder import ROOT, FolderRules
from cmsmig.reconcile.rules.story import (
    LastWrite,
    edited_fields,
    edits_without_reading,
)
from cmsmig.reconcile.rules.story_fields import PUBLISHED, START, TAGS
from cmsmig.reconcile.rules.update_intents import after_update
from cmsmig.steps.connect import open_delivery
from cmsmig.steps.plan.edits.written_stories import last_write
from cmsmig.steps.plan.gone.missing_objects import read_unlisted
from cmsmig.steps.plan.publication.version_pair import (
    SHOW,
    VersionPair,
    open_pairs,
)
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.reverse import Reverse, created
from cmsmig.steps.snapshot import Listed, Snapshot
from cmsmig.steps.story_reader import Sought, StoryReader, as_written
from cmsmig.steps.worker_pool import Work, batches, work_through

T = TypeVar("T")
D = TypeVar("D")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Compared:
    """What exists of ours, and what does not exist any more."""

    there: tuple[Reverse, ...]
    gone: tuple[Reverse, ...]


def chosen(job: RollbackJob) -> Iterator[Reverse]:
    """Yield what this ledger created and this rollback is about."""
    for each in created(job.ledger):
        if isinstance(each.row, ItemRow):
            if job.subset.holds(each.row.key):
                yield each
        elif job.subset.is_all:
            yield each


async def complete(
    job: RollbackJob, lists: Snapshot, ours: Iterable[Reverse]
) -> Snapshot:
    """Return the lists with those of `ours` that they lacked: a list may lag behind.

    Each is read singly.
    """
    listed = lists.objects()
    lacking: dict[Kind, list[int]] = {kind: [] for kind in Kind}
    for each in ours:
        if (each.kind, each.number) not in listed:
            lacking[each.kind].append(each.number)
    stories = await _unlisted(
        (*lacking[Kind.STORY], *lacking[Kind.FOLDER]), job.client.story
    )
    assets = await _unlisted(lacking[Kind.ASSET], job.client.asset)
    components = await _unlisted(lacking[Kind.COMPONENT], job.client.component)
    return replace(
        lists,
        stories=(*lists.stories, *(each.row for each in stories)),
        assets={**lists.assets, **{each.asset_id: each for each in assets}},
        components=(*lists.components, *components),
    )


async def _unlisted(ids: Iterable[int], read: Callable[[int], Awaitable[T]]) -> list[T]:
    found, _ = await read_unlisted(dict.fromkeys(ids), read, lambda _, each: True)
    return found


async def compare(
    job: RollbackJob, lists: Snapshot, ours: Iterable[Reverse]
) -> Compared:
    """Return which of `ours` exist and how they are; stories that changed are read."""
    folders = job.ledger.inventory.made(Kind.FOLDER).values()
    rules = FolderRules({row.name: row.destination_id for row in folders})
    objects, stories = lists.objects(), EditedStories.of(job)

    def look(each: Reverse, read: Mapping[int, Story | None]) -> Reverse | None:
        there = objects.get((each.kind, each.number))
        match each.row, there:
            case ItemRow() as item, StoryRow():
                return stories.compare(each, item, there, read)
            case AssetRow() as asset, Asset() if is_file_of(asset, there):
                return _compare_asset(each, asset, there)
            case MadeRow() as made, StoryRow():
                return _compare_folder(each, made, there, rules)
            case MadeRow() as made, Component():
                edits = _edited(made, there, ComponentRules())
                return _seen(each, there.body, edits)
            case MadeRow() as made, AssetFolder():
                edits = _edited(made, there, ASSET_FOLDERS)
                return _seen(each, [there.name, there.parent_id], edits)
            case MadeRow() as made, Datasource():
                stored = StoredDatasource(there, lists.entries.get(there.slug, ()))
                held = sorted([each.name, each.value] for each in stored.entries)
                edits = _edited(made, stored, DATASOURCES)
                return _seen(each, [there.name, there.slug, *held], edits)
        return None

    listed = list(ours)
    replaced = await _replaced_files(job, listed)
    found: list[Reverse | None] = []
    async with open_delivery(job.settings, lists.space, job.observer) as delivery:
        reader = StoryReader(job.client, delivery, lists.space, job.observer)
        for part in batches(listed, READ_TOGETHER):
            sought = stories.sought(part, objects)
            read = dict(zip(sought, await reader.read([*sought.values()]), strict=True))
            seen = (look(each, read) for each in part)
            found += [each and _with_bytes(each, replaced) for each in seen]
    return Compared(
        tuple(each for each in found if each is not None),
        tuple(each for each, there in zip(listed, found, strict=True) if not there),
    )


def _compare_asset(ours: Reverse, row: AssetRow, there: Asset) -> Reverse:
    edits = compare_resource(asset_resource(row, there), ConflictsDecision()).edited
    return _seen(ours, [there.alt, there.asset_folder_id, *there.filled], edits)


def _compare_folder(
    ours: Reverse, row: MadeRow, there: StoryRow, rules: FolderRules
) -> Reverse | None:
    if there.uuid != row.uuid and there.full_slug != row.name:
        # A space that was recreated may give an old number again.
        return None
    edits = _edited(row, there, rules)
    root = [there.default_root] if ROOT in edits else []
    return _seen(ours, [there.full_slug, there.name, there.uuid, *root], edits)


def _edited(row: MadeRow, actual: A, rules: Rules[D, A]) -> list[str]:
    """Return the fields of an object that were edited since our last write."""
    resource = Resource(Ref(Kind(row.kind), row.name), None, row, actual, rules)
    return compare_resource(resource, ConflictsDecision()).edited


def _seen(ours: Reverse, shown: object, edits: Iterable[str]) -> Reverse:
    stamp = fingerprint(shown)
    return replace(ours, stamp=stamp, fields=tuple(edits), seen=seen_of(stamp))


async def _replaced_files(job: RollbackJob, ours: Iterable[Reverse]) -> dict[str, str]:
    """Return the files whose bytes an editor replaced: the hash of the new ones by
    that of ours. Reads public addresses only, which costs no quota.
    """
    found: dict[str, str] = {}

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


def _with_bytes(ours: Reverse, replaced: Mapping[str, str]) -> Reverse:
    row = ours.row
    if not isinstance(row, AssetRow) or row.sha256 not in replaced:
        return ours
    seen = seen_of([ours.seen, replaced[row.sha256]])
    return replace(ours, fields=(*ours.fields, "file"), seen=seen)


_LISTED_AS = {START: "is_startpage", TAGS: "tag_list"}
"""The names of fields in the JSON documents of a rollback."""
_RESTORED = "restored"
"""The edit of a story that an import deleted and an editor took out of the trash."""
_TAKEN_FROM_VISITORS = (GoneState.TO_UNPUBLISH, GoneState.UNPUBLISHED)


def story_stamp(row: StoryRow) -> str:
    """Return the fingerprint of what a list shows of a story."""
    return fingerprint([row.updated_at, row.full_slug, row.name, row.published])


@dataclass(frozen=True, slots=True)
class EditedStories:
    """Compares stories with what the ledger records of our last write."""

    job: RollbackJob
    updating: Mapping[str, Intent]
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
            updating={each.subject: each for each in intents.open("update")},
            publishing={
                each.subject
                for kind in ("publish", SHOW)
                for each in intents.open(kind)
            },
            showing=open_pairs(job.ledger),
        )

    def sought(
        self, ours: Iterable[Reverse], objects: Mapping[tuple[Kind, int], Listed]
    ) -> dict[int, Sought]:
        """Return the stories that are to be read, by number: a list does not show that
        they are as we left them."""
        found: dict[int, Sought] = {}
        for each in ours:
            item, row = each.row, objects.get((each.kind, each.number))
            if not isinstance(item, ItemRow) or not isinstance(row, StoryRow):
                continue
            if item.story_record is None:
                continue
            last = last_write(self.job.ledger, item)
            acts = any(self._acts(row, item.story_record, item))
            if acts or edits_without_reading(row, last) != ():
                found[each.number] = as_written(row, last)
        return found

    def compare(
        self,
        ours: Reverse,
        item: ItemRow,
        row: StoryRow,
        read: Mapping[int, Story | None],
    ) -> Reverse | None:
        """Return a story with what was edited of it, as it was `read`; None where it
        does not exist."""
        if (story_record := item.story_record) is None:
            return None
        stamped = replace(ours, stamp=story_stamp(row))
        if ours.number not in read:
            return stamped
        if (story := read[ours.number]) is None:
            return None
        last = last_write(self.job.ledger, item)
        if (pair := self.showing.get(str(item.key))) is not None:
            story = pair.after(story)
        uid = story_uid(self.job.namespace, item.key)
        if row.uuid != story_record.uuid and story.content.get("_uid") != uid:
            # A space that was recreated may give an old number again.
            return None
        acts = self._acts(row, story_record, item)
        fields = (*self._edits(story, item, last), *acts)
        if not fields and item.gone is not None and story_record.kept_edits:
            fields = (_RESTORED,)
        return replace(
            stamped,
            fields=fields,
            seen=seen_of(
                [story.row.name, story.row.full_slug, comparable(story.content)]
            ),
            mentions=frozenset(_scalars(story.content)),
            components=frozenset(_components(story.content)),
        )

    def _acts(
        self, row: StoryRow, story_record: StoryRecord, item: ItemRow
    ) -> Iterator[str]:
        """Yield that an editor restored it, published it, or took it from visitors."""
        state = item.gone.state if item.gone is not None else None
        if state is GoneState.DELETED:
            yield _RESTORED
            return
        if str(item.key) in self.publishing or state in _TAKEN_FROM_VISITORS:
            # An import did so, or may have.
            return
        if row.published != (story_record.left_public or bool(item.published)):
            yield PUBLISHED

    def _edits(self, story: Story, item: ItemRow, last: LastWrite) -> tuple[str, ...]:
        """Return what was edited; what a killed run sent was not."""
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
