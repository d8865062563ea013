"""Sections: the origin's groups of fields, and fields that say by their names that they
belong together, kept for editors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.design import Encoding, FieldDesign, SectionDesign
from cmsmig.mapping.naming import identifier
from cmsmig.mapping.propose.field_keys import assign_keys
from cmsmig.origin.schema import Collection, Field

_TOGETHER = 3
"""Fields whose names begin alike that make a section."""


def propose_sections(
    fields: Sequence[FieldDesign], collection: Collection
) -> tuple[SectionDesign, ...]:
    """Return a section for each of the origin's field groups that has a field here, for
    each beginning that several names share, and for the envelope; no field is in two.
    """
    claimed: set[str] = set()
    found: list[tuple[str, tuple[str, ...]]] = []
    for group in collection.field_groups:
        slugs = _group_slugs(group, collection.fields)
        keys = tuple(
            field.key
            for field in fields
            if field.origin in slugs
            and field.encoding is not Encoding.ENVELOPE
            and field.key not in claimed
        )
        claimed.update(keys)
        found.append((_group_name(group), keys))
    found += _by_beginning(fields, claimed, collection)
    found.append(
        (
            "From the origin",
            tuple(one.key for one in fields if one.encoding is Encoding.ENVELOPE),
        )
    )
    filled = [(name, keys) for name, keys in found if keys]
    made = section_keys([name for name, _ in filled], [field.key for field in fields])
    return tuple(
        SectionDesign(key, name, keys)
        for key, (name, keys) in zip(made, filled, strict=True)
    )


def section_keys(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return a key for the section of each name: the name itself where that is free,
    else behind `section_`."""
    plain = [identifier(name) for name in names]
    free = [
        key if key and key not in taken else f"section_{key}".rstrip("_")
        for key in plain
    ]
    return [choice.key for choice in assign_keys(free, taken)]


def _by_beginning(
    fields: Sequence[FieldDesign], claimed: Set[str], collection: Collection
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the fields whose names begin alike, such as `seo-title` and `seo-image`.

    The name of the collection itself, as in `article-title`, makes no section.
    """
    names = (collection.singular_name, collection.display_name, collection.slug)
    own = {identifier(name) for name in names}
    begun: dict[str, list[str]] = {}
    for each in fields:
        beginning, sign, _ = each.origin.partition("-")
        grouped = each.encoding is Encoding.ENVELOPE or each.key in claimed
        is_part = beginning.isalpha() and identifier(beginning) not in own
        if sign and is_part and not grouped:
            begun.setdefault(beginning, []).append(each.key)
    for beginning, keys in begun.items():
        if len(keys) >= _TOGETHER:
            yield beginning.capitalize(), tuple(keys)


def _group_name(group: JsonObject) -> str:
    for key in ("displayName", "name", "title"):
        if isinstance(found := group.get(key), str) and found.strip():
            return found.strip()
    return "Fields"


def _group_slugs(group: JsonObject, fields: Sequence[Field]) -> frozenset[str]:
    """Return the slugs of a group's fields, which it lists by id or by slug.

    Source: none public; collections only show that there are such groups.
    """
    listed: list[Json] = []
    for key in ("fields", "fieldIds", "fieldSlugs"):
        found = group.get(key)
        listed += found if isinstance(found, list) else []
    names = {
        name
        for entry in listed
        for name in (
            (entry.get("id"), entry.get("slug"))
            if isinstance(entry, dict)
            else (entry,)
        )
        if isinstance(name, str)
    }
    return frozenset(
        field.slug for field in fields if field.slug in names or field.field_id in names
    )
