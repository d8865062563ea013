"""Notebook 01, first part: the origin is read into the raw cache, or is there."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime

from markupsafe import Markup

from cmsmig.errors import SettingsError, UnreadError
from cmsmig.events import Observer
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.decision_files import pulled
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.progress_bar import Meter, ProgressBoard
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.origin.cache import RawCache
from cmsmig.origin.schema import Item
from cmsmig.settings import Project
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.steps.pull.pull import pull
from cmsmig.steps.pull.raw_site import require_same_site
from cmsmig.ui.html.safe_html import (
    NOTHING,
    heading,
    joined,
    note,
    paragraph,
    sheet,
    table,
)

_FILES = 20


async def pull_origin(workspace: Workspace, *, refresh: bool = False) -> Panel:
    """Read the origin when it is not all there, and show what there is.

    Unattended it reads at once, unless it is a dry run, and with `refresh`
    everything anew; by hand it waits for the button, which does that too. Writes
    `raw/` and `files/`.
    """
    cache = RawCache(workspace.project.raw)
    if workspace.interactive:
        foreign = await _foreign(workspace)
        return workspace.panel(NOTHING, lambda: _controls(workspace, cache, foreign))
    await _require_same_site(workspace)
    again = refresh and not workspace.dry_run
    if cache.complete() and not again:
        return workspace.panel(_found_html(workspace))
    if workspace.dry_run:
        raise UnreadError(
            f"The origin is not read yet and this is a dry run, so nothing was read "
            f"into {workspace.project.raw}; run it without dry_run."
        )
    meter = Meter(workspace.observer)
    await _read(workspace, meter, refresh=cache.complete())
    return workspace.panel(_found_html(workspace) + sheet(_summary_html(meter)))


async def _require_same_site(workspace: Workspace) -> None:
    settings = workspace.local_settings
    await require_same_site(workspace.project, settings, workspace.observer)


async def _foreign(workspace: Workspace) -> str:
    """Return one sentence if another site is here than the settings mean."""
    try:
        await _require_same_site(workspace)
    except SettingsError as error:
        return str(error)
    return ""


def _controls(workspace: Workspace, cache: RawCache, foreign: str) -> widgets.Element:
    told = [foreign]
    board, shown, progress = widgets.Board(), widgets.Html(), ProgressBoard()
    running: list[asyncio.Task[None]] = []

    async def read() -> None:
        if workspace.dry_run:
            board.say("This is a dry run: nothing is read. Set dry_run = False above.")
            return
        meter = Meter(workspace.observer)
        work = asyncio.create_task(_read(workspace, meter, refresh=cache.complete()))
        running[:] = [work]
        stop.enable(True)
        try:
            await progress.follow(meter, work)
        except asyncio.CancelledError:
            board.say("Stopped. What was read is kept; the button goes on from there.")
        else:
            told.clear()
            board.say("Everything is read. Run the cells below now.", "good")
        finally:
            stop.enable(False)
            refresh()

    def halt() -> None:
        for work in running:
            work.cancel()

    def refresh() -> None:
        complete = cache.complete()
        start.label("Read everything again" if complete else "Read the origin")
        if any(told):
            shown.show(sheet(note(told[0], "bad")))
        else:
            shown.show(
                _found_html(workspace) if complete else _nothing(workspace.project)
            )

    start = board.button("pull", "Read the origin", read, look="primary")
    stop = board.button("pull-stop", "Stop", halt)
    stop.enable(False)
    refresh()
    return widgets.column(
        shown, widgets.row(start, stop), progress.element, board.messages
    )


async def _read(workspace: Workspace, observer: Observer, *, refresh: bool) -> None:
    await pull(
        workspace.origin_settings,
        workspace.project,
        observer=observer,
        refresh=refresh,
    )


def _nothing(project: Project) -> Markup:
    started = any(project.raw.glob("**/*.json"))
    text = (
        "The origin is read in part; go on with the button."
        if started
        else "Nothing is read yet. Reading takes one request per 100 items and set, at "
        "the rate of your plan, and downloads every file once."
    )
    return sheet(note(text, "warning"))


def _found_html(workspace: Workspace) -> Markup:
    origin = pulled(workspace)
    locales = ", ".join(each.tag for each in origin.site.locales)
    languages = f"the locales {locales}" if locales else "one language"
    return sheet(
        heading(f"{origin.site.display_name}: what was read"),
        paragraph(
            f"{len(origin.collections):,} collections, {_count(origin.staged):,} staged"
            f" and {_count(origin.live):,} live items in {languages}; read "
            f"{_when(workspace.project)}. Everything below works from this copy and "
            "asks the origin nothing."
        ),
        _files(origin),
    )


def _count(sets: Mapping[str, tuple[Item, ...]]) -> int:
    return sum(map(len, sets.values()))


def _files(origin: Origin) -> Markup:
    failed = [row for row in origin.files.values() if row.error]
    told = paragraph(
        f"{len(origin.files):,} files are named, {len(origin.files) - len(failed):,} "
        "are here."
    )
    if not failed:
        return told
    rows = [(row.address, row.detail or row.error) for row in failed[:_FILES]]
    caption = f"Files that could not be had ({len(failed):,})"
    return told + table(("Address", "Why"), rows, caption=caption)


def _summary_html(meter: Meter) -> Markup:
    lines = [paragraph(meter.summary())]
    lines += [note(each, "warning") for each in meter.notices]
    return joined(lines)


def _when(project: Project) -> str:
    seconds = (project.raw / "collections.json").stat().st_mtime
    return datetime.fromtimestamp(seconds, UTC).strftime("%d %B %Y, %H:%M UTC")
