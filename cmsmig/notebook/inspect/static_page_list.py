"""Notebook 01: the pages that are no items, listed when somebody asks for them."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.origin.static_pages import StaticPage
from cmsmig.steps.pull.origin_overview import read_static_pages
from cmsmig.ui.controls import bar
from cmsmig.ui.html.safe_html import paragraph, sheet
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns, Rows
from cmsmig.ui.table import TableView
from cmsmig.ui.view import action

_COLUMNS = (
    Column("title", "Title"),
    Column("path", "Path"),
    Column("state", "State"),
    Column("seo", "Title for search engines"),
    Column("description", "Description"),
)
_NOUNS = Nouns("static page", "static pages", "The site has no static pages.")
_ABOUT = (
    "Static pages are no items: build them in the new site. The origin lists them to a "
    "token with the scope `pages:read`."
)


class _PageRows(Rows):
    """Static pages; their file is named without a blank."""

    def file(self, query: Query) -> str:
        """Return the name of the CSV file."""
        return "static-pages"


class StaticPages(TableView):
    """A list of the site's static pages, read when its button is pressed."""

    prefix = "static-pages"
    label = title = "Static pages"

    def __init__(self, workspace: Workspace, site_id: str) -> None:
        self._rows = _PageRows(_NOUNS, _COLUMNS, (Filter("state", "State", ""),))
        super().__init__(workspace.list_source(self._rows))
        self._workspace = workspace
        self._site_id = site_id
        self._is_read = False

    @action("read", "List the static pages")
    async def read(self, _: str) -> None:
        """Read all pages."""
        if self._workspace.dry_run:
            self.say("This is a dry run: nothing is read. Set dry_run = False above.")
            return
        settings, observer = self._workspace.origin_settings, self._workspace.observer
        found = await read_static_pages(settings, self._site_id, observer)
        self._rows.put(0, ((0, _texts(each)) for each in found))
        self._is_read = True
        self.show()

    def above(self) -> Markup:
        """Return what static pages are."""
        return sheet(paragraph(_ABOUT))

    def bars(self) -> list[Markup]:
        """Return the button, and what narrows the list."""
        return [bar(self.act("read")), *super().bars()]

    def nothing(self) -> str:
        """Return what is said of an empty list."""
        return super().nothing() if self._is_read else "The pages are not read yet."


def _texts(page: StaticPage) -> tuple[str, ...]:
    return page.title, page.path, page.state, page.seo_title, page.description
