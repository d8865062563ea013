"""Numbered notebooks, one after the other, unattended."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from cmsmig.errors import DifferencesError, InterruptedRunError
from cmsmig.events import Noticed, Observer, StepFinished, StepStarted
from cmsmig.run.engine import declared_parameters, execute, export_page
from cmsmig.run.locations import Notebook
from cmsmig.run.outcome import Failure
from cmsmig.run.parameters import Value, values_for

_PATIENCE = 10.0
"""Seconds that a cell has to end what it does after a signal."""
_STOPPED = Failure("", "it was stopped", InterruptedRunError.exit_code)


@dataclass(frozen=True, slots=True)
class Assignment:
    """A notebook and everything that it is run with."""

    notebook: Notebook
    values: dict[str, Value]


@dataclass(frozen=True, slots=True)
class Ran:
    """One notebook that was run, to its end or not."""

    name: str
    notebook: Path
    """The executed copy."""
    page: Path | None
    """The same as HTML; None when it could not be written."""
    failure: Failure | None


@dataclass(frozen=True, slots=True)
class NotebookRun:
    """What a run left behind."""

    folder: Path
    ran: tuple[Ran, ...]
    not_run: tuple[str, ...]
    """Later notebooks, after one failed."""

    @property
    def failed(self) -> Ran | None:
        """Return the notebook that ended the run, if one did."""
        return next((each for each in self.ran if each.failure is not None), None)

    @property
    def complaint(self) -> str:
        """Return one sentence on the notebook that failed; empty when none did."""
        failed = self.failed
        if failed is None or failed.failure is None:
            return ""
        if failed.failure.exit_code == DifferencesError.exit_code:
            seen = failed.page or failed.notebook
            again = f"`cmsmig run --from {failed.name[:2]}`"
            return f"{failed.failure.why}: {seen}. Continue with {again}."
        where = f" in {failed.failure.where}" if failed.failure.where else ""
        rest = f"; {', '.join(self.not_run)} not run" if self.not_run else ""
        return (
            f"{failed.name} stopped{where}: {failed.failure.why} (see "
            f"{failed.page or failed.notebook}{rest}; --from {failed.name[:2]} "
            "continues here)."
        )


def assign(
    notebooks: Sequence[Notebook],
    given: Mapping[str, str],
    supplied: Mapping[str, Value],
) -> tuple[Assignment, ...]:
    """Return each notebook with its values. Reads the notebooks, runs none.

    Raises `UsageError` for a parameter that no notebook has or that does not
    fit, so that nothing has happened yet when it is raised.
    """
    declared = {each.name: declared_parameters(each.path) for each in notebooks}
    values = values_for(declared, given, supplied)
    return tuple(Assignment(each, values[each.name]) for each in notebooks)


def run_notebooks(
    assignments: Sequence[Assignment], folder: Path, log: Path, observer: Observer
) -> NotebookRun:
    """Run notebooks into `folder`, each in a kernel of its own, until one fails.

    Writes `NN_name.ipynb` and `NN_name.html` for each that was begun, and events
    of the kernels to `log`. A SIGINT or SIGTERM interrupts the running cell, which has
    10 seconds to end, or ends the kernel that starts; nothing is begun after it. A
    second one ends the kernel at once.
    """
    ran: list[Ran] = []
    with _interrupting() as kernel:
        for assignment in assignments:
            ran.append(_run_one(assignment, folder, log, kernel, observer))
            if ran[-1].failure is not None or kernel.stopping:
                break
    if kernel.stopping:
        ran[-1] = replace(ran[-1], failure=_stopped(ran[-1].failure))
    rest = tuple(each.notebook.name for each in assignments[len(ran) :])
    return NotebookRun(folder, tuple(ran), rest)


def _stopped(failure: Failure | None) -> Failure:
    """Return how a notebook failed that was stopped: a kernel may die of it."""
    if failure is None or failure.exit_code != _STOPPED.exit_code:
        return _STOPPED
    return failure


def _run_one(
    assignment: Assignment,
    folder: Path,
    log: Path,
    kernel: _Kernel,
    observer: Observer,
) -> Ran:
    name = assignment.notebook.name
    output = folder / f"{name}.ipynb"
    # A copy of an earlier run would be taken for this one's.
    output.unlink(missing_ok=True)
    started = time.monotonic()
    observer(StepStarted(name, None))
    failure = execute(
        assignment.notebook.path,
        output,
        assignment.values,
        kernel.started,
        log,
        kernel.begin,
    )
    kernel.process, kernel.takes_cells = 0, False
    page = _page(output, observer)
    seconds = time.monotonic() - started
    observer(StepFinished(name, f"{'stopped' if failure else 'done'}, {seconds:.1f} s"))
    return Ran(name, output, page, failure)


def _page(output: Path, observer: Observer) -> Path | None:
    page = output.with_suffix(".html")
    if not output.exists():
        return None
    try:
        export_page(output, page)
    except Exception as error:
        # The notebook itself is the record; its page is a convenience.
        observer(Noticed(output.stem, f"no HTML page could be made ({error})"))
        return None
    return page


@dataclass(slots=True)
class _Kernel:
    """The kernel that a signal is passed on to; it has no terminal."""

    process: int = 0
    takes_cells: bool = False
    stopping: bool = False

    def started(self, process: int) -> None:
        self.process = process
        if self.stopping:
            self._send(signal.SIGKILL)

    def begin(self) -> None:
        """Learn that a kernel or a cell begins; raise where none may."""
        if self.stopping:
            raise InterruptedRunError("Stopped.")
        self.takes_cells = self.process != 0

    def interrupt(self, number: int, frame: object) -> None:
        # A kernel that starts ignores SIGINT, and there is nothing to lose in it. One
        # between two cells loses it, and a loop that only waits does not notice it.
        if self.stopping or not self.takes_cells:
            self._send(signal.SIGKILL)
        else:
            self._send(signal.SIGINT)
            ending = threading.Timer(_PATIENCE, self._send, [signal.SIGKILL])
            ending.daemon = True
            ending.start()
        self.stopping = True

    def _send(self, number: signal.Signals) -> None:
        if self.process:
            with suppress(ProcessLookupError):
                os.kill(self.process, number)


@contextmanager
def _interrupting() -> Iterator[_Kernel]:
    """Pass SIGINT and SIGTERM on to the kernel."""
    kernel = _Kernel()
    if threading.current_thread() is not threading.main_thread():
        yield kernel
        return
    before = {
        number: signal.signal(number, kernel.interrupt)
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield kernel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
