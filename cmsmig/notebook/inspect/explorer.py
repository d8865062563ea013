"""Notebook 01: every item of the site in a list, searched, narrowed and opened.

The kernel holds a page at a time: items are in the catalogue on disk, which is made
while the panel works already.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property, partial

from markupsafe import Markup

from cmsmig.errors import DecisionsError, UsageError
from cmsmig.mapping.decisions.body_reviews import INDIVIDUALLY
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.decision_files import FILE_NAMES
from cmsmig.mapping.decisions.design import Design
from cmsmig.notebook.inspect.item_choices import (
    CHOICES,
    FILE,
    TAKES,
    current_choices,
    signed_again,
    with_item,
)
from cmsmig.notebook.inspect.item_page import item_page
from cmsmig.notebook.kit.decision_files import known_reviewer, pulled
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.origin.files import FileRow
from cmsmig.steps.decide.decision_store import change_decision, decision_in
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.item_relation import ItemRelation, with_finding
from cmsmig.survey.site_scan import Outcomes, SiteScan, find_outcomes
from cmsmig.ui.action_queue import in_slices
from cmsmig.ui.controls import select
from cmsmig.ui.html.safe_html import sheet, stacked
from cmsmig.ui.query import EVERYTHING, Query
from cmsmig.ui.relation import Relation, Row
from cmsmig.ui.table import Place, TableView
from cmsmig.ui.view import action


def site_scan(workspace: Workspace) -> SiteScan:
    """Return the scan of the pulled site, one for all panels. Raises `UnreadError`."""
    catalogue = Catalogue(workspace.project, workspace.local_settings.site_id)
    known = workspace.item_lists.scan
    if known is None or known.catalogue.editions != catalogue.editions:
        known = SiteScan(
            catalogue,
            partial(_decisions_print, workspace),
            partial(_outcomes_of, workspace),
        )
        workspace.item_lists.scan = known
    return known


def items_of(
    workspace: Workspace, collection: str
) -> tuple[ItemRelation, Query, list[str]]:
    """Return the items as a list, with the query and the columns of those of a
    collection, by its slug; raises `UsageError` for one that there is not."""
    scan = site_scan(workspace)
    scan.finish(bodies=False)
    relation = ItemRelation(scan.catalogue)
    if not collection:
        return relation, EVERYTHING, []
    found = [e for e in scan.catalogue.collections.values() if e.slug == collection]
    if not found:
        raise UsageError(f"The site has no collection with the slug {collection!r}.")
    columns = [f"field:{each.slug}" for each in found[0].fields]
    return relation, EVERYTHING.having("collection", found[0].collection_id), columns


class ScanTable(TableView):
    """A list of what the scan of the site finds."""

    needs_bodies = True
    """Whether it is complete only once all bodies are looked through."""

    def __init__(
        self, workspace: Workspace, scan: SiteScan, relation: Relation
    ) -> None:
        super().__init__(workspace.list_source(relation))
        self.item_lists = workspace.item_lists
        self.scan = scan

    @property
    def size(self) -> int:
        """Return how much the whole scan still looks through."""
        return self.scan.left(bodies=self.needs_bodies)

    def fill(self) -> None:
        """Read what the complete scan found."""

    def opened(self) -> None:
        """Complete the scan in the background, and show how far it is."""
        self.scan.watchers[self.prefix] = lambda: self.queue.start(self._follow)
        self.queue.start(self._complete)

    def html(self, *, live: bool) -> Markup:
        """Return what is shown; not live, after the whole scan."""
        if live:
            return super().html(live=live)
        self.scan.finish(bodies=self.needs_bodies)
        self.fill()
        return sheet(super().html(live=live))

    async def _complete(self) -> None:
        await self.scan.run()
        self.fill()
        self._follow()

    def _follow(self) -> None:
        self.progress = self.scan.progress
        self.renew()


class Explorer(ScanTable):
    """The list of items, and one of them opened."""

    prefix = "explore"
    label = "Browser of the site's items"
    opens = True
    needs_bodies = False

    def __init__(self, workspace: Workspace) -> None:
        scan = site_scan(workspace)
        items = ItemRelation(scan.catalogue)
        super().__init__(workspace, scan, items)
        self._catalogue = scan.catalogue
        self._thumbnails = items.thumbnails
        self._workspace = workspace
        self._load()

    def opened(self) -> None:
        """Make the list complete in the background; follow the item sets."""
        super().opened()
        self.item_lists.shown_by = self.show_finding
        self._workspace.news.follow("explore-take", self._follow_choices, CHOICES)

    def show_finding(self, finding: str) -> None:
        """Show all items with a finding, for another panel."""
        self.lead_to(Place(with_finding(Query(), finding)))

    @action("pointing", "List them", key="r")
    def pointing(self, item_id: str) -> None:
        """List the items that refer to the open one."""
        title = self.name_of(self.at.key)
        self.lead_to(Place(Query().having("target", item_id)))
        self.say(f"Listed: the items that refer to {title}. `b` leads back.")

    @action("take")
    def take(self, sent: str) -> None:
        """Decide what is taken of one item, whatever its collection says."""
        if self.source.dry_run:
            raise UsageError("This is a dry run: no decision is written.")
        key, _, take = sent.partition("=")
        entry, name = self._catalogue.entry(int(key)), known_reviewer(self._workspace)

        def change(now: CollectionsDecision) -> CollectionsDecision:
            return signed_again(with_item(now, entry.key, take), name, INDIVIDUALLY)

        change_decision(self._workspace.project, CollectionsDecision, change)
        self._load()
        self.show()
        said = next(label for label, each in TAKES if each == take)
        self.say(f"{entry.title}: {said}. Written to {FILE}.", "good")

    def _load(self) -> None:
        """Read what is decided about single items."""
        found = None
        with suppress(DecisionsError):
            found = decision_in(self._workspace.project, CollectionsDecision)
        self._choices = {e.collection_id: e for e in found.collections} if found else {}

    def _follow_choices(self) -> None:
        self._load()
        self.renew()

    def control(self, row: Row, column: str) -> Markup:
        """Return the drop-down of what is imported, above why it is left out."""
        if column != "left_out" or self.source.dry_run or not self._choices:
            return super().control(row, column)
        held = self.held(row, column)
        entry = self._catalogue.entry(int(row.key))
        choice = self._choices.get(entry.key.collection_id)
        take = choice and choice.take(entry.key.item_id, entry.key.locale_id)
        about = f"Import {row.title}"
        given: dict[str, object] = {"row": row.key, "about": about}
        chosen = select(self.named("take"), "", TAKES, take or "", **given)
        return stacked([chosen, *([Markup.escape(held)] if held and not take else [])])

    def name_of(self, key: str) -> str:
        """Return what an item is called."""
        return self._catalogue.entry(int(key)).title

    def detail(self, key: str) -> Markup:
        """Return an item: its fields, both versions, and what refers to it."""
        entry = self._catalogue.entry(int(key))
        return item_page(self, self._catalogue, entry, self._files, self._thumbnails)

    def html(self, *, live: bool) -> Markup:
        """Return what is shown; live, pictures come once they are drawn."""
        missing = self._thumbnails.missing
        missing.clear()
        shown = super().html(live=live)
        if not missing:
            return shown
        if live:
            self.queue.start(self._draw)
            return shown
        for each in [*missing]:
            self._thumbnails.draw(each)
        return super().html(live=live)

    @cached_property
    def _files(self) -> Mapping[str, FileRow]:
        return self._catalogue.files.rows()

    async def _draw(self) -> None:
        """Draw the pictures that are missing in what is shown, then show it again."""
        shown = self.at
        async for _ in in_slices(
            map(self._thumbnails.draw, [*self._thumbnails.missing])
        ):
            if self.at != shown:
                return
        self.renew()


def _decisions_print(workspace: Workspace) -> str:
    """Return a digest of the decisions that outcomes of items depend on."""
    digest = hashlib.sha256()
    for kind in (CollectionsDecision, Design):
        digest.update(b"\0")
        with suppress(OSError):
            digest.update((workspace.project.decisions / FILE_NAMES[kind]).read_bytes())
    return digest.hexdigest()


def _outcomes_of(workspace: Workspace) -> Outcomes:
    """Return the outcome of each item; reads the whole site. Reads only."""
    origin = pulled(workspace)
    # Notebook 02 names what is wrong with a design that cannot be read.
    design = None
    with suppress(DecisionsError):
        design = decision_in(workspace.project, Design)
    return find_outcomes(origin, current_choices(workspace, origin), design)
