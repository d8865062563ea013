"""Notebook 01: what the bodies are made of, and what cannot be migrated."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.evidence.report_findings import FindingSet
from cmsmig.notebook.inspect.site_catalogue import site_scan
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.finding_table import (
    FindingRows,
    FindingSetTable,
    FindingWords,
)
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.catalogue_filter import LOSS_OF, STRUCTURE
from cmsmig.survey.catalogue_filter import Finding as Lists
from cmsmig.survey.census import STRUCTURES
from cmsmig.survey.not_migratable import ALWAYS, BODY_LOSSES, KINDS, find_obstacles
from cmsmig.survey.page_addresses import OldPages
from cmsmig.survey.site_scan import SiteScan
from cmsmig.ui.controls import bar
from cmsmig.ui.documents.findings import findings_doc, loss_name
from cmsmig.ui.html.safe_html import (
    doc_sheet,
    paragraph,
    sheet,
    site_link,
    stacked,
    table,
)
from cmsmig.ui.relation import Column, Nouns, Rows
from cmsmig.ui.table import TableView
from cmsmig.ui.view import action

_EXAMPLES = 3
_COLUMNS = (
    Column("structure", "Structure"),
    Column("times", "Times", most_first=True, css="number"),
    Column("bodies", "Bodies", most_first=True, css="number"),
    Column("becomes", "Converted to"),
    Column("pages", "For example"),
)
_WORDS = FindingWords(
    prefix="obstacles",
    title="In this site",
    nouns=Nouns(
        "obstacle", "obstacles", "Nothing of the kind was found in this site's items."
    ),
)


def census_panel(workspace: Workspace) -> Panel:
    """Show the structures; by hand each lists the items that hold it."""
    scan = site_scan(workspace)

    def static() -> Markup:
        scan.finish()
        listed = StructureTable(workspace, scan)
        listed.fill()
        return sheet(listed.html(live=False))

    return workspace.panel(static, lambda: StructureTable(workspace, scan).element())


class StructureRows(Rows):
    """The structures in bodies, each with how often it occurs."""

    key = "number"

    def __init__(self, catalogue: Catalogue) -> None:
        nouns = Nouns("structure", "structures", "No body holds any of the structures.")
        super().__init__(nouns, _COLUMNS)
        self._catalogue = catalogue
        self._pages = OldPages.of_site(
            catalogue.site, catalogue.collections.values(), frozenset()
        )

    def fill(self) -> None:
        """Count what bodies hold now."""
        self.clear()
        found = self._catalogue.all(
            "SELECT n.finding, sum(n.times), count(*) FROM noticed n JOIN entry e ON "
            f"e.id = n.entry WHERE e.edition IN {self._catalogue.ids()} GROUP BY 1"
        )
        counts = {finding: counts for finding, *counts in found}
        for number, each in enumerate(STRUCTURES):
            if times := counts.get(f"{STRUCTURE}{each.name}"):
                pages = self._examples(each.name)
                self.put_row(0, number, 0, (each.title, *times, each.becomes, pages))

    def cell(self, column: str, text: str) -> Markup | str:
        """Return pages as links."""
        if column == "pages":
            return stacked(site_link(self._pages.domain, e) for e in text.split("\n"))
        return text

    def _examples(self, structure: str) -> str:
        entries = self._catalogue.entries(
            f"WHERE edition IN {self._catalogue.ids()} AND id IN (SELECT entry FROM "
            "noticed WHERE finding = ?) ORDER BY edition, sorted, id LIMIT ?",
            (f"{STRUCTURE}{structure}", _EXAMPLES),
        )
        return "\n".join(map(self._pages.path, entries))


class StructureTable(TableView):
    """The structures in bodies; opening one lists its items in the browser."""

    prefix = "census"
    label = "What bodies are made of"
    opens = True

    def __init__(self, workspace: Workspace, scan: SiteScan) -> None:
        self._rows = StructureRows(scan.catalogue)
        super().__init__(workspace.list_source(self._rows))
        self._workspace = workspace
        self._scan = scan

    def opened(self) -> None:
        """Wait for the scan of the site."""
        self._scan.watchers["census"] = lambda: self.queue.start(self._follow)
        self.queue.start(self._complete)

    def open(self, key: str) -> None:
        """List the items that hold a structure."""
        self._workspace.item_lists.show(f"{STRUCTURE}{STRUCTURES[int(key)].name}")

    def above(self) -> Markup:
        """Return how many bodies there are."""
        (bodies,) = self._scan.catalogue.one(
            "SELECT coalesce(sum(bodies), 0) FROM entry WHERE edition IN "
            f"{self._scan.catalogue.ids()}"
        )
        return sheet(
            paragraph(
                f"{bodies:,} bodies, each locale counted, in the editors' version. "
                "Open a structure to list the items that hold it in the browser above."
            )
        )

    def fill(self) -> None:
        """Count what bodies hold now."""
        self._rows.fill()

    async def _complete(self) -> None:
        await self._scan.run()
        self.fill()
        self._follow()

    def _follow(self) -> None:
        self.progress = self._scan.progress
        self.renew()


def obstacles_panel(workspace: Workspace) -> Panel:
    """Show what no site can migrate and what this one has; by hand as a list."""
    scan = site_scan(workspace)

    def static() -> Markup:
        scan.finish()
        found = findings_doc(
            find_obstacles(scan.catalogue), _WORDS.title, none=_WORDS.nouns.none
        )
        return sheet(_rules()) + doc_sheet(*found)

    return workspace.panel(static, lambda: ObstacleTable(workspace, scan).element())


class ObstacleTable(FindingSetTable):
    """What cannot be migrated; one kind can be listed in the browser of items."""

    def __init__(self, workspace: Workspace, scan: SiteScan) -> None:
        domains = scan.catalogue.site.domains
        rows = FindingRows(
            _WORDS.nouns, "not-migratable", domains[0] if domains else ""
        )
        found = FindingSet(
            "not-migratable",
            _WORDS.title,
            _WORDS.nouns.none,
            lambda: find_obstacles(scan.catalogue),
        )
        source = workspace.list_source(rows)
        super().__init__(_WORDS, source, rows, lambda: (found,))
        self._workspace = workspace
        self._scan = scan

    def opened(self) -> None:
        """Wait for the scan of the site, then find everything."""
        self.queue.start(self._complete)

    async def _complete(self) -> None:
        await self._scan.run()
        self.read()

    @action("browse", "List them in the browser")
    def browse(self, _: str) -> None:
        """List the items with the chosen kind."""
        titles = {title: kind for kind, title in KINDS.items()}
        finding = _finding(titles.get(self.at.query.get("kind"), ""))
        if finding is None:
            raise UsageError(
                "Choose one kind that is in bodies, files or slugs; the others are all "
                "listed here."
            )
        self._workspace.item_lists.show(finding)

    def above(self) -> Markup:
        """Return what no site can migrate."""
        return sheet(_rules())

    def bars(self) -> list[Markup]:
        """Return the controls of the list, and what leads to the browser."""
        return [*super().bars(), bar(self.act("browse"))]

    def ticks(self) -> list[Markup]:
        """Return none: a severity and a new page are of no use here."""
        return []


def _finding(kind: str) -> str | None:
    """Return what the browser calls a kind of obstacles, if it lists them."""
    if kind in BODY_LOSSES:
        return f"{LOSS_OF}{loss_name(kind)}"
    return {"missing-file": Lists.NO_FILE, "no-slug": Lists.NO_SLUG}.get(kind)


def _rules() -> Markup:
    return table(("On every site", "Why", "What to do"), ALWAYS)
