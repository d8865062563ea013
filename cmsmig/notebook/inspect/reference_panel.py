"""Notebook 01: where references lead, and which would stay empty."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.mapping.select.reference_targets import EXPLAINED
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.survey.catalogue_filter import Finding
from cmsmig.survey.page_addresses import OldPages
from cmsmig.survey.reference_graph import Edge, ReferenceGraph
from cmsmig.ui.html.lane_graph import Link, lane_graph
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    escape,
    joined,
    more,
    note,
    paragraph,
    sheet,
    table,
)

_LISTED = 15
_EXAMPLES = 3
_ALL = "all"
_UNLISTED = "not listed by the site"


def references_panel(
    workspace: Workspace, origin: Origin, graph: ReferenceGraph
) -> Panel:
    """Show the graph; by hand the dangling references of one cause."""
    pages = OldPages.of(origin)
    drawn = _drawing(origin, graph) + _edges(graph)

    def widget() -> widgets.Element:
        board, listed = widgets.Board(), widgets.Html()
        causes = [
            (f"{EXPLAINED[cause]} ({count:,})", str(cause))
            for cause, count in graph.causes.items()
        ]

        def show() -> None:
            listed.show(sheet(_dangling(pages, graph, chosen.value, None)))

        chosen = board.choice(
            "references-cause",
            "Dangling because",
            [(f"any cause ({len(graph.dangling):,})", _ALL), *causes],
            _ALL,
            changed=show,
        )

        def browse() -> None:
            cause = "" if chosen.value == _ALL else f":{chosen.value}"
            workspace.item_lists.show(f"{Finding.DANGLING}{cause}")

        button = board.button("references-browse", "List them in the browser", browse)
        button.visible(bool(graph.dangling))
        show()
        return widgets.column(
            widgets.Html(sheet(drawn)),
            widgets.row(chosen, button),
            listed,
            board.messages,
        )

    def static() -> Markup:
        return sheet(drawn, _dangling(pages, graph, _ALL, _EXAMPLES))

    return workspace.panel(static, widget)


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


def _dangling(
    pages: OldPages, graph: ReferenceGraph, chosen: str, examples: int | None
) -> Markup:
    """Return the references of one cause or of all; `examples` of each cause."""
    parts = []
    for cause, count in graph.causes.items():
        if chosen not in (_ALL, cause):
            continue
        found = [each for each in graph.dangling if each.cause is cause]
        rows: list[tuple[Cell, ...]] = [
            (each.item.name, pages.link(each.item), each.field, each.target_name)
            for each in found[: examples or _LISTED]
        ]
        caption = f"{count:,} because {EXPLAINED[cause]}"
        parts.append(
            table(("Item", "Page", "Field", "Leads to"), rows, caption=caption)
        )
        parts.append(more(count, len(rows)))
    if not graph.dangling:
        parts.append(note("Every reference leads to an item that is imported.", "good"))
    return joined(parts)
