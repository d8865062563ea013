"""Folders below a collection's own, and tags, named by a field of its items: a
reference, an option, a switch. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from cmsmig.canonical import Json
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.design import ContentTypeDesign
from cmsmig.mapping.select.selection import Selected
from cmsmig.mapping.select.slugs import normalised_slug
from cmsmig.origin.schema import Collection, Field, Item

NAMING_TYPES = ("Reference", "MultiReference", "Option", "Switch")
"""The types of fields that can name a folder. Of several references the first does."""
TAG_TYPES = (*NAMING_TYPES, "PlainText")
"""The types of fields that can name tags."""

FindItem = Callable[[str, str, str], "Item | None"]
"""Returns the item of a collection with an id, in a locale or in the primary one."""


@dataclass(frozen=True, slots=True)
class SubFolder:
    """A folder below that of a collection."""

    slug: str
    name: str


def find_sub_folders(
    entries: Iterable[Selected],
    content_type: ContentTypeDesign,
    collection: Collection,
    find_item: FindItem,
) -> Iterator[tuple[ItemKey, SubFolder]]:
    """Yield the folder of each item whose field names one; the others stay in the
    collection's own."""
    for key, named in _named_by(content_type.folder_by, entries, collection, find_item):
        if found := next((each for each in named if each.slug), None):
            yield key, found


def find_tags(
    entries: Iterable[Selected],
    content_type: ContentTypeDesign,
    collection: Collection,
    find_item: FindItem,
) -> Iterator[tuple[ItemKey, tuple[str, ...]]]:
    """Yield the tags of each item whose field names any, in order, each once."""
    for key, named in _named_by(content_type.tags_by, entries, collection, find_item):
        if tags := sorted({each.name.strip() for each in named} - {""}):
            yield key, tuple(tags)


def _named_by(
    slug: str,
    entries: Iterable[Selected],
    collection: Collection,
    find_item: FindItem,
) -> Iterator[tuple[ItemKey, Iterator[SubFolder]]]:
    """Yield each item with what the value of one of its fields names."""
    if (field := collection.field(slug)) is not None:
        for entry in entries:
            value = entry.shown.data.get(slug)
            yield entry.item.key, _named(value, field, entry.shown.key, find_item)


def _named(
    value: Json, field: Field, key: ItemKey, find_item: FindItem
) -> Iterator[SubFolder]:
    """Yield what the value of a field names."""
    match field.type:
        case "Switch":
            yield _called(field.display_name if value is True else "")
        case "Option":
            yield _called(dict(field.options).get(str(value), ""))
        case "PlainText":
            yield _called(value if isinstance(value, str) else "")
        case _:
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, str):
                    target = find_item(field.target_collection, each, key.locale_id)
                    if target is not None:
                        yield _of_item(target)


def _called(name: str) -> SubFolder:
    return SubFolder(normalised_slug(name), name)


def _of_item(target: Item) -> SubFolder:
    slug = normalised_slug(target.slug) or normalised_slug(target.name)
    return SubFolder(slug, target.name or slug)


def item_finder(sets: Iterable[Mapping[str, Iterable[Item]]], primary: str) -> FindItem:
    """Return what finds an item in any of the sets, those that come first first."""
    known: dict[tuple[str, str, str], Item] = {}
    for each in sets:
        for collection_id, items in each.items():
            for item in items:
                key = (collection_id, item.key.item_id, item.key.locale_id)
                known.setdefault(key, item)

    def find(collection_id: str, item_id: str, locale_id: str) -> Item | None:
        places = (locale_id, primary, "")
        found = (known.get((collection_id, item_id, each)) for each in places)
        return next((each for each in found if each is not None), None)

    return find
