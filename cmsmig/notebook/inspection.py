"""What notebook 01 calls: what the origin holds, before anything is decided.

The names of what panels begin with never move: projects keep their notebooks.
"""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from cmsmig.errors import CacheError, CmsmigError, UsageError
from cmsmig.mapping.select.selection import PublicationState
from cmsmig.notebook.inspect.cleaning_panel import CleaningTable
from cmsmig.notebook.inspect.explorer import Explorer
from cmsmig.notebook.inspect.finding_lists import (
    ObstacleTable,
    References,
    StructureTable,
)
from cmsmig.notebook.inspect.item_choices import count_states, current_choices
from cmsmig.notebook.inspect.item_set_panel import item_sets
from cmsmig.notebook.inspect.pull_panel import pull_origin as pull_origin
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.decision_files import pulled, require_pull
from cmsmig.notebook.kit.decision_list import show_changes as show_changes
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.kit.parameters import takes_parameters
from cmsmig.origin.cache import RawCache
from cmsmig.origin.schema import Collection
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.steps.pull.origin_overview import read_static_pages
from cmsmig.survey.references import reference_graph
from cmsmig.ui.controls import bar
from cmsmig.ui.html.charts import bar_table
from cmsmig.ui.html.safe_html import (
    folded,
    heading,
    note,
    paragraph,
    sheet,
    table,
)
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns, Rows
from cmsmig.ui.table import TableView
from cmsmig.ui.view import action

_COUNTS = ("fields", "staged", "live", "items")
_COLLECTIONS = Nouns("collection", "collections", "The site has no collections.")
_COLLECTION_COLUMNS = (
    Column("collection", "Collection"),
    Column("slug", "Slug"),
    *(Column(each, each.capitalize(), True, css="number") for each in _COUNTS),
)
_FIELD_HEAD = ("Field", "Slug", "Type", "Required", "Options", "Help text")
_PAGES = Nouns("static page", "static pages", "The site has no static pages.")
_PAGE_COLUMNS = (
    Column("title", "Title"),
    Column("path", "Path"),
    Column("state", "State"),
    Column("seo", "Title for search engines"),
    Column("description", "Description"),
)
_ABOUT_PAGES = (
    "Static pages are no items: build them in the new site. The origin lists them to a "
    "token with the scope `pages:read`."
)


def collections_table(workspace: Workspace) -> Panel:
    """Show the collections with their counts; by hand each opened, with its fields."""
    return _when_pulled(
        workspace, lambda: workspace.shows(_Collections(workspace, pulled(workspace)))
    )


def explore_items(workspace: Workspace) -> Panel:
    """Show the site's items page by page; by hand with searches, filters and facets,
    and each item opened: its fields, both versions, and what refers to it.

    By hand a list can be written below `lists/` in the project folder, as CSV.
    """
    return _when_pulled(workspace, lambda: workspace.shows(Explorer(workspace)))


def clean_values(workspace: Workspace) -> Panel:
    """Show what may be cleaned while it moves; by hand each operation is opened,
    accepted, changed, refused and undone, alone or together.

    Unattended, the operations that the file has, with what they change.
    """
    return _when_pulled(workspace, lambda: workspace.shows(CleaningTable(workspace)))


def states_chart(workspace: Workspace) -> Panel:
    """Show in which states the items of each collection are, by both sets.

    Source: Webflow, publishing: being live is membership of the live set.
    """
    return _when_pulled(workspace, lambda: workspace.panel(_states(pulled(workspace))))


def reference_report(workspace: Workspace) -> Panel:
    """Show which field points where, and which references would stay empty, why.

    Under the item sets that are decided, else under those that are proposed.
    """

    def build() -> Panel:
        origin = pulled(workspace)
        graph = reference_graph(origin, current_choices(workspace, origin))
        return workspace.shows(References(workspace, origin, graph))

    return _when_pulled(workspace, build)


def richtext_census(workspace: Workspace) -> Panel:
    """Show what the rich text bodies are made of, how often, and with examples; by
    hand each structure lists the items that hold it."""
    return _when_pulled(workspace, lambda: workspace.shows(StructureTable(workspace)))


def not_migratable(workspace: Workspace) -> Panel:
    """Show what no site can migrate, and what this one has, with the items.

    Spec: import rules 8 and 9.
    """
    return _when_pulled(workspace, lambda: workspace.shows(ObstacleTable(workspace)))


def static_pages(workspace: Workspace) -> Panel:
    """Show the site's static pages; by hand, once a button has read them."""
    return _when_pulled(workspace, lambda: workspace.shows(_StaticPages(workspace)))


