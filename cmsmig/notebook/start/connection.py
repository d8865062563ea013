"""Notebook 00: whether both services answer, what they allow, what is next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from markupsafe import Markup

from cmsmig.errors import CmsmigError, SettingsError, UndecidedError
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.decision_files import D
from cmsmig.mapping.decisions.design import Design
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.kernel import show
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.notebook.start.estimate import estimate
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Settings
from cmsmig.steps.connection_check import CheckRow, check
from cmsmig.steps.decide.decision_store import decision_in, is_publishing
from cmsmig.steps.write.import_steps import plan_only
from cmsmig.ui.doc import Heading
from cmsmig.ui.doc_html import doc_sheet
from cmsmig.ui.documents.plan import plan_doc
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    coded,
    heading,
    note,
    paragraph,
    sheet,
    table,
)

_AMONG_LIMITS = (
    *("plan", "write rate", "stories allowed", "components allowed"),
    *("folders allowed", "requests a month", "largest file", "largest story"),
)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class _Answer:
    """What was found, and what of it has to be put right first."""

    found: Markup
    wrong: str = ""


_Ask: TypeAlias = Callable[[], Awaitable[_Answer]]


async def connection_check(workspace: Workspace) -> Panel:
    """Ask both services who they are and what they allow. Reads only.

    Unattended, what is wrong ends the run with the error that names it; by hand it
    stands in the panel, and a button asks again.
    """

    async def ask() -> _Answer:
        settings = workspace.settings
        publishes = is_publishing(workspace.project)
        rows = await check(settings, workspace.observer, publishes=publishes)
        wrong = "; ".join(f"{row.what}: {row.found}" for row in rows if not row.ok)
        return _Answer(_checks_html(settings, rows), wrong)

    return await _ask_panel(workspace, ask, "check-again", "Check again")


async def forecast(workspace: Workspace) -> Panel:
    """Show what an import would take: calls and time; or what has to come first.

    Before everything is pulled and decided it estimates, from the counts alone. With
    everything pulled and decided it makes and stores the plan, as `cmsmig
    plan` does; nothing is written to the destination.
    """

    async def ask() -> _Answer:
        todo = _todo(workspace)
        if todo:
            return _next(_steps(todo) + await estimate(workspace))
        try:
            plan = await plan_only(
                workspace.project, workspace.settings, observer=workspace.observer
            )
        except UndecidedError as error:
            return _next(note(str(error), "warning"))
        return _Answer(
            doc_sheet(Heading("What an import would do now"), *plan_doc(plan))
        )

    return await _ask_panel(workspace, ask, "forecast-again", "Compute again")


async def _ask_panel(
    workspace: Workspace, ask: _Ask, control: str, label: str
) -> Panel:
    if not workspace.interactive:
        return _insist(workspace, await ask())
    first = await _ask_html(ask)

    def widget() -> widgets.Element:
        board, shown = widgets.Board(), widgets.Html(first)

        async def again() -> None:
            shown.show(await _ask_html(ask))

        return widgets.column(
            shown, board.button(control, label, again), board.messages
        )

    return workspace.panel(first, widget)


def _insist(workspace: Workspace, answer: _Answer) -> Panel:
    """Return the panel; what is wrong ends the run below what was found."""
    panel = workspace.panel(answer.found)
    if answer.wrong:
        show(panel)
        raise SettingsError(f"Correct this in the settings: {answer.wrong}.")
    return panel


async def _ask_html(ask: _Ask) -> Markup:
    try:
        answer = await ask()
    except CmsmigError as error:
        return sheet(note(str(error), "bad"))
    if not answer.wrong:
        return answer.found
    told = note(f"Correct this in the settings: {answer.wrong}.", "bad")
    return answer.found + sheet(told)


def _next(content: Markup) -> _Answer:
    return _Answer(sheet(heading("What comes next"), content))


def _checks_html(settings: Settings, rows: tuple[CheckRow, ...]) -> Markup:
    shown: list[tuple[Cell, ...]] = [
        (row.what, row.found, _mark(ok=row.ok and not row.warning))
        for row in rows
        if not row.ok or row.what not in _AMONG_LIMITS
    ]
    return sheet(
        note(_which(settings)),
        note(settings.warning, "warning") if settings.warning else NOTHING,
        table(("What", "Found", ""), shown, caption="Connection"),
        _limits(settings, rows),
    )


def _which(settings: Settings) -> str:
    hosts = [
        urlsplit(each).hostname or ""
        for each in (settings.origin_api_url, settings.destination_base_url)
    ]
    if all(host in _LOOPBACK for host in hosts):
        return "This is a rehearsal: both services run on this machine, in the sandbox."
    if any(host in _LOOPBACK for host in hosts):
        return (
            "One service runs on this machine and the other does not: look at the "
            "addresses before anything is written."
        )
    return "These are the real services: what notebooks 04 to 06 write is real."


def _limits(settings: Settings, rows: tuple[CheckRow, ...]) -> Markup:
    rate = f"{settings.origin_rate or '60 at first, then as the service says'}"
    shown: list[tuple[Cell, ...]] = [
        ("Origin: reads a minute", rate),
        *(
            (f"Destination: {row.what}", row.found)
            for row in rows
            if row.what in _AMONG_LIMITS
        ),
    ]
    return table(("Limit", "Value"), shown, caption="Limits of the plans")


def _mark(*, ok: bool) -> str:
    return "✓" if ok else "look here"


def _todo(workspace: Workspace) -> list[tuple[str, bool, str]]:
    """Return the steps before a forecast, or nothing when all are done."""
    project = workspace.project
    steps = [
        (
            "The origin is pulled",
            RawCache(project.raw).complete(),
            "Run notebook 01, or `cmsmig pull`.",
        ),
        (
            "An item set is chosen for each collection",
            _is_accepted(workspace, CollectionsDecision),
            "Choose in notebook 01, or run `cmsmig decide --accept-proposals "
            "--reviewer NAME`.",
        ),
        (
            "The design is accepted",
            _is_accepted(workspace, Design),
            "Accept it in notebook 02, or by the same command.",
        ),
    ]
    return [] if all(done for _, done, _ in steps) else steps


def _is_accepted(workspace: Workspace, kind: type[D]) -> bool:
    found = decision_in(workspace.project, kind)
    return found is not None and found.reviewed is not None


def _steps(steps: list[tuple[str, bool, str]]) -> Markup:
    rows = [
        (what, "done" if done else "open", "" if done else coded(how))
        for what, done, how in steps
    ]
    return table(("Step", "State", "What to do"), rows) + paragraph(
        "Once all are done, this cell tells the calls and the time."
    )
