"""What notebook 02 shows, as documents: the design, samples, what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cmsmig.counting import and_more, first_of
from cmsmig.mapping.decisions.design import ContentTypeDesign, Encoding, SectionDesign
from cmsmig.review.content_type_changes import section_of
from cmsmig.review.design_edits import DesignEditor
from cmsmig.ui.doc import Heading, Note, Part, Table, Text, table

_SHOWN = 8
_OPTIONS = 300
GONE_OPTION = "not at the origin any more"
_PATHS = 3
"""Paths that are written out; a site has one for each language."""


def design_doc(editor: DesignEditor) -> Iterator[Part]:
    """Yield a design as tables: a content type each, then the blocks."""
    for place in range(len(editor.content_types)):
        yield from _content_type(editor, place)
    design = editor.design
    blocks = [
        (each.component, each.display_name, each.role, ", ".join(each.schema))
        for each in design.blocks
    ]
    yield Heading("Blocks")
    head = ("component", "name", "used for", "fields")
    yield Table(head, blocks, shown=len(blocks))
    folder = design.asset_folder
    into = f"the asset folder {folder}" if folder else "the root of the assets"
    own = [each for each in design.content_types if each.asset_folder]
    for each in own:
        named = f"`{each.collection_slug}` go into the asset folder {each.asset_folder}"
        yield Text(f"Uploads of {named}.")
    yield Text(f"Other uploads go into {into}." if own else f"Uploads go into {into}.")


def _content_type(editor: DesignEditor, place: int) -> Iterator[Part]:
    """Yield one content type: where it goes, its fields, and what is left out."""
    content_type = editor.content_types[place]
    yield Heading(f"{content_type.display_name}: {content_type.component}")
    yield Text(places_text(content_type, editor.locale_folders))
    if content_type.note:
        yield Text(content_type.note)
    translated = editor.translated(place) or ()
    fields = []
    for field in content_type.fields:
        flags = (
            (field.required, "required"),
            (field.origin in translated, "translated"),
        )
        fields.append(
            (
                field.origin,
                field.origin_type,
                Text(f"{field.display_name} `{field.key}`"),
                ", ".join((field.encoding, *(flag for on, flag in flags if on))),
                section_name(section_of(content_type, field.key)),
                field.note,
            )
        )
    head = ("origin field", "type", "label, key", "encoding", "section", "why")
    yield Table(head, fields, shown=len(fields))
    yield from fields_left_out_doc(content_type)
    sections = [
        (each.display_name, each.key, each.component or "none", ", ".join(each.fields))
        for each in content_type.sections
    ]
    yield from table(
        ("section", "key", "nested component", "fields"), sections, "Sections"
    )
    options = [
        (
            field.key,
            field.datasource if field.encoding is Encoding.OPTION_DATASOURCE else "",
            names.get(option_id, GONE_OPTION),
            label,
        )
        for field in content_type.fields
        for names in (editor.option_names(place, field),)
        for option_id, label in field.options
    ]
    columns = ("options of", "datasource", "option at the origin", "label")
    yield from table(columns, options, "Options", shown=_OPTIONS)


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
    nestable = (
        "content type and block"
        if content_type.universal
        else "content type, not a block"
    )
    return (
        f"Stories at {listed}{started}, dated by {dated}, "
        f"ordered {ordered}{tags}. It is a {nestable}."
    )


def section_name(section: SectionDesign | None) -> str:
    """Return what a section is called, and that it is a nested component."""
    if section is None:
        return ""
    nested = f" (in {section.component})" if section.component else ""
    return f"{section.display_name}{nested}"


def fields_left_out_doc(content_type: ContentTypeDesign) -> Iterator[Part]:
    """Yield the origin fields that no destination field is made for, and why."""
    rows = [
        (each.origin, each.origin_type, each.note) for each in content_type.left_out
    ]
    yield from table(("left out", "type", "why"), rows, "Left out", shown=len(rows))


def problems(editor: DesignEditor) -> Iterator[Part]:
    """Yield what is wrong with the design now, or that it can be accepted."""
    found = editor.problems()
    for each in found[:_SHOWN]:
        yield Note(each, "bad")
    if rest := and_more(len(found), _SHOWN, "… and ", "."):
        yield Text(rest)
    if not found and editor.design.reviewed is None:
        yield Note("This design can be accepted as it is.", "good")
