"""Components and datasources as the destination's API takes them, and which of them
the stories of some collections need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.design import (
    BlockDesign,
    BlockRole,
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
    SectionDesign,
)
from cmsmig.mapping.propose.encodings import FIELD_BODIES, RELATION_ENCODINGS
from cmsmig.mapping.uids import option_uid


@dataclass(frozen=True, slots=True)
class ComponentBody:
    """What is sent under `component`."""

    name: str
    body: JsonObject


@dataclass(frozen=True, slots=True)
class DatasourceBody:
    """A datasource and its entries."""

    slug: str
    name: str
    entries: tuple[tuple[str, str], ...]
    """(name, value), in the order to create them; values are unique."""


def component_bodies(design: Design) -> tuple[ComponentBody, ...]:
    """Return every component to make: the blocks, then the content types.

    Source: destination, components. `universal` has no flag on the wire: both
    booleans are true.
    """
    return tuple(
        [
            ComponentBody(block.component, block_body(design, block))
            for block in design.blocks
            if design.makes(block.component)
        ]
        + [
            ComponentBody(section.component, nested_body(design, each, section))
            for each in design.content_types
            for section in each.sections
            if section.component and design.makes(section.component)
        ]
        + [
            ComponentBody(
                content_type.component, content_type_body(design, content_type)
            )
            for content_type in design.content_types
            if design.makes(content_type.component)
        ]
    )


def datasource_bodies(design: Design) -> tuple[DatasourceBody, ...]:
    """Return the datasources that fields draw their options from.

    Fields that name the same one share it: it gets the labels of all, in order. One
    that no component to make draws from is left out.
    Source: destination: a datasource is created before the component that names it.
    """
    labels: dict[str, dict[str, None]] = {}
    names: dict[str, str] = {}
    needed: set[str] = set()
    for content_type in design.content_types:
        for field in content_type.fields:
            if field.encoding is Encoding.OPTION_DATASOURCE:
                names.setdefault(field.datasource, field.display_name)
                if design.makes(content_type.component):
                    needed.add(field.datasource)
                entries = labels.setdefault(field.datasource, {})
                entries.update(dict.fromkeys(label for _, label in field.options))
    return tuple(
        DatasourceBody(slug, names[slug], tuple((label, label) for label in entries))
        for slug, entries in labels.items()
        if slug in needed
    )


def block_body(design: Design, block: BlockDesign) -> JsonObject:
    """Return the body of a nestable component; a gallery holds pictures alone."""
    held: JsonObject = {}
    if block.role is BlockRole.GALLERY:
        figure = design.block(BlockRole.FIGURE)
        held = _restrict([figure.component] if figure else [])
    schema: JsonObject = {
        key: {
            **_with_uids(key, definition),
            **(held if definition.get("type") == "bloks" else {}),
            "pos": position,
        }
        for position, (key, definition) in enumerate(block.schema.items())
        if isinstance(definition, dict)
    }
    return {
        "name": block.component,
        "display_name": block.display_name,
        "schema": schema,
        "is_root": block.universal,
        "is_nestable": True,
        **_looks(block, schema),
    }


def content_type_body(design: Design, content_type: ContentTypeDesign) -> JsonObject:
    """Return the body of a content type, its sections among the fields."""
    entries: list[tuple[str, JsonObject]] = []
    sections = {key: one for one in content_type.sections for key in one.fields[:1]}
    nested = {key for s in content_type.sections if s.component for key in s.fields}
    for field in content_type.fields:
        if field.translates:
            continue
        section = sections.get(field.key)
        if section is not None and section.component:
            block = {"type": "bloks", "display_name": section.display_name}
            held = {"maximum": 1, **_restrict([section.component])}
            entries.append((section.key, {**block, **held}))
        elif section is not None:
            keys: list[Json] = list(section.fields)
            entries.append(
                (
                    section.key,
                    {
                        "type": "section",
                        "display_name": section.display_name,
                        "keys": keys,
                    },
                )
            )
        if field.key not in nested:
            entries.append((field.key, _definition(design, content_type, field)))
    schema = _in_order(entries)
    return {
        "name": content_type.component,
        "display_name": content_type.display_name,
        "schema": schema,
        "is_root": True,
        "is_nestable": content_type.universal,
        **_looks(content_type, schema),
    }


def _looks(made: BlockDesign | ContentTypeDesign, schema: JsonObject) -> JsonObject:
    """Return what editors recognise a component by; nothing of what is unset."""
    looks: JsonObject = {"icon": made.icon} if made.icon else {}
    if made.preview_field in schema:
        looks["preview_field"] = made.preview_field
    return looks


def nested_body(
    design: Design, content_type: ContentTypeDesign, section: SectionDesign
) -> JsonObject:
    """Return the body of the component that holds a section's fields."""
    entries = [
        (field.key, _definition(design, content_type, field))
        for field in content_type.fields
        if field.key in section.fields
    ]
    return {
        "name": section.component,
        "display_name": section.display_name,
        "schema": _in_order(entries),
        "is_root": False,
        "is_nestable": True,
    }


