"""A content folder, read as the origin's records, and the files of a raw folder: their
addresses are moved to the sandbox's own host."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import CacheError
from cmsmig.sandbox.origin.item_edits import ItemEdits, variant_key
from cmsmig.sandbox.values import list_of, object_of, text_of

_FILE = re.compile(r"\.(?!html?$|php$|aspx?$)[A-Za-z0-9]{2,5}$")
_ENDS = frozenset(" \t\r\n\"'<>,)\\")
_END = re.compile(r"[\s\"'<>,)\\?#]")
_NOTHING = re.compile("(?!)")


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
    edits: ItemEdits = field(default_factory=ItemEdits)
    version: int = 0
    """Counts the edits of items."""
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
        name = _list_name(collection_id, live=live)
        if name not in self.kept:
            listed = object_of(self._read(name)).get("items")
            items = [object_of(each) for each in list_of(listed)]
            self.kept[name] = self.edits.applied(name, items)
        return self.kept[name]

    def put(self, collection_id: str, item: JsonObject, *, live: bool) -> None:
        """Replace one variant of an item in a list, or add it."""
        self._edit(_list_name(collection_id, live=live), variant_key(item), item)

    def remove(self, collection_id: str, item: JsonObject, *, live: bool) -> None:
        """Take one variant of an item out of a list."""
        self._edit(_list_name(collection_id, live=live), variant_key(item), None)

    def _edit(self, name: str, key: tuple[str, str], item: JsonObject | None) -> None:
        self.edits.keep(name, key, item)
        for known in (self.kept, self.by_id):
            known.pop(name, None)
        self.chosen.clear()
        self.version += 1

    def moved(self, value: Json) -> Json:
        """Return a value that someone entered, its addresses as `items` has them."""
        return _moved(json.dumps(value), self.base, self.index)

    def variants(
        self, collection_id: str, item_id: str, *, live: bool
    ) -> list[JsonObject]:
        """Return one item in all its locales."""
        name = _list_name(collection_id, live=live)
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

    @property
    def locales(self) -> list[JsonObject]:
        """Return the locales of all sites, each primary one first."""
        known = [object_of(site.get("locales")) for site in self.sites]
        listed = [
            [each.get("primary"), *list_of(each.get("secondary"))] for each in known
        ]
        return [object_of(one) for rows in listed for one in rows]

    def _read(self, name: str) -> Json:
        return _document(self.folder / name, self.base, self.index)


def read_content(folder: Path, base: str, edits: ItemEdits | None = None) -> Content:
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
        edits or ItemEdits(),
    )


def _list_name(collection_id: str, *, live: bool) -> str:
    return f"{'live' if live else 'items'}/{collection_id}.json"


def _lost(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    return frozenset(text_of(one) for one in list_of(_document(path, "", None)))


def _document(path: Path, base: str, index: FileIndex | None) -> Json:
    try:
        return _moved(path.read_text("utf-8"), base, index)
    except (OSError, ValueError) as error:
        message = f"The content file {path} is missing or is not valid JSON."
        raise CacheError(message) from error


def _moved(text: str, base: str, index: FileIndex | None) -> Json:
    value: Json = json.loads(text.replace("{origin_files}", f"{base}/files"))
    return index.rewritten(value) if index is not None else value


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """Where the bytes of one address are; `sha256` is empty for a failed one."""

    sha256: str
    content_type: str


@dataclass(slots=True)
class FileIndex:
    """What `raw/files.json` knows, by the path that the sandbox serves."""

    base: str
    """The sandbox's origin address, without a trailing slash."""
    files: dict[str, IndexedFile] = field(default_factory=dict)
    """By path and query, as the address has them."""
    moved: dict[str, str] = field(default_factory=dict)
    """Address as an item may hold it -> address at the sandbox."""
    lengths: list[int] = field(default_factory=list)
    heads: set[str] = field(default_factory=set)
    """What addresses begin with, up to the host's end."""
    hosts: re.Pattern[str] = _NOTHING
    """Finds such a beginning."""

    def add(self, address: str, file: IndexedFile) -> None:
        """Take one row; an address without a host stays what it is."""
        parts = urlsplit(address)
        if not parts.netloc or parts.scheme not in {"", "http", "https"}:
            return
        start = address.index(parts.netloc) + len(parts.netloc)
        target = (address[start:] or "/").partition("#")[0]
        if self.files.setdefault(target, file).sha256 != file.sha256:
            target = f"/{parts.netloc}{target}"
            self.files[target] = file
        fresh = self._base(address) + target
        self.heads.add(address[:start])
        self.moved[address] = fresh
        self.moved[html.escape(address)] = html.escape(fresh)
        self.moved[address.replace("&", "&amp;")] = fresh.replace("&", "&amp;")

    def finish(self) -> None:
        """Prepare the search, after the last `add`."""
        self.lengths = sorted({len(address) for address in self.moved}, reverse=True)
        longest_first = sorted(self.heads, key=len, reverse=True)
        # `//host` inside `https://host` is not an address of its own.
        heads = [
            f"{'(?<!:)' if head.startswith('//') else ''}{re.escape(head)}"
            for head in longest_first
        ]
        self.hosts = re.compile("|".join(heads)) if heads else _NOTHING

    def rewritten(self, value: Json) -> Json:
        """Return a JSON value with every indexed address moved."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.rewritten(part) for part in value]
        if isinstance(value, dict):
            return {key: self.rewritten(part) for key, part in value.items()}
        return value

    def _text(self, text: str) -> str:
        out, done = [], 0
        for found in self.hosts.finditer(text):
            start, host = found.start(), found[0]
            if start < done:
                continue
            if (address := self._address(text, start)) is not None:
                out += [text[done:start], self.moved[address]]
                done = start + len(address)
            elif _FILE.search(_END.split(text[found.end() :], maxsplit=1)[0]):
                # A file that is not indexed: it must not be requested either.
                out += [text[done:start], self._base(host)]
                done = found.end()
        return "".join([*out, text[done:]])

    def _base(self, host: str) -> str:
        return self.base if host.startswith("http") else self.base.partition(":")[2]

    def _address(self, text: str, start: int) -> str | None:
        for length in self.lengths:
            end = start + length
            candidate = text[start:end]
            if candidate in self.moved and (end >= len(text) or text[end] in _ENDS):
                return candidate
        return None


def read_index(raw: Path, base: str) -> FileIndex | None:
    """Return the index of a raw folder, or None where there is none.

    Raises `CacheError` when the index is not readable JSON.
    """
    path = raw / "files.json"
    if not path.is_file():
        return None
    try:
        rows = list_of(object_of(json.loads(path.read_text("utf-8"))).get("files"))
    except (OSError, ValueError) as error:
        message = f"The file index {path} cannot be read; pull again with --refresh."
        raise CacheError(message) from error
    index = FileIndex(base)
    for row in rows:
        _add(index, object_of(row))
    index.finish()
    return index


def _add(index: FileIndex, row: JsonObject) -> None:
    failed = bool(text_of(row.get("error")))
    sha256 = "" if failed else text_of(row.get("sha256"))
    file = IndexedFile(sha256, text_of(row.get("content_type")))
    index.add(text_of(row.get("address")), file)
