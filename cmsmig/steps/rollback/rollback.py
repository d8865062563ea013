"""The rollback: what this ledger created is removed, and nothing else is touched.

At its end the space is listed again, and compared with what it was.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence, Set
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from cmsmig.canonical import JsonObject
from cmsmig.errors import UsageError
from cmsmig.events import Observer
from cmsmig.ledger.lease import lease
from cmsmig.ledger.rows import Identity
from cmsmig.ledger.store import Ledger, derived_namespace
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.reconcile.kinds import Kind
from cmsmig.settings import Project, Settings
from cmsmig.steps.connect import WriteCounter, open_destination
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.steps.rollback.comparison import state_of
from cmsmig.steps.rollback.job import RollbackJob, Subset, named_subset
from cmsmig.steps.rollback.removal import Removal, remove
from cmsmig.steps.rollback.reverse import (
    Reason,
    Reverse,
    created_kinds,
    forget_removed,
)
from cmsmig.steps.rollback.rollback_plan import (
    COMMAND,
    RollbackPlan,
    counts_json,
    make_plan,
    refuse_drift,
    subset_of,
)
from cmsmig.steps.snapshot import Listed, read_lists
from cmsmig.steps.worker_pool import StopSignal, ending_waits
from cmsmig.steps.write.deletion import is_there


@dataclass(frozen=True, slots=True)
class RollbackSetup:
    """The inputs of a rollback, before the ledger and the client are opened."""

    project: Project
    settings: Settings
    observer: Observer
    collections: Sequence[str] = ()
    """By slug or id; empty: all."""
    items: Sequence[str] = ()
    """By id or key; empty: all."""


async def plan_rollback(
    setup: RollbackSetup, *, plan_hash: str | None = None
) -> RollbackPlan | None:
    """Return what a rollback would do, and store it under its hash.

    None where there is nothing to undo. Writes nothing to the destination.
    Raises what `run_rollback` raises for a `plan_hash`.
    """
    if not setup.project.ledger.exists():
        return None
    with _open_ledger(setup) as ledger:
        if not created_kinds(ledger):
            return None
        with ledger.simulated() as simulated:
            opened = _open_job(setup, simulated, StopSignal(), plan_hash, "plan")
            async with opened as (_, plan):
                ledger.save_plan(plan.plan_hash, plan.as_json())
                return plan


async def run_rollback(
    setup: RollbackSetup,
    *,
    stop: StopSignal,
    plan_hash: str | None = None,
    show: Callable[[RollbackPlan], None],
) -> Outcome | None:
    """Remove under the lease what this ledger created; None where it created nothing.

    `show` gets the plan before anything is deleted. With `plan_hash`, the subset is
    that plan's where none is given, and `PlanDriftError` is raised when something
    moved since. Raises `CredentialsError` when the token lacks a scope. A stopped or
    failed run is resumed by running the same again.
    """
    if not setup.project.ledger.exists():
        return None
    with (
        lease(setup.project.lock, f"cmsmig {COMMAND}"),
        _open_ledger(setup) as ledger,
    ):
        if not created_kinds(ledger):
            return None
        async with _open_job(setup, ledger, stop, plan_hash) as (job, plan):
            ledger.save_plan(plan.plan_hash, plan.as_json())
            show(plan)
            with ledger.run(COMMAND, plan.plan_hash):
                for gone in plan.gone:
                    forget_removed(ledger, gone)
                return await check_space(job, plan, await remove(job, plan))


def _load_plan(ledger: Ledger, plan_hash: str | None) -> JsonObject | None:
    if plan_hash is None:
        return None
    stored = ledger.named_plan(plan_hash)
    if stored is None or stored.get("command") != COMMAND:
        raise UsageError(
            f"No plan `{plan_hash}` of a rollback is stored in this project; run "
            "`cmsmig rollback --plan` and give the hash that it prints."
        )
    return stored


@contextmanager
def _open_ledger(setup: RollbackSetup) -> Iterator[Ledger]:
    """Give the ledger; it has to be of the settings' space and host."""
    path, settings = setup.project.ledger, setup.settings
    with Ledger.open_existing(path) as known:
        site = known.site_id()
    identity = Identity(site, settings.destination_base_url, settings.space_id)
    with Ledger.open(path, identity) as ledger:
        yield ledger


