"""What notebook 00 calls: whether both services answer, what they allow, what is next,
and what an import may take.

Names in here never move: projects keep their notebooks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
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
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Settings
from cmsmig.steps.connection_check import CheckRow, check
from cmsmig.steps.decide.decision_store import decision_in, is_publishing
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.steps.plan.plan import PACE_SLACK
from cmsmig.steps.pull.origin_overview import CollectionCount, count_items
from cmsmig.steps.write.import_steps import plan_only
from cmsmig.ui.doc import Doc, Fold, Heading, Note, Part, Table, Text
from cmsmig.ui.documents.plan import plan_doc
from cmsmig.ui.format import about
from cmsmig.ui.html.safe_html import doc_sheet
from cmsmig.ui.view import DocView, action

__all__ = ["connection_check", "forecast"]

_AMONG_LIMITS = (
    *("plan", "write rate", "stories allowed", "components allowed"),
    *("folders allowed", "requests a month", "largest file", "largest story"),
)
_NAMED = {
    "Site": "origin site",
    "Collections": "origin collections",
    "Space": "space",
    "In the space": "already in the space",
}
_FINE = "✓"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class _Answer:
    """What was found, and what of it has to be corrected first."""

    found: Doc
    wrong: str = ""

    def html(self) -> Markup:
        """Return both."""
        said = f"Correct this in the settings: {self.wrong}."
        return doc_sheet(*self.found, *([Note(said, "bad")] if self.wrong else []))


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
        return _Answer((*_checks(settings, rows),), wrong)

    return await _ask_panel(workspace, ask, "check", "Connection")


async def forecast(workspace: Workspace) -> Panel:
    """Show what an import would take: calls and time; or what has to come first.

    Before everything is pulled and decided it estimates, from the counts alone. With
    everything pulled and decided it makes and stores the plan, as `cmsmig
    plan` does; nothing is written to the destination.
    """

    async def ask() -> _Answer:
        title = Heading("What comes next")
        if todo := _todo(workspace):
            return _Answer((title, *todo, *await _estimate(workspace)))
        try:
            plan = await plan_only(
                workspace.project, workspace.settings, observer=workspace.observer
            )
        except UndecidedError as error:
            return _Answer((title, Note(str(error), "warning")))
        return _Answer((Heading("What an import would do now"), *plan_doc(plan)))

    return await _ask_panel(workspace, ask, "forecast", "Forecast")


async def _ask_panel(workspace: Workspace, ask: _Ask, prefix: str, label: str) -> Panel:
    if workspace.interactive:
        return workspace.shows(_AskView(prefix, label, await _asked(ask), ask))
    answer = await ask()
    if not answer.wrong:
        return workspace.panel(answer.html())
    show(workspace.panel(doc_sheet(*answer.found)))
    raise SettingsError(f"Correct this in the settings: {answer.wrong}.")


async def _asked(ask: _Ask) -> Markup:
    try:
        return (await ask()).html()
    except CmsmigError as error:
        return doc_sheet(Note(str(error), "bad"))


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
        self.doc = await _asked(self._ask)
        self.said = ("", "")
        self.show()


def _checks(settings: Settings, rows: Sequence[CheckRow]) -> Iterator[Part]:
    yield Note(_which(settings))
    if settings.warning:
        yield Note(settings.warning, "warning")
    shown = [
        (row.what, row.found, _FINE if row.ok and not row.warning else "look here")
        for row in rows
        if not row.ok or row.what not in _AMONG_LIMITS
    ]
    looked = [row for row in shown if row[-1] != _FINE]
    if looked:
        yield Table(("What", "Found", ""), looked, shown=len(looked))
    yield Text(_identity(rows))
    listed = Table(("What", "Found", ""), shown, shown=len(shown))
    yield Fold("Everything that was checked", (listed,))
    rate = f"{settings.origin_rate or '60 at first, then as the service says'}"
    named = [(f"Destination: {row.what}", row) for row in rows]
    found = [(name, row.found) for name, row in named if row.what in _AMONG_LIMITS]
    limits = [("Origin: reads a minute", rate), *found]
    listed = Table(("Limit", "Value"), limits, shown=len(limits))
    yield Fold("Limits of the plans", (listed,))


def _identity(rows: Sequence[CheckRow]) -> str:
    """Return the site, the space and what is in it, in a sentence."""
    found = {row.what: row.found for row in rows}
    named = [(name, found[what]) for name, what in _NAMED.items() if what in found]
    return f"{'; '.join(f'{name}: {value}' for name, value in named)}."


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


def _todo(workspace: Workspace) -> Doc:
    """Return the steps before a forecast, or nothing when all are done."""
    steps = (
        (
            "The origin is pulled",
            RawCache(workspace.project.raw).complete(),
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
    )
    if all(done for _, done, _ in steps):
        return ()
    rows = [
        (what, "done" if done else "open", Text("" if done else how))
        for what, done, how in steps
    ]
    then = Text("Once all are done, the calls and the time are shown here.")
    return Table(("Step", "State", "What to do"), rows), then


def _is_accepted(workspace: Workspace, kind: type[D]) -> bool:
    found = decision_in(workspace.project, kind)
    return found is not None and found.reviewed is not None


# The estimate


@dataclass(frozen=True, slots=True)
class _Counted:
    """What is known of the origin before anything is decided."""

    collections: Sequence[CollectionCount]
    files: int | None
    """Each content once; None before the pull."""
    live: int | None
    """Items that visitors see; None before the pull."""
    rests_on: str
    """A sentence."""


async def _estimate(workspace: Workspace) -> Doc:
    """Return an estimate of calls and time; why there is none, where it fails.

    Before the pull the origin is asked once for each collection; afterwards no
    request is made.
    """
    title = Heading("An estimate from the counts alone")
    try:
        found = await _count(workspace)
    except CmsmigError as error:
        return title, Note(f"There is no estimate: {error}", "warning")
    return title, *_estimated(found, workspace.settings.destination_rate)


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
    keys = {
        each.collection_id: {
            item.key
            for sets in (origin.staged, origin.live)
            for item in sets[each.collection_id]
        }
        for each in origin.collections
    }
    return _Counted(
        [
            CollectionCount(each.display_name, len(keys[each.collection_id]))
            for each in origin.collections
        ],
        len({each.sha256 for each in origin.files.values() if each.sha256}),
        sum(map(len, origin.live.values())),
        "It rests on what was pulled: every item and every file of it, as if all of "
        "them were imported.",
    )


def _estimated(found: _Counted, rate: float) -> Iterator[Part]:
    items = sum(each.items for each in found.collections)
    live = items if found.live is None else found.live
    each_file = "one a file, each content once"
    made = (
        ("Components and folders", 2 * len(found.collections), "two a collection"),
        ("Files", found.files, "not known yet" if found.files is None else each_file),
        ("Stories, phase one", items, "one an item"),
        ("Relations and links, phase two", items, "at most one an item"),
        ("Publication", live, "one a live item, if that is decided"),
    )
    total = sum(calls or 0 for _, calls, _ in made)
    least = total - items - live
    times = dict.fromkeys((_time(least, rate), _time(total, rate)))
    yield Text(
        f"{counted(len(found.collections), 'collection')} with "
        f"{counted(items, 'item')}: between {least:,} and {total:,} calls, "
        f"{' to '.join(times)} at {rate:g} calls a second."
    )
    yield Note(
        f"This is an estimate, not the plan. {found.rests_on} What is left out, split "
        "into blocks or exists already is known once all is decided."
    )
    counts = [*((e.name, e.items) for e in found.collections), ("All", items)]
    listed = Table(("Collection", "Items"), counts, shown=len(counts))
    yield Fold("Items by collection", (listed,))
    rows = [
        (name, calls, "" if calls is None else _time(calls, rate), why)
        for name, calls, why in (*made, ("All, at most", total, ""))
    ]
    head = ("Step", "Calls", f"Time at {rate:g} a second", "Rests on")
    yield Fold("Calls by step", (Table(head, rows),))


def _time(calls: int, rate: float) -> str:
    return about(calls / rate * PACE_SLACK)
