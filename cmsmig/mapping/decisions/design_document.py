"""`design.yaml`: the design as a document that people edit."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.design import (
    BlockDesign,
    BlockRole,
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
    LeftOutField,
    SectionDesign,
)
from cmsmig.mapping.decisions.yaml_documents import Entry


def design_body(design: Design) -> JsonObject:
    """Return the design as plain JSON; what is empty or false is left out."""
    return {
        "asset_folder": design.asset_folder,
        "content_types": [_content_type_body(one) for one in design.content_types],
        "blocks": [_block_body(block) for block in design.blocks],
    }


def read_design(entry: Entry) -> Design:
    """Return the design in a document, without who reviewed it."""
    return Design(
        asset_folder=entry.text("asset_folder", ""),
        content_types=tuple(map(_content_type, entry.entries("content_types"))),
        blocks=tuple(map(_block, entry.entries("blocks"))),
    )


def _content_type_body(one: ContentTypeDesign) -> JsonObject:
    body: JsonObject = {
        "collection": one.collection_slug,
        "collection_id": one.collection_id,
        "component": one.component,
        "display_name": one.display_name,
        "folder": one.folder,
        "folder_name": one.folder_name,
    }
    body |= _filled(
        note=one.note,
        universal=one.universal,
        date_field=one.date_field,
        order_field=one.order_field,
    )
    body["fields"] = [_field_body(field) for field in one.fields]
    return body | _filled(
        sections=[_section_body(section) for section in one.sections],
        left_out=[_left_out_body(field) for field in one.left_out],
    )


def _content_type(entry: Entry) -> ContentTypeDesign:
    found = ContentTypeDesign(
        collection_slug=entry.text("collection"),
        collection_id=entry.text("collection_id"),
        component=entry.text("component"),
        display_name=entry.text("display_name"),
        folder=entry.text("folder"),
        folder_name=entry.text("folder_name"),
        note=entry.text("note", ""),
        universal=entry.flag("universal", False),
        date_field=entry.text("date_field", ""),
        order_field=entry.text("order_field", ""),
        fields=tuple(map(_field, entry.entries("fields"))),
        sections=tuple(map(_section, entry.entries("sections"))),
        left_out=tuple(map(_left_out, entry.entries("left_out"))),
    )
    entry.done()
    return found


def _field_body(field: FieldDesign) -> JsonObject:
    body: JsonObject = {
        "origin": field.origin,
        "type": field.origin_type,
        "key": field.key,
        "encoding": str(field.encoding),
        "display_name": field.display_name,
    }
    options: list[Json] = [
        {"id": option_id, "label": label} for option_id, label in field.options
    ]
    return body | _filled(
        required=field.required,
        target_collection=field.target_collection,
        datasource=field.datasource,
        options=options,
        help_text=field.help_text,
        note=field.note,
    )


def _field(entry: Entry) -> FieldDesign:
    found = FieldDesign(
        origin=entry.text("origin"),
        origin_type=entry.text("type"),
        key=entry.text("key"),
        encoding=entry.choice("encoding", Encoding),
        display_name=entry.text("display_name"),
        required=entry.flag("required", False),
        target_collection=entry.text("target_collection", ""),
        datasource=entry.text("datasource", ""),
        options=tuple(map(_option, entry.entries("options"))),
        help_text=entry.text("help_text", ""),
        note=entry.text("note", ""),
    )
    entry.done()
    return found


def _option(entry: Entry) -> tuple[str, str]:
    found = (entry.text("id"), entry.text("label"))
    entry.done()
    return found


def _section_body(section: SectionDesign) -> Json:
    return {
        "key": section.key,
        "display_name": section.display_name,
        "fields": list(section.fields),
    }


def _section(entry: Entry) -> SectionDesign:
    found = SectionDesign(
        entry.text("key"), entry.text("display_name"), entry.texts("fields")
    )
    entry.done()
    return found


def _left_out_body(field: LeftOutField) -> Json:
    return {"origin": field.origin, "type": field.origin_type, "note": field.note}


def _left_out(entry: Entry) -> LeftOutField:
    found = LeftOutField(
        entry.text("origin"), entry.text("type"), entry.text("note", "")
    )
    entry.done()
    return found


_FORMER_ROLE = "linked_image"


def _block_body(block: BlockDesign) -> JsonObject:
    body: JsonObject = {
        "component": block.component,
        "display_name": block.display_name,
    }
    if block.role is not BlockRole.OTHER:
        body["role"] = str(block.role)
    return body | _filled(universal=block.universal) | {"schema": block.schema}


def _block(entry: Entry) -> BlockDesign:
    if entry.text("role", "") == _FORMER_ROLE:
        entry.refuse(
            "the role `linked_image` is `figure` now, with the fields image, caption "
            "(richtext), link, alignment and size: take this block out, or delete the "
            "file and accept the proposals again",
            "role",
        )
    found = BlockDesign(
        component=entry.text("component"),
        display_name=entry.text("display_name"),
        schema=entry.json("schema"),
        role=entry.choice("role", BlockRole, BlockRole.OTHER),
        universal=entry.flag("universal", False),
    )
    entry.done()
    return found


def _filled(**values: Json) -> JsonObject:
    return {key: value for key, value in values.items() if value}
