"""A long job: started, stopped, followed, and its result."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from markupsafe import Markup

from cmsmig.errors import InterruptedRunError
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, sheet, table
from cmsmig.ui.meter import Meter, Stage
from cmsmig.ui.view import View, action

_EVERY = 0.25
"""Seconds between two looks at the meter."""
_made = partial(fragment, "ui/job.html")


class JobView(View):
    """A start, a stop, how far the job is, and what it found."""

    start_label = "Start"
    stopped = "Stopped."
    """What is said after a stop."""
    hidden = False
    """Whether there are no buttons: in a dry run."""

    def __init__(self, result: Markup = NOTHING) -> None:
        super().__init__()
        self.result = result
        """What the job found, or what is to be known before it."""
        self.busy = False
        """Whether a press of the start button is handled."""
        self.stoppable = False
        self.stages: Sequence[Stage] | None = None
        """The steps that are shown as progress; None: nothing is shown."""
        self.line = ""
        self.over = False
        self._work: asyncio.Future[None] | None = None

    @abstractmethod
    async def work(self, meter: Meter) -> None:
        """Do the job and keep its result."""

    @abstractmethod
    def meter(self) -> Meter:
        """Return the meter of a new run."""

    def interrupt(self) -> None:
        """End the job that runs."""
        if self._work is not None:
            self._work.cancel()

    def look(self) -> None:
        """Look at what else there is to show while the job runs."""

    def line_of(self, meter: Meter) -> str:
        """Return how it goes, in one line."""
        return meter.line()

    async def press(self) -> None:
        """Do what the start button says."""
        await self.run()

    @action("start")
    async def start(self, _: str) -> None:
        """Start the job, unless a press is handled already."""
        await self.handle(self.press)

    async def handle(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do one thing at a time; what comes meanwhile is dropped."""
        if self.busy:
            return
        self.busy = True
        try:
            await work()
        finally:
            self.busy = False
            self.show()

    @action("stop", "Stop")
    def stop(self, _: str) -> None:
        """Stop the job."""
        if self.stoppable:
            self.interrupt()

    async def run(self) -> bool:
        """Run the job and show how far it is; return whether it came to its end.

        Raises what it raises, unless it was stopped.
        """
        self.result, self.stoppable = NOTHING, True
        meter = self.meter()
        self._work = work = asyncio.ensure_future(self.work(meter))
        try:
            while not work.done():
                self.progress(meter.stages, self.line_of(meter))
                self.look()
                await asyncio.wait({work}, timeout=_EVERY)
            self.progress(meter.stages, meter.summary(), over=True)
            self.said = ("", "")
            work.result()
        except (asyncio.CancelledError, InterruptedRunError):
            self.say(self.stopped, "warning")
            return False
        else:
            return True
        finally:
            work.cancel()
            self.stoppable, self._work = False, None

    def progress(
        self, stages: Sequence[Stage] | None, line: str = "", *, over: bool = False
    ) -> None:
        """Show these steps, the last of them as a bar; None: take them away."""
        self.stages, self.line, self.over = stages, line, over
        self.show(calm=True)

    def html(self, *, live: bool) -> Markup:
        """Return the buttons, the progress and the result."""
        return _made("job", view=self, result=self.result, live=live)

    def steps(self) -> Markup:
        """Return the steps of the progress as a table."""
        return sheet(stages_table(self.stages or ()))


def stages_table(stages: Sequence[Stage]) -> Markup:
    """Return what each step handled and said, as a table."""
    if not stages:
        return NOTHING
    return table(
        ("Step", "Handled", "Result"),
        [(each.title, each.handled, each.note or "not finished") for each in stages],
    )
