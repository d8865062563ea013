"""Changes of which fields a content type has, and in which order: pure functions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    FieldDesign,
    LeftOutField,
    Option,
)
from cmsmig.review.section_changes import in_order


def label_given(before: str, given: str) -> str:
    """Return the label that somebody typed, without blanks around it.

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


def with_field_again(content_type: ContentTypeDesign, origin: str) -> ContentTypeDesign:
    """Return the content type as if nothing was decided about an origin field."""
    left = tuple(each for each in content_type.left_out if each.origin != origin)
    return replace(content_type, left_out=left)


def with_option_called(field: FieldDesign, number: int, label: str) -> FieldDesign:
    """Return the field with another label of one of its options."""
    options = list(field.options)
    options[number] = Option(options[number].id, label)
    return replace(field, options=tuple(options))
