"""What notebook 02 shows, as safe HTML: the design, samples, what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from cmsmig.counting import first_of
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Encoding,
    FieldDesign,
    SectionDesign,
)
from cmsmig.review.design_edits import DesignEditor
from cmsmig.review.samples import Sample
from cmsmig.review.section_changes import section_of
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    code,
    escape,
    heading,
    joined,
    more,
    note,
    paragraph,
    sheet,
    stacked,
    table,
)

_SHOWN = 8
_OPTIONS = 300
GONE_OPTION = "not at the origin any more"
_PATHS = 3
"""Paths that are written out; a site has one for each language."""


def design_html(editor: DesignEditor) -> Markup:
    """Return a design as tables: a content type each, then the blocks."""
    design = editor.design
    blocks = [
        (each.component, each.display_name, each.role, ", ".join(each.schema))
        for each in design.blocks
    ]
    folder = design.asset_folder
    into = f"the asset folder {folder}" if folder else "the root of the assets"
    uploads = f"Uploads go into {into}."
    return sheet(
        *(
            content_type_html(editor, place)
            for place in range(len(design.content_types))
        ),
        heading("Blocks"),
        table(("component", "name", "used for", "fields"), blocks),
        paragraph(uploads),
    )


def places_text(content_type: ContentTypeDesign, above: Sequence[str]) -> str:
    """Return where the stories of a content type go, in the folders of the locales
    `above`, by what they are dated and ordered, and the component's flags."""
    below = f"‹{content_type.folder_by}›" if content_type.folder_by else ""
    paths = [
        "/".join(("", *filter(None, (each, content_type.folder, below)), "‹slug›"))
        for each in above
    ]
    listed = first_of([f"`{each}`" for each in paths], _PATHS)
    start = content_type.start_page
    started = f"; `{start}` is the start page of its folder" if start else ""
    tags = f", tagged by `{content_type.tags_by}`" if content_type.tags_by else ""
    dated = f"`{content_type.date_field}`" if content_type.date_field else "creation"
    by = content_type.order_field
    ordered = f"by `{by}`" if by else "as at the origin"
    nestable = "is_root and is_nestable" if content_type.universal else "is_root alone"
    return (
        f"Stories at {listed}{started}, dated by {dated}, "
        f"ordered {ordered}{tags}. The component is {nestable}."
    )


def content_type_html(editor: DesignEditor, place: int) -> Markup:
    """Return one content type: where it goes, its fields, and what is left out."""
    content_type = editor.content_types[place]
    parts = [
        heading(f"{content_type.display_name}: {content_type.component}"),
        paragraph(places_text(content_type, editor.locale_folders)),
    ]
    if content_type.note:
        parts.append(paragraph(content_type.note))
    parts += [_fields_html(editor, place), left_out_html(content_type)]
    parts += [_sections_html(content_type), _options_html(editor, place)]
    return joined(parts)


def _sections_html(content_type: ContentTypeDesign) -> Markup:
    rows = [
        (each.display_name, each.key, each.component or "none", ", ".join(each.fields))
        for each in content_type.sections
    ]
    head = ("section", "key", "nested component", "fields")
    return table(head, rows) if rows else NOTHING


def _options_html(editor: DesignEditor, place: int) -> Markup:
    rows: list[tuple[Cell, ...]] = []
    for field in editor.content_types[place].fields:
        names = editor.option_names(place, field)
        shared = field.encoding is Encoding.OPTION_DATASOURCE
        for option_id, label in field.options:
            origin = names.get(option_id, GONE_OPTION)
            rows.append((field.key, field.datasource if shared else "", origin, label))
    if not rows:
        return NOTHING
    head = ("options of", "datasource", "option at the origin", "label")
    return joined((table(head, rows[:_OPTIONS]), more(len(rows), _OPTIONS)))


def _fields_html(editor: DesignEditor, place: int) -> Markup:
    content_type = editor.content_types[place]
    translated = editor.translated(place)
    rows: list[tuple[Cell, ...]] = [
        (
            field.origin,
            field.origin_type,
            stacked((escape(field.display_name), code(field.key))),
            ", ".join(_becomes(field, translated)),
            section_name(section_of(content_type, field.key)),
            field.note,
        )
        for field in content_type.fields
    ]
    return table(
        ("origin field", "type", "label, key", "encoding", "section", "why"), rows
    )


def _becomes(field: FieldDesign, translated: frozenset[str] | None) -> Iterator[str]:
    yield field.encoding
    if field.required:
        yield "required"
    if translated is not None and field.origin in translated:
        yield "translated"


def section_name(section: SectionDesign | None) -> str:
    """Return what a section is called, and that it is a nested component."""
    if section is None:
        return ""
    nested = f" (in {section.component})" if section.component else ""
    return f"{section.display_name}{nested}"


def left_out_html(content_type: ContentTypeDesign) -> Markup:
    """Return the origin fields that no destination field is made for, and why."""
    rows: list[tuple[Cell, ...]] = [
        (each.origin, each.origin_type, each.note) for each in content_type.left_out
    ]
    return table(("left out", "type", "why"), rows) if rows else NOTHING


def samples_html(editor: DesignEditor, *content_types: ContentTypeDesign) -> Markup:
    """Return a table of sample values per content type."""
    return sheet(*(_samples_table(editor, each) for each in content_types))


def _samples_table(editor: DesignEditor, content_type: ContentTypeDesign) -> Markup:
    rows = [
        row
        for field in content_type.fields
        for row in _sample_rows(field, editor.samples(content_type, field))
    ]
    head = ("field", "encoding", "value at the origin", "becomes", "lost")
    caption = f"{content_type.display_name} ({content_type.component})"
    return table(head, rows, caption=caption)


def problems_html(editor: DesignEditor) -> Markup:
    """Return what is wrong with the design now, or that nothing is."""
    problems = editor.problems()
    if not problems:
        return sheet(note("This design can be accepted as it is.", "good"))
    shown = [note(each, "bad") for each in problems[:_SHOWN]]
    return sheet(*shown, more(len(problems), _SHOWN))


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
