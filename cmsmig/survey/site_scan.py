"""What the lists of a site need, made once for all panels of a notebook: the rows of
its items, what becomes of them, and what their bodies hold."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from time import monotonic

from cmsmig.survey.body_notices import look_through_bodies
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.catalogue_build import build
from cmsmig.survey.catalogue_outcomes import Outcomes, is_decided, keep_outcomes
from cmsmig.ui.action_queue import in_slices

_OFTEN = 0.7
"""Seconds between two times that the panels show how far it is."""
_GROWING = "{:,} items are in the list so far; more follow."
_LEFT = "Bodies: {:,} items still to be looked through."


class SiteScan:
    """Completes a catalogue, and keeps what it found there."""

    def __init__(
        self,
        catalogue: Catalogue,
        decisions: Callable[[], str],
        outcomes: Callable[[], Outcomes],
    ) -> None:
        """`decisions` returns what tells decisions apart, `outcomes` what becomes of
        items under them."""
        self.catalogue = catalogue
        self.progress = ""
        """How far it is, in a sentence."""
        self.complete = False
        self.watchers: dict[str, Callable[[], None]] = {}
        """By panel: called now and then while the scan runs."""
        self._decisions = decisions
        self._outcomes = outcomes
        self._task: asyncio.Task[None] | None = None

    def finish(self, *, bodies: bool = True) -> None:
        """Make everything now, however long it takes; without `bodies` all but what
        bodies hold."""
        for _ in build(self.catalogue):
            pass
        for _ in self._decided(self._outcomes) if self._is_open() else ():
            pass
        if bodies:
            for _ in look_through_bodies(self.catalogue):
                pass
            self.complete = True

    async def run(self) -> None:
        """Make what is missing in the background; of several runs one works, and all
        wait for it."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())
        await asyncio.shield(self._task)

    async def _work(self) -> None:
        await self._follow(build(self.catalogue), _GROWING)
        if self._is_open():
            found = await asyncio.to_thread(self._outcomes)
            async for _ in in_slices(self._decided(lambda: found)):
                pass
        await self._follow(look_through_bodies(self.catalogue), _LEFT)
        self.progress, self.complete = "", True

    async def _follow(self, work: Iterator[int], said: str) -> None:
        last = 0.0
        async for number in in_slices(work):
            if monotonic() - last > _OFTEN:
                last = monotonic()
                self.progress = said.format(number)
                self._show()
        self._show()

    def _is_open(self) -> bool:
        return not is_decided(self.catalogue, self._decisions())

    def _decided(self, outcomes: Callable[[], Outcomes]) -> Iterator[None]:
        return keep_outcomes(self.catalogue, outcomes(), self._decisions())

    def _show(self) -> None:
        for watcher in self.watchers.values():
            watcher()
