"""The origin as it was pulled, typed. Asks no service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cmsmig.origin.cache import RawCache
from cmsmig.origin.files import FileRow, FileStore
from cmsmig.origin.schema import Collection, Item, Site
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


def read_origin(project: Project, site_id: str | None) -> Origin:
    """Return the pulled site. Raises `UnreadError` when it is not all there."""
    cache = RawCache(project.raw)
    cache.require_complete()
    collections = cache.collections()
    return Origin(
        site=cache.site(site_id),
        collections=collections,
        staged=_items(cache, collections, live=False),
        live=_items(cache, collections, live=True),
        files=FileStore(project.files, project.raw).rows(),
        hashes=cache.fingerprint(),
    )


def _items(
    cache: RawCache, collections: tuple[Collection, ...], *, live: bool
) -> dict[str, tuple[Item, ...]]:
    return {
        each.collection_id: tuple(cache.items(each.collection_id, live=live))
        for each in collections
    }
