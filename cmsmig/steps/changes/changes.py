"""What moved since the last import: at the origin, in decisions, at the destination.

By item and field, with old and new value, and in words. Reads only.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.events import Observer
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import GoneState, ItemRow, StoryRecord
from cmsmig.mapping.compare.content_equality import same
from cmsmig.mapping.decisions.conflicts import ConflictsDecision, GoneFrom
from cmsmig.reconcile.diff import Diff, value_of
from cmsmig.reconcile.field_diff import json_of, seen_of
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.labels import Labels, labels_of
from cmsmig.reconcile.resource import compare
from cmsmig.reconcile.rules.publication import NOT_ASKED
from cmsmig.reconcile.rules.story import (
    LastWrite,
    edits_without_reading,
    seen_in_story,
    story_resource,
)
from cmsmig.reconcile.rules.story_fields import (
    POSITION,
    PUBLISHED,
    translated_moves,
)
from cmsmig.reconcile.value_changes import change_lines, sides_of
from cmsmig.settings import Project, Settings
from cmsmig.steps.changes.change import Change as Change
from cmsmig.steps.changes.change import Where as Where
from cmsmig.steps.decide.migration import Migration, open_migration
from cmsmig.steps.plan.cleaned_fields import cleaned_fields
from cmsmig.steps.plan.conflicts import find_conflicts
from cmsmig.steps.plan.drafts.offline_drafts import draft_offline
from cmsmig.steps.plan.drift import Fingerprints, decision_prints
from cmsmig.steps.plan.gone.gone_at_origin import gone_change, gone_items
from cmsmig.steps.plan.publication.public_versions import (
    PublicVersions,
    find_public_versions,
    version_text,
)
from cmsmig.steps.plan.publication.publications import public_states
from cmsmig.steps.plan.recorded_stories import last_write
from cmsmig.steps.plan.resources import Resources
from cmsmig.steps.plan.wanted_stories import find_wanted
from cmsmig.steps.pull.raw_site import require_same_site
from cmsmig.steps.story_reader import as_written
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.import_setup import ImportSetup, open_job


async def changes_of(
    project: Project, settings: Settings, *, observer: Observer, stop: StopSignal
) -> tuple[Change, ...]:
    """Return everything that moved since the last import wrote, and what is not decided
    yet. Writes nothing to either service.

    Costs a call for each story that was edited at the destination, and a call of the
    delivery side for 25 that were saved there.
    """
    undecided: list[str] = []
    migration = open_migration(project, settings, undecided=undecided)
    await require_same_site(project, settings, observer)
    setup = ImportSetup(project, settings, migration, observer, stop, "changes")
    async with open_job(setup) as job:
        rows = job.ledger.items.all()
        found = (
            *(Change(Where.DECISIONS, "decisions", text=text) for text in undecided),
            *_of_items(job, rows),
            *_of_gone_items(job, rows),
            *_of_decisions(job),
            *_of_gone(job),
            *_of_objects(job),
            *[change async for change in _of_stories(job, rows)],
        )
        design, stories = migration.design, job.snapshot.stories
        labels = labels_of(design, stories, rows.values())
        decided, by = migration.decisions.conflicts, cleaned_fields(migration)
        words = (_in_words(each, labels, decided) for each in _joined(found))
        names = {e.full_slug: r.name for r in rows.values() if (e := r.story_record)}
        return tuple(
            replace(
                each,
                name=each.name or names.get(each.what, ""),
                lines=(*each.lines, *by.get((each.item, each.field), ())),
            )
            for each in words
        )


def _joined(found: Sequence[Change]) -> Iterator[Change]:
    """Yield the changes; one for each field that both sides changed, each its way."""
    ours = {(e.what, e.field): e for e in found if not e.is_edit and _is_of_field(e)}
    both: dict[tuple[str, str], Change] = {}
    for there in found:
        here = ours.get((there.what, there.field))
        if here is None or not there.is_edit or not _is_of_field(there):
            continue
        if not same(json_of(here.new), json_of(there.new)):
            both[there.what, there.field] = replace(
                there, where=Where.BOTH, item=here.item, ours=here.new, waits=True
            )
    for each in found:
        joined = both.get((each.what, each.field))
        if joined is None or not _is_of_field(each):
            yield each
        elif each.is_edit:
            yield joined


def _is_of_field(change: Change) -> bool:
    return bool(change.field) and not change.text


def _in_words(change: Change, labels: Labels, decided: ConflictsDecision) -> Change:
    """Return a change with the name of its story, the change of its field in words, and
    the decision about it."""
    row = labels.stories.get(change.what)
    ref, edit = change.ref, None
    if ref is not None and (kind := ref.kind.decided_as) and change.seen:
        edit = decided.edit(kind, ref.key, change.field, change.seen)
    named = replace(
        change,
        name=row.name if row else "",
        decided=" by ".join(filter(None, (edit.take, edit.note))) if edit else "",
    )
    if change.text:
        return named
    ref = ref or Ref(Kind.STORY, change.what)
    of = (labels, ref, change.field, change.old)
    ours = change.ours if change.where is Where.BOTH else change.old
    theirs = change.new
    if not change.is_edit:
        ours, theirs = change.new, change.old
    sides = sides_of(*of, ours, theirs)
    lines = change_lines(*of, change.new)
    if change.where is Where.BOTH:
        lines = (f"in the space: {sides.space}", f"at the origin: {sides.origin}")
    return replace(named, lines=lines, sides=sides)


def _of_items(job: ImportJob, rows: Mapping[ItemKey, ItemRow]) -> Iterator[Change]:
    """Yield what the next import would write differently from the last one."""
    migration = job.migration
    offline = draft_offline(migration, job.ledger)
    conflicts = find_conflicts(migration, job.ledger, job.snapshot)
    wanted = find_wanted(job.ledger, job.snapshot, offline, conflicts)
    for key, planned in wanted.planned.items():
        row = rows.get(key)
        if row is None or row.story_record is None:
            place = migration.places.places[key].full_slug
            yield Change(Where.ORIGIN, place, str(key), text="has no story yet")
        elif row.story_record.made and planned.is_needed(row.story_record):
            ours = wanted.stories.fields(key)
            yield from _of_item(job, row, row.story_record, ours)
    versions = find_public_versions(wanted.stories, job.ledger, job.snapshot)
    yield from _of_public(migration, versions, rows)
    yield from _of_publications(job, rows, versions)


def _of_gone_items(job: ImportJob, rows: Mapping[ItemKey, ItemRow]) -> Iterator[Change]:
    """Yield the items that are gone at the origin since the last import, and those that
    nothing is decided about."""
    decisions = job.migration.decisions
    choices, decided = decisions.collections, decisions.conflicts
    found = gone_items(job.migration, job.ledger, job.snapshot, {})
    for key, gone in found.items():
        record, before = rows[key].story_record, rows[key].gone
        is_settled = gone.state in (GoneState.DELETED, GoneState.UNPUBLISHED)
        if record is None or is_settled or choices.choice(key.collection_id) is None:
            continue
        path = record.full_slug
        if before is None or decided.gone_action(GoneFrom.ORIGIN, path) is None:
            text = gone_change(gone)
            ref = Ref(Kind.STORY, path)
            yield Change(Where.ORIGIN, path, str(key), text=text, ref=ref, waits=True)


def _of_publications(
    job: ImportJob, rows: Mapping[ItemKey, ItemRow], versions: PublicVersions
) -> Iterator[Change]:
    """Yield what the origin or the decisions ask for and waits for a person: a page
    that is no longer to be public, a publication that an editor's work holds back."""
    states = public_states(job.migration, rows.values(), job.snapshot, versions)
    for state in states.values():
        each = state.field
        if each is None or not each.why:
            continue
        where = Where.DECISIONS if each.why == NOT_ASKED else Where.ORIGIN
        yield Change(
            where,
            each.what,
            str(state.row.key),
            each.field,
            each.theirs,
            each.ours,
            text=each.why,
            ref=each.ref,
            seen=each.seen,
            waits=True,
        )


