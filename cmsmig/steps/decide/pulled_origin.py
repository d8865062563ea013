"""The origin as it was pulled, typed. Asks no service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from pydantic import TypeAdapter

from cmsmig.canonical import fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.derived_file import DerivedFile
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.propose.former_paths import RenamedCollection, find_renamed
from cmsmig.mapping.select.old_paths import OldPaths
from cmsmig.mapping.select.selection import Selection, select_items
from cmsmig.mapping.select.translations import translated_fields
from cmsmig.origin.cache import RawCache
from cmsmig.origin.files import FileRow, FileStore
from cmsmig.origin.item_index import ItemIndex, share_equal
from cmsmig.origin.schema import Collection, Item, Site
from cmsmig.origin.unread import unread_sentence
from cmsmig.settings import Project


@dataclass(frozen=True, slots=True)
class Origin:
    """What was pulled, typed."""

    site: Site
    collections: tuple[Collection, ...]
    staged: Mapping[str, tuple[Item, ...]]
    live: Mapping[str, tuple[Item, ...]]
    files: Mapping[str, FileRow]
    hashes: Mapping[str, str]
    """Fingerprints of the raw answers, by collection."""

    @property
    def old_paths(self) -> OldPaths:
        """Return where the site has the pages of items."""
        return OldPaths.of(self.site, self.collections)

    def items(self, collection_id: str, live: bool) -> tuple[Item, ...]:
        """Return the items of a collection in one of the two sets."""
        return (self.live if live else self.staged)[collection_id]

    @property
    def unread(self) -> tuple[Collection, ...]:
        """Return the collections that the last pull could not read."""
        return tuple(each for each in self.collections if each.unread)

    def every_item(self) -> dict[ItemKey, Item]:
        """Return each item of either set once, in the editors' version if there is
        one."""
        return {
            item.key: item
            for sets in (self.live, self.staged)
            for items in sets.values()
            for item in items
        }

    def select(self, decision: CollectionsDecision) -> Mapping[str, Selection]:
        """Return the items of each collection that are imported and those that are
        not; nothing of a collection that nothing is decided about."""
        return {
            each: select_items(
                self.staged[each], self.live[each], choice, decision.locales
            )
            for each in (c.collection_id for c in self.collections if c.is_known)
            if (choice := decision.choice(each)) is not None
        }


def unread_sentences(
    unread: Iterable[Collection], left_out: Set[str]
) -> tuple[str, ...]:
    """Name collections that could not be read; in short those that are left out, as was
    decided."""
    return tuple(
        unread_sentence(each)
        if each.collection_id not in left_out
        else f"The collection {each.display_name} ({each.slug}) could not be read, and "
        "is left out, as was decided."
        for each in unread
    )


def renamed_collections(origin: Origin) -> tuple[RenamedCollection, ...]:
    """Return the paths below which links look for items of a collection that was
    renamed. Reads the values of all items."""
    items = [*origin.every_item().values()]
    return find_renamed(origin.site, origin.collections, items)


def live_paths(origin: Origin) -> dict[ItemKey, str]:
    """Return the path of every item that visitors can open now, also of those that
    stay behind."""
    paths = origin.old_paths
    return {
        item.key: paths.path(item.key, item.slug)
        for items in origin.live.values()
        for item in items
    }


def read_origin(
    project: Project, site_id: str | None, derived: DerivedFile | None = None
) -> Origin:
    """Return the pulled site. Raises `UnreadError` when it is not all there."""
    cache = RawCache(project.raw)
    cache.require_complete()
    collections = cache.collections()
    index = ItemIndex(cache, derived or DerivedFile(project.derived))
    hashes = cache.fingerprint()
    staged: dict[str, tuple[Item, ...]] = {}
    live: dict[str, tuple[Item, ...]] = {}
    for each in (collection.collection_id for collection in collections):
        edited, published = (
            cache.item_file(each, live=public).relative_to(cache.folder).as_posix()
            for public in (False, True)
        )
        staged[each] = index.items(each, hashes[edited], live=False)
        live[each] = share_equal(
            staged[each], index.items(each, hashes[published], live=True)
        )
    return Origin(
        site=cache.site(site_id),
        collections=collections,
        staged=staged,
        live=live,
        files=FileStore(project.files, project.raw).rows(),
        hashes=hashes,
    )


def fields_translated(
    origin: Origin, collection_id: str, derived: DerivedFile
) -> frozenset[str]:
    """Return the fields of a collection that are translated; they are kept, since all
    values have to be read for it."""
    staged, live = origin.staged[collection_id], origin.live[collection_id]
    hashes = [[str(each.key), each.data_hash] for each in (*staged, *live)]
    made_of = fingerprint([code_digest(("mapping", "origin")), hashes])
    return derived.derive(
        f"translated {collection_id}",
        made_of,
        TypeAdapter(frozenset[str]),
        lambda: translated_fields((staged, live)),
    )
