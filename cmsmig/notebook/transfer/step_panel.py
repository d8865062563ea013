"""One step of the import in a notebook: start, stop, go on, and how it went."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.errors import (
    LedgerLockedError,
    PlanDriftError,
)
from cmsmig.evidence.addresses import OriginPages
from cmsmig.evidence.failures import Failure, file_failures, item_failures
from cmsmig.evidence.report import failures_doc
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.select.reference_targets import fields_replaced
from cmsmig.notebook.kit.decision_files import decided_migration
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.notebook.transfer.plan_panels import ShownPlan, plan_now
from cmsmig.notebook.transfer.run_elsewhere import RunElsewhere
from cmsmig.notebook.transfer.step_state import missing_before, step_result
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_steps import Outcome, run_command
from cmsmig.ui.documents.plan import TITLES, planned_calls, planned_writes
from cmsmig.ui.html.safe_html import (
    NOTHING,
    doc_html,
    joined,
    more,
    note,
    paragraph,
    sheet,
    table,
)
from cmsmig.ui.job import JobView
from cmsmig.ui.meter import Meter, Stage

_SHOWN = 30
_EVERY = 2.0
"""Seconds between two looks for a run of another process."""
_STOPPING = "Stopping after the calls in flight …"
_LABELS = {
    "prepare": "Prepare the destination",
    "create": "Create the stories",
    "link": "Link the stories",
    "publish": "Publish what was decided",
}


_newest: dict[tuple[Path, str], StepView] = {}
"""By project and step: a cell that is run again leaves its old panel behind."""


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
        self._place = (workspace.project.root, step)
        self._signal: StopSignal | None = None
        pages = OriginPages(shown.details.migration)
        self._elsewhere = RunElsewhere(workspace, pages)
        self._fresh: Plan | None = None
        """A newer plan that is shown and was not taken yet."""

    # What the step does.

    async def missing_now(self) -> str:
        """Return what an earlier notebook has to do first, as of now; or empty."""
        plan = self._shown.plan
        if not missing_before(self._workspace, self._step, plan):
            return ""
        # What an earlier notebook made since is in no plan of before.
        fresh = await plan_now(self._workspace, plan.pilot, recreate=plan.recreate)
        return missing_before(self._workspace, self._step, fresh)

    async def perform(self, stop: StopSignal, meter: Meter) -> Outcome:
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
        self.result = sheet(self.account(outcome, meter))

    # What is shown of it.

    def _forecast(self) -> Markup:
        """Return what the step would do, and what has to come before it."""
        missing = missing_before(self._workspace, self._step, self._shown.plan)
        return sheet(self._true_now(), self._intended(missing))

    def _true_now(self) -> Markup:
        """Return what the destination has of what the step is to bring."""
        path = self._workspace.project.ledger
        if not path.exists():
            return NOTHING
        with Ledger.open_existing(path) as ledger:
            found = step_result(self._step, self._shown.details.migration, ledger)
        if found.is_whole:
            return note(f"{found.sentence} {found.next_step}", "good")
        return note(found.sentence)

    def _intended(self, missing: str) -> Markup:
        """Return what the step would do, and what is `missing` before it."""
        writes = counted(planned_writes(self._shown.plan, self._step), "call")
        said = f"{TITLES[self._step]}: {writes} that change the destination."
        parts = [paragraph(said)]
        if missing:
            parts.append(note(missing, "warning"))
        if self._workspace.dry_run:
            parts.append(note("This is a dry run: nothing is written."))
        return joined(parts)

    def account(self, outcome: Outcome, meter: Meter) -> Markup:
        """Return what is true now, the accounting, what was said and what failed."""
        plan = outcome.plan
        migration = decided_migration(self._workspace, plan.pilot)
        with Ledger.open_existing(self._workspace.project.ledger) as ledger:
            result = step_result(self._step, migration, ledger)
            failed = self._failures(outcome, migration, ledger)
        if outcome.exit_code:
            parts = [note(result.sentence, "bad")]
        else:
            kind: Literal["good", "warning"] = "good" if result.is_whole else "warning"
            parts = [note(f"{result.sentence} {result.next_step}", kind)]
        if outcome.exit_code and not failed:
            elsewhere = "What failed at another step is in the report of notebook 07."
            parts.append(paragraph(elsewhere))
        if self._step == "link":
            parts += map(paragraph, _left_as_they_are(plan))
        accounting = f"{outcome.accounting}; writes: {outcome.writes:,}"
        failures = failures_doc(failed, OriginPages(migration))
        parts += [paragraph(accounting), doc_html(failures)]
        return joined([*parts, *map(paragraph, meter.notices)])

    def _failures(
        self, outcome: Outcome, migration: Migration, ledger: Ledger
    ) -> list[Failure]:
        if not outcome.exit_code and not outcome.plan.missing_files:
            return []
        failed = [
            *item_failures(ledger.items.all().values()),
            *file_failures(migration, ledger.inventory.assets()),
        ]
        mine = {self._step, "pull"} if self._step == "prepare" else {self._step}
        return [each for each in failed if each.step in mine]

    # What people ask for, and what other processes do.

    def opened(self) -> None:
        """Offer to continue what did not end; follow what runs elsewhere."""
        _newest[self._place] = self
        if self.hidden:
            return
        if not self._elsewhere.signed():
            left = self._elsewhere.unfinished(self._step)
            if left is not None:
                self.result = sheet(left, self._forecast())
                self.start_label = "Go on"
                self.show()
        self._look_around()

    def interrupt(self) -> None:
        if self._signal is not None:
            self._signal.set()
        else:
            self._elsewhere.stop()
        self.say(_STOPPING)

    def look(self) -> None:
        """Show what failed, as it comes, and whether the run is being stopped."""
        if self._signal is not None and self._signal.is_set():
            self.say(_STOPPING)
        if failed := self._elsewhere.failed_here():
            self.result = sheet(failed)

    async def press(self) -> None:
        if self._fresh is not None:
            self._shown.show(self._fresh)
            self._fresh = None
            self.result = self._forecast()
            self.start_label = _LABELS[self._step]
        elif self._elsewhere.signed():
            await self._follow()
        elif missing := await self.missing_now():
            self.stages = None
            self.result = sheet(self._intended(missing))
        else:
            await self._start_here()

    def _look_around(self) -> None:
        """Follow a run of another process as soon as there is one; look again soon.

        A timer and no task, since it lasts for as long as the panel.
        """
        if _newest[self._place] is not self:
            return
        if not self.busy and self._elsewhere.signed():
            self.queue.add(partial(self.handle, self._follow))
        asyncio.get_running_loop().call_later(_EVERY, self._look_around)

    async def _start_here(self) -> None:
        self._signal = StopSignal()
        self._elsewhere.runs_here()
        try:
            whole = await self.run()
            self.start_label = "Run again" if whole else "Go on"
        except LedgerLockedError:
            self.stages = self._signal = None
            if not self._elsewhere.signed():
                raise
            await self._follow()
        except PlanDriftError as error:
            self.stages = None
            await self._offer(error)
        finally:
            self.stages, self._signal = self.stages or None, None

    async def _follow(self) -> None:
        """Show the run of another process until it has ended."""
        self.stoppable = self._elsewhere.can_stop
        try:
            await self._elsewhere.follow(self._show_seen)
            said, continues = self._elsewhere.ended(self._step)
            self.stages = self._fresh = None
            self.result = sheet(said)
            self.start_label = "Go on" if continues else _LABELS[self._step]
        finally:
            self.stoppable = False

    def _show_seen(
        self, said: Markup, stages: Sequence[Stage] | None, line: str
    ) -> None:
        self.result = sheet(said)
        self.progress(stages, line)

    async def _offer(self, error: PlanDriftError) -> None:
        """Show what moved and the new plan's difference; the next press takes it."""
        before = self._shown.plan
        self._fresh = await plan_now(
            self._workspace, before.pilot, recreate=before.recreate
        )
        self.result = sheet(plan_difference(error.drift, before, self._fresh))
        self.start_label = "Take the new plan"


