"""Where every story goes: folders, slugs and positions; and the stories that exist or
are still to be made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from cmsmig.errors import UndecidedError
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import LocaleChoice
from cmsmig.mapping.decisions.design import ContentTypeDesign, Design
from cmsmig.mapping.draft import ExistingStory, Place
from cmsmig.mapping.select.named_places import SubFolder
from cmsmig.mapping.select.selection import Selected, locale_of, origin_order
from cmsmig.mapping.select.slugs import SlugChange, assign_slugs, translated_slugs

_NO_TAGS: Mapping[ItemKey, tuple[str, ...]] = {}
_NONE_BELOW: Mapping[ItemKey, SubFolder] = {}
POSITION_STEP = 10
"""Room between neighbours, for stories that editors put in between."""


@dataclass(frozen=True, slots=True)
class FolderPlan:
    """A folder that stories need."""

    path: str
    """Full path without slashes at its ends."""
    name: str
    slug: str
    parent: str
    """Path of the folder above it; empty at the root."""
    default_root: str
    """Component that new stories in it get."""
    locale_id: str
    collection_id: str
    """Empty for a folder above the collections' own."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where every story goes, and which folders that takes."""

    places: Mapping[ItemKey, Place]
    changes: tuple[SlugChange, ...]
    folders: tuple[FolderPlan, ...]
    """Parents before children."""


def assign_places(
    selected: Mapping[str, Sequence[Selected]],
    design: Design,
    locales: Sequence[LocaleChoice],
    below: Mapping[ItemKey, SubFolder] = _NONE_BELOW,
    tags: Mapping[ItemKey, tuple[str, ...]] = _NO_TAGS,
) -> Places:
    """Return the place of every selected item, by collection id.

    `below` are the folders of items that go into one below their collection's, `tags`
    what stories are tagged with.
    Pure: neither the order of the items nor that of the collections changes it.
    Raises `UndecidedError` for a collection that the design does not know.
    """
    for collection_id, items in selected.items():
        if items and design.content_type(collection_id) is None:
            raise UndecidedError(
                f"The design says nothing about the collection {collection_id}; "
                "add it to design.yaml or leave the collection out."
            )
    starting = _start_pages(selected, design, locales)
    # A start page is in the folder that it is the start page of.
    below = {key: each for key, each in below.items() if key not in starting}
    folders = _folders(selected, design, locales, below)
    by_folder: dict[str, list[tuple[ContentTypeDesign, Selected]]] = {}
    for content_type in design.content_types:
        for entry in selected.get(content_type.collection_id, ()):
            key = entry.item.key
            path = _path(locale_of(key, locales), content_type, below.get(key))
            by_folder.setdefault(path, []).append((content_type, entry))
    places: dict[ItemKey, Place] = {}
    changes: list[SlugChange] = []
    for path in sorted(by_folder):
        inside = {folder.slug for folder in folders if folder.parent == path}
        slugs, changed = assign_slugs([entry for _, entry in by_folder[path]], inside)
        others = translated_slugs([entry for _, entry in by_folder[path]], inside)
        for rank, key in enumerate(_in_order(by_folder[path]), start=1):
            places[key] = Place(
                path,
                slugs[key],
                rank * POSITION_STEP,
                others.get(key, ()),
                tags.get(key, ()),
                key in starting,
            )
        changes.extend(changed)
    return Places(places, tuple(changes), folders)


def renamed_folder(places: Places, path: str, slug: str) -> Places:
    """Return the places with another slug for the folder at a path, and so with other
    paths for what is in it."""
    above = path.rpartition("/")[0]
    new = f"{above}/{slug}" if above else slug

    def moved(old: str) -> str:
        return new + old[len(path) :] if f"{old}/".startswith(f"{path}/") else old

    return replace(
        places,
        places={
            key: replace(place, folder=moved(place.folder))
            for key, place in places.places.items()
        },
        folders=tuple(
            replace(
                plan,
                path=moved(plan.path),
                parent=moved(plan.parent),
                slug=slug if plan.path == path else plan.slug,
            )
            for plan in places.folders
        ),
    )


def _start_pages(
    selected: Mapping[str, Sequence[Selected]],
    design: Design,
    locales: Sequence[LocaleChoice],
) -> frozenset[ItemKey]:
    """Return the items that are the start pages of their folders, in each locale: the
    first one of a folder by key. The root of the space has none."""
    chosen: dict[str, list[ItemKey]] = {}
    for content_type in design.content_types:
        entries = selected.get(content_type.collection_id, ())
        slug = content_type.start_page
        # In other locales its slug may be another one.
        own = {e.item.key.item_id for e in entries if slug and e.item.slug == slug}
        for key in (e.item.key for e in entries if e.item.key.item_id in own):
            path = _path(locale_of(key, locales), content_type)
            chosen.setdefault(path, []).append(key)
    return frozenset(min(keys) for path, keys in chosen.items() if path)


def _in_order(entries: Sequence[tuple[ContentTypeDesign, Selected]]) -> list[ItemKey]:
    """Return the keys of a folder's items in the order that visitors know."""
    ranked = sorted(
        entries,
        key=lambda pair: (
            pair[0].collection_slug,
            _order(pair[1], pair[0].order_field),
            origin_order(pair[1].item),
            pair[1].item.key,
        ),
    )
    return [entry.item.key for _, entry in ranked]


