"""What notebook 00 calls: whether both services answer, what they allow, what is next,
and what an import may take.

Names in here never move: projects keep their notebooks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.derived_file import DerivedFile
from cmsmig.errors import CmsmigError, SettingsError, UndecidedError
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.decision_files import D
from cmsmig.mapping.decisions.design import Design
from cmsmig.notebook.kit.cell import Panel, show
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Settings
from cmsmig.steps.connection_check import CheckRow, check
from cmsmig.steps.decide.decision_store import decision_in, is_publishing
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.steps.plan.plan import PACE_SLACK
from cmsmig.steps.pull.origin_overview import CollectionCount, count_items
from cmsmig.steps.write.import_steps import plan_only
from cmsmig.ui.doc import Heading
from cmsmig.ui.documents.plan import plan_doc
from cmsmig.ui.format import about
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    coded,
    doc_sheet,
    heading,
    joined,
    note,
    paragraph,
    sheet,
    table,
)
from cmsmig.ui.view import DocView, action

__all__ = ["connection_check", "forecast"]

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
    is in the panel, and a button asks again.
    """

    async def ask() -> _Answer:
        settings = workspace.settings
        publishes = is_publishing(workspace.project)
        rows = await check(settings, workspace.observer, publishes=publishes)
        wrong = "; ".join(f"{row.what}: {row.found}" for row in rows if not row.ok)
        return _Answer(_checks_html(settings, rows), wrong)

    return await _ask_panel(workspace, ask, "check", "Connection")


async def forecast(workspace: Workspace) -> Panel:
    """Show what an import would take: calls and time; or what has to come first.

    Before everything is pulled and decided it estimates, from the counts alone. With
    everything pulled and decided it makes and stores the plan, as `cmsmig
    plan` does; nothing is written to the destination.
    """

    async def ask() -> _Answer:
        todo = _todo(workspace)
        if todo:
            return _next(_steps(todo) + await _estimate(workspace))
        try:
            plan = await plan_only(
                workspace.project, workspace.settings, observer=workspace.observer
            )
        except UndecidedError as error:
            return _next(note(str(error), "warning"))
        return _Answer(
            doc_sheet(Heading("What an import would do now"), *plan_doc(plan))
        )

    return await _ask_panel(workspace, ask, "forecast", "Forecast")


async def _ask_panel(workspace: Workspace, ask: _Ask, prefix: str, label: str) -> Panel:
    if not workspace.interactive:
        return _insist(workspace, await ask())
    return workspace.shows(_AskView(prefix, label, await _ask_html(ask), ask))


class _AskView(DocView):
    """What was found, and a button that asks again."""

    def __init__(self, prefix: str, label: str, first: Markup, ask: _Ask) -> None:
        super().__init__(label, lambda: first)
        self.prefix = prefix
        self._ask = ask

    @action("again", "Look again")
    async def again(self, _: str) -> None:
        """Ask once more."""
        self.say("Asking …")
        self.doc = await _ask_html(self._ask)
        self.said = ("", "")
        self.show()


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
    shown = note(f"Correct this in the settings: {answer.wrong}.", "bad")
    return answer.found + sheet(shown)


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


# The estimate

_FILES = "Files"


@dataclass(frozen=True, slots=True)
class _Counted:
    """What is known of the origin before anything is decided."""

    collections: tuple[CollectionCount, ...]
    files: int | None
    """Each content once; None before the pull."""
    live: int | None
    """Items that visitors see; None before the pull."""
    rests_on: str
    """A sentence."""

    @property
    def items(self) -> int:
        """Return how many items there are."""
        return sum(each.items for each in self.collections)


async def _estimate(workspace: Workspace) -> Markup:
    """Return an estimate of calls and time; why there is none, where it fails.

    Before the pull the origin is asked once for each collection; afterwards no
    request is made.
    """
    title = heading("An estimate from the counts alone")
    try:
        found = await _count(workspace)
    except CmsmigError as error:
        return title + note(f"There is no estimate: {error}", "warning")
    return title + _estimate_html(found, workspace.settings.destination_rate)


async def _count(workspace: Workspace) -> _Counted:
    project, settings = workspace.project, workspace.settings
    if RawCache(project.raw).complete():
        derived = DerivedFile(project.derived)
        return _pulled(read_origin(project, settings.site_id, derived))
    collections = await count_items(settings, workspace.observer)
    return _Counted(
        collections,
        None,
        None,
        "It rests on how many items the origin says each collection has. Files are "
        "known after the pull; each takes one more call. Some sites count an item "
        "once for all its languages: then there are more stories.",
    )


def _pulled(origin: Origin) -> _Counted:
    return _Counted(
        tuple(
            CollectionCount(
                each.display_name,
                len(
                    {
                        item.key
                        for sets in (origin.staged, origin.live)
                        for item in sets[each.collection_id]
                    }
                ),
            )
            for each in origin.collections
        ),
        len({each.sha256 for each in origin.files.values() if each.sha256}),
        sum(map(len, origin.live.values())),
        "It rests on what was pulled: every item and every file of it, as if all of "
        "them were imported.",
    )


def _estimate_html(found: _Counted, rate: float) -> Markup:
    made: list[tuple[str, int, str]] = [
        ("Components and folders", 2 * len(found.collections), "two a collection"),
        (_FILES, found.files or 0, _files(found.files)),
        ("Stories, phase one", found.items, "one an item"),
        ("Relations and links, phase two", found.items, "at most one an item"),
        ("Publication", _live(found), "one a live item, if that is decided"),
    ]
    total = sum(calls for _, calls, _ in made)
    least = total - found.items - _live(found)
    rows: list[Sequence[Cell]] = [
        (name, calls, _time(calls, rate), why)
        if name != _FILES or found.files is not None
        else (name, "", "", why)
        for name, calls, why in made
    ]
    rows.append(("All, at most", total, _time(total, rate), ""))
    collections: list[Sequence[Cell]] = [
        (each.name, each.items) for each in found.collections
    ]
    collections.append(("All", found.items))
    said = (
        f"{counted(len(found.collections), 'collection')} with "
        f"{counted(found.items, 'item')}: between {least:,} and {total:,} calls, "
        f"{_between(_time(least, rate), _time(total, rate))} at {rate:g} calls a "
        "second."
    )
    return joined(
        (
            paragraph(said),
            note(
                f"This is an estimate, not the plan. {found.rests_on} What is left "
                "out, split into blocks or there already is known once all is decided."
            ),
            table(("Collection", "Items"), collections),
            table(("Step", "Calls", f"Time at {rate:g} a second", "Rests on"), rows),
        )
    )


def _time(calls: int, rate: float) -> str:
    return about(calls / rate * PACE_SLACK)


def _between(least: str, most: str) -> str:
    return most if least == most else f"{least} to {most}"


def _live(found: _Counted) -> int:
    return found.items if found.live is None else found.live


def _files(files: int | None) -> str:
    return "not known yet" if files is None else "one a file, each content once"
