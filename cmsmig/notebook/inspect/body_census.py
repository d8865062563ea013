"""Notebook 01: what the bodies are made of, and what cannot be migrated."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.notebook.inspect.static_page_list import static_page_list
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.survey.catalogue_filter import LOSS_OF, STRUCTURE
from cmsmig.survey.catalogue_filter import Finding as Lists
from cmsmig.survey.census import Census, Finding
from cmsmig.survey.not_migratable import ALWAYS, BODY_LOSSES, KINDS, Obstacle
from cmsmig.survey.page_addresses import OldPages
from cmsmig.ui.documents.loss_findings import loss_name
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    joined,
    more,
    note,
    paragraph,
    sheet,
    stacked,
    table,
)

_LISTED = 15
_EXAMPLES = 3
_ALL = "all"


def census_panel(workspace: Workspace, pages: OldPages, census: Census) -> Panel:
    """Show the structures; by hand the items that hold one of them."""

    def widget() -> widgets.Element:
        board, listed = widgets.Board(), widgets.Html()
        by_name = {each.structure.name: each for each in census.findings}
        options = [
            (f"{each.structure.title} ({each.times:,})", name)
            for name, each in by_name.items()
        ]

        def show() -> None:
            found = by_name.get(chosen.value)
            listed.show(sheet(_sightings(pages, found)) if found else NOTHING)

        chosen = board.choice(
            "census-structure",
            "Where is it",
            [("choose a structure", ""), *options],
            "",
            changed=show,
        )

        def browse() -> None:
            if not chosen.value:
                raise UsageError("Choose a structure first.")
            workspace.item_lists.show(f"{STRUCTURE}{chosen.value}")

        button = board.button("census-browse", "List them in the browser", browse)
        return widgets.column(
            widgets.Html(sheet(_structures(pages, census))),
            widgets.row(chosen, button),
            listed,
            board.messages,
        )

    return workspace.panel(lambda: sheet(_structures(pages, census)), widget)


def _structures(pages: OldPages, census: Census) -> Markup:
    rows: list[tuple[Cell, ...]] = [
        (
            each.structure.title,
            each.times,
            len(each.sightings),
            each.structure.becomes,
            stacked(pages.link(one.item) for one in each.sightings[:_EXAMPLES]),
        )
        for each in census.findings
    ]
    head = ("Structure", "Times", "Bodies", "What becomes of it", "For example")
    told = paragraph(
        f"{census.bodies:,} bodies, each locale counted, in the editors' version."
    )
    return told + table(head, rows)


def _sightings(pages: OldPages, found: Finding) -> Markup:
    ordered = sorted(found.sightings, key=lambda each: -each.times)
    rows: list[tuple[Cell, ...]] = [
        (
            each.item.name,
            pages.tags.get(each.item.key.locale_id, ""),
            pages.link(each.item),
            each.field,
            each.times,
            each.example,
        )
        for each in ordered[:_LISTED]
    ]
    head = ("Item", "Locale", "Page", "Field", "Times", "The first one")
    shown = table(head, rows, caption=found.structure.title)
    return shown + more(len(ordered), len(rows))


def obstacles_panel(
    workspace: Workspace,
    pages: OldPages,
    found: tuple[Obstacle, ...],
    site_id: str,
) -> Panel:
    """Show what no site can take along and what this one has; by hand one kind."""
    kinds = {
        kind: [each for each in found if each.kind == kind]
        for kind in dict.fromkeys(each.kind for each in found)
    }

    def widget() -> widgets.Element:
        board, listed = widgets.Board(), widgets.Html()

        def show() -> None:
            listed.show(sheet(_some(pages, kinds, chosen.value)))

        chosen = board.choice(
            "obstacles-kind",
            "In this site",
            [
                (f"everything ({len(found):,})", _ALL),
                *(
                    (f"{KINDS[kind]} ({len(each):,})", kind)
                    for kind, each in kinds.items()
                ),
            ],
            _ALL,
            changed=show,
        )

        def browse() -> None:
            if (finding := _finding(chosen.value)) is None:
                raise UsageError(
                    "Choose one kind that stands in bodies, files or slugs; the "
                    "others are all listed here."
                )
            workspace.item_lists.show(finding)

        button = board.button("obstacles-browse", "List them in the browser", browse)
        button.visible(bool(kinds))
        show()
        return widgets.column(
            widgets.Html(sheet(_rules())),
            static_page_list(workspace, site_id),
            widgets.row(chosen, button),
            listed,
            board.messages,
        )

    return workspace.panel(lambda: sheet(_rules(), _some(pages, kinds, _ALL)), widget)


def _finding(kind: str) -> str | None:
    """Return what the browser calls a kind of obstacles, if it lists them."""
    if kind in BODY_LOSSES:
        return f"{LOSS_OF}{loss_name(kind)}"
    return {"missing-file": Lists.NO_FILE, "no-slug": Lists.NO_SLUG}.get(kind)


def _rules() -> Markup:
    return table(("On every site", "Why", "What to do"), ALWAYS)


def _some(pages: OldPages, kinds: dict[str, list[Obstacle]], chosen: str) -> Markup:
    parts = [
        _obstacle_table(pages, kind, found)
        for kind, found in kinds.items()
        if chosen in (_ALL, kind)
    ]
    if not kinds:
        parts.append(
            note("Nothing of the kind was found in this site's items.", "good")
        )
    return joined(parts)


def _obstacle_table(pages: OldPages, kind: str, found: list[Obstacle]) -> Markup:
    rows: list[tuple[Cell, ...]] = [
        (each.item.name, pages.link(each.item), each.where, each.context, each.why)
        for each in found[:_LISTED]
    ]
    head = ("Item", "Page", "Where", "Near", "What to know")
    caption = f"{KINDS[kind]} ({len(found):,})"
    return table(head, rows, caption=caption) + more(len(found), len(rows))
