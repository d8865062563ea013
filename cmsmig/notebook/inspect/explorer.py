"""Notebook 01: every item of the site in a list, searched, narrowed and opened.

The kernel holds a page at a time: items are in the catalogue on disk, which is made
while the panel works already.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial

from markupsafe import Markup

from cmsmig.notebook.inspect.item_page import item_page
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.origin.files import FileRow
from cmsmig.survey.catalogue_filter import with_finding
from cmsmig.survey.item_browser import ItemBrowser
from cmsmig.survey.item_relation import ItemRelation
from cmsmig.survey.site_scan import SiteScan
from cmsmig.survey.thumbnails import Thumbnails
from cmsmig.ui.action_queue import in_slices
from cmsmig.ui.query import Query
from cmsmig.ui.table import Place, TableView
from cmsmig.ui.view import action


class Explorer(TableView):
    """The list of items, and one of them opened."""

    prefix = "explore"
    label = "Browser of the site's items"
    opens = True

    def __init__(self, workspace: Workspace, scan: SiteScan) -> None:
        catalogue = scan.catalogue
        self._browser = ItemBrowser(catalogue)
        super().__init__(workspace.list_source(ItemRelation(self._browser)))
        self._workspace = workspace
        self._scan = scan
        self._catalogue = catalogue
        self._thumbnails = Thumbnails(catalogue.files, catalogue.derived)

    def opened(self) -> None:
        """Make the list complete in the background."""
        self.queue.start(self._complete)
        self._workspace.item_lists.shown_by = self.show_finding

    def show_finding(self, finding: str) -> None:
        """Show all items with a finding, for another panel."""
        self.lead_to(Place(with_finding(Query(), finding)))

    @action("pointing", "List them", key="r")
    def pointing(self, item_id: str) -> None:
        """List the items that refer to the open one."""
        title = self.name_of(self.at.key)
        self.lead_to(Place(Query().having("target", item_id)))
        self.say(f"Listed: the items that refer to {title}. `b` leads back.")

    def name_of(self, key: str) -> str:
        """Return what an item is called."""
        return self._catalogue.entry(int(key)).title

    def detail(self, key: str) -> Markup:
        """Return an item: its fields, both versions, and what refers to it."""
        entry = self._catalogue.entry(int(key))
        made = item_page(self, self._browser, entry, self._files, self._thumbnails)
        if made.undrawn:
            self.queue.start(partial(self._draw, made.undrawn))
        return made.html

    @cached_property
    def _files(self) -> Mapping[str, FileRow]:
        return self._catalogue.files.rows()

    # What goes on in the background.

    async def _complete(self) -> None:
        """Wait for the scan of the site, and show what it brings."""
        self._scan.watchers["explore"] = lambda: self.queue.start(self._progress)
        await self._scan.run()
        self._progress()

    def _progress(self) -> None:
        self.progress = self._scan.progress
        self.renew()

    async def _draw(self, hashes: tuple[str, ...]) -> None:
        """Draw the thumbnails of the open item, then show it again."""
        opened = self.at
        async for _ in in_slices(map(self._thumbnails.draw, hashes)):
            if self.at != opened:
                return
        self.renew()
