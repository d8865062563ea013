"""One step of the import in a notebook: start, stop, go on, and how it went."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.errors import (
    LedgerLockedError,
    PlanDriftError,
)
from cmsmig.evidence.import_failures import Failure, file_failures, item_failures
from cmsmig.evidence.old_addresses import OriginPages
from cmsmig.evidence.report import failures_doc
from cmsmig.ledger.lease import other_holder
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.run_history import PastRun, read_failed, read_last_run
from cmsmig.ledger.store import Ledger
from cmsmig.notebook.kit.decision_files import decided_migration
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.transfer.plan_panels import ShownPlan, plan_now
from cmsmig.notebook.transfer.step_state import missing_before, step_result
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_steps import ImportOutcome, run_command
from cmsmig.ui.doc import Note, Part, Severity, Table, Text, table
from cmsmig.ui.documents.plan import left_as_it_is
from cmsmig.ui.documents.plan_steps import TITLES, planned_calls, writes_of
from cmsmig.ui.html.safe_html import NOTHING, doc_sheet
from cmsmig.ui.job import JobView
from cmsmig.ui.meter import Meter

_SHOWN = 30
_EVERY = 1.0
"""Seconds between two looks for what failed."""
_STOPPING = "Stopping after the calls in flight …"
_TAKE = "Take the new plan"
_LABELS = {
    "prepare": "Prepare the destination",
    "create": "Create the stories",
    "link": "Link the stories",
    "publish": "Publish what was decided",
}


class StepView(JobView):
    """One step of the import in one notebook: what it would do, and its controls."""

    stopped = (
        "Stopped after the calls in flight; nothing is lost. Press `Go on` to continue "
        "from here."
    )

    def __init__(self, workspace: Workspace, step: str, shown: ShownPlan) -> None:
        self._workspace, self._step, self._shown = workspace, step, shown
        super().__init__(self._forecast())
        self.prefix = step
        self.label = TITLES[step]
        self.start_label = _LABELS[step]
        self.hidden = workspace.dry_run
        self._signal: StopSignal | None = None
        self._failed_before: frozenset[ItemRow] = frozenset()
        self._next_look = 0.0
        self._fresh: Plan | None = None
        """A newer plan that is shown and was not taken yet."""
        self._account: Markup = NOTHING
        """How the last run went."""
        shown.watchers[step] = self._renew

    # What the step does.

    async def missing_now(self) -> str:
        """Return what an earlier notebook has to do first, as of now; or empty."""
        plan = self._shown.plan
        if not missing_before(self._workspace, self._step, plan):
            return ""
        # What an earlier notebook made since is in no plan of before.
        fresh = await plan_now(self._workspace, plan.pilot, recreate=plan.recreate)
        return missing_before(self._workspace, self._step, fresh)

    async def perform(self, stop: StopSignal, meter: Meter) -> ImportOutcome:
        """Run the step and return how it ended."""
        workspace, plan = self._workspace, self._shown.plan
        return await run_command(
            self._step,
            workspace.project,
            workspace.destination_settings,
            observer=meter,
            stop=stop,
            plan_hash=plan.plan_hash,
            recreate=plan.recreate,
            pilot=plan.pilot,
            show=lambda renewed: meter.expect(planned_calls(renewed, self._step)),
        )

    def meter(self) -> Meter:
        return Meter(self._workspace.observer)

    async def work(self, meter: Meter) -> None:
        assert self._signal is not None
        outcome = await self.perform(self._signal, meter)
        self.result = self._account = doc_sheet(*self.account(outcome, meter))

    # What is shown of it.

    def _forecast(self) -> Markup:
        """Return what the step would do, and what has to come before it."""
        return doc_sheet(*self._true_now()) + self._ahead()

    def _ahead(self) -> Markup:
        missing = missing_before(self._workspace, self._step, self._shown.plan)
        return doc_sheet(*self._intended(missing))

    def _renew(self) -> None:
        """Show what the step would do by a newer plan; how it went stays above that."""
        if self.busy:
            return
        self._fresh = None
        if not self._account:
            self.result = self._forecast()
        elif writes_of(self._shown.plan.calls, self._step):
            self.result = self._account + self._ahead()
        else:
            self.result = self._account
        if self.start_label == _TAKE:
            self.start_label = _LABELS[self._step]
        self.show(calm=True)

    def _true_now(self) -> Iterator[Part]:
        """Yield what the destination has of what the step is to bring."""
        path = self._workspace.project.ledger
        if path.exists():
            with Ledger.open_existing(path) as ledger:
                plan, details = self._shown.plan, self._shown.details
                found = step_result(self._step, details.migration, ledger, plan)
            yield Note(found.sentence, "good" if found.is_whole else "")

    def _intended(self, missing: str) -> Iterator[Part]:
        """Yield what the step would do, and what is `missing` before it."""
        writes = writes_of(self._shown.plan.calls, self._step)
        change = counted(writes, "call that changes", "calls that change")
        yield Text(f"{TITLES[self._step]}: {change} the destination.")
        if missing:
            yield Note(missing, "warning")
        if self._workspace.dry_run:
            yield Note("This is a dry run: nothing is written.")

    def account(self, outcome: ImportOutcome, meter: Meter) -> Iterator[Part]:
        """Yield what is true now, the accounting, what was said and what failed."""
        migration = decided_migration(self._workspace, outcome.plan.pilot)
        with Ledger.open_existing(self._workspace.project.ledger) as ledger:
            result = step_result(self._step, migration, ledger, outcome.plan)
            failed = self._failures(outcome, migration, ledger)
        if outcome.exit_code:
            yield Note(result.sentence, "bad")
        else:
            kind: Severity = "good" if result.is_whole else "warning"
            yield Note(f"{result.sentence} {result.next_step}", kind)
        if outcome.exit_code and not failed:
            yield Text("What failed at another step is in the report of notebook 07.")
        if self._step == "link":
            yield from left_as_it_is(outcome.plan)
        yield Text(f"{outcome.accounting.sentence}; writes: {outcome.writes:,}")
        yield from failures_doc(failed, OriginPages(migration))
        yield from map(Text, meter.notices)

    def _failures(
        self, outcome: ImportOutcome, migration: Migration, ledger: Ledger
    ) -> list[Failure]:
        if not outcome.exit_code and not outcome.plan.missing_files:
            return []
        failed = [
            *item_failures(ledger.items.all().values()),
            *file_failures(migration, ledger.inventory.assets()),
        ]
        mine = {self._step, "pull"} if self._step == "prepare" else {self._step}
        return [each for each in failed if each.step in mine]

    # What people ask for.

    def opened(self) -> None:
        """Say who runs now, else offer to continue what did not end."""
        if self.hidden:
            return
        if signed := other_holder(self._workspace.project.lock):
            self.result = doc_sheet(Note(f"Another run is at work: {signed}."))
        elif left := self._unfinished():
            self._account = doc_sheet(_ended_early(left), *self._true_now())
            self.result = self._account + self._ahead()
            self.start_label = "Go on"
        self.show()

    def _unfinished(self) -> PastRun | None:
        """Return the last run, if it is for this step to continue it."""
        path = self._workspace.project.ledger
        last = read_last_run(path) if path.exists() else None
        if last is None or last.command not in (self._step, "import"):
            return None
        return last if last.outcome != "done" else None

    def interrupt(self) -> None:
        assert self._signal is not None
        self._signal.set()
        self.say(_STOPPING)

    def look(self) -> None:
        """Show what failed, as it comes, and whether the run is being stopped."""
        if self._signal is not None and self._signal.is_set():
            self.say(_STOPPING)
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + _EVERY
        if failed := self._failed_rows() - self._failed_before:
            pages = OriginPages(self._shown.details.migration)
            self.result = doc_sheet(*failures_doc([*item_failures(failed)], pages))

    def _failed_rows(self) -> frozenset[ItemRow]:
        path = self._workspace.project.ledger
        return frozenset(read_failed(path, _SHOWN)) if path.exists() else frozenset()

    async def press(self) -> None:
        if self._fresh is not None:
            self._shown.show(self._fresh)
            self._fresh, self._account = None, NOTHING
            self.result = self._forecast()
            self.start_label = _LABELS[self._step]
        elif missing := await self.missing_now():
            self.stages = None
            self.result = doc_sheet(*self._intended(missing))
        else:
            await self._start_here()

    async def _start_here(self) -> None:
        self._signal = StopSignal()
        self._failed_before = self._failed_rows()
        try:
            whole = await self.run()
            self.start_label = "Run this step again" if whole else "Go on"
        except LedgerLockedError:
            self.stages = None
            raise
        except PlanDriftError as error:
            self.stages = None
            await self._offer(error)
        finally:
            self.stages, self._signal = self.stages or None, None

    async def _offer(self, error: PlanDriftError) -> None:
        """Show what moved and the new plan's difference; the next press takes it."""
        before = self._shown.plan
        self._fresh = await plan_now(
            self._workspace, before.pilot, recreate=before.recreate
        )
        moved = plan_difference(error.drift, before, self._fresh)
        self.result = doc_sheet(*moved)
        self.start_label = _TAKE


def _ended_early(run: PastRun) -> Note:
    at = f"The run of {run.started_at[11:16]} UTC"
    if run.outcome.startswith("failed: "):
        return Note(f"{at} failed: {run.outcome.removeprefix('failed: ')}", "bad")
    how = "was stopped" if run.outcome == "stopped" else "ended before it was done"
    return Note(f"{at} {how}. Press `Go on` to continue from there.", "warning")


def plan_difference(moved: Sequence[str], before: Plan, after: Plan) -> Iterator[Part]:
    """Yield what moved since a plan, and which of its numbers are others now."""
    yield Note(
        "The plan no longer fits, so nothing was written. This moved since:", "warning"
    )
    rows, rest = [(each,) for each in moved], "`cmsmig changes` shows each field"
    yield Table(("What moved",), rows, shown=_SHOWN, rest=rest)
    counts = [
        (name.replace("_", " "), old.get(name, 0), new.get(name, 0))
        for old, new in ((before.items, after.items), (before.calls, after.calls))
        for name in sorted({*old, *new})
        if old.get(name, 0) != new.get(name, 0)
    ]
    yield from table(("Number", "Before", "Now"), counts, "The new plan", shown=_SHOWN)