def _definition(
    design: Design, content_type: ContentTypeDesign, field: FieldDesign
) -> JsonObject:
    body = field_body(design, field)
    if any(each.translates == field.key for each in content_type.fields):
        body["translatable"] = True
    return body


def _in_order(entries: Sequence[tuple[str, JsonObject]]) -> JsonObject:
    return {
        key: {**definition, "pos": position}
        for position, (key, definition) in enumerate(entries)
    }


def field_body(design: Design, field: FieldDesign) -> JsonObject:
    """Return one field definition without its position.

    A relation is never required, whatever the design says: required fields are
    enforced on creation, when relations are still empty.
    """
    body: JsonObject = {
        **FIELD_BODIES[field.encoding],
        "display_name": field.display_name,
    }
    if field.help_text:
        body["description"] = field.help_text
    if field.required and field.encoding not in RELATION_ENCODINGS:
        body["required"] = True
    body.update(_targets(design, field))
    return _with_uids(field.key, {**body, **field.rules})


def _with_uids(key: str, definition: JsonObject) -> JsonObject:
    """Return a definition whose styles have the ids that the editor gives them."""
    styles = definition.get("style_options")
    if not isinstance(styles, list):
        return definition
    options: list[Json] = [
        {"_uid": option_uid(key, str(each.get("value"))), **each}
        for each in styles
        if isinstance(each, dict)
    ]
    return {**definition, "style_options": options}


def _targets(design: Design, field: FieldDesign) -> JsonObject:
    """Return what a definition draws from: stories, options, blocks, file types."""
    if field.encoding in RELATION_ENCODINGS:
        target = design.content_type(field.target_collection)
        return {"filter_content_type": [target.component]} if target else {}
    if field.encoding is Encoding.OPTION:
        options: list[Json] = [
            {"_uid": option_uid(field.key, label), "name": label, "value": label}
            for _, label in field.options
        ]
        return {"options": options}
    if field.encoding is Encoding.OPTION_DATASOURCE:
        return {"datasource_slug": field.datasource}
    if field.encoding is Encoding.VIDEO_BLOCK:
        embed = design.block(BlockRole.EMBED)
        return _restrict([embed.component] if embed else [])
    if field.encoding is Encoding.BLOCKS:
        return _restrict(field.components)
    if field.origin_type in ("Image", "MultiImage"):
        return {"filetypes": ["images"]}
    return {}


def _restrict(components: Sequence[str]) -> JsonObject:
    """Return a restriction by name as the editor writes it: both lists where anything
    is chosen, else the two flags alone. Source: destination, field definitions."""
    body: JsonObject = {"restrict_components": True, "restrict_type": ""}
    if components:
        body |= {"component_whitelist": [*components], "component_denylist": []}
    return body


_BODIES = frozenset((Encoding.RICHTEXT, Encoding.MARKDOWN_AS_RICHTEXT, Encoding.BLOCKS))
"""Fields whose conversion puts blocks into texts."""
_IN_TEXTS = frozenset(
    (BlockRole.HTML, BlockRole.EMBED, BlockRole.FIGURE, BlockRole.OTHER)
)
"""The blocks that it may put there; those of the project's own rules are others."""


def needed_components(design: Design, collections: Set[str]) -> frozenset[str]:
    """Return the names of the components that the stories of some collections need:
    their content types, and the blocks that their fields may hold."""
    found: set[str] = set()
    for content_type in design.content_types:
        if content_type.collection_id in collections:
            found.add(content_type.component)
            found.update(_blocks(design, content_type))
            found.update(s.component for s in content_type.sections if s.component)
    return frozenset(found)


def _blocks(design: Design, content_type: ContentTypeDesign) -> Iterator[str]:
    fields = content_type.fields
    bodies = any(field.encoding in _BODIES for field in fields)
    videos = any(field.encoding is Encoding.VIDEO_BLOCK for field in fields)
    listed = {name for field in fields for name in field.components}
    for block in design.blocks:
        if (
            (bodies and block.role in _IN_TEXTS)
            or (videos and block.role is BlockRole.EMBED)
            or block.component in listed
        ):
            yield block.component
