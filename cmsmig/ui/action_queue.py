"""Work in the loop of the cell: what controls ask for, one piece at a time, and long
work in slices.

A kernel may serve what people click on another thread. So a control only puts its
work into this queue; an error of it shows as one sentence.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from time import monotonic
from typing import TypeAlias, TypeVar

from cmsmig.errors import CmsmigError
from cmsmig.ui.doc import Severity

Act: TypeAlias = Callable[[], Awaitable[None] | None]
"""What a control does: quick, or awaitable when it takes its time."""
Say: TypeAlias = Callable[[str, Severity], None]
"""Shows one sentence in the place of the last one; empty takes it away."""
T = TypeVar("T")

_SLICE = 0.03
"""Seconds of work before anything else gets its turn."""
_PAUSE = 0.01
_log = logging.getLogger(__name__)


class ActionQueue:
    """Runs actions on the loop that it was made in. Make it in the cell."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Return whether an action runs."""
        return bool(self._tasks)

    def add(self, act: Act) -> None:
        """Run an action on the loop, soon. Works from every thread."""
        self._loop.call_soon_threadsafe(self._start, act)

    def start(self, act: Act) -> None:
        """Run something in the background; the sentence that is shown stays."""
        # The loop itself holds its tasks only weakly.
        task = self._loop.create_task(self._guarded(act))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _start(self, act: Act) -> None:
        self._say("", "")
        self.start(act)

    async def _guarded(self, act: Act) -> None:
        try:
            result = act()
            if result is not None:
                await result
        except CmsmigError as error:
            self._say(str(error), "bad")
        except Exception as error:
            _log.exception("A control's action failed")
            self._say(
                f"This went wrong and should not have ({type(error).__name__}: "
                f"{error}); press Run this notebook, below the title, and report it if "
                "it stays.",
                "bad",
            )


async def in_slices(work: Iterable[T]) -> AsyncIterator[T]:
    """Work through something; yield its results, and pause for others meanwhile."""
    until = monotonic() + _SLICE
    for each in work:
        yield each
        if monotonic() > until:
            await asyncio.sleep(_PAUSE)
            until = monotonic() + _SLICE
    await asyncio.sleep(0)
