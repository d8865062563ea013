"""Changes of which fields a content type has, in which order and sections: pure
functions."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Design,
    FieldDesign,
    LeftOutField,
    Option,
    SectionDesign,
)
from cmsmig.mapping.naming import claims, identifier
from cmsmig.mapping.propose.content_types import section_keys
from cmsmig.mapping.propose.design_checks import AT_ROOT
from cmsmig.mapping.propose.field_keys import numbered_name


def label_given(before: str, given: str) -> str:
    """Return the label that a person typed, without blanks around it.

    A label of the origin may begin or end with blanks: to leave it so is no edit.
    """
    return before if given.strip() == before.strip() else given.strip()


def with_field(
    content_type: ContentTypeDesign, number: int, field: FieldDesign
) -> ContentTypeDesign:
    """Return the content type with another field in the place of one; the section
    that holds it follows its key."""
    before = content_type.fields[number].key
    fields = list(content_type.fields)
    fields[number] = field
    return replace(
        content_type,
        fields=tuple(fields),
        sections=tuple(
            replace(
                section,
                fields=tuple(
                    field.key if key == before else key for key in section.fields
                ),
            )
            for section in content_type.sections
        ),
    )


def with_field_moved(
    content_type: ContentTypeDesign, number: int, by: int
) -> ContentTypeDesign:
    """Return the content type with a field at another place; past either end it
    stays as it is. A section shows its fields in the same order."""
    fields = list(content_type.fields)
    if number + by not in range(len(fields)):
        return content_type
    fields.insert(number + by, fields.pop(number))
    moved = replace(content_type, fields=tuple(fields))
    return replace(moved, sections=in_order(moved, content_type.sections))


def without_fields(
    content_type: ContentTypeDesign, origins: Collection[str], reason: str
) -> ContentTypeDesign:
    """Return the content type with origin fields left out for a reason; a section
    that held nothing else goes too."""
    gone = [each for each in content_type.fields if each.origin in origins]
    keys = {each.key for each in gone}
    kept = (
        replace(each, fields=tuple(key for key in each.fields if key not in keys))
        for each in content_type.sections
    )
    noted = (LeftOutField(each.origin, each.origin_type, reason) for each in gone)
    return replace(
        content_type,
        fields=tuple(each for each in content_type.fields if each not in gone),
        sections=tuple(each for each in kept if each.fields),
        left_out=(*content_type.left_out, *noted),
    )


def with_option_called(field: FieldDesign, number: int, label: str) -> FieldDesign:
    """Return the field with another label of one of its options."""
    options = list(field.options)
    options[number] = Option(options[number].id, label)
    return replace(field, options=tuple(options))


def section_of(content_type: ContentTypeDesign, key: str) -> SectionDesign | None:
    """Return the section that holds the field with a key, if one does."""
    return next((each for each in content_type.sections if key in each.fields), None)


def with_section(
    content_type: ContentTypeDesign, keys: Collection[str], name: str
) -> ContentTypeDesign:
    """Return the content type with a section of these fields, which leave others.

    Raises `DecisionsError` without a name, and without fields.
    """
    if not name.strip():
        raise DecisionsError("Name the section for editors, then make it.")
    if not keys:
        raise DecisionsError("Choose the section's fields in the table, then make it.")
    taken = [each.key for each in content_type.fields]
    taken += [each.key for each in content_type.sections]
    (key,) = section_keys([name], taken)
    made = SectionDesign(key, name.strip(), tuple(keys))
    return _with_sections(content_type, (*_without(content_type.sections, keys), made))


def with_field_in_section(
    content_type: ContentTypeDesign, key: str, section: str
) -> ContentTypeDesign:
    """Return the content type with a field in the section with a key; empty: in
    none."""
    joined = (
        replace(each, fields=(*each.fields, key)) if each.key == section else each
        for each in _without(content_type.sections, (key,))
    )
    return _with_sections(content_type, joined)


def with_section_called(
    content_type: ContentTypeDesign, place: int, section: SectionDesign
) -> ContentTypeDesign:
    """Return the content type with another section in the place of one."""
    sections = list(content_type.sections)
    sections[place] = section
    return replace(content_type, sections=tuple(sections))


def without_section(content_type: ContentTypeDesign, place: int) -> ContentTypeDesign:
    """Return the content type without a section; its fields stay."""
    kept = (each for at, each in enumerate(content_type.sections) if at != place)
    return replace(content_type, sections=tuple(kept))


def with_section_nested(
    design: Design,
    content_type: ContentTypeDesign,
    place: int,
    taken: Collection[str] = (),
) -> tuple[ContentTypeDesign, tuple[FieldDesign, ...]]:
    """Return the content type with a section as a nested component, and the fields
    that had to leave it: relations and links are filled in at a story's root alone.

    Its name is free among the design's components and those of `taken`. Raises
    `DecisionsError` where nothing would be left in it.
    """
    section = content_type.sections[place]
    left = tuple(
        each
        for each in content_type.fields
        if each.key in section.fields and each.encoding in AT_ROOT
    )
    (kept,) = _without((section,), [each.key for each in left])
    if not kept.fields:
        raise DecisionsError(
            "This section holds relations and links alone, which stay at the root of "
            "a story, so there is nothing to nest."
        )
    wanted = f"{content_type.component}_{identifier(section.display_name)}"
    (name,) = claims([wanted.rstrip("_")], numbered_name, {*_names(design), *taken})
    nested = replace(kept, component=name)
    return with_section_called(content_type, place, nested), left


def with_section_flat(content_type: ContentTypeDesign, place: int) -> ContentTypeDesign:
    """Return the content type with a nested component as a visual section again."""
    flat = replace(content_type.sections[place], component="")
    return with_section_called(content_type, place, flat)


def _names(design: Design) -> Iterable[str]:
    yield from (each.component for each in design.blocks)
    for content_type in design.content_types:
        yield content_type.component
        yield from (each.component for each in content_type.sections)


def _without(
    sections: Iterable[SectionDesign], keys: Collection[str]
) -> tuple[SectionDesign, ...]:
    return tuple(
        replace(each, fields=tuple(key for key in each.fields if key not in keys))
        for each in sections
    )


def _with_sections(
    content_type: ContentTypeDesign, sections: Iterable[SectionDesign]
) -> ContentTypeDesign:
    """Return the content type with these sections, each in the order of the fields;
    an empty one goes."""
    return replace(content_type, sections=in_order(content_type, sections))


def in_order(
    content_type: ContentTypeDesign, sections: Iterable[SectionDesign]
) -> tuple[SectionDesign, ...]:
    """Return sections with their keys in the order of the fields, empty ones left
    out; keys that no field has come last."""
    order = {each.key: at for at, each in enumerate(content_type.fields)}
    return tuple(
        replace(
            each,
            fields=tuple(
                sorted(each.fields, key=lambda key: order.get(key, len(order)))
            ),
        )
        for each in sections
        if each.fields
    )
