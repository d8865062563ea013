"""Runs pieces of work on all cores, in processes that end with the one they serve."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import Any, TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")

_VARIABLE = "PYTHONSAFEPATH"
"""Set to anything, it is Python's `-P`, for all that a process starts."""
_WAITING = 4
"""Parts for each process that are given out before their results are taken."""


def in_processes(
    work: Callable[[Part], Result],
    parts: Iterable[Part],
    *,
    processes: int | None = None,
) -> Iterator[tuple[Part, Result]]:
    """Yield each part with what `work` makes of it, in order; few of them wait at a
    time, so that memory does not grow with their number. As many processes as there are
    cores, unless `processes` says otherwise.

    Each process is given `work` once, with what it holds. Raises what `work` raises,
    and `BrokenProcessPool` when a process dies.
    """
    processes = processes or os.cpu_count() or 1
    waiting: deque[tuple[Part, Future[Result]]] = deque()
    with (
        _safe_import_path(),
        ProcessPoolExecutor(
            processes, get_context(_way_to_start()), _begin, (work,)
        ) as pool,
    ):
        for part in parts:
            waiting.append((part, pool.submit(_do, part)))
            if len(waiting) > _WAITING * processes:
                done, future = waiting.popleft()
                yield done, future.result()
        while waiting:
            done, future = waiting.popleft()
            yield done, future.result()


@contextmanager
def _safe_import_path() -> Iterator[None]:
    """Have new interpreters import nothing from the current folder; a spawned one
    runs `-c`, which would look there first."""
    if _VARIABLE in os.environ or sys.flags.safe_path:
        yield
        return
    os.environ[_VARIABLE] = "1"
    try:
        yield
    finally:
        os.environ.pop(_VARIABLE, None)


def _way_to_start() -> str:
    """Return how processes are started: a fork is the quickest, and safe only where no
    thread holds a lock; a notebook's kernel has threads."""
    alone = sys.platform == "linux" and threading.active_count() == 1
    return "fork" if alone else "spawn"


_given: list[Callable[[Any], Any]] = []
"""The work of this process."""


def _do(part: Part) -> Any:
    return _given[0](part)


def _begin(work: Callable[[Part], Result]) -> None:
    # An interrupt is for the process that started this one. A fork inherits its
    # handlers, so they are reset: SIGTERM ends this process immediately.
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _given[:] = [work]


def _end_with_parent() -> None:
    """End this process when its parent was killed: that one could not do it."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
