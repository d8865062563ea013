"""One item as the story it becomes: an editor's form, and its component."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.mapping.compare.content_equality import plain
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.decisions.design import ContentTypeDesign, Design, FieldDesign
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.mapping.propose.encodings import FIELD_BODIES

_PLACING = frozenset(("id", "pos"))
"""What says where a field stands: the order is merged, not compared."""


@dataclass(frozen=True, slots=True)
class FormField:
    """One field as an editor sees it."""

    section: str
    """The group that it stands in; empty: none."""
    label: str
    key: str
    type: str
    """As the destination names it."""
    value: Json
    """None for a field that the item leaves empty, and for a relation."""
    stories: tuple[str, ...]
    """The names of what a relation leads to."""
    losses: tuple[str, ...]
    """What is lost in this field, a sentence each."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What a component in the space says otherwise."""

    place: str
    """A property of the component, or a field's key and its property."""
    ours: Json
    theirs: Json
    """None on either side: nothing is said there."""


def form_fields(
    story: StoryDraft, content_type: ContentTypeDesign, names: Mapping[ItemKey, str]
) -> Iterator[FormField]:
    """Yield the fields of a story in the order in which its form shows them: a
    section stands where its first field does."""
    sections = {key: one for one in content_type.sections for key in one.fields}
    targets = {each.field: each.targets for each in story.draft.relations}
    held = _held(story.content, content_type)
    for field in _as_shown(content_type):
        section = sections.get(field.key)
        yield FormField(
            section.display_name if section else "",
            field.display_name,
            field.key,
            str(FIELD_BODIES[field.encoding].get("type")),
            held.get(field.key),
            tuple(
                names.get(each, f"{each.item_id} (not among the items)")
                for each in targets.get(field.key, ())
            ),
            tuple(_losses(story, field)),
        )


def components_of(
    design: Design, content_type: ContentTypeDesign
) -> dict[str, JsonObject]:
    """Return the bodies of a content type's component and of those it nests."""
    names = [
        content_type.component,
        *(each.component for each in content_type.sections if each.component),
    ]
    bodies = {each.name: each.body for each in component_bodies(design)}
    return {name: bodies[name] for name in names if name in bodies}


def differences(ours: JsonObject, theirs: JsonObject) -> tuple[Difference, ...]:
    """Return what two bodies of a component say differently.

    What only the space's says of the whole component is the service's own, and left
    out; fields that only it has are in.
    """
    found = [
        Difference(name, ours[name], theirs.get(name))
        for name in ours
        if name != "schema" and plain(ours[name]) != plain(theirs.get(name))
    ]
    return (*found, *_fields_differing(_fields(ours), _fields(theirs)))


def _fields_differing(ours: JsonObject, theirs: JsonObject) -> Iterator[Difference]:
    for key in dict.fromkeys((*ours, *theirs)):
        one, two = ours.get(key), theirs.get(key)
        if not isinstance(one, dict) or not isinstance(two, dict):
            yield Difference(f"field {key}", one, two)
            continue
        for name in dict.fromkeys((*one, *two)):
            if name not in _PLACING and plain(one.get(name)) != plain(two.get(name)):
                yield Difference(f"field {key}: {name}", one.get(name), two.get(name))


def _fields(body: JsonObject) -> JsonObject:
    schema = body.get("schema")
    return schema if isinstance(schema, dict) else {}


def _as_shown(content_type: ContentTypeDesign) -> Iterator[FieldDesign]:
    sections = {key: one for one in content_type.sections for key in one.fields}
    begun: set[str] = set()
    for field in content_type.fields:
        section = sections.get(field.key)
        if section is None:
            yield field
        elif section.key not in begun:
            begun.add(section.key)
            yield from (e for e in content_type.fields if e.key in section.fields)


def _held(content: JsonObject, content_type: ContentTypeDesign) -> JsonObject:
    """Return the values of a story by key, those in nested blocks among them."""
    held = {**content}
    for section in content_type.sections:
        blocks = content.get(section.key) if section.component else None
        for block in blocks if isinstance(blocks, list) else ():
            held |= block if isinstance(block, dict) else {}
    return held


def _losses(story: StoryDraft, field: FieldDesign) -> Sequence[str]:
    told = (
        f"{each.loss.what}: {each.loss.why}" if each.loss.what else each.loss.why
        for each in story.losses
        if each.field == field.origin
    )
    return list(dict.fromkeys(told))
