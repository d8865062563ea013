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
from cmsmig.notebook.inspect.reference_panel import references_panel
from cmsmig.notebook.inspect.site_catalogue import first_page_html, open_catalogue
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.decision_files import pulled, require_pull
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.origin.cache import RawCache
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.survey.census import take_census
from cmsmig.survey.data_frames import (
    collections_frame,
    items_frame,
    schema_frame,
    states_frame,
)
from cmsmig.survey.not_migratable import find_obstacles
from cmsmig.survey.page_addresses import OldPages
from cmsmig.survey.reference_graph import reference_graph
from cmsmig.ui.html.charts import bar_table
from cmsmig.ui.html.safe_html import (
    NOTHING,
    folded,
    heading,
    joined,
    more,
    note,
    paragraph,
    sheet,
    table,
)

if TYPE_CHECKING:
    import pandas as pd

_ITEMS = 25


def collections_table(workspace: Workspace) -> Panel:
    """Show the collections with their counts; by hand a filter, and one in detail."""
    return _inspect(workspace, lambda origin: _collections(workspace, origin))


def explore_items(workspace: Workspace) -> Panel:
    """Show the site's items page by page; by hand with searches, filters and facets,
    and each item opened: its fields, both versions, and what refers to it.

    By hand a list can be written below `lists/` in the project folder, as CSV.
    """
    return _when_pulled(
        workspace,
        lambda: workspace.panel(
            lambda: first_page_html(workspace),
            lambda: Explorer(workspace, open_catalogue(workspace)).element(),
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
        return references_panel(workspace, origin, graph)

    return _inspect(workspace, build)


def richtext_census(workspace: Workspace) -> Panel:
    """Show what the rich text bodies are made of, how often, and with examples."""

    def build(origin: Origin) -> Panel:
        return census_panel(workspace, OldPages.of(origin), take_census(origin))

    return _inspect(workspace, build)


def not_migratable(workspace: Workspace) -> Panel:
    """Show what cannot be migrated, and the items in which it is.

    Spec: import rules 8 and 9.
    """

    def build(origin: Origin) -> Panel:
        found = find_obstacles(origin)
        site_id = origin.site.site_id
        return obstacles_panel(workspace, OldPages.of(origin), found, site_id)

    return _inspect(workspace, build)


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
        told = sheet(note(_unread(error), "warning"))
        return workspace.panel(told, lambda: widgets.Html(told))


def _unread(error: CmsmigError) -> str:
    if isinstance(error, UsageError):
        return "Nothing is read yet: press `Read the origin`, then run this cell again."
    return f"{error} Then run this cell again."


# Collections


def _collections(workspace: Workspace, origin: Origin) -> Panel:
    def widget() -> widgets.Element:
        board, listed, detail = widgets.Board(), widgets.Html(), widgets.Html()
        options = [
            (each.display_name, each.collection_id) for each in origin.collections
        ]

        def filtered() -> None:
            listed.show(sheet(_collection_rows(origin, pattern.value)))

        def detailed() -> None:
            detail.show(
                sheet(_detail(origin, chosen.value)) if chosen.value else NOTHING
            )

        pattern = board.text(
            "collections-filter", "Filter", hint="part of a name", changed=filtered
        )
        chosen = board.choice(
            "collections-detail",
            "Detail",
            [("choose a collection", ""), *options],
            "",
            changed=detailed,
        )
        filtered()
        return widgets.column(pattern, listed, chosen, detail, board.messages)

    def static() -> Markup:
        details = joined(
            folded(each.display_name, _detail(origin, each.collection_id))
            for each in origin.collections
        )
        return sheet(_collection_rows(origin, ""), heading("In detail"), details)

    return workspace.panel(static, widget)


def _collection_rows(origin: Origin, pattern: str) -> Markup:
    frame = collections_frame(origin)
    names = (frame["collection"] + " " + frame["slug"]).str.lower()
    shown = frame[names.str.contains(pattern.strip().lower(), regex=False)]
    told = paragraph(f"{len(shown):,} of {len(frame):,} collections.")
    return told + _frame(shown)


def _detail(origin: Origin, collection_id: str) -> Markup:
    collection = next(
        each for each in origin.collections if each.collection_id == collection_id
    )
    items = items_frame(origin, collection_id)
    return joined(
        (
            heading(f"Fields of {collection.display_name}"),
            _frame(schema_frame(collection)),
            heading(f"Items ({len(items):,}, each locale counted)"),
            _frame(items.head(_ITEMS)),
            more(
                len(items),
                min(len(items), _ITEMS),
                "; the browser of items below shows all",
            ),
        )
    )


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
