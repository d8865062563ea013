"""The plan of a rollback: what goes, what stays and why, in detail.

Before that, the open intents of killed runs are looked up: an import may have created
things that the ledger has no record of, and a rollback may have deleted things that it
still has. Writes only the ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.errors import PlanDriftError
from cmsmig.ledger.intents import DELETE
from cmsmig.ledger.rows import AssetRow
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.rules.asset import signed_row
from cmsmig.steps.connect import open_delivery
from cmsmig.steps.plan.interrupted_stories import find_created, settle_creates
from cmsmig.steps.plan.plan import PACE_SLACK
from cmsmig.steps.plan.recorded import Recorded, complete
from cmsmig.steps.rollback.comparison import compare
from cmsmig.steps.rollback.reverse import (
    Reverse,
    RollbackJob,
    counts,
    created,
    created_kinds,
    ending_links,
    forget_removed,
    intended_kinds,
    sort_out,
)
from cmsmig.steps.snapshot import (
    LISTED_TOGETHER,
    Lists,
    Snapshot,
    read_lists,
    story_kind,
)
from cmsmig.steps.story_reader import StoryReader
from cmsmig.steps.token_check import missing_sentences, refuse_missing_scopes
from cmsmig.steps.worker_pool import together
from cmsmig.steps.write.deletion import is_there
from cmsmig.steps.write.execute import settle_objects
from cmsmig.steps.write.idempotent_write import ONCE_MORE

COMMAND = "rollback"
"""What a stored plan says that it is of."""
_RULES_VERSION = 1


@dataclass(frozen=True, slots=True)
class RollbackPlan:
    """What a rollback will do, as it is shown before anything is deleted."""

    going: tuple[Reverse, ...]
    left: tuple[Reverse, ...]
    gone: tuple[Recorded, ...]
    """What this ledger created and the space has no more."""
    notes: tuple[str, ...]
    """What to know of what stays, a sentence each."""
    prints: Mapping[str, str]
    """Fingerprints of all that the plan depends on, by name."""
    calls: Mapping[str, int]
    """Quota calls by name, in the order they are made."""
    rate: float
    before: Snapshot
    """The space as it was."""

    @property
    def plan_hash(self) -> str:
        """Return what names the plan."""
        return fingerprint([COMMAND, _RULES_VERSION, dict(self.prints)])

    @property
    def total_calls(self) -> int:
        """Return the number of calls that draw on the quota."""
        return sum(self.calls.values())

    def seconds(self, rate: float) -> float:
        """Return the wall time at `rate` calls a second: the budget is the floor."""
        return self.total_calls / rate * PACE_SLACK

    def as_json(self) -> JsonObject:
        """Return the document that `rollback --plan --json` prints."""
        return {
            "hash": self.plan_hash,
            "command": COMMAND,
            "remove": counts_json(self.going),
            "already_gone": counts_json(self.gone),
            "objects": [
                {"kind": str(each.kind), "what": each.name} for each in self.going
            ],
            "left": [each.as_json() for each in self.left],
            "notes": [*self.notes],
            "calls": {**self.calls, "total": self.total_calls},
            "rate": self.rate,
            "seconds": round(self.seconds(self.rate), 1),
            "fingerprints": dict(self.prints),
        }


def refuse_drift(stored: JsonObject, current: RollbackPlan) -> None:
    """Raise `PlanDriftError` listing what moved since `stored` was shown.

    What is gone since is no drift: it went as was shown, or an editor deleted it.
    """
    body = stored.get("fingerprints")
    shown = body if isinstance(body, dict) else {}
    drift = [
        f"destination: {name} {'changed' if name in shown else 'is new'}"
        for name, found in sorted(current.prints.items())
        if shown.get(name) != found
    ]
    if drift:
        raise PlanDriftError(tuple(drift))


async def make_plan(job: RollbackJob, need: str = COMMAND) -> RollbackPlan:
    """Return what a rollback would do from here.

    Raises `CredentialsError` where the token lacks a scope of the command `need`.
    Writes into the ledger what killed runs left open; reads only at the destination.
    """
    asked = job.observer.quota_calls
    rights, space_id = await job.client.token_rights(), job.settings.space_id
    refuse_missing_scopes(rights, space_id, need)
    space = await job.client.space()
    await let_lists_settle(job)
    start = Snapshot(rights, space, _wanted(job))
    listed = await read_lists(job.client, start)
    async with open_delivery(job.settings, space, job.observer) as delivery:
        reader = StoryReader(job.client, delivery, space, job.observer)
        await settle(job, reader, listed)
        ours = [*created(job.ledger)]
        lists = await complete(job.client, listed, ours)
        there = await compare(job, reader, lists, ours)
    exist = {each.subject for each in there}
    stays = await sort_out(job, lists, there)
    going, left = tuple(stays.going()), tuple(stays.left.values())
    looked = job.observer.quota_calls - asked
    return RollbackPlan(
        going=going,
        left=left,
        gone=tuple(each for each in ours if each.subject not in exist),
        notes=(
            *ending_links(stays),
            *missing_sentences(rights, space_id, COMMAND),
        ),
        prints=_prints(going, left),
        calls={"look": looked, **_calls(lists, going)},
        rate=job.settings.destination_rate,
        before=lists,
    )


def _prints(going: Iterable[Reverse], left: Iterable[Reverse]) -> dict[str, str]:
    """Return the fingerprints of what goes and of what stays, each with its state.

    A change date is part of none: nothing moves by that alone.
    """
    prints = {
        _named(each): fingerprint(
            ["goes", each.number, each.seen if each.fields else ""]
        )
        for each in going
    }
    return prints | {
        _named(each): fingerprint([str(each.reason), each.number, each.seen])
        for each in left
    }


def _named(ours: Reverse) -> str:
    """Return a name that no other object has: files may share theirs."""
    row, name = ours.row, f"{ours.kind.noun()} {ours.name}"
    return f"{name} ({row.sha256[:8]})" if isinstance(row, AssetRow) else name


def _calls(lists: Snapshot, going: Sequence[Reverse]) -> dict[str, int]:
    """Return the quota calls that follow the plan, by name."""
    number = Counter(each.kind for each in going)
    if not number:
        return {}
    sources = lists.datasource_calls() if number[Kind.DATASOURCE] else {}
    calls = {
        "check_stories": -(-number[Kind.STORY] // LISTED_TOGETHER),
        "delete_stories": number[Kind.STORY],
        "look_into_folders": number[Kind.FOLDER],
        "delete_folders": number[Kind.FOLDER],
        "delete_files": number[Kind.ASSET],
        "delete_asset_folders": number[Kind.ASSET_FOLDER],
        "check_datasources": sum(sources.values()),
        "delete_datasources": number[Kind.DATASOURCE],
        "check_components": 1 if number[Kind.COMPONENT] else 0,
        "delete_components": number[Kind.COMPONENT],
        "compare": sum(_without(lists, going).list_calls().values()),
    }
    return {name: count for name, count in calls.items() if count}


def _wanted(job: RollbackJob) -> Lists:
    """Return the lists of the kinds that this ledger may have created, and of what may
    use those."""
    ledger, kinds = job.ledger, created_kinds(job.ledger)
    slugs = {row.name for row in ledger.inventory.made(Kind.DATASOURCE).values()}
    slugs |= {intent.subject for intent in ledger.intents.open(Kind.DATASOURCE)}
    return Lists(
        components=bool(kinds & {Kind.COMPONENT, Kind.DATASOURCE}),
        assets=bool(kinds & {Kind.ASSET, Kind.ASSET_FOLDER}),
        asset_folders=Kind.ASSET_FOLDER in kinds,
        slugs=frozenset(slugs if Kind.DATASOURCE in kinds else ()),
    )


def _without(lists: Snapshot, going: Iterable[Reverse]) -> Snapshot:
    """Return what is listed of stories, files and datasources when those are gone."""
    ids = {(each.kind, each.number) for each in going}
    sources = {
        each.slug: each
        for each in lists.datasources
        if (Kind.DATASOURCE, each.datasource_id) not in ids
    }
    return replace(
        lists,
        stories=tuple(
            row for row in lists.stories if (story_kind(row), row.story_id) not in ids
        ),
        assets={
            own: each
            for own, each in lists.assets.items()
            if (Kind.ASSET, own) not in ids
        },
        datasources=tuple(sources.values()),
        entries={slug: rows for slug, rows in lists.entries.items() if slug in sources},
    )


def counts_json(ours: Iterable[Recorded]) -> JsonObject:
    """Return how many there are of each kind, as the JSON outputs list them."""
    return {str(kind): count for kind, count in counts(ours).items()}


async def let_lists_settle(job: RollbackJob) -> None:
    """Wait a moment when a killed run may have written something just now: lists
    may lag behind."""
    if intended_kinds(job.ledger) or job.ledger.intents.open(DELETE):
        await job.sleep(max(ONCE_MORE))


async def settle(job: RollbackJob, reader: StoryReader, lists: Snapshot) -> None:
    """Record what killed runs created without a record, and what they deleted."""
    ledger = job.ledger
    await _settle_deletions(job)
    found, _ = await find_created(reader, job.namespace, ledger, lists.stories)
    hashes = {key: row.origin_hash for key, row in ledger.items.all().items()}
    settle_creates(ledger, found, lambda key: None, hashes.__getitem__)
    settle_objects(ledger, lists)
    _settle_signings(job, lists)


async def _settle_deletions(job: RollbackJob) -> None:
    """Forget what a killed rollback did delete; each is looked at singly."""
    deleting = job.ledger.intents.subjects(DELETE)
    doubtful = [each for each in created(job.ledger) if each.subject in deleting]
    found = await together(is_there(job.client, each) for each in doubtful)
    for each, there in zip(doubtful, found, strict=True):
        if not there:
            forget_removed(job.ledger, each)
    for subject in deleting:
        # Nothing is left open of what was forgotten.
        job.ledger.intents.settle(DELETE, subject, "not_applied")


def _settle_signings(job: RollbackJob, lists: Snapshot) -> None:
    """Give files the asset records that a killed import signed, by external id."""
    known = job.ledger.inventory.assets()
    for intent in job.ledger.intents.open("sign"):
        row = signed_row(intent, lists.assets.values(), known.get(intent.subject))
        if row is None:
            job.ledger.intents.settle("sign", intent.subject, "absent")
        else:
            job.ledger.inventory.save_asset(row, intent_outcome="done")
