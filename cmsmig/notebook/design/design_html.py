"""What notebook 02 shows, as safe HTML: the design, samples, what is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from cmsmig.display.safe_html import (
    NOTHING,
    Cell,
    heading,
    joined,
    more,
    note,
    paragraph,
    sheet,
    stacked,
    table,
)
from cmsmig.mapping.decisions.design import ContentTypeDesign, Design, FieldDesign
from cmsmig.review.design_edits import DesignEditor
from cmsmig.review.samples import Sample

_SHOWN = 8


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
    return joined(_content_type_parts(content_type, rows))


def left_out_html(content_type: ContentTypeDesign) -> Markup:
    """Return the origin fields that no destination field is made for, and why."""
    rows: list[tuple[Cell, ...]] = [
        (each.origin, each.origin_type, each.note) for each in content_type.left_out
    ]
    return table(("left out", "type", "why"), rows) if rows else NOTHING


def samples_html(desk: DesignEditor, *content_types: ContentTypeDesign) -> Markup:
    """Return a table of sample values per content type."""
    return sheet(*(_samples_table(desk, each) for each in content_types))


def _samples_table(desk: DesignEditor, content_type: ContentTypeDesign) -> Markup:
    rows = [
        row
        for field in content_type.fields
        for row in _sample_rows(field, desk.samples(content_type, field))
    ]
    head = ("field", "encoding", "value at the origin", "becomes", "lost")
    caption = f"{content_type.display_name} ({content_type.component})"
    return table(head, rows, caption=caption)


def problems_html(desk: DesignEditor) -> Markup:
    """Return what is wrong with the design now, or that nothing is."""
    problems = desk.problems()
    if not problems:
        return sheet(note("This design can be accepted as it is.", "good"))
    shown = [note(each, "bad") for each in problems[:_SHOWN]]
    return sheet(*shown, more(len(problems), _SHOWN))


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
            stacked(sample.losses),
        )