@asynccontextmanager
async def _open_job(
    setup: RollbackSetup,
    ledger: Ledger,
    stop: StopSignal,
    plan_hash: str | None,
    need: str = COMMAND,
) -> AsyncIterator[tuple[RollbackJob, RollbackPlan]]:
    """Give a job and its plan: of the subset of a stored plan, where none is given."""
    stored, subset = _load_plan(ledger, plan_hash), Subset()
    if setup.collections or setup.items:
        named = setup.collections, setup.items
        subset = named_subset(setup.project, ledger, *named)
    if stored is not None and subset.is_all:
        subset = subset_of(stored)
    settings, counter = setup.settings, WriteCounter(ending_waits(setup.observer, stop))
    decided = decision_in(setup.project, ConflictsDecision) or ConflictsDecision()
    async with open_destination(settings, counter) as client:
        job = RollbackJob(
            settings=settings,
            client=client,
            ledger=ledger,
            decided=decided,
            namespace=derived_namespace(ledger.site_id(), settings.space_id),
            subset=subset,
            observer=counter,
            stop=stop,
        )
        plan = await make_plan(job, need)
        if stored is not None:
            refuse_drift(stored, plan)
        yield job, plan


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a rollback ended."""

    plan: RollbackPlan
    removed: tuple[Reverse, ...] = ()
    left: tuple[Reverse, ...] = ()
    """Everything of ours that still exists."""
    changed: tuple[str, ...] = ()
    """What others changed in the space meanwhile, a phrase each."""
    writes: int = 0
    """Requests that changed the destination."""

    @property
    def exit_code(self) -> int:
        """Return 1 when something of ours is left, and listed, else 0."""
        return 1 if self.left else 0

    def as_json(self) -> JsonObject:
        """Return the document that `rollback --json` prints."""
        return {
            "plan": self.plan.as_json(),
            "removed": counts_json(self.removed),
            "left": [each.as_json() for each in self.left],
            "changed_meanwhile": [*self.changed],
            "writes": self.writes,
        }


async def check_space(
    job: RollbackJob, plan: RollbackPlan, removal: Removal
) -> Outcome:
    """Return what is left of ours, and what else differs from before. Reads only."""
    left = [*plan.left, *removal.left]
    changed: tuple[str, ...] = ()
    if plan.going:
        before, after = plan.before, await read_lists(job.client, plan.before)
        listed = after.objects()
        for each in removal.removed:
            # A list may lag behind: what it shows is read singly.
            own = each.kind, each.number
            if own in listed and await is_there(job.client, *own):
                text = _STILL_THERE.format(each.called)
                left.append(each.kept(Reason.STILL_THERE, text))
        ours = {(e.kind, e.number) for e in (*plan.going, *plan.gone, *plan.left)}
        changed = tuple(_changes(before.objects(), listed, ours))
    return Outcome(
        plan,
        removed=tuple(removal.removed),
        left=tuple(left),
        changed=changed,
        writes=job.observer.writes,
    )


_STILL_THERE = (
    "The {} is still there, though the service said that it was deleted; delete it "
    "there."
)


def _changes(
    before: Mapping[tuple[Kind, int], Listed],
    after: Mapping[tuple[Kind, int], Listed],
    ours: Set[tuple[Kind, int]],
) -> Iterator[str]:
    for own in sorted((before.keys() | after.keys()) - ours):
        then, now = (
            state_of(lists[own]) if own in lists else None for lists in (before, after)
        )
        if then != now:
            name, _ = now or then or ("", "")
            verb = "is gone" if now is None else "is new" if then is None else "changed"
            yield f"{own[0].noun()} {name} {verb}"
