"""Notebook 03: all bodies against the official converter, where Node is there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from markupsafe import Markup

from cmsmig.errors import OfficialUnavailableError
from cmsmig.events import Event, Noticed, Observer, StepAdvanced, StepStarted
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.preview.cross_check_tables import compared
from cmsmig.notebook.preview.previews import Previews
from cmsmig.review.bodies import Body
from cmsmig.steps.decide.cross_check import SiteBody, cross_check
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.ui.html.safe_html import NOTHING, note, paragraph, sheet

_EVERY = 0.25
"""Seconds between two looks at how far it is."""
_NOT_YET = (
    "The bodies were not compared with the official converter. That is optional, "
    "needs Node, and changes nothing."
)


async def cross_checked(previews: Previews, *, run: bool = False) -> Panel:
    """Compare all bodies with the official converter, and show what differs.

    Before a person it waits for its button and can be stopped; unattended it runs
    when `run` says so. Without Node one sentence says that, and nothing ends.
    """
    workspace = previews.workspace
    if workspace.interactive:
        return workspace.panel(NOTHING, lambda: _CrossCheckBoard(previews).element)
    if not run:
        hint = " Set `cross_check = True` for it."
        return workspace.panel(sheet(paragraph(_NOT_YET + hint)))
    shown = await _check(previews, StopSignal(), workspace.observer)
    return workspace.panel(sheet(shown), text="Bodies against the official converter")


async def _check(previews: Previews, stop: StopSignal, observer: Observer) -> Markup:
    bodies = tuple(site_body(each) for each in previews.body_index.bodies)
    try:
        return compared(await cross_check(bodies, observer=observer, stop=stop))
    except OfficialUnavailableError as error:
        return note(str(error), "warning")


def site_body(body: Body) -> SiteBody:
    """Return a body as the cross-check takes it: what the origin holds, untouched."""
    key = body.item.key
    places = (body.collection.slug, key.item_id, key.locale_id, body.design.origin)
    return SiteBody(
        "/".join(filter(None, places)),
        f"{body.title}: {body.design.origin}",
        body.text,
        body.design.encoding is Encoding.MARKDOWN_AS_RICHTEXT,
    )


@dataclass(slots=True)
class _Progress:
    """An observer that counts, and hands every event on."""

    observer: Observer
    total: int = 0
    done: int = 0
    notice: str = ""

    def __call__(self, event: Event) -> None:
        match event:
            case StepStarted(_, total):
                self.total = total or 0
            case StepAdvanced():
                self.done += 1
                self.notice = ""
            case Noticed(where, what):
                self.notice = f"{where}: {what}"
            case _:
                pass
        self.observer(event)

    def __str__(self) -> str:
        done = f"{self.done:,} of {self.total:,} bodies"
        return f"{done}; {self.notice}" if self.notice else done


class _CrossCheckBoard:
    """The controls of the comparison."""

    def __init__(self, previews: Previews) -> None:
        self._previews = previews
        self._stop: StopSignal | None = None
        board = self._board = widgets.Board()
        start = board.button(
            "cross-check", "Compare with the official converter", self._go
        )
        self._halt = board.button("cross-check-stop", "Stop", self._ask)
        self._halt.enable(False)
        self._bar = widgets.Bar(len(previews.body_index.bodies))
        self._bar.visible(False)
        self._result = widgets.Html(sheet(paragraph(_NOT_YET)))
        self.element = widgets.column(
            widgets.row(start, self._halt), self._bar, self._result, board.messages
        )

    async def _go(self) -> None:
        self._stop = stop = StopSignal()
        progress = _Progress(self._previews.workspace.observer)
        self._halt.enable(True)
        self._bar.visible(True)
        work = asyncio.create_task(_check(self._previews, stop, progress))
        try:
            while not work.done():
                self._bar.show(progress.done, progress.total, str(progress))
                await asyncio.wait({work}, timeout=_EVERY)
            self._result.show(sheet(work.result()))
        finally:
            work.cancel()
            self._stop = None
            self._halt.enable(False)
            self._bar.visible(False)
            self._board.say("")

    def _ask(self) -> None:
        if self._stop is not None:
            self._stop.set()
            self._board.say("Stopping …")
