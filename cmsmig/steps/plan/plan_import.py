"""Plans an import: what it would do from here, in detail.

The ledger is taken as it will be once it has learned what became of things since the
last run; nothing of that is written yet, except where stories are now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cmsmig.canonical import fingerprint
from cmsmig.destination.typed_records import Story
from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import Statement
from cmsmig.ledger.rows import LEFT_OUT, Accounting, ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.propose.block_designs import refuse_undesigned
from cmsmig.mapping.select.reference_targets import DanglingCause
from cmsmig.reconcile.labels import labels_of
from cmsmig.richtext.losses import all_losses
from cmsmig.settings import Settings
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.actions import calls_of, no_calls, planned_actions
from cmsmig.steps.plan.conflicts import (
    find_conflicts,
    item_rows,
    note_paths,
    refuse_lost_ledger,
)
from cmsmig.steps.plan.drafts.offline_drafts import (
    OfflineDrafts,
    draft_offline,
    known_here,
)
from cmsmig.steps.plan.drift import fingerprints, item_prints
from cmsmig.steps.plan.gone.gone_at_origin import look_at_gone, record_gone
from cmsmig.steps.plan.gone.missing_objects import Gone, is_blocked, record_missing
from cmsmig.steps.plan.interrupted_stories import (
    read_interrupted,
    record_created,
    settle_updates,
)
from cmsmig.steps.plan.plan import (
    RULES_VERSION,
    Plan,
    PlanDetails,
    Planned,
)
from cmsmig.steps.plan.plan_notes import find_notes, labels_to_keep
from cmsmig.steps.plan.preflights.findings import Preflight
from cmsmig.steps.plan.preflights.plan_checks import (
    PlanChecks,
    find_hooks,
    missing_languages,
    read_folder_rules,
)
from cmsmig.steps.plan.preflights.refused_stories import find_refused
from cmsmig.steps.plan.publication.publications import (
    PlannedPublication,
    plan_publication,
)
from cmsmig.steps.plan.resources import Resources
from cmsmig.steps.plan.wanted_stories import (
    StoryEdits,
    WantedStories,
    find_creating,
    find_wanted,
    read_story_edits,
)
from cmsmig.steps.snapshot import Snapshot
from cmsmig.steps.story_reader import StoryReader


@dataclass(frozen=True, slots=True)
class PlannedImport:
    """A plan, and what it read that the import uses too."""

    plan: Plan
    accounting: Accounting
    """As it was before the plan is carried out."""
    settled: Sequence[Statement]
    """What the ledger has to learn first: what became of things since the last run."""
    wanted: WantedStories
    edits: StoryEdits
    seen_gone: Mapping[int, Story]
    """Stories of items that are gone at the origin, as they were read, by id."""


async def plan_import(
    reader: StoryReader,
    migration: Migration,
    ledger: Ledger,
    snapshot: Snapshot,
    settings: Settings,
    offline: OfflineDrafts,
    gone: Gone,
    *,
    recreate: bool,
) -> PlannedImport:
    """Return what an import would do from here; `offline` was drafted over `ledger`.

    Writes nothing but the paths of stories that an editor moved, into the ledger.
    Raises `LedgerError` when the ledger is empty, or an older copy, and meets what an
    earlier import brought, and `DecisionsError` when rules make blocks that the design
    lacks.
    """
    client = reader.client
    await note_paths(reader, migration, ledger, snapshot)
    looked = await refuse_lost_ledger(client, migration, ledger, snapshot)
    snapshot = snapshot.with_calls(looked)
    snapshot = await read_interrupted(reader, migration.namespace, ledger, snapshot)
    seen, reads = await look_at_gone(client, migration, ledger, snapshot)
    with ledger.simulated() as simulated:
        record_created(simulated, snapshot.created, migration, offline.context)
        settle_updates(simulated, snapshot.updated, migration)
        record_missing(simulated, gone, migration)
        record_gone(migration, simulated, snapshot, seen)
        if not simulated.is_as(ledger):
            offline = draft_offline(migration, simulated)
        conflicts = find_conflicts(migration, simulated, snapshot)
        creating = find_creating(simulated, offline, conflicts)
        snapshot = await read_folder_rules(client, snapshot, offline, creating)
        refused = find_refused(simulated, snapshot, offline, creating)
        offline = offline.without(refused)
        wanted = find_wanted(simulated, snapshot, offline, conflicts)
        edits = await read_story_edits(reader, simulated, wanted)
        published = plan_publication(wanted, simulated, edits)
        publishes = len(published.due)
        hooks, looks = await find_hooks(client, simulated, publishes)
        calls = {
            **looks,
            "read_interrupted_versions": len(snapshot.interrupted),
            "read_gone_stories": reads,
            "read_changed_stories": len(snapshot.updated) + edits.reads,
        }
        wanted = replace(wanted, snapshot=snapshot.with_calls(calls))
        return PlannedImport(
            plan=_make_plan(
                wanted,
                simulated,
                settings,
                gone,
                edits,
                published,
                hooks,
                recreate=recreate,
            ),
            accounting=simulated.items.accounting(),
            settled=simulated.statements,
            wanted=wanted,
            edits=edits,
            seen_gone=seen,
        )


def _make_plan(
    wanted: WantedStories,
    ledger: Ledger,
    settings: Settings,
    gone: Gone,
    edits: StoryEdits,
    published: PlannedPublication,
    hooks: Sequence[Preflight],
    *,
    recreate: bool,
) -> Plan:
    migration, snapshot, offline = wanted.migration, wanted.snapshot, wanted.offline
    if migration.rules is not None:
        refuse_undesigned(migration.design, offline.used)
    resources = Resources.of(migration, ledger, snapshot, offline.used)
    prints = fingerprints(wanted, ledger, settings, gone, resources, recreate=recreate)
    hidden, due = published.hidden, published.due
    actions = tuple(
        planned_actions(wanted, ledger, settings, edits, resources, due, hidden)
    )
    calls = calls_of(wanted, ledger, actions)
    if is_blocked(gone, "import") or missing_languages(migration, snapshot):
        calls, actions = no_calls(snapshot), ()
    items, skipped = Counter[Planned](), Counter[str]()
    without: set[ItemKey] = set()
    for row in item_rows(migration, wanted.conflicts, offline.reasons()):
        counted = _counted_as(row, wanted.rows.get(row.key))
        items[counted] += 1
        if counted is Planned.SKIPPED:
            skipped[row.reason or LEFT_OUT] += 1
        if row.status in ("failed", "skipped"):
            without.add(row.key)
    without &= migration.known.selected
    known = replace(known_here(migration, ledger), failed=frozenset(without))
    dangling = tuple(offline.dangling(known))
    planned = wanted.planned.values()
    return Plan(
        plan_hash=fingerprint([RULES_VERSION, prints.as_json()]),
        fingerprints=prints,
        calls=calls,
        actions=actions,
        saved=_count_saved(migration, len(offline.stories), calls, settings),
        items={"in": items.total(), **{name: items[name] for name in Planned}},
        skipped=_sorted(skipped),
        losses=all_losses(each.losses for each in offline.stories.values()),
        links=sum(each.links for each in planned),
        links_left=_sorted(Counter(why for each in planned for why in each.left)),
        rate=settings.destination_rate,
        conflicts=tuple(wanted.conflicts.values()),
        in_the_way=tuple(resources.in_the_way()),
        schema_changes=tuple(
            f for each in resources.compared for f in each.diff.changes
        ),
        edit_conflicts=(
            *(f for each in resources.compared for f in each.diff.conflicts),
            *edits.undecided,
            *(f for each in resources.assets() for f in each.diff.conflicts),
            *published.waiting,
        ),
        dangling=tuple(each for each in dangling if each.cause is not _OUTSIDE),
        not_in_pilot=tuple(each for each in dangling if each.cause is _OUTSIDE),
        pilot=migration.pilot,
        notes=tuple(find_notes(wanted, ledger)),
        labels=labels_to_keep(migration, ledger),
        missing_files=migration.files.missing,
        gone=gone,
        recreate=recreate,
        moves=tuple(wanted.moves.values()),
        item_prints=item_prints(migration),
        checks=PlanChecks.of(
            migration, snapshot, settings, offline.refused, calls, len(due), hooks
        ),
        borrowed=tuple(
            each for story in offline.stories.values() for each in story.borrowed
        ),
        publications=due,
        gone_at_origin=ledger.gone.rows(),
        details=PlanDetails(
            migration,
            offline.context,
            wanted.stories.existing,
            losing=[key for key, each in offline.stories.items() if each.losses],
            leaving=[key for key, each in wanted.planned.items() if each.left],
            conflicts=wanted.conflicts,
            labels=labels_of(migration.design, snapshot.stories, wanted.rows.values()),
            undrafted=offline.reasons(),
            showing=published.showing,
        ),
    )


_OUTSIDE = DanglingCause.NOT_IN_PILOT


def _count_saved(
    migration: Migration,
    stories: int,
    calls: Mapping[str, int],
    settings: Settings,
) -> dict[str, int]:
    uploads = migration.files.uploads
    addresses = sum(len(upload.addresses) for upload in uploads)
    return {
        "files_with_the_same_bytes": addresses - len(uploads),
        "stories_without_anything_to_link": max(0, stories - calls["update_stories"]),
        "finish_calls": 0 if settings.finish_uploads else calls["sign_uploads"],
    }


def _counted_as(outcome: ItemRow, row: ItemRow | None) -> Planned:
    if row is not None and row.is_left_out:
        return Planned.SKIPPED
    if outcome.status == "reused":
        return Planned.THERE
    if row is not None and row.is_gone:
        return Planned.GONE
    if row is not None and row.story_record is not None and row.gone is None:
        return Planned.THERE
    return _PLANNED[outcome.status]


_PLANNED = {
    "selected": Planned.CREATED,
    "skipped": Planned.SKIPPED,
    "failed": Planned.FAILED,
}


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))
