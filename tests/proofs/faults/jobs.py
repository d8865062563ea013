"""Cases shared among processes, each with worlds of its own."""

from __future__ import annotations

import logging
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing import connection
from pathlib import Path

from tests.proofs.faults.cases import Case
from tests.proofs.faults.importing import FORKS, hurry, start_forks
from tests.proofs.faults.runs import Result, Setting, attempt


def quiet() -> None:
    """Keep to oneself what the sandbox's server tells of broken connections."""
    logging.disable(logging.CRITICAL)


def run_cases(
    cases: Sequence[Case], setting: Setting, jobs: int
) -> Iterator[tuple[Case, Result]]:
    """Yield each case with its result, as they come; ends the processes at last."""
    waiting = iter(cases)
    running: dict[connection.Connection, Case] = {}
    workers = []
    try:
        for _ in range(min(jobs, len(cases))):
            here, there = FORKS.Pipe()
            worker = FORKS.Process(target=_work, args=(there, setting))
            worker.start()
            there.close()
            workers.append(worker)
            _next(here, waiting, running)
        while running:
            for ready in connection.wait(list(running)):
                case = running.pop(ready)
                try:
                    result = ready.recv()
                except EOFError:
                    sys.exit(f"The process that ran {case.key} has died.")
                _next(ready, waiting, running)
                yield case, result
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()


def _next(
    pipe: connection.Connection,
    waiting: Iterator[Case],
    running: dict[connection.Connection, Case],
) -> None:
    case = next(waiting, None)
    if case is not None:
        running[pipe] = case
        pipe.send(case)


def _work(pipe: connection.Connection, setting: Setting) -> None:
    # Ctrl-C reaches every process; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    quiet()
    start_forks()
    hurry()
    # Without the first process there is nobody to tell.
    with suppress(EOFError, BrokenPipeError):
        own = replace(setting, work=Path(tempfile.mkdtemp(dir=setting.work)))
        while True:
            pipe.send(attempt(pipe.recv(), own))
