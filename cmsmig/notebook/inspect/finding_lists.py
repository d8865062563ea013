"""Notebook 01: what bodies are made of, what cannot be migrated, and where references
lead; each list leads to its items in the browser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.errors import CmsmigError, UsageError
from cmsmig.evidence.new_items import NewItems, new_items
from cmsmig.evidence.old_addresses import site_address
from cmsmig.evidence.report_findings import FindingSet
from cmsmig.item_key import ItemKey
from cmsmig.mapping.select.reference_targets import EXPLAINED
from cmsmig.notebook.inspect.explorer import ScanTable, site_scan
from cmsmig.notebook.kit.finding_table import (
    FindingRows,
    FindingSetTable,
    FindingWords,
)
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.decide.pulled_origin import Origin, live_paths
from cmsmig.survey.body_census import LOSS_OF, STRUCTURE, STRUCTURES
from cmsmig.survey.item_findings import Finding
from cmsmig.survey.not_migratable import ALWAYS, BODY_LOSSES, KINDS, find_obstacles
from cmsmig.survey.references import Edge, ReferenceGraph
from cmsmig.ui.controls import bar
from cmsmig.ui.documents.findings import findings_doc, loss_name
from cmsmig.ui.html.charts import Link, lane_graph
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    doc_sheet,
    escape,
    paragraph,
    sheet,
    site_link,
    stacked,
    table,
)
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns
from cmsmig.ui.rows import Rows
from cmsmig.ui.table import TableView
from cmsmig.ui.view import action

_EXAMPLES = 3
_STRUCTURE_COLUMNS = (
    Column("structure", "Structure"),
    Column("times", "Times", most_first=True, css="number"),
    Column("bodies", "Bodies", most_first=True, css="number"),
    Column("becomes", "Converted to"),
    Column("pages", "For example"),
)
_OBSTACLES = FindingWords(
    prefix="obstacles",
    title="In this site",
    nouns=Nouns(
        "obstacle", "obstacles", "Nothing of the kind was found in this site's items."
    ),
)
_REFERENCE_COLUMNS = (
    Column("item", "Item"),
    Column("page", "Page"),
    Column("field", "Field"),
    Column("target", "Leads to"),
    Column("cause", "Stays empty because"),
)


class StructureRows(Rows):
    """The structures in bodies, each with how often it occurs."""

    key = "number"

    def __init__(self, site: str) -> None:
        """`site` is the address that pages are below."""
        nouns = Nouns("structure", "structures", "No body holds any of the structures.")
        super().__init__(nouns, _STRUCTURE_COLUMNS)
        self._site = site

    def cell(self, column: str, text: str) -> Markup | str:
        """Return pages as links."""
        if column == "pages":
            return stacked(site_link(self._site, each) for each in text.split("\n"))
        return text


class StructureTable(ScanTable):
    """The structures in bodies; opening one lists its items in the browser."""

    prefix = "census"
    label = "What bodies are made of"
    opens = True

    def __init__(self, workspace: Workspace) -> None:
        scan = site_scan(workspace)
        self._catalogue = scan.catalogue
        self._rows = StructureRows(site_address(scan.catalogue.site))
        super().__init__(workspace, scan, self._rows)

    def fill(self) -> None:
        """Count what bodies hold now."""
        ids = self._catalogue.ids()
        found = self._catalogue.all(
            "SELECT n.finding, sum(n.times), count(*) FROM noticed n JOIN entry e ON "
            f"e.id = n.entry WHERE e.edition IN {ids} GROUP BY 1"
        )
        counts = {finding: counts for finding, *counts in found}
        self._rows.clear()
        for number, each in enumerate(STRUCTURES):
            finding = f"{STRUCTURE}{each.name}"
            if times := counts.get(finding):
                examples = self._catalogue.entries(
                    f"WHERE edition IN {ids} AND id IN (SELECT entry FROM noticed "
                    "WHERE finding = ?) ORDER BY edition, sorted, id LIMIT ?",
                    (finding, _EXAMPLES),
                )
                pages = "\n".join(map(self._catalogue.page_path, examples))
                row = (each.title, *times, each.becomes, pages)
                self._rows.put_row(0, number, 0, row)

    def open(self, key: str) -> None:
        """List the items that hold a structure."""
        self.item_lists.show(f"{STRUCTURE}{STRUCTURES[int(key)].name}")

    def above(self) -> Markup:
        """Return how many bodies there are."""
        (bodies,) = self._catalogue.one(
            "SELECT coalesce(sum(bodies), 0) FROM entry WHERE edition IN "
            f"{self._catalogue.ids()}"
        )
        return sheet(
            paragraph(
                f"{bodies:,} bodies, each locale counted, in the editors' version. "
                "Open a structure to list the items that hold it in the browser above."
            )
        )


class ObstacleTable(FindingSetTable):
    """What cannot be migrated; one kind can be listed in the browser of items."""

    def __init__(self, workspace: Workspace) -> None:
        self._scan = site_scan(workspace)
        self._lists = workspace.item_lists
        catalogue = self._scan.catalogue
        name = "not-migratable"
        rows = FindingRows(_OBSTACLES.nouns, name, site_address(catalogue.site))
        self._new_items: NewItems | None = None
        found = FindingSet(
            name,
            _OBSTACLES.title,
            _OBSTACLES.nouns.none,
            lambda: find_obstacles(catalogue, self._since),
        )
        source = workspace.list_source(rows)
        super().__init__(
            _OBSTACLES,
            source,
            rows,
            lambda: (found,),
            lambda: self._find_new(workspace),
        )

    def _find_new(self, workspace: Workspace) -> NewItems | None:
        """Return which items are new; none as long as a decision is missing."""
        project, settings = workspace.project, workspace.local_settings
        self._new_items = None
        with suppress(CmsmigError):
            self._new_items = new_items(
                project, lambda: open_migration(project, settings)
            )
        return self._new_items

    def _since(self, key: ItemKey) -> str:
        return self._new_items.said_of(key) if self._new_items else ""

    @property
    def size(self) -> int:
        """Return how much the whole scan still looks through."""
        return self._scan.left()

    def html(self, *, live: bool) -> Markup:
        """Return the list; not live, everything by kind, after the whole scan."""
        if live:
            return super().html(live=live)
        self._scan.finish()
        found = findings_doc(
            find_obstacles(self._scan.catalogue),
            _OBSTACLES.title,
            none=_OBSTACLES.nouns.none,
        )
        return self.above() + doc_sheet(*found)

    def opened(self) -> None:
        """Wait for the scan of the site, then find everything."""
        self.queue.start(self._complete)

    async def _complete(self) -> None:
        await self._scan.run()
        self.read()

    @action("browse", "Show these items above")
    def browse(self, _: str) -> None:
        """List the items with the chosen kind."""
        titles = {title: kind for kind, title in KINDS.items()}
        finding = _finding(titles.get(self.at.query.get("kind"), ""))
        if finding is None:
            raise UsageError(
                "Choose one kind that is in bodies, files or slugs; the others are all "
                "listed here."
            )
        self._lists.show(finding)

    def above(self) -> Markup:
        """Return what no site can migrate."""
        return sheet(table(("On every site", "Why", "What to do"), ALWAYS))

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
    return {"missing-file": Finding.NO_FILE, "no-slug": Finding.NO_SLUG}.get(kind)


class References(TableView):
    """The graph, and below it the references that would stay empty."""

    prefix = "references"
    label = "References"
    title = "References that would stay empty"

    def __init__(
        self, workspace: Workspace, origin: Origin, graph: ReferenceGraph
    ) -> None:
        self._rows = _Dangling(origin, graph)
        super().__init__(workspace.list_source(self._rows))
        self._lists = workspace.item_lists
        self._drawn = sheet(_drawing(origin, graph), _edges(origin, graph))

    @action("browse", "Show these items above")
    def browse(self, _: str) -> None:
        """List the items of these references in the browser of items."""
        cause = self._rows.causes.get(self.at.query.get("cause"))
        finding = Finding.DANGLING
        self._lists.show(f"{finding}:{cause}" if cause else finding)

    def above(self) -> Markup:
        """Return the graph."""
        return self._drawn

    def bars(self) -> list[Markup]:
        """Return what narrows the list, and what leads to the browser of items."""
        return [*super().bars(), bar(self.act("browse"))]


class _Dangling(Rows):
    """References without a target, those of the most frequent cause first."""

    def __init__(self, origin: Origin, graph: ReferenceGraph) -> None:
        none = "Every reference leads to an item that is imported."
        nouns = Nouns("reference", "references", none)
        filters = (Filter("cause", "Dangling because", ""),)
        super().__init__(nouns, _REFERENCE_COLUMNS, filters)
        self.causes = {EXPLAINED[cause]: cause for cause in graph.causes}
        self._site = site_address(origin.site)
        self._live: set[str] = set()
        """Paths of pages that visitors see."""
        paths = origin.old_paths
        live = live_paths(origin)
        ranks = {cause: rank for rank, cause in enumerate(graph.causes)}
        rows = []
        for each in graph.dangling:
            item = each.item
            page = paths.path(item.key, item.slug)
            if item.key in live:
                self._live.add(page)
            cause = EXPLAINED[each.cause]
            row = (item.name, page, each.field, each.target_name, cause)
            rows.append((ranks[each.cause], row))
        self.put(0, rows)

    def cell(self, column: str, text: str) -> Markup | str:
        """Return a page that visitors see as a link, everything else as it is."""
        if column != "page":
            return text
        is_live = text in self._live
        return site_link(self._site, text) if is_live else f"{text} (not live)"

    def file(self, query: Query) -> str:
        """Return the name of the CSV file."""
        return "references-that-stay-empty"


def _drawing(origin: Origin, graph: ReferenceGraph) -> Markup:
    """Return the collections and what leads from one to another, drawn."""
    total = sum(each.references for each in graph.edges)
    counts = paragraph(
        f"{counted(total, 'reference')}, of which {len(graph.dangling):,} would stay "
        "empty under the item sets that are chosen above."
    )
    names = _names(origin)
    links = [*_links(graph, names)]
    linked = {key for each in links for key in (each.source, each.target)}
    alone = [name for key, name in names.items() if key not in linked]
    names |= dict.fromkeys(linked - set(names), "not listed by the site")
    left = paragraph(escape(f"Without references: {', '.join(alone)}."))
    about = (
        f"Where references lead: {counted(len(linked), 'collection')} and "
        f"{counted(total, 'reference')}; the table of fields below has the numbers"
    )
    drawn = lane_graph(names, links, about) if links else NOTHING
    return counts + drawn + (left if alone else NOTHING)


def _names(origin: Origin) -> dict[str, str]:
    return {each.collection_id: each.display_name for each in origin.collections}


def _links(graph: ReferenceGraph, names: Mapping[str, str]) -> Iterator[Link]:
    """Yield what leads from one collection to another, all fields of it together."""
    pairs: dict[tuple[str, str], list[Edge]] = {}
    for each in graph.edges:
        pairs.setdefault(each.ends, []).append(each)
    for (source, target), edges in pairs.items():
        count = sum(each.references for each in edges)
        fields = ", ".join(each.field.display_name for each in edges)
        about = (
            f"{names[source]} to {names.get(target, target)}: "
            f"{counted(count, 'reference')} in {fields}"
        )
        dangling = sum(each.dangling for each in edges)
        yield Link(source, target, count, dangling, about)


def _edges(origin: Origin, graph: ReferenceGraph) -> Markup:
    names = _names(origin)
    ends = {each.ends for each in graph.edges}
    rows: list[tuple[Cell, ...]] = []
    for each in graph.edges:
        source, target = each.ends
        several = " (several)" if each.field.type == "MultiReference" else ""
        back = "in both directions" if (target, source) in ends else ""
        rows.append(
            (
                names[source],
                f"{each.field.display_name}{several}",
                names.get(target, target),
                each.references,
                each.dangling,
                "to itself" if source == target else back,
            )
        )
    head = ("Collection", "Field", "Points to", "References", "Dangling", "")
    return table(head, rows, caption="Reference fields")
