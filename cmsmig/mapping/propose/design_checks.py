"""What can be wrong with a design that people edited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

from cmsmig.mapping.decisions.design import (
    UNLISTED,
    BlockRole,
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
)
from cmsmig.mapping.propose.encodings import (
    COLOR_PLUGIN,
    FIELD_BODIES,
    RELATION_ENCODINGS,
    RULES,
    known_rules,
)
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.field_keys import COMPONENT, key_problem
from cmsmig.mapping.propose.field_types import Shown, allowed_encodings, types_shown
from cmsmig.mapping.select.named_places import NAMING_TYPES, TAG_TYPES
from cmsmig.mapping.select.slugs import slug_problem
from cmsmig.origin.schema import Collection

AT_ROOT = RELATION_ENCODINGS | {Encoding.MULTILINK, Encoding.VIDEO_MULTILINK}
"""What leads to stories: at the root of a story, never in a nested component."""
_AT_ROOT_ALONE = (
    "the field `{}` leads to stories, which are filled in at the root of a story "
    "alone; take it out of the section with a component"
)
ENVELOPE = (
    "id", "cmsLocaleId", "createdOn", "lastUpdated", "lastPublished", "isDraft",
    "isArchived",
)  # fmt: skip
"""Wire names of the values of an item that are in no field."""
_Name = TypeVar("_Name", bound=Hashable)


def design_problems(
    design: Design,
    collections: Mapping[str, Collection],
    space: SpaceFacts | None = None,
) -> Iterator[str]:
    """Yield what is wrong with a design, each as a sentence without its stop."""
    yield from _component_problems(design)
    for content_type in design.content_types:
        collection = collections.get(content_type.collection_id)
        if collection is None:
            yield unknown_collection(
                content_type.collection_slug, content_type.collection_id, collections
            )
            continue
        if not collection.is_known:
            continue
        for problem in _content_type_problems(design, content_type, collection, space):
            yield f"collection {content_type.collection_slug}: {problem}"


def problems_of_field(
    design: Design,
    content_type: ContentTypeDesign,
    field: FieldDesign,
    collection: Collection,
    space: SpaceFacts | None = None,
) -> Iterator[str]:
    """Yield what is wrong with one field of a design, each as a sentence without its
    stop."""
    if why := key_problem(field.key):
        yield f"the key `{field.key}` {why}"
    keys = [each.key for each in content_type.fields]
    keys += [section.key for section in content_type.sections]
    if keys.count(field.key) > 1:
        yield f"another field or section has the key `{field.key}` too"
    if field in _led_from_inside(content_type):
        yield _AT_ROOT_ALONE.format(field.key)
    yield from _field_problems(design, field, collection, space)


def unknown_collection(
    slug: str, collection_id: str, collections: Mapping[str, Collection]
) -> str:
    """Return that a decision names a collection which the site has not."""
    listed = ", ".join(sorted(one.slug for one in collections.values()))
    return (
        f"the site has no collection `{slug}` with the id {collection_id}; it has "
        f"{listed or 'none'}; correct the id, or take the collection out"
    )


def _component_problems(design: Design) -> Iterator[str]:
    names = [block.component for block in design.blocks]
    names += [content_type.component for content_type in design.content_types]
    names += [
        section.component
        for content_type in design.content_types
        for section in content_type.sections
        if section.component
    ]
    for name in dict.fromkeys(names):
        if not COMPONENT.fullmatch(name):
            yield (
                f"the component name `{name}` may hold only lower-case letters, "
                "digits, hyphens and underscores"
            )
    for name in doubles(names):
        yield f"two components are named `{name}`"
    for collection_id in doubles(one.collection_id for one in design.content_types):
        yield f"the collection {collection_id} is designed twice"


def _content_type_problems(
    design: Design,
    content_type: ContentTypeDesign,
    collection: Collection,
    space: SpaceFacts | None,
) -> Iterator[str]:
    for part in filter(None, content_type.folder.split("/")):
        if why := slug_problem(part):
            yield f"the folder `{part}` {why}"
    for name, value, kinds in (
        ("date_field", content_type.date_field, types_shown(Shown.DATE)),
        ("order_field", content_type.order_field, types_shown(Shown.NUMBER)),
        ("folder_by", content_type.folder_by, NAMING_TYPES),
        ("tags_by", content_type.tags_by, TAG_TYPES),
    ):
        field = collection.field(value)
        if value and (field is None or field.type not in kinds):
            listed = " or ".join(kinds)
            yield f"{name} names `{value}`, which is no {listed} field of it"
    yield from _key_problems(content_type)
    for one in content_type.fields:
        for problem in _field_problems(design, one, collection, space):
            yield f"field {one.origin}: {problem}"


def _key_problems(content_type: ContentTypeDesign) -> Iterator[str]:
    fields = [field.key for field in content_type.fields]
    sections = [section.key for section in content_type.sections]
    for key in (*fields, *sections):
        if why := key_problem(key):
            yield f"the key `{key}` {why}"
    for key in doubles([*fields, *sections]):
        yield f"two fields or sections have the key `{key}`"
    inside = [key for section in content_type.sections for key in section.fields]
    for key in inside:
        if key not in fields:
            yield f"a section names the field key `{key}`, which there is not"
    for field in _led_from_inside(content_type):
        yield _AT_ROOT_ALONE.format(field.key)
    for key in doubles(inside):
        yield f"two sections hold the field `{key}`"


def _led_from_inside(content_type: ContentTypeDesign) -> list[FieldDesign]:
    """Return the fields that lead to stories from a nested component."""
    nested = {key for s in content_type.sections if s.component for key in s.fields}
    return [
        field
        for field in content_type.fields
        if field.key in nested and field.encoding in AT_ROOT
    ]


def _field_problems(
    design: Design,
    field: FieldDesign,
    collection: Collection,
    space: SpaceFacts | None,
) -> Iterator[str]:
    yield from _origin_problems(field, collection)
    known = RULES.get(str(FIELD_BODIES[field.encoding].get("type")), ())
    for name in field.rules.keys() - known_rules(field).keys():
        listed = f"it can have {', '.join(known)}" if known else "it can have none"
        yield f"its type at the destination has no rule `{name}`; {listed}"
    if field.required and field.encoding in RELATION_ENCODINGS:
        yield "a relation can't be required, since it is filled after creation"
    if field.encoding is Encoding.OPTION_DATASOURCE and slug_problem(field.datasource):
        yield "option_datasource needs `datasource`, a slug of lower-case letters"
    if field.encoding is Encoding.VIDEO_BLOCK and not design.block(BlockRole.EMBED):
        yield "video_block needs a block with the role `embed`"
    if (
        field.encoding is Encoding.COLOR_PLUGIN
        and space is not None
        and COLOR_PLUGIN not in space.plugins
    ):
        yield f"the space has no field plugin {COLOR_PLUGIN}; use color_text"
    for label in doubles(label for _, label in field.options):
        yield f"two options have the label `{label}`"
    if any(not label.strip() for _, label in field.options):
        yield "an option has no label"


def _origin_problems(field: FieldDesign, collection: Collection) -> Iterator[str]:
    """Compare a field with the origin's schema."""
    if field.encoding is Encoding.ENVELOPE:
        if field.origin not in ENVELOPE:
            yield f"the envelope has only {', '.join(ENVELOPE)}"
        return
    known = collection.field(field.origin)
    if field.origin_type != UNLISTED:
        if known is None:
            listed = ", ".join(one.slug for one in collection.fields)
            yield (
                f"the origin has no such field; it has {listed}; name one of these, or "
                "take the field out"
            )
            return
        if known.type != field.origin_type:
            yield (
                f"its type is {known.type} at the origin, not {field.origin_type}; "
                f"write `type: {known.type}` and one of the encodings "
                f"{', '.join(allowed_encodings(known.type))}"
            )
            return
    allowed = allowed_encodings(field.origin_type)
    if field.encoding not in allowed:
        yield (
            f"`{field.encoding}` does not fit the type {field.origin_type}; use one of "
            f"{', '.join(allowed)}"
        )


def doubles(names: Iterable[_Name]) -> list[_Name]:
    """Return the names that occur more than once, each once."""
    return [name for name, count in Counter(names).items() if count > 1]
