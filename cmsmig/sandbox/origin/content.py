"""A content folder, read as the origin's records."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import CacheError
from cmsmig.sandbox.origin.index import FileIndex, read_index
from cmsmig.sandbox.values import list_of, object_of, text_of


@dataclass(slots=True)
class Content:
    """The records of one content folder; a collection's items are read when
    they are first asked for."""

    folder: Path
    base: str
    """The address that the origin's file host has, without a trailing slash."""
    index: FileIndex | None
    sites: list[JsonObject]
    collections: list[JsonObject]
    lost: frozenset[str] = frozenset()
    """Ids of files that the host answers 404 for; `files/missing.json` lists them."""
    kept: dict[str, list[JsonObject]] = field(default_factory=dict)
    chosen: dict[object, list[JsonObject]] = field(default_factory=dict)
    """Items by what list requests asked for, without their pages."""
    by_id: dict[str, dict[Json, list[JsonObject]]] = field(default_factory=dict)
    """Items by file and id, all locales."""

    def site(self, site_id: str) -> JsonObject | None:
        """Return one site by its id."""
        return next((site for site in self.sites if site.get("id") == site_id), None)

    def collection(self, collection_id: str) -> JsonObject | None:
        """Return one collection with its fields."""
        known = {text_of(collection.get("id")) for collection in self.collections}
        if collection_id not in known:
            return None
        return object_of(self._read(f"collections/{collection_id}.json"))

    def items(self, collection_id: str, *, live: bool) -> list[JsonObject]:
        """Return the items of a collection, all locales, in the file's order."""
        name = f"{'live' if live else 'items'}/{collection_id}.json"
        if name not in self.kept:
            listed = object_of(self._read(name)).get("items")
            self.kept[name] = [object_of(each) for each in list_of(listed)]
        return self.kept[name]

    def variants(
        self, collection_id: str, item_id: str, *, live: bool
    ) -> list[JsonObject]:
        """Return one item in all its locales."""
        name = f"{'live' if live else 'items'}/{collection_id}.json"
        if name not in self.by_id:
            self.by_id[name] = {}
            for item in self.items(collection_id, live=live):
                self.by_id[name].setdefault(item.get("id"), []).append(item)
        return self.by_id[name].get(item_id, [])

    @property
    def pages(self) -> list[JsonObject] | None:
        """Return what `pages.json` lists; None without such a file."""
        if not (self.folder / "pages.json").is_file():
            return None
        listed = object_of(self._read("pages.json")).get("pages")
        return [object_of(each) for each in list_of(listed)]

    @property
    def primary_locale(self) -> str:
        """Return the primary `cmsLocaleId`, empty when no site lists locales."""
        for site in self.sites:
            primary = object_of(object_of(site.get("locales")).get("primary"))
            if locale := text_of(primary.get("cmsLocaleId")):
                return locale
        return ""

    def _read(self, name: str) -> Json:
        return _document(self.folder / name, self.base, self.index)


def read_content(folder: Path, base: str) -> Content:
    """Open a content folder; `base` is the origin server's own address.

    Raises `CacheError` naming the file that is missing or not JSON.
    """
    if not (folder / "sites.json").is_file() and (folder / "raw").is_dir():
        folder = folder / "raw"
    index = read_index(folder, base)
    sites = object_of(_document(folder / "sites.json", base, index))
    listed = object_of(_document(folder / "collections.json", base, index))
    return Content(
        folder,
        base,
        index,
        [object_of(site) for site in list_of(sites.get("sites"))],
        [object_of(one) for one in list_of(listed.get("collections"))],
        _lost(folder / "files" / "missing.json"),
    )


def _lost(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    return frozenset(text_of(one) for one in list_of(_document(path, "", None)))


def _document(path: Path, base: str, index: FileIndex | None) -> Json:
    try:
        text = path.read_text("utf-8").replace("{origin_files}", f"{base}/files")
        value: Json = json.loads(text)
    except (OSError, ValueError) as error:
        message = f"The content file {path} is missing or is not valid JSON."
        raise CacheError(message) from error
    return index.rewritten(value) if index is not None else value
