"""Notebook 01: where references lead, and which would stay empty."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.mapping.select.reference_targets import EXPLAINED
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.survey.catalogue_filter import Finding
from cmsmig.survey.page_addresses import OldPages
from cmsmig.survey.reference_graph import Edge, ReferenceGraph
from cmsmig.ui.controls import bar
from cmsmig.ui.html.charts import Link, lane_graph
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    escape,
    paragraph,
    sheet,
    table,
)
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns, Rows
from cmsmig.ui.table import TableView
from cmsmig.ui.view import action

_COLUMNS = (
    Column("item", "Item"),
    Column("page", "Page"),
    Column("field", "Field"),
    Column("target", "Leads to"),
    Column("cause", "Stays empty because"),
)
_UNLISTED = "not listed by the site"


class References(TableView):
    """The graph, and below it the references that would stay empty."""

    prefix = "references"
    label = "References"
    title = "References that would stay empty"

    def __init__(
        self, workspace: Workspace, origin: Origin, graph: ReferenceGraph
    ) -> None:
        self._rows = _Dangling(OldPages.of(origin), graph)
        super().__init__(workspace.list_source(self._rows))
        self._lists = workspace.item_lists
        self._drawn = sheet(_drawing(origin, graph), _edges(graph))

    @action("browse", "List them in the browser")
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

    def __init__(self, pages: OldPages, graph: ReferenceGraph) -> None:
        none = "Every reference leads to an item that is imported."
        nouns = Nouns("reference", "references", none)
        super().__init__(nouns, _COLUMNS, (Filter("cause", "Dangling because", ""),))
        self.causes = {EXPLAINED[cause]: cause for cause in graph.causes}
        self._links = {
            pages.path(each.item): pages.link(each.item) for each in graph.dangling
        }
        ranks = {cause: rank for rank, cause in enumerate(graph.causes)}
        self.put(
            0,
            (
                (
                    ranks[each.cause],
                    (
                        *(each.item.name, pages.path(each.item), each.field),
                        *(each.target_name, EXPLAINED[each.cause]),
                    ),
                )
                for each in graph.dangling
            ),
        )

    def cell(self, column: str, text: str) -> Markup | str:
        """Return a page as a link, everything else as it is."""
        return self._links[text] if column == "page" else text

    def file(self, query: Query) -> str:
        """Return the name of the CSV file."""
        return "references-that-stay-empty"


def _drawing(origin: Origin, graph: ReferenceGraph) -> Markup:
    """Return the collections and what leads from one to another, drawn."""
    total = sum(each.references for each in graph.edges)
    told = paragraph(
        f"{counted(total, 'reference')}, of which {len(graph.dangling):,} would stay "
        "empty under the item sets as they stand below."
    )
    names = {each.collection_id: each.display_name for each in origin.collections}
    links = [*_links(graph)]
    linked = {key for each in links for key in (each.source, each.target)}
    alone = [name for key, name in names.items() if key not in linked]
    names |= dict.fromkeys(linked - set(names), _UNLISTED)
    left = f"Without references: {', '.join(alone)}." if alone else ""
    about = (
        f"Where references lead: {counted(len(linked), 'collection')} and "
        f"{counted(total, 'reference')}; the table of fields below has the numbers"
    )
    drawn = lane_graph(names, links, about) if links else NOTHING
    return told + drawn + (paragraph(escape(left)) if left else NOTHING)


def _links(graph: ReferenceGraph) -> Iterator[Link]:
    """Yield what leads from one collection to another, all fields of it together."""
    pairs: dict[tuple[str, str], list[Edge]] = {}
    for each in graph.edges:
        pairs.setdefault((each.source_id, each.target_id), []).append(each)
    for (source, target), edges in pairs.items():
        count = sum(each.references for each in edges)
        fields = ", ".join(each.field for each in edges)
        yield Link(
            source,
            target,
            count,
            sum(each.dangling for each in edges),
            f"{edges[0].source} to {edges[0].target}: {counted(count, 'reference')} "
            f"in {fields}",
        )


def _edges(graph: ReferenceGraph) -> Markup:
    rows: list[tuple[Cell, ...]] = [
        (
            each.source,
            f"{each.field}{' (several)' if each.multiple else ''}",
            each.target,
            each.references,
            each.dangling,
            each.note,
        )
        for each in graph.edges
    ]
    head = ("Collection", "Field", "Points to", "References", "Dangling", "")
    return table(head, rows, caption="Reference fields")