@takes_parameters()
def choose_item_sets(
    workspace: Workspace, reviewer: str = "", item_set: str = ""
) -> Panel:
    """Choose which items of each collection are imported, in which version.

    By hand the button writes `decisions/collections.yaml`, decided individually.
    Unattended, `item_set` (a name, for every collection) does so in bulk, and
    without it nothing is written.
    """
    return _when_pulled(
        workspace, lambda: item_sets(workspace, pulled(workspace), reviewer, item_set)
    )


def _when_pulled(workspace: Workspace, build: Callable[[], Panel]) -> Panel:
    """Return the panel over what was pulled; by hand a sentence when nothing was."""
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


class _Collections(TableView):
    """The collections; an open one with its fields."""

    prefix = "collections"
    label = "Collections"
    opens = True

    def __init__(self, workspace: Workspace, origin: Origin) -> None:
        rows = Rows(_COLLECTIONS, _COLLECTION_COLUMNS)
        super().__init__(workspace.list_source(rows))
        self._collections = origin.collections
        for number, each in enumerate(origin.collections):
            staged, live = (
                {item.key for item in origin.items(each.collection_id, is_live)}
                for is_live in (False, True)
            )
            counts = (len(each.fields), *map(len, (staged, live, staged | live)))
            rows.put_row(0, number, 0, (each.display_name, each.slug, *counts))

    def name_of(self, key: str) -> str:
        """Return what a collection is called."""
        return self._at(key).display_name

    def detail(self, key: str) -> Markup:
        """Return the fields of a collection."""
        return sheet(_fields(self._at(key)))

    def html(self, *, live: bool) -> Markup:
        """Return the list or the open collection; not live, with all fields below."""
        listed = super().html(live=live)
        if live:
            return listed
        fields = (
            folded(each.display_name, _fields(each)) for each in self._collections
        )
        return listed + sheet(heading("Fields"), *fields)

    def _at(self, key: str) -> Collection:
        return self._collections[int(key.rpartition("-")[2])]


def _fields(collection: Collection) -> Markup:
    rows = [
        (
            *(field.display_name, field.slug, field.type, field.required),
            *(", ".join(name for _, name in field.options), field.help_text),
        )
        for field in collection.fields
    ]
    return table(_FIELD_HEAD, rows)


def _states(origin: Origin) -> Markup:
    """Return the states of items as bars, those that occur."""
    counts = [count_states(origin, each.collection_id) for each in origin.collections]
    occurring = [state for state in PublicationState if any(e[state] for e in counts)]
    if not occurring:
        return sheet(note("The site has no items."))
    names = [each.display_name for each in origin.collections]
    parts = {
        state.replace("_", " "): [each[state] for each in counts] for state in occurring
    }
    totals = ", ".join(f"{sum(numbers):,} {state}" for state, numbers in parts.items())
    about = "Items by state, each locale counted; a bar is the share of its collection"
    return sheet(
        paragraph(f"{totals}."),
        bar_table(names, parts, whole="Items", about=about),
    )


class _PageRows(Rows):
    """Static pages; their file is named without a blank."""

    def file(self, query: Query) -> str:
        """Return the name of the CSV file."""
        return "static-pages"


class _StaticPages(TableView):
    """A list of the site's static pages, read when its button is pressed."""

    prefix = "static-pages"
    label = title = "Static pages"

    def __init__(self, workspace: Workspace) -> None:
        self._rows = _PageRows(_PAGES, _PAGE_COLUMNS, (Filter("state", "State", ""),))
        super().__init__(workspace.list_source(self._rows))
        self._workspace = workspace
        self._is_read = False

    @action("read", "List the static pages")
    async def read(self, _: str) -> None:
        """Read all pages."""
        workspace = self._workspace
        if workspace.dry_run:
            self.say("This is a dry run: nothing is read. Set dry_run = False above.")
            return
        settings, cache = workspace.origin_settings, RawCache(workspace.project.raw)
        site_id = cache.site(settings.site_id).site_id
        found = await read_static_pages(settings, site_id, workspace.observer)
        texts = ((e.title, e.path, e.state, e.seo_title, e.description) for e in found)
        self._rows.put(0, ((0, each) for each in texts))
        self._is_read = True
        self.show()

    def above(self) -> Markup:
        """Return what static pages are."""
        return sheet(paragraph(_ABOUT_PAGES))

    def bars(self) -> list[Markup]:
        """Return the button, and what narrows the list."""
        return [bar(self.act("read")), *super().bars()]

    def nothing(self) -> str:
        """Return what is said of an empty list."""
        return super().nothing() if self._is_read else "The pages are not read yet."
