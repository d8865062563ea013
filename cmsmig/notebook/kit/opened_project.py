"""Where a notebook works: the project, its settings, and whether a person is there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from markupsafe import Markup

from cmsmig.errors import SettingsError, UsageError
from cmsmig.event_log import log_of_run
from cmsmig.events import Observer, unobserved
from cmsmig.notebook.kit.cell import (
    Panel,
    can_ask,
    executed_cells,
    facts_bundle,
    mask_outputs,
    named_values,
    require_known_parameters,
    show_errors_as_sentences,
)
from cmsmig.notebook.kit.project_news import ProjectNews
from cmsmig.settings import (
    Project,
    Settings,
    choose_target,
    find_project,
    load_settings,
    read_tokens,
)
from cmsmig.ui.relation import Relation, Source

LISTS = "lists"
"""Where lists are written, in the project folder."""

if TYPE_CHECKING:
    from cmsmig.notebook.kit.change_points import Point
    from cmsmig.steps.changes.changes import Change
    from cmsmig.survey.site_scan import SiteScan
    from cmsmig.ui.live import Element
    from cmsmig.ui.view import View


@dataclass(slots=True)
class ItemLists:
    """Knows the browser that was opened last, in one notebook."""

    shown_by: Callable[[str], None] | None = None
    """Shows the items with a finding, named as the catalogue names them."""
    scan: SiteScan | None = None

    def show(self, finding: str) -> None:
        """Show the items with a finding. Raises `UsageError` without a browser."""
        if self.shown_by is None:
            raise UsageError(
                "The items are not shown above yet: press Run this notebook, below the "
                "title."
            )
        self.shown_by(finding)


class ShowsChanges(Protocol):
    """A list of what changed since the last import."""

    found: Sequence[Change] | None
    """None where nothing was compared."""

    def wait_for(self, points: Iterable[Point]) -> None:
        """List these, too."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """The project that a notebook works in; every function's first argument. Shows
    itself."""

    project: Project
    dry_run: bool
    """Show what would happen and write nothing, neither here nor there."""
    interactive: bool
    """Whether a person is there; else no control is made and nothing waits."""
    observer: Observer = unobserved
    """Gets all events, in addition to what a panel shows."""
    news: ProjectNews = field(default_factory=ProjectNews, compare=False)
    """Tells the panels of the notebook what changed."""
    item_lists: ItemLists = field(default_factory=ItemLists, compare=False)
    changes_shown: list[ShowsChanges] = field(default_factory=list, compare=False)
    """The lists of changes that this notebook has shown, the last one last."""

    @property
    def settings(self) -> Settings:
        """Return the settings with all that both services need, read now.

        Raises `SettingsError` naming what is missing and where it comes from.
        """
        return load_settings(self.project, os.environ)

    @property
    def origin_settings(self) -> Settings:
        """Return the settings; the destination may be missing in them."""
        return load_settings(self.project, os.environ, need_destination=False)

    @property
    def destination_settings(self) -> Settings:
        """Return the settings; the origin may be missing in them."""
        return load_settings(self.project, os.environ, need_origin=False)

    @property
    def local_settings(self) -> Settings:
        """Return the settings for work that asks no service."""
        return load_settings(
            self.project, os.environ, need_origin=False, need_destination=False
        )

    def observed(self, observer: Observer) -> Workspace:
        """Return the same workspace with another observer."""
        return replace(self, observer=observer)

    def list_source(self, relation: Relation) -> Source:
        """Return rows for a list, with where its CSV files are written."""
        return Source(relation, self.project.root / LISTS, self.dry_run)

    def panel(
        self,
        static: Markup | Callable[[], Markup],
        view: Callable[[], View] | None = None,
        *,
        text: str = "",
        size: int = 0,
    ) -> Panel:
        """Return what a cell shows: `view()` before a person, else `static`.

        Neither is computed before it is shown when it is given as a function. `size`
        is how many letters `static` looks through.
        """
        widget = None if view is None else partial(self._element, view)
        return Panel(static, widget if self.interactive else None, text, size)

    def _element(self, view: Callable[[], View]) -> Element:
        shown = view()
        shown.after = partial(self.news.look, self.project)
        element = shown.element()
        self.news.look(self.project)
        self.news.watch(self.project)
        return element

    def shows(self, view: View, *, text: str = "") -> Panel:
        """Return what a cell shows: the view before a person, else its static form."""
        static = partial(view.html, live=False)
        words = text or view.label
        return self.panel(static, lambda: view, text=words, size=view.size)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, object]:
        return facts_bundle(self.facts())

    def facts(self) -> list[tuple[str, str]]:
        """Return where the notebook works, and whether it writes."""
        rows = [("Project folder", str(self.project.root)), *self._services()]
        if self.project.target:
            rows.insert(0, ("Target", self.project.target))
        rows.append(
            ("Run", "by hand" if self.interactive else "unattended, no one is asked")
        )
        writes = "nothing is written" if self.dry_run else "this notebook may write"
        return [*rows, ("Dry run", f"{'yes' if self.dry_run else 'no'}: {writes}")]

    def _services(self) -> list[tuple[str, str]]:
        if not self.project.toml.is_file() and not self.project.env.is_file():
            missing = f"none yet; run `cmsmig --project {self.project.root} init`"
            return [("Settings", missing)]
        try:
            settings = self.local_settings
        except SettingsError as error:
            return [("Settings", str(error))]
        return [
            ("Origin", settings.origin_api_url),
            ("Site", settings.site_id or "the one that the token sees"),
            ("Destination", settings.destination_base_url),
            ("Space", settings.space_id or "not named yet"),
        ]


def open_workspace(
    project: str = "",
    *,
    target: str = "",
    dry_run: bool = False,
    interactive: bool | None = None,
) -> Workspace:
    """Return the workspace of a project folder; it need not exist yet. Reads only.

    `project` empty: the folder is as commands find it. `target` names the
    destination where the project has several; before a person also the only one, if
    its name is to be said by hand. `interactive`
    None: as the front end says (see `cell.can_ask`). From here on, errors of
    ours show as one sentence in this kernel, and tokens nowhere in it. Raises
    `UsageError` for a value that papermill was given and no cell declares.
    """
    show_errors_as_sentences()
    mask_outputs()
    require_known_parameters(executed_cells())
    found = find_project(Path(project) if project else None, os.environ, Path.cwd())
    read_tokens(found, os.environ)
    folder = _chosen(found, target)
    for before in named_values(Workspace):
        # No one sees the panels of an earlier run of the notebook any more.
        before.news.end()
    return Workspace(
        project=folder,
        dry_run=dry_run,
        interactive=can_ask() if interactive is None else interactive,
        observer=log_of_run(os.environ),
    )


def _chosen(project: Project, target: str) -> Project:
    try:
        return choose_target(project, target)
    except SettingsError:
        # What is wrong with the settings is an error where they are used.
        return project