def _order(entry: Selected, field: str) -> float:
    """Return the item's number in its order field; those without one come last."""
    numbers = entry.item.numbers if field else ()
    value = next((number for name, number in numbers if name == field), None)
    if value is None:
        return math.inf
    try:
        return math.inf if math.isnan(value) else float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _path(
    locale: LocaleChoice | None,
    content_type: ContentTypeDesign,
    below: SubFolder | None = None,
) -> str:
    own = below.slug if below else ""
    parts = (locale.folder if locale else "", content_type.folder, own)
    return "/".join(part.strip("/") for part in parts if part.strip("/"))


def _folders(
    selected: Mapping[str, Sequence[Selected]],
    design: Design,
    locales: Sequence[LocaleChoice],
    below: Mapping[ItemKey, SubFolder],
) -> tuple[FolderPlan, ...]:
    """Return the folders, parents first.

    Every collection gets its folder in the primary locale; in another one only
    where it has an item, so that no call is spent on folders without need.
    """
    found: dict[str, FolderPlan] = {}
    ranked = sorted(design.content_types, key=lambda one: one.collection_id)
    for content_type in ranked:
        for locale in _locales_of(content_type, selected, locales):
            _add_collection(found, content_type, locale)
        for entry in selected.get(content_type.collection_id, ()):
            if sub := below.get(entry.item.key):
                locale = locale_of(entry.item.key, locales)
                _add_collection(found, content_type, locale, sub)
    first = ranked[0].component if ranked else ""
    for path in list(found):
        _add_parents(found, path, locales, first)
    return tuple(
        sorted(found.values(), key=lambda plan: (plan.path.count("/"), plan.path))
    )


def _locales_of(
    content_type: ContentTypeDesign,
    selected: Mapping[str, Sequence[Selected]],
    locales: Sequence[LocaleChoice],
) -> list[LocaleChoice | None]:
    if not locales:
        return [None]
    used = {
        locale_of(entry.item.key, locales)
        for entry in selected.get(content_type.collection_id, ())
    }
    return [
        locale
        for locale in locales
        if locale in used or (locale.primary and locale.migrate)
    ]


def _add_collection(
    found: dict[str, FolderPlan],
    content_type: ContentTypeDesign,
    locale: LocaleChoice | None,
    below: SubFolder | None = None,
) -> None:
    path = _path(locale, content_type, below)
    if path and path not in found:
        parent, _, slug = path.rpartition("/")
        found[path] = FolderPlan(
            path=path,
            name=(below.name if below else content_type.folder_name) or slug,
            slug=slug,
            parent=parent,
            default_root=content_type.component,
            locale_id=locale.locale_id if locale else "",
            collection_id=content_type.collection_id,
        )


def _add_parents(
    found: dict[str, FolderPlan],
    path: str,
    locales: Sequence[LocaleChoice],
    default_root: str,
) -> None:
    parent = path.rpartition("/")[0]
    while parent and parent not in found:
        above, _, slug = parent.rpartition("/")
        locale = next((one for one in locales if one.folder == parent), None)
        found[parent] = FolderPlan(
            path=parent,
            name=(locale.name or locale.tag) if locale else slug,
            slug=slug,
            parent=above,
            default_root=default_root,
            locale_id=locale.locale_id if locale else "",
            collection_id="",
        )
        parent = above


class ForeseenStories(Mapping[ItemKey, ExistingStory]):
    """The stories that exist, and a placeholder for each one that is to come, by item.

    A placeholder is made when it is asked for, since there may be 100,000. Items
    without a place get none.
    """

    def __init__(
        self,
        there: Mapping[ItemKey, ExistingStory],
        coming: Set[ItemKey],
        places: Mapping[ItemKey, Place],
    ) -> None:
        self._there, self._coming, self._places = there, coming, places

    def __getitem__(self, key: ItemKey) -> ExistingStory:
        """Return the story of an item; raises `KeyError` for one without."""
        there = self._there.get(key)
        if there is not None:
            return there
        if key not in self._coming:
            raise KeyError(key)
        return ExistingStory.planned(key, self._places[key])

    def __contains__(self, key: object) -> bool:
        """Return whether an item has a story, or will have one."""
        return key in self._there or (key in self._coming and key in self._places)

    def __iter__(self) -> Iterator[ItemKey]:
        """Yield the items with a story, those that exist first."""
        yield from self._there
        yield from (each for each in self._coming if self._is_new(each))

    def __len__(self) -> int:
        """Return how many items have a story."""
        return len(self._there) + sum(map(self._is_new, self._coming))

    def __eq__(self, other: object) -> bool:
        """Return whether all stories are the same; makes one placeholder at a time."""
        if not isinstance(other, Mapping) or len(self) != len(other):
            return False
        if isinstance(other, ForeseenStories) and self._places is other._places:
            return self._there == other._there and all(key in other for key in self)
        return all(other.get(key) == story for key, story in self.items())

    __hash__ = None  # type: ignore[assignment]

    def _is_new(self, key: ItemKey) -> bool:
        return key not in self._there and key in self._places
