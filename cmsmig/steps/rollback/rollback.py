"""The rollback: what this ledger created is removed, and nothing else is touched.

One kind goes after the other, what others build on last. Before anything is deleted,
its state is listed once more: what was changed since the plan stays. At the end the
space is listed again, and compared with what it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import groupby

from cmsmig.canonical import JsonObject
from cmsmig.errors import CmsmigError, NotFoundError, RejectedError, UsageError
from cmsmig.events import Observer, StepFinished, StepStarted
from cmsmig.ledger.lease import lease
from cmsmig.ledger.rows import Identity
from cmsmig.ledger.store import Ledger, derived_namespace
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.reconcile.kinds import Kind
from cmsmig.settings import Project, Settings
from cmsmig.steps.connect import WriteCounter, open_destination
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.steps.rollback.comparison import stamp_of, state_of
from cmsmig.steps.rollback.reverse import (
    TRASHED,
    Reason,
    Reverse,
    RollbackJob,
    created_kinds,
    forget_removed,
    removal_order,
    stays_sentence,
)
from cmsmig.steps.rollback.rollback_plan import (
    COMMAND,
    RollbackPlan,
    counts_json,
    make_plan,
    refuse_drift,
)
from cmsmig.steps.snapshot import Listed, Lists, read_lists
from cmsmig.steps.worker_pool import StopSignal, ending_waits, work_through
from cmsmig.steps.write.deletion import is_there, removing
from cmsmig.steps.write.update_story import CurrentRows

_IN_PLACES = (Kind.STORY, Kind.FOLDER)


async def roll_back(
    project: Project,
    settings: Settings,
    observer: Observer,
    *,
    planning: bool,
    plan_hash: str | None,
    stop: StopSignal,
    show: Callable[[RollbackPlan], None],
) -> RollbackPlan | Outcome | None:
    """Remove under the lease what this ledger created; None where it created nothing.

    When `planning`, returns the plan, stored under its hash, and writes nothing to the
    destination. Else `show` gets it before anything is deleted. Raises
    `PlanDriftError` when something moved since the plan of `plan_hash`, and
    `CredentialsError` when the token lacks a scope. A stopped or failed run is resumed
    by running the same again.
    """
    if not project.ledger.exists():
        return None
    held = nullcontext() if planning else lease(project.lock, f"cmsmig {COMMAND}")
    with held, _open_ledger(project, settings) as ledger:
        if not created_kinds(ledger):
            return None
        stored = _load_plan(ledger, plan_hash)
        counter = WriteCounter(ending_waits(observer, stop))
        with ledger.simulated() if planning else nullcontext(ledger) as used:
            async with open_destination(settings, counter) as client:
                job = RollbackJob(
                    settings=settings,
                    client=client,
                    ledger=used,
                    decided=decision_in(project, ConflictsDecision)
                    or ConflictsDecision(),
                    namespace=derived_namespace(ledger.site_id(), settings.space_id),
                    observer=counter,
                    stop=stop,
                )
                plan = await make_plan(job, "plan" if planning else COMMAND)
                if stored is not None:
                    refuse_drift(stored, plan)
                ledger.save_plan(plan.plan_hash, plan.as_json())
                if planning:
                    return plan
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


def _open_ledger(project: Project, settings: Settings) -> Ledger:
    """Return the ledger; it has to be of the settings' space and host."""
    with Ledger.open_existing(project.ledger) as known:
        site = known.site_id()
    identity = Identity(site, settings.destination_base_url, settings.space_id)
    return Ledger.open(project.ledger, identity)


