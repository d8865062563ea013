"""What notebook 03 calls: all bodies compared with the official converter, where there
is Node.

Names in here never move: projects keep their notebooks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.errors import OfficialUnavailableError
from cmsmig.events import Observer
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.parameters import takes_parameters
from cmsmig.notebook.preview.previews import Previews
from cmsmig.review.bodies import Body
from cmsmig.steps.decide.cross_check import (
    CheckedBody,
    CrossCheck,
    SiteBody,
    Verdict,
    cross_check,
)
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    code,
    coded,
    joined,
    more,
    note,
    paragraph,
    sheet,
    source,
    table,
)
from cmsmig.ui.job import JobView
from cmsmig.ui.meter import Meter

__all__ = ["cross_checked"]

_NOT_YET = (
    "The bodies were not compared with the official converter. That is optional, "
    "needs Node, and changes nothing."
)


@takes_parameters(run="cross_check")
async def cross_checked(previews: Previews, *, run: bool = False) -> Panel:
    """Compare all bodies with the official converter, and show what differs.

    Before a person it waits for its button and can be stopped; unattended it runs
    when `run` is set. Without Node one sentence reports that; the notebook continues.
    """
    workspace = previews.workspace
    if workspace.interactive:
        return workspace.shows(_CrossCheckView(previews))
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


_LISTED = 20
_BARE = (
    "Compared are the bare conversions: every file at its old address, embeds by the "
    "default choices, without rules of this project's own."
)


def compared(found: CrossCheck) -> Markup:
    """Return the counts, the deviations by name, and documents side by side."""
    return joined(
        (
            _ending(found),
            paragraph(_BARE),
            _deviations(found),
            _failed(found.of(Verdict.OFFICIAL_FAILED)),
            _side_by_side(found.of(Verdict.UNEXPLAINED), "Unexplained"),
            _side_by_side(found.of(Verdict.DIFFERENT), "Different"),
        )
    )


def _ending(found: CrossCheck) -> Markup:
    if found.count(Verdict.UNEXPLAINED):
        text = f"{found}. Please report the unexplained ones: the fault is ours."
        return note(text, "bad")
    if not found.whole:
        return note(f"Stopped: {found}.", "warning")
    return note(f"{found}.", "good")


def _deviations(found: CrossCheck) -> Markup:
    rows: list[tuple[Cell, ...]] = [
        (
            code(str(each.name)),
            each.bodies,
            coded(each.official),
            coded(each.instead),
        )
        for each in found.deviations()
    ]
    head = ("Deviation", "Bodies", "The official converter", "Here")
    return _listed(head, rows, "Deviations on purpose; several may apply to one body")


def _failed(bodies: tuple[CheckedBody, ...]) -> Markup:
    rows = [(each.title, each.why) for each in bodies[:_LISTED]]
    caption = f"The official converter failed ({len(bodies):,})"
    return _listed(("Body", "Why"), rows, caption, len(bodies))


def _side_by_side(bodies: tuple[CheckedBody, ...], what: str) -> Markup:
    rows = [
        (
            each.title,
            coded(", ".join(f"`{name}`" for name in each.deviations)),
            *(source(_readable(text)) for text in (each.ours, each.official)),
        )
        for each in bodies[:_LISTED]
    ]
    head = ("Body", "Deviations", "Ours", "The official converter's")
    caption = f"{what} ({counted(len(bodies), 'body', 'bodies')})"
    return _listed(head, rows, caption, len(bodies))


def _readable(document: str) -> str:
    return json.dumps(json.loads(document), ensure_ascii=False, indent=1)


def _listed(
    head: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str, count: int = 0
) -> Markup:
    """Return a table, of how many it shows the first; nothing where it is empty."""
    if not rows:
        return NOTHING
    return table(head, rows, caption=caption) + more(count, _LISTED)