def _of_public(
    migration: Migration, versions: PublicVersions, rows: Mapping[ItemKey, ItemRow]
) -> Iterator[Change]:
    """Yield what visitors are to see differently from what they were given."""
    for key in sorted(migration.to_publish):
        row = rows.get(key)
        if (
            row is None
            or row.story_record is None
            or not row.story_record.public_record
        ):
            continue
        story_record, wanted = row.story_record, versions.records.get(key)
        if story_record.public_record == (wanted or story_record.record_hash):
            continue
        text = (
            "Updated, not published: an editor has unpublished changes in this story."
        )
        if wanted is not None:
            text = version_text(migration, key)
        yield Change(Where.ORIGIN, story_record.full_slug, str(key), text=text)


def _of_item(
    job: ImportJob, row: ItemRow, story_record: StoryRecord, ours: JsonObject | str
) -> Iterator[Change]:
    moved = job.migration.origin_hash(row.key) != row.origin_hash
    where = Where.ORIGIN if moved else Where.DECISIONS
    what, item, last = story_record.full_slug, str(row.key), last_write(job.ledger, row)
    if isinstance(ours, str) or last.written is None:
        text = "differs from what was written"
        yield Change(where, what, item, text=text)
        return
    resource = story_resource(last, None, ours)
    moves = translated_moves(last.sent) | {"slug"}
    for field in resource.rules.sides(resource).moved(ours):
        if field != POSITION:
            old, new = value_of(last.sent, field), value_of(ours, field)
            seen = seen_in_story(old) if field in moves else ""
            of = Change(where, what, item, field, old, new, ref=resource.ref)
            yield replace(of, seen=seen, waits=field in moves)


