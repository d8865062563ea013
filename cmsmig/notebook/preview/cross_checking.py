"""Notebook 03: all bodies against the official converter, where Node is there."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.errors import OfficialUnavailableError
from cmsmig.events import Observer
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.preview.cross_check_tables import compared
from cmsmig.notebook.preview.previews import Previews
from cmsmig.review.bodies import Body
from cmsmig.steps.decide.cross_check import SiteBody, cross_check
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.ui.html.safe_html import NOTHING, note, paragraph, sheet
from cmsmig.ui.job import JobView
from cmsmig.ui.meter import Meter

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
        return workspace.panel(NOTHING, lambda: _CrossCheckView(previews).element())
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


class _CrossCheckView(JobView):
    """The controls of the comparison."""

    prefix = "cross-check"
    label = "Comparison with the official converter"
    start_label = "Compare with the official converter"

    def __init__(self, previews: Previews) -> None:
        super().__init__(sheet(paragraph(_NOT_YET)))
        self._previews = previews
        self._signal = StopSignal()

    def meter(self) -> Meter:
        return Meter(self._previews.workspace.observer)

    def line_of(self, meter: Meter) -> str:
        return meter.notices[-1] if meter.notices else ""

    async def work(self, meter: Meter) -> None:
        self._signal = StopSignal()
        self.result = sheet(await _check(self._previews, self._signal, meter))

    async def press(self) -> None:
        await self.run()
        self.stages = None

    def interrupt(self) -> None:
        self._signal.set()
        self.say("Stopping …")
