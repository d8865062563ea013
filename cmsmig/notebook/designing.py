"""Notebook 02: the design as it is proposed, looked at, edited and accepted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from cmsmig.errors import DecisionsError, UndecidedError
from cmsmig.mapping.choices import CollectionsDecision
from cmsmig.mapping.decisions import FILE_NAMES
from cmsmig.mapping.design import ContentTypeDesign, Design, FieldDesign
from cmsmig.notebook.decided import accept, decided, pulled, required, told
from cmsmig.notebook.panel import Panel
from cmsmig.notebook.workspace import Workspace
from cmsmig.report.designs import DesignDesk, Sample, completed, propose
from cmsmig.report.safehtml import Cell, facts, heading, note, paragraph, sheet, table
from cmsmig.steps.deciding import space_facts

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class DesignReview:
    """A design under review; every panel of the notebook works on the same one."""

    workspace: Workspace
    desk: DesignDesk

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, object]:
        design = self.desk.design
        rows: list[tuple[str, Cell]] = [
            ("Design", told(design.reviewed)),
            ("Content types", len(design.content_types)),
            ("Fields", sum(len(each.fields) for each in design.content_types)),
            ("Blocks", ", ".join(each.component for each in design.blocks)),
            ("To correct", len(self.desk.problems())),
        ]
        return {
            "text/html": str(sheet(facts(rows))),
            "text/plain": "\n".join(f"{name}: {value}" for name, value in rows),
        }


async def open_design(workspace: Workspace) -> DesignReview:
    """Return the design to review; before a person, proposed where none is decided.

    Unattended, the design must be accepted and complete: raises `UndecidedError`
    naming what is missing and `DecisionsError` for what cannot work. Reads only;
    asks the destination for its components before a person alone.
    """
    if not workspace.interactive:
        design = required(workspace.project, Design, "02")
        decision = required(workspace.project, CollectionsDecision, "01")
        desk = DesignDesk(pulled(workspace), decision, design)
        _insist(desk)
        return DesignReview(workspace, desk)
    decision = required(workspace.project, CollectionsDecision, "01")
    origin = pulled(workspace)
    space = await space_facts(workspace.local_settings, workspace.observer)
    proposal = propose(origin, decision, space)
    known = decided(workspace.project, Design)
    design = proposal if known is None else completed(known, proposal)
    return DesignReview(workspace, DesignDesk(origin, decision, design, space))


def design_table(review: DesignReview) -> Panel:
    """Show the design, a table per content type; before a person it can be edited."""
    from cmsmig.notebook.designtable import design_board

    return review.workspace.panel(
        lambda: design_html(review.desk.design),
        lambda: design_board(review.desk),
        text=f"{len(review.desk.content_types)} content types",
    )


def sample_values(review: DesignReview) -> Panel:
    """Show values of the origin for each field, and what the design makes of them."""
    from cmsmig.notebook.designtable import samples_board

    desk = review.desk
    return review.workspace.panel(
        lambda: samples_html(desk, *desk.content_types),
        lambda: samples_board(desk),
        text="Sample values per field",
    )


def accept_design(review: DesignReview, reviewer: str = "") -> Panel:
    """Before a person: the button that writes `decisions/design.yaml`.

    Unattended it says who accepted the design, and writes nothing.
    """
    from cmsmig.notebook.designtable import accept_board

    def take(name: str) -> str:
        if problems := review.desk.problems():
            raise DecisionsError(f"Correct this first: {problems[0]}")
        return accept(review.workspace, (review.desk.design,), name)

    design = review.desk.design
    return review.workspace.panel(
        sheet(note(told(design.reviewed), "good")),
        lambda: accept_board(told(design.reviewed), reviewer, take),
        text=told(design.reviewed),
    )


def design_html(design: Design) -> Markup:
    """Return a design as tables: a content type each, then the blocks."""
    blocks = [
        (each.component, each.display_name, each.role, ", ".join(each.schema))
        for each in design.blocks
    ]
    return sheet(
        *(content_type_html(each) for each in design.content_types),
        heading("Blocks"),
        table(("component", "name", "used for", "fields"), blocks),
    )


def content_type_html(content_type: ContentTypeDesign) -> Markup:
    """Return one content type: where it goes, its fields, and what is left out."""
    rows: list[tuple[Cell, ...]] = [
        (
            field.origin,
            field.origin_type,
            field.key,
            field.encoding,
            "yes" if field.required else "",
            field.note,
        )
        for field in content_type.fields
    ]
    return Markup("").join(_content_type_parts(content_type, rows))


def left_out_html(content_type: ContentTypeDesign) -> Markup:
    """Return the origin fields that no destination field is made for, and why."""
    rows: list[tuple[Cell, ...]] = [
        (each.origin, each.origin_type, each.note) for each in content_type.left_out
    ]
    return table(("left out", "type", "why"), rows) if rows else Markup("")


def samples_html(desk: DesignDesk, *content_types: ContentTypeDesign) -> Markup:
    """Return a table of sample values per content type."""
    return sheet(*(_samples_table(desk, each) for each in content_types))


def _samples_table(desk: DesignDesk, content_type: ContentTypeDesign) -> Markup:
    rows = [
        row
        for field in content_type.fields
        for row in _sample_rows(field, desk.samples(content_type, field))
    ]
    head = ("field", "encoding", "value at the origin", "becomes", "lost")
    caption = f"{content_type.display_name} ({content_type.component})"
    return table(head, rows, caption=caption)


def problems_html(desk: DesignDesk) -> Markup:
    """Return what is wrong with the design now, or that nothing is."""
    problems = desk.problems()
    if not problems:
        return sheet(note("This design can be accepted as it is.", "good"))
    shown = [note(each, "bad") for each in problems[:_SHOWN]]
    left = len(problems) - _SHOWN
    more = [paragraph(f"… and {left} more.")] if left > 0 else []
    return sheet(*shown, *more)


def _content_type_parts(
    content_type: ContentTypeDesign, rows: list[tuple[Cell, ...]]
) -> Iterator[Markup]:
    yield heading(f"{content_type.display_name}: {content_type.component}")
    told_place = f"Stories go into {content_type.folder or 'the top'}"
    dated = content_type.date_field or "the items' creation"
    yield paragraph(f"{told_place}, dated by {dated}. {content_type.note}".strip())
    head = ("origin field", "type", "key", "encoding", "required", "why")
    yield table(head, rows)
    yield left_out_html(content_type)


def _sample_rows(
    field: FieldDesign, samples: tuple[Sample, ...]
) -> Iterator[tuple[Cell, ...]]:
    if not samples:
        yield (field.origin, field.encoding, "", "", "No item fills it.")
    for number, sample in enumerate(samples):
        yield (
            field.origin if number == 0 else "",
            field.encoding if number == 0 else "",
            sample.value,
            sample.becomes,
            " ".join(sample.losses),
        )


def _insist(desk: DesignDesk) -> None:
    open_points = desk.undecided()
    more = f" ({len(open_points) - 1} more like this.)" if open_points[1:] else ""
    if open_points:
        raise UndecidedError(
            f"{open_points[0]}{more} Decide in the notebook 02, or in "
            f"{FILE_NAMES[Design]}."
        )
    if wrong := desk.problems():
        raise DecisionsError(f"{FILE_NAMES[Design]}: {wrong[0]}")