def _left_as_they_are(plan: Plan) -> Iterator[str]:
    """Yield what an import leaves empty or as it is, and where it is listed."""
    if plan.dangling:
        many = counted(len(plan.dangling), "reference")
        yield f"{many} to what has no story: left empty; notebook 04 lists them."
    if other := fields_replaced(plan.dangling):
        many = counted(other, "translated field")
        yield f"Visitors get the primary language's references in {many} of these."
    if plan.not_in_pilot:
        many = counted(len(plan.not_in_pilot), "reference")
        yield f"{many} to what is not in the pilot: an import of all fills them."
    if left := sum(plan.links_left.values()):
        many = counted(left, "link")
        yield f"{many} into the old site: left as they are; notebook 04 lists them."


def plan_difference(moved: Sequence[str], before: Plan, after: Plan) -> Markup:
    """Return what moved since a plan, and which of its numbers are others now."""
    counts = [
        (name.replace("_", " "), old.get(name, 0), new.get(name, 0))
        for old, new in ((before.items, after.items), (before.calls, after.calls))
        for name in sorted({*old, *new})
        if old.get(name, 0) != new.get(name, 0)
    ]
    said = "The plan no longer fits, so nothing was written. This moved since:"
    shown = [
        note(said, "warning"),
        table(("What moved",), [(each,) for each in moved[:_SHOWN]]),
        more(len(moved), _SHOWN, "; `cmsmig changes` shows each field"),
    ]
    if counts:
        head = ("Number", "Before", "Now")
        shown.append(table(head, counts, caption="The new plan"))
    return joined(shown)