def _of_decisions(job: ImportJob) -> Iterator[Change]:
    """Yield the decisions that are others than those of the last plan."""
    stored = job.ledger.newest_plan_part("fingerprints")
    if stored is None:
        return
    before = Fingerprints.from_json(stored)
    now = decision_prints(job.migration, job.settings)
    for name in sorted(before.decisions.keys() | now.keys()):
        if before.decisions.get(name) != now.get(name):
            yield Change(Where.DECISIONS, name, text="is not as the last plan found it")


def _of_gone(job: ImportJob) -> Iterator[Change]:
    for kind, names in job.gone.names().items():
        for name in names:
            text = f"is gone from the {kind.noun(2)} of the space"
            ref = Ref(kind, name)
            yield Change(Where.DESTINATION, name, text=text, ref=ref, waits=True)


def _of_objects(job: ImportJob) -> Iterator[Change]:
    """Yield the fields of components, datasources, folders and files that changed on
    either side."""
    resources = Resources.of(job.migration, job.ledger, job.snapshot)
    given = job.migration.cleaner.given_alts
    for each in resources.compared:
        yield from _of_diff(Where.DECISIONS, each.ref, each.diff)
    for file in resources.assets():
        # Where what we wrote is not known, nothing says that it was another text.
        if file.diff.sides.base or file.diff.sides.ours != file.diff.sides.theirs:
            is_given = file.diff.sides.ours.get("alt") in given
            ours_at = Where.DECISIONS if is_given else Where.ORIGIN
            yield from _of_diff(ours_at, file.ref, file.diff)


def _of_diff(ours_at: Where, ref: Ref, diff: Diff) -> Iterator[Change]:
    what, sides = f"{ref.kind.noun()} {ref.key}", diff.sides
    for where, side in ((ours_at, sides.ours), (Where.DESTINATION, sides.theirs)):
        for name in sides.moved(side):
            old, new = value_of(sides.base, name), value_of(side, name)
            seen = sides.rules.seen(new)
            yield Change(where, what, "", name, old, new, ref=ref, seen=seen)


async def _of_stories(
    job: ImportJob, rows: Mapping[ItemKey, ItemRow]
) -> AsyncIterator[Change]:
    """Yield what an editor changed in stories since we wrote them."""
    listed = job.snapshot.listed
    for key, row in rows.items():
        for change in _of_publication(key, row, listed):
            yield change
    edited = [
        ((key, last), as_written(there, last))
        for key, row in rows.items()
        if row.story_record is not None
        and row.story_record.made
        and (there := listed.get(row.story_record.story_id)) is not None
        and edits_without_reading(there, last := last_write(job.ledger, row)) != ()
    ]
    async for (key, last), story in job.reader.read(edited):
        for change in _of_story(key, last, story):
            yield change


def _of_publication(
    key: ItemKey, row: ItemRow, listed: Mapping[int, StoryRow]
) -> Iterator[Change]:
    record = row.story_record
    there = listed.get(record.story_id) if record is not None else None
    if record is None or there is None or there.published == record.left_public:
        return
    ref, old, new = (
        Ref(Kind.STORY, record.full_slug),
        record.left_public,
        there.published,
    )
    where, seen = Where.DESTINATION, seen_of(new)
    yield Change(where, ref.key, str(key), PUBLISHED, old, new, ref=ref, seen=seen)


def _of_story(key: ItemKey, last: LastWrite, story: Story | None) -> Iterator[Change]:
    if story is None:
        return
    where, what, item = Where.DESTINATION, last.record.full_slug, str(key)
    if last.written is None:
        text = "was edited; what was last written of it is not known"
        yield Change(where, what, item, text=text)
        return
    compared = compare(story_resource(last, story), ConflictsDecision())
    for field in compared.edited:
        old = value_of(last.sent, field)
        sides, ref = compared.diff.sides, compared.ref
        new = value_of(sides.theirs, field)
        seen = sides.rules.seen(new)
        yield Change(where, what, item, field, old, new, ref=ref, seen=seen)
