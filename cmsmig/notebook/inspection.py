"""What notebook 01 calls: what the origin holds, before anything is decided.

The names of what panels begin with never move: projects keep their notebooks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.mapping.select.selection import PublicationState
from cmsmig.notebook.inspect.cleaning_panel import CleaningTable
from cmsmig.notebook.inspect.explorer import Explorer
from cmsmig.notebook.inspect.finding_lists import (
    ObstacleTable,
    References,
    StructureTable,
)
from cmsmig.notebook.inspect.item_choices import CHOICES, count_states, current_choices
from cmsmig.notebook.inspect.item_set_panel import item_sets
from cmsmig.notebook.inspect.pull_panel import pull_origin as pull_origin
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.decision_files import pulled, require_pull
from cmsmig.notebook.kit.decision_list import show_changes as show_changes
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.kit.parameters import takes_parameters
from cmsmig.notebook.kit.project_news import RAW
from cmsmig.origin.cache import RawCache
from cmsmig.origin.schema import Collection
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.steps.pull.origin_overview import read_static_pages
from cmsmig.survey.references import recorded_names, reference_graph
from cmsmig.ui.controls import bar
from cmsmig.ui.html.safe_html import (
    folded,
    heading,
    paragraph,
    sheet,
    table,
)
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns
from cmsmig.ui.rows import Rows
from cmsmig.ui.table import TableView
from cmsmig.ui.view import Following, View, action

_NOT_READ = "Nothing is read yet: press `Read the origin` at the top."
_COLLECTIONS = Nouns("collection", "collections", "The site has no collections.")
_COLLECTION_COLUMNS = (
    Column("collection", "Collection"),
    Column("slug", "Slug"),
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
    """Show the collections with their counts and the states of their items; by hand
    each opened, with its fields.

    Source: Webflow, publishing: being live is membership of the live set.
    """
    return _when_pulled(
        workspace,
        lambda: _Collections(workspace, pulled(workspace)),
        "collections",
        "Collections, their fields, and what is published",
    )


def explore_items(workspace: Workspace) -> Panel:
    """Show the site's items page by page; by hand with searches, filters and facets,
    and each item opened: its fields, both versions, and what refers to it.

    By hand a list can be written below `lists/` in the project folder, as CSV.
    """
    return _when_pulled(
        workspace, lambda: Explorer(workspace), "explore", "Items", is_folded=False
    )


def clean_values(workspace: Workspace) -> Panel:
    """Show what may be cleaned while it moves; by hand each operation is opened,
    accepted, changed, refused and undone, alone or together.

    Unattended, the operations that the file has, with what they change.
    """
    return _when_pulled(
        workspace, lambda: CleaningTable(workspace), "clean", "Clean while it moves"
    )


def reference_report(workspace: Workspace) -> Panel:
    """Show which field points where, and which references would stay empty, why.

    Under the item sets that are decided, else under those that are proposed.
    """

    def make() -> View:
        origin = pulled(workspace)
        names = recorded_names(workspace.project.ledger)
        graph = reference_graph(origin, current_choices(workspace, origin), names)
        return References(workspace, origin, graph)

    title = "Where references lead, and which would stay empty"
    return _when_pulled(workspace, make, "references", title, (RAW, CHOICES))


def richtext_census(workspace: Workspace) -> Panel:
    """Show what the rich text bodies are made of, how often, and with examples; by
    hand each structure lists the items that hold it."""
    return _when_pulled(
        workspace,
        lambda: StructureTable(workspace),
        "census",
        "What the texts are made of, and what it is converted to",
    )


def not_migratable(workspace: Workspace) -> Panel:
    """Show what no site can migrate, and what this one has, with the items.

    Spec: import rules 8 and 9.
    """
    return _when_pulled(
        workspace,
        lambda: ObstacleTable(workspace),
        "obstacles",
        "What cannot be migrated",
    )


def static_pages(workspace: Workspace) -> Panel:
    """Show the site's static pages; by hand, once a button has read them."""
    return _when_pulled(
        workspace,
        lambda: _StaticPages(workspace),
        "static-pages",
        "Pages of the designer",
    )


@takes_parameters()
def choose_item_sets(
    workspace: Workspace, reviewer: str = "", item_set: str = ""
) -> Panel:
    """Choose which items of each collection are imported, in which version.

    By hand each choice is written to `decisions/collections.yaml` at once, which a
    button accepts. Unattended, `item_set` (a name, for every collection) does so in
    bulk, and without it nothing is written.
    """
    return _when_pulled(
        workspace,
        lambda: item_sets(workspace, pulled(workspace), reviewer, item_set),
        "item-set",
        "Item set of each collection",
        is_folded=False,
    )


def _when_pulled(
    workspace: Workspace,
    make: Callable[[], View],
    prefix: str,
    title: str,
    kinds: Sequence[str] = (RAW,),
    *,
    is_folded: bool = True,
) -> Panel:
    """Return the panel over what was pulled, made again when that changed; by hand a
    sentence while nothing was."""

    def made() -> View:
        try:
            require_pull(workspace.project)
        except UsageError:
            if not workspace.interactive:
                raise
            raise UsageError(_NOT_READ) from None
        RawCache(workspace.project.raw).require_complete()
        return make()

    if not workspace.interactive:
        return workspace.shows(made())
    view = Following(prefix, title, made, is_folded=is_folded)
    workspace.news.follow(prefix, view.renew, *kinds)
    return workspace.shows(view)


class _Collections(TableView):
    """The collections; an open one with its fields."""

    prefix = "collections"
    label = "Collections"
    opens = True

    def __init__(self, workspace: Workspace, origin: Origin) -> None:
        states = {
            each.collection_id: count_states(origin, each.collection_id)
            for each in origin.collections
        }
        occurring = [
            state
            for state in PublicationState
            if any(e[state] for e in states.values())
        ]
        titles = (
            "Fields, with name and slug",
            "Items",
            *(e.replace("_", " ").capitalize() for e in occurring),
        )
        counted = (Column(each, each, True, css="number") for each in titles)
        rows = Rows(_COLLECTIONS, (*_COLLECTION_COLUMNS, *counted))
        super().__init__(workspace.list_source(rows))
        self._collections = origin.collections
        for number, each in enumerate(origin.collections):
            found = states[each.collection_id]
            counts = (len(each.fields), found.total(), *(found[e] for e in occurring))
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


class _PageRows(Rows):
    """Static pages; their file is named without a blank."""

    def file(self, query: Query) -> str:
        """Return the name of the CSV file."""
        return "static-pages"


class _StaticPages(TableView):
    """A list of the site's static pages, read when its button is pressed."""

    prefix = "static-pages"
    label = "Static pages"

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
