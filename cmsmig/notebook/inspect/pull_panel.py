"""Notebook 01, first part: the origin is read into the raw cache, or is there."""

from __future__ import annotations

from datetime import UTC, datetime

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.errors import SettingsError, UnreadError
from cmsmig.events import Observer
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.decision_files import pulled
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.kit.parameters import takes_parameters
from cmsmig.origin.cache import RawCache
from cmsmig.origin.unread import unread_sentence
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import not_migrated
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.steps.pull.pull import pull
from cmsmig.steps.pull.raw_site import require_same_site
from cmsmig.ui.format import moment
from cmsmig.ui.html.safe_html import (
    NOTHING,
    folded,
    note,
    paragraph,
    sheet,
    table,
)
from cmsmig.ui.job import JobView
from cmsmig.ui.meter import Meter

_FILES = 20


@takes_parameters()
async def pull_origin(workspace: Workspace, *, refresh: bool = False) -> Panel:
    """Read the origin when it is not all there, and show what there is.

    Unattended it reads at once, unless it is a dry run, and with `refresh`
    everything again; by hand it waits for the button, which does that too. Writes
    `raw/` and `files/`.
    """
    project = workspace.project
    cache = RawCache(project.raw)
    if workspace.interactive:
        foreign = await _foreign(workspace)
        return workspace.shows(_PullView(workspace, cache, foreign))
    await require_same_site(project, workspace.local_settings, workspace.observer)
    again = refresh and not workspace.dry_run
    if cache.complete() and not again:
        return workspace.panel(_found_html(workspace))
    if workspace.dry_run:
        raise UnreadError(
            f"The origin is not read yet and this is a dry run, so nothing was read "
            f"into {project.raw}; run it without dry_run."
        )
    meter = Meter(workspace.observer)
    await _read(workspace, meter, refresh=cache.complete())
    notes = [note(each, "warning") for each in meter.notices]
    summary = sheet(paragraph(meter.summary()), *notes)
    return workspace.panel(_found_html(workspace) + summary)


async def _foreign(workspace: Workspace) -> str:
    """Return one sentence if another site is here than the settings mean."""
    settings = workspace.local_settings
    try:
        await require_same_site(workspace.project, settings, workspace.observer)
    except SettingsError as error:
        return str(error)
    return ""


class _PullView(JobView):
    """The controls of the pull, and what was read."""

    prefix = "pull"
    label = "Pull of the origin"
    stopped = "Stopped. What was read is kept; the button continues from there."

    def __init__(self, workspace: Workspace, cache: RawCache, foreign: str) -> None:
        super().__init__()
        self._workspace = workspace
        self._cache = cache
        self._foreign = foreign
        self._renew()

    def meter(self) -> Meter:
        return Meter(self._workspace.observer)

    async def work(self, meter: Meter) -> None:
        await _read(self._workspace, meter, refresh=self._cache.complete())
        self._foreign = ""

    async def press(self) -> None:
        if self._workspace.dry_run:
            self.say("This is a dry run: nothing is read. Set dry_run = False above.")
            return
        try:
            if await self.run():
                what = "What can be read" if self._cache.unread() else "Everything"
                self.say(f"{what} is read.", "good")
        finally:
            self._renew()

    def _renew(self) -> None:
        complete = self._cache.complete()
        self.start_label = "Read everything again" if complete else "Read the origin"
        if self._foreign:
            self.result = sheet(note(self._foreign, "bad"))
        elif complete:
            self.result = _found_html(self._workspace)
        else:
            self.result = _nothing(self._workspace.project)


async def _read(workspace: Workspace, observer: Observer, *, refresh: bool) -> None:
    await pull(
        workspace.origin_settings,
        workspace.project,
        observer=observer,
        refresh=refresh,
        not_migrated=not_migrated(workspace.project),
    )


def _nothing(project: Project) -> Markup:
    started = any(project.raw.glob("**/*.json"))
    text = (
        "The origin is read in part; the button continues."
        if started
        else "Nothing is read yet. Reading takes one request per 100 items and set, at "
        "the rate of your plan, and downloads every file once."
    )
    return sheet(note(text, "warning"))


def _found_html(workspace: Workspace) -> Markup:
    origin = pulled(workspace)
    locales = [each.tag for each in origin.site.locales]
    languages = f"; locales: {', '.join(locales)}" if len(locales) > 1 else ""
    staged, live = (
        sum(map(len, each.values())) for each in (origin.staged, origin.live)
    )
    counts = (
        counted(len(origin.collections), "collection"),
        counted(staged, "staged item"),
        counted(live, "live item"),
    )
    read_at = (workspace.project.raw / "collections.json").stat().st_mtime
    read_on = moment(datetime.fromtimestamp(read_at, UTC).isoformat())
    return sheet(
        paragraph(
            f"{origin.site.display_name}: {', '.join(counts)}{languages}; read "
            f"{read_on}. {_file_counts(origin)}"
        ),
        *(note(unread_sentence(each), "warning") for each in origin.unread),
        _files(origin),
    )


def _files(origin: Origin) -> Markup:
    failed = [row for row in origin.files.values() if row.error]
    if not failed:
        return NOTHING
    rows = [(row.address, row.detail or row.error) for row in failed[:_FILES]]
    caption = f"Files that could not be downloaded ({len(failed):,})"
    return folded(caption, table(("Address", "Why"), rows))


def _file_counts(origin: Origin) -> str:
    files = origin.files.values()
    here = sum(not row.error for row in files)
    return f"{here:,} of {counted(len(files), 'file')} are here."