@dataclass(slots=True)
class RollbackRemovals:
    """What a rollback has removed so far, and what stayed against its plan."""

    job: RollbackJob
    rows: CurrentRows
    """The stories that are to go."""
    listed: Mapping[tuple[Kind, int], Listed] = field(default_factory=dict)
    """What was listed once more."""
    removed: list[Reverse] = field(default_factory=list)
    left: list[Reverse] = field(default_factory=list)

    async def stays(self, each: Reverse) -> bool:
        """Return whether something was changed since the plan, or is not empty."""
        if each.kind is Kind.FOLDER:
            if held := await self._held(each):
                self.keep(each, Reason.HOLDS, stays_sentence(each, "holds", held))
            return bool(held)
        there = self.listed.get((each.kind, each.number))
        if each.kind is Kind.STORY:
            row = await self.rows.row(each.number)
            there = row or (await self.job.client.story(each.number)).row
        moved = there is not None and stamp_of(there) != each.intent.request_hash
        if moved:
            self.keep(each, Reason.EDITED, _MOVED.format(each.called))
        return moved

    def record(self, each: Reverse, updated_at: str) -> None:
        """Record that something does not exist any more."""
        forget_removed(self.job.ledger, each)
        self.removed.append(each)

    def refuse(self, each: Reverse, error: CmsmigError) -> None:
        """Note that something stays with the service's reason."""
        refused = isinstance(error, RejectedError)
        reason = Reason.REFUSED if refused else Reason.NOT_CONFIRMED
        self.keep(each, reason, str(error))

    def keep(self, ours: Reverse, reason: Reason, text: str) -> None:
        """Note that something stays."""
        self.left.append(ours.kept(reason, text))

    async def _held(self, folder: Reverse) -> str:
        """Return the path of something in a folder, as it is now; empty without any."""
        removed = {each.number for each in self.removed if each.kind in _IN_PLACES}
        for row in await self.job.client.stories(with_parent=folder.number):
            if row.story_id in removed:
                continue
            # A list may lag behind what an earlier run deleted.
            with suppress(NotFoundError):
                return (await self.job.client.story(row.story_id)).row.full_slug
        return ""


async def remove(job: RollbackJob, plan: RollbackPlan) -> RollbackRemovals:
    """Remove what the plan lists; what cannot go is listed, and the rest continues.

    Where a story stays against the plan, nothing that it may build on is touched.
    """
    ids = [each.number for each in plan.going if each.kind is Kind.STORY]
    removals = RollbackRemovals(job, CurrentRows(job.client, ids))
    for kind in _IN_PLACES:
        await _remove_kind(removals, plan, kind)
    others = [each for each in plan.going if each.kind not in _IN_PLACES]
    if removals.left:
        for each in others:
            removals.keep(each, Reason.WAITS, _WAITS.format(each.called))
    else:
        for kind in dict.fromkeys(each.kind for each in others):
            await _remove_kind(removals, plan, kind)
    return removals


async def _remove_kind(
    removals: RollbackRemovals, plan: RollbackPlan, kind: Kind
) -> None:
    """Remove what is of one kind; of folders the deepest first, for with one goes what
    is in it."""
    job, before = removals.job, len(removals.removed)
    going = [each for each in plan.going if each.kind is kind]
    if not going:
        return
    step = f"remove {kind.noun(2)}"
    job.observer(StepStarted(step, len(going)))
    if kind in (Kind.DATASOURCE, Kind.COMPONENT):
        # These are deleted for good.
        names = frozenset(each.name for each in going if kind is Kind.DATASOURCE)
        wanted = Lists(stories=False, components=not names, slugs=names)
        lists = await read_lists(job.client, replace(plan.before, wanted=wanted))
        removals.listed = lists.objects()
    work = removing(
        *(job.client, job.ledger.intents, job.observer, step),
        stays=removals.stays,
        record=removals.record,
        refuse=removals.refuse,
    )
    ordered = sorted(going, key=removal_order)
    for _, level in groupby(ordered, key=lambda each: removal_order(each)[0]):
        await work_through(level, work, workers=job.settings.in_flight, stop=job.stop)
    number = len(removals.removed) - before
    place = "in the trash" if kind in TRASHED else "deleted"
    job.observer(StepFinished(step, f"{number} of {len(going)} {place}"))


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
    job: RollbackJob, plan: RollbackPlan, removals: RollbackRemovals
) -> Outcome:
    """Return what is left of ours, and what else differs from before. Reads only."""
    left = [*plan.left, *removals.left]
    changed: tuple[str, ...] = ()
    if plan.going:
        before, after = plan.before, await read_lists(job.client, plan.before)
        listed = after.objects()
        for each in removals.removed:
            # A list may lag behind: what it shows is read singly.
            own = each.kind, each.number
            if own in listed and await is_there(job.client, each):
                text = _STILL_THERE.format(each.called)
                left.append(each.kept(Reason.STILL_THERE, text))
        ours = {(e.kind, e.number) for e in (*plan.going, *plan.gone, *plan.left)}
        changed = tuple(_changes(before.objects(), listed, ours))
    return Outcome(
        plan,
        removed=tuple(removals.removed),
        left=tuple(left),
        changed=changed,
        writes=job.observer.writes,
    )


_MOVED = (
    "The {} was changed in the space while this rollback ran, so it stays; run it "
    "again to see what it would do now."
)
_WAITS = (
    "The {} stays for now: something stayed that may use it; run the rollback again."
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
