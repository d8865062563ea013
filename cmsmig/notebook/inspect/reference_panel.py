"""Notebook 01: where references lead, and which would stay empty."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.display.safe_html import Cell, joined, more, note, paragraph, sheet, table
from cmsmig.mapping.select.reference_targets import EXPLAINED
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.survey.page_addresses import OldPages
from cmsmig.survey.reference_graph import ReferenceGraph

_LISTED = 15
_EXAMPLES = 3
_ALL = "all"


def references_panel(
    workspace: Workspace, origin: Origin, graph: ReferenceGraph
) -> Panel:
    """Show the graph; by hand the dangling references of one cause."""
    pages = OldPages.of(origin)

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
        show()
        return widgets.column(
            widgets.Html(sheet(_edges(graph))), chosen, listed, board.messages
        )

    def static() -> Markup:
        return sheet(_edges(graph), _dangling(pages, graph, _ALL, _EXAMPLES))

    return workspace.panel(static, widget)


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
    total = sum(each.references for each in graph.edges)
    told = paragraph(
        f"{total:,} references, of which {len(graph.dangling):,} would stay empty "
        "under the item sets as they stand below."
    )
    return told + table(head, rows)


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
