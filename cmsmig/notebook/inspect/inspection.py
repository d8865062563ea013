"""Notebook 01: what the origin holds, before anything is decided."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from markupsafe import Markup

from cmsmig.errors import CacheError, CmsmigError, UsageError
from cmsmig.notebook.inspect.body_census import census_panel, obstacles_panel
from cmsmig.notebook.inspect.explorer import Explorer
from cmsmig.notebook.inspect.item_choices import current_choices
from cmsmig.notebook.inspect.item_set_panel import item_sets
from cmsmig.notebook.inspect.pull_panel import pull_origin as pull_origin
from cmsmig.notebook.inspect.reference_panel import References
from cmsmig.notebook.inspect.site_catalogue import first_page_html, site_scan
from cmsmig.notebook.inspect.static_page_list import StaticPages
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.decision_files import pulled, require_pull
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.origin.cache import RawCache
from cmsmig.origin.schema import Collection
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.survey.data_frames import (
    collections_frame,
    schema_frame,
    states_frame,
)
from cmsmig.survey.reference_graph import reference_graph
from cmsmig.ui.html.charts import bar_table
from cmsmig.ui.html.safe_html import (
    folded,
    heading,
    note,
    paragraph,
    sheet,
    table,
)
from cmsmig.ui.relation import Column, Nouns, Rows
from cmsmig.ui.table import TableView

if TYPE_CHECKING:
    import pandas as pd

_COUNTS = ("fields", "staged", "live", "items")
_COLLECTIONS = Nouns("collection", "collections", "The site has no collections.")
_COLLECTION_COLUMNS = (
    Column("collection", "Collection"),
    Column("slug", "Slug"),
    *(Column(each, each.capitalize(), True, css="number") for each in _COUNTS),
)


def collections_table(workspace: Workspace) -> Panel:
    """Show the collections with their counts; by hand each opened, with its fields."""
    return _inspect(
        workspace, lambda origin: workspace.shows(_Collections(workspace, origin))
    )


def explore_items(workspace: Workspace) -> Panel:
    """Show the site's items page by page; by hand with searches, filters and facets,
    and each item opened: its fields, both versions, and what refers to it.

    By hand a list can be written below `lists/` in the project folder, as CSV.
    """
    return _when_pulled(
        workspace,
        lambda: workspace.panel(
            lambda: first_page_html(workspace),
            lambda: Explorer(workspace, site_scan(workspace)).element(),
        ),
    )


def states_chart(workspace: Workspace) -> Panel:
    """Show in which states the items of each collection are, as told from both sets.

    Source: Webflow, publishing: being live is membership of the live set.
    """
    return _inspect(workspace, lambda origin: workspace.panel(lambda: _states(origin)))


def reference_report(workspace: Workspace) -> Panel:
    """Show which field points where, and which references would stay empty, why.

    Under the item sets that are decided, else under those that are proposed.
    """

    def build(origin: Origin) -> Panel:
        graph = reference_graph(origin, current_choices(workspace, origin))
        return workspace.shows(References(workspace, origin, graph))

    return _inspect(workspace, build)


def richtext_census(workspace: Workspace) -> Panel:
    """Show what the rich text bodies are made of, how often, and with examples."""

    return _when_pulled(workspace, lambda: census_panel(workspace))


def not_migratable(workspace: Workspace) -> Panel:
    """Show what cannot be migrated, and the items in which it is.

    Spec: import rules 8 and 9.
    """

    return _when_pulled(workspace, lambda: obstacles_panel(workspace))


def static_pages(workspace: Workspace) -> Panel:
    """Show the site's static pages; by hand, once a button has read them."""

    def build() -> Panel:
        site = site_scan(workspace).catalogue.site
        return workspace.shows(StaticPages(workspace, site.site_id))

    return _when_pulled(workspace, build)


def choose_item_sets(
    workspace: Workspace, reviewer: str = "", item_set: str = ""
) -> Panel:
    """Choose which items of each collection are imported, in which version.

    By hand the button writes `decisions/collections.yaml`, decided individually.
    Unattended, `item_set` (a name, for every collection) does so in bulk, and
    without it nothing is written.
    """
    return _inspect(
        workspace, lambda origin: item_sets(workspace, origin, reviewer, item_set)
    )


def _inspect(workspace: Workspace, build: Callable[[Origin], Panel]) -> Panel:
    """Return the panel over what was pulled; by hand a sentence when nothing was."""
    return _when_pulled(workspace, lambda: build(pulled(workspace)))


def _when_pulled(workspace: Workspace, build: Callable[[], Panel]) -> Panel:
    try:
        require_pull(workspace.project)
        RawCache(workspace.project.raw).require_complete()
        return build()
    except (UsageError, CacheError) as error:
        if not workspace.interactive:
            raise
        return workspace.panel(sheet(note(_unread(error), "warning")))


def _unread(error: CmsmigError) -> str:
    if isinstance(error, UsageError):
        return "Nothing is read yet: press `Read the origin`, then run this cell again."
    return f"{error} Then run this cell again."


class _CollectionRows(Rows):
    """The collections, with how many items each has in which set."""

    def __init__(self, origin: Origin) -> None:
        super().__init__(_COLLECTIONS, _COLLECTION_COLUMNS)
        rows = collections_frame(origin).itertuples(index=False, name=None)
        self.put(0, ((0, row) for row in rows))


class _Collections(TableView):
    """The collections; an open one with its fields."""

    prefix = "collections"
    label = "Collections"
    opens = True

    def __init__(self, workspace: Workspace, origin: Origin) -> None:
        super().__init__(workspace.list_source(_CollectionRows(origin)))
        self._collections = origin.collections

    def name_of(self, key: str) -> str:
        """Return what a collection is called."""
        return self._at(key).display_name

    def detail(self, key: str) -> Markup:
        """Return the fields of a collection."""
        return sheet(_frame(schema_frame(self._at(key))))

    def html(self, *, live: bool) -> Markup:
        """Return the list or the open collection; not live, with all fields below."""
        listed = super().html(live=live)
        if live:
            return listed
        fields = (
            folded(each.display_name, _frame(schema_frame(each)))
            for each in self._collections
        )
        return listed + sheet(heading("Fields"), *fields)

    def _at(self, key: str) -> Collection:
        return self._collections[int(key.rpartition("-")[2])]


# States


def _states(origin: Origin) -> Markup:
    frame = states_frame(origin)
    states = [str(name) for name in frame.columns if name != "collection"]
    names = [*map(str, frame["collection"])]
    parts = {state: [*map(int, frame[state])] for state in states}
    totals = ", ".join(f"{sum(counts):,} {state}" for state, counts in parts.items())
    if not states:
        return sheet(note("The site has no items."))
    about = "Items by state, each locale counted; a bar is the share of its collection"
    return sheet(
        paragraph(f"{totals}."),
        bar_table(names, parts, whole="Items", about=about),
    )


def _frame(frame: pd.DataFrame) -> Markup:
    rows = [tuple(row) for row in frame.itertuples(index=False, name=None)]
    return table([str(name).capitalize() for name in frame.columns], rows)
