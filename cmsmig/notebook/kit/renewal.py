"""Panels that ask services: made again when the project changed, by themselves where
that is quick, else when a person presses their button."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from time import monotonic

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.notebook.kit.project_news import DECISIONS, RAW, RUNS, ProjectNews
from cmsmig.ui.html.safe_html import NOTHING, note, sheet
from cmsmig.ui.view import View

QUICK = 8.0
"""Seconds that a panel may take which is made again by itself."""
_SOON = 1.0
"""Seconds in which more may change, before it is."""
_SAID = {RAW: "the origin was read", RUNS: "an import ended"}


class Renewal:
    """Knows what changed since a panel was made."""

    def __init__(
        self,
        view: View,
        news: ProjectNews,
        make: Callable[[], Awaitable[None]],
        what: str,
        took: float,
    ) -> None:
        """`make` makes what is shown; `what` is it called, and `took` are the seconds
        that it took last."""
        self._view, self._news, self._make, self._what = view, news, make, what
        self._took = took
        self._changed: set[str] = set()
        self._decided = news.decided
        self._is_due = False

    def follow(self, *decisions: str) -> None:
        """Follow what is pulled and imported, and these decisions."""
        for kind, wanted in ((RAW, [RAW]), (RUNS, [RUNS]), (DECISIONS, decisions)):
            panel = f"{self._view.prefix}-{kind}"
            self._news.follow(panel, partial(self._hear, kind), *wanted)

    @property
    def sentence(self) -> str:
        """Return what changed since; empty: nothing."""
        found = [text for kind, text in _SAID.items() if kind in self._changed]
        if DECISIONS in self._changed:
            many = max(1, self._news.decided - self._decided)
            found.insert(0, f"{counted(many, 'decision')} changed")
        said = " and ".join(found)
        return f"{said[:1].upper()}{said[1:]} since {self._what}." if said else ""

    def note(self) -> Markup:
        """Return what changed since, as long as no one is at it."""
        said = "" if self._is_due else self.sentence
        return sheet(note(said, "warning")) if said else NOTHING

    async def renew(self) -> None:
        """Make it again now."""
        began, decided = monotonic(), self._news.decided
        # What changes meanwhile may have come too late.
        changed, self._changed = self._changed, set()
        try:
            await self._make()
        except BaseException:
            self._changed |= changed
            raise
        self._took, self._decided = monotonic() - began, decided
        self._view.show(calm=True)

    def _hear(self, kind: str) -> None:
        self._changed.add(kind)
        if self._took > QUICK:
            self._view.show(calm=True)
        elif not self._is_due:
            self._is_due = True
            self._view.queue.start(self._renew_soon)

    async def _renew_soon(self) -> None:
        try:
            while self._changed and self._took <= QUICK:
                await asyncio.sleep(_SOON)
                await self.renew()
        finally:
            self._is_due = False
            self._view.show(calm=True)
