"""Folders below a collection's own, and tags, named by a field of its items: a
reference, an option, a switch. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from unicodedata import normalize

from cmsmig.canonical import Json
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.design import ContentTypeDesign
from cmsmig.mapping.naming import claims
from cmsmig.mapping.select.selection import Selected, origin_order
from cmsmig.mapping.select.slugs import normalised_slug, numbered_slug
from cmsmig.origin.schema import Collection, Field, Item

NAMING_TYPES = ("Reference", "MultiReference", "Option", "Switch")
"""The types of fields that can name a folder. Of several references the first does."""
TAG_TYPES = (*NAMING_TYPES, "PlainText")
"""The types of fields that can name tags."""
_BLANKS = re.compile(r"[\t-\r \xa0\u2007\u202f]+")

FindItem = Callable[[str, str, str], "Item | None"]
"""Returns the item of a collection with an id, in a locale or in the primary one."""


@dataclass(frozen=True, slots=True)
class SubFolder:
    """A folder below that of a collection."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class _Label:
    """What a field names."""

    rank: tuple[str, ...]
    """Of several that want one slug, the lowest gets it."""
    slug: str
    name: str

    @classmethod
    def of(cls, name: str, *slugs: str, rank: tuple[str, ...] = ()) -> _Label:
        """Return a label, with one blank for all that look like one. Its slug is made
        from the first of these that gives one."""
        name = _BLANKS.sub(" ", normalize("NFC", name)).strip()
        wanted = (normalised_slug(each) for each in (*slugs, "folder"))
        return cls(rank, next(filter(None, wanted)), name)


def find_sub_folders(
    entries: Iterable[Selected],
    content_type: ContentTypeDesign,
    collection: Collection,
    find_item: FindItem,
) -> Iterator[tuple[ItemKey, SubFolder]]:
    """Yield the folder of each item whose field names one; the others stay in the
    collection's own. No two labels of a language share a folder."""
    found: dict[str, list[tuple[ItemKey, _Label]]] = {}
    for key, named in _named_by(content_type.folder_by, entries, collection, find_item):
        if label := next(named, None):
            found.setdefault(key.locale_id, []).append((key, label))
    field = collection.field(content_type.folder_by)
    options = _of_options(field) if field is not None else {}
    for pairs in found.values():
        folders = _folders({*options.values(), *(label for _, label in pairs)})
        yield from ((key, folders[label]) for key, label in pairs)


def _folders(labels: Iterable[_Label]) -> dict[_Label, SubFolder]:
    ranked = sorted(labels, key=lambda each: (each.rank, each.slug))
    slugs = claims([each.slug for each in ranked], numbered_slug)
    return {
        each: SubFolder(slug, each.name)
        for each, slug in zip(ranked, slugs, strict=True)
    }


def find_tags(
    entries: Iterable[Selected],
    content_type: ContentTypeDesign,
    collection: Collection,
    find_item: FindItem,
) -> Iterator[tuple[ItemKey, tuple[str, ...]]]:
    """Yield the tags of each item whose field names any, in order, each once."""
    for key, named in _named_by(content_type.tags_by, entries, collection, find_item):
        if tags := sorted({each.name for each in named}):
            yield key, tuple(tags)


def _named_by(
    slug: str,
    entries: Iterable[Selected],
    collection: Collection,
    find_item: FindItem,
) -> Iterator[tuple[ItemKey, Iterator[_Label]]]:
    """Yield each item with what the value of one of its fields names."""
    if (field := collection.field(slug)) is not None:
        for entry in entries:
            value = entry.shown.data.get(slug)
            named = _named(value, field, entry.shown.key, find_item)
            yield entry.item.key, (each for each in named if each.name)


def _named(
    value: Json, field: Field, key: ItemKey, find_item: FindItem
) -> Iterator[_Label]:
    """Yield what the value of a field names."""
    match field.type:
        case "Switch":
            if value is True:
                yield _Label.of(field.display_name, field.display_name, field.slug)
        case "Option":
            if label := _of_options(field).get(str(value)):
                yield label
        case "PlainText":
            yield _Label.of(value if isinstance(value, str) else "")
        case _:
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, str):
                    target = find_item(field.target_collection, each, key.locale_id)
                    if target is not None:
                        yield _of_item(target)


def _of_options(field: Field) -> dict[str, _Label]:
    """Return the labels of a field's options by their id; equal ones are one."""
    by_name: dict[str, _Label] = {}
    found: dict[str, _Label] = {}
    for number, (key, name) in enumerate(field.options):
        made = _Label.of(name, name, key, rank=(f"{number:06}",))
        found[key] = by_name.setdefault(made.name, made)
    return found


def _of_item(target: Item) -> _Label:
    slugs = (target.slug, target.name, target.key.item_id)
    kept = str(normalised_slug(target.slug) != target.slug)
    return _Label.of(
        target.name or target.slug, *slugs, rank=(kept, *origin_order(target))
    )


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
