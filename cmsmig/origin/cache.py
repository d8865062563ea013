"""The raw cache: the origin's answers on disk, in the content folder format."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import CacheError, SettingsError, UnreadError
from cmsmig.origin.page_list import StaticPage, parse_pages, parse_templates
from cmsmig.origin.pages import PageStore
from cmsmig.origin.records import (
    AGAIN,
    disk,
    document,
    listed,
    missing,
    read_document,
    read_listed,
    replace_file,
)
from cmsmig.origin.schema import (
    Collection,
    Item,
    Site,
    parse_collection,
    parse_item,
    parse_site,
)

_IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,80}")
_SITES, _COLLECTIONS, _PAGES = "sites.json", "collections.json", "pages.json"
UNREAD = "unread.json"
"""Which collections the last pull could not read, and why."""
_REFRESH, _SITE, _BEFORE = ".pages/refresh", ".pages/site.json", ".pages/before"


class RawCache:
    """A folder of raw answers. An item set is complete when its file is there
    and its pages are gone; every file is there whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def sites(self) -> tuple[Site, ...]:
        """Return the sites that the token saw."""
        path = self.folder / _SITES
        return parse_sites(read_document(path), str(path))

    def site(self, site_id: str | None) -> Site:
        """Return the site that is here. Raises `SettingsError` for another one."""
        sites = self.sites()
        held = self.held_site()
        if held is None:
            return choose_site(sites, site_id)
        self.require_held(held, site_id)
        return choose_site(sites, held)

    def collection_ids(self) -> tuple[str, ...]:
        """Return the ids of the site's collections, in the origin's order."""
        return tuple(self.listed())

    def listed(self) -> dict[str, Json]:
        """Return the collections as the origin lists them, by id, in its order."""
        path = self.folder / _COLLECTIONS
        records = _records(read_document(path), "collections", str(path))
        return {collection_id(record, str(path)): record for record in records}

    def collections(self) -> tuple[Collection, ...]:
        """Return all collections with their fields and where their pages are, in the
        origin's order."""
        pages = self._pages() or []
        found = map(self.collection, self.collection_ids())
        return tuple(
            replace(each, templates=parse_templates(pages, each.collection_id))
            for each in found
        )

    def collection(self, identifier: str) -> Collection:
        """Return one collection with its fields, as its schema alone has it."""
        path = self.schema(identifier)
        collection = parse_collection(read_document(path), str(path))
        return replace(collection, unread=self.unread().get(identifier, ""))

    def unread(self) -> dict[str, str]:
        """Return why the last pull could not read some collections, by their ids."""
        path = self.folder / UNREAD
        body = read_document(path) if path.is_file() else {}
        found = body if isinstance(body, dict) else {}
        return {each: why for each, why in found.items() if isinstance(why, str)}

    def static_pages(self) -> tuple[StaticPage, ...] | None:
        """Return the pages that belong to no collection; None where they were not
        listed, as a token without the scope for it may not."""
        listed = self._pages()
        return None if listed is None else parse_pages(listed)

    def _pages(self) -> list[Json] | None:
        path = self.folder / _PAGES
        if not path.is_file():
            return None
        return _records(read_document(path), "pages", str(path))

    def items(self, collection_id: str, *, live: bool) -> Iterator[Item]:
        """Yield a set's items, one in memory at a time.

        Raises `UnreadError` when the set is incomplete, `CacheError` when its file
        is damaged.
        """
        self.require_closed(collection_id, live=live)
        path = self.item_file(collection_id, live=live)
        for record in read_listed("items", path):
            where = f"{path}, line {record.line}"
            yield parse_item(record.value, collection_id, where)

    def require_closed(self, collection_id: str, *, live: bool) -> None:
        """Raise `UnreadError` for a set that was not read to its end."""
        if self.pages(collection_id, live=live).open:
            raise UnreadError(
                f"{self.item_file(collection_id, live=live)} was not read to its"
                " end; go on with `cmsmig pull`."
            )

    def complete(self) -> bool:
        """Return whether everything was read to its end."""
        try:
            self.require_complete()
        except CacheError:
            return False
        return True

    def read_at(self) -> float:
        """Return when the oldest of the item sets here was read, in epoch seconds."""
        files = [self.item_file(each, live=live) for each, live in self.sets()]
        return min((each.stat().st_mtime for each in files if each.exists()), default=0)

    def require_complete(self) -> None:
        """Raise `UnreadError` naming what is missing or was not read to its end."""
        if (self.folder / _REFRESH).exists():
            raise UnreadError(
                f"The refresh of {self.folder} was interrupted; go on with"
                " `cmsmig pull`."
            )
        self.sites()
        for identifier in self.collection_ids():
            sets = [self.item_file(identifier, live=live) for live in (False, True)]
            for path in (self.schema(identifier), *sets):
                if not path.is_file():
                    raise missing(path)
            for live in (False, True):
                self.require_closed(identifier, live=live)

    def sets(self) -> Iterator[tuple[str, bool]]:
        """Yield the collection of each item set, and whether it is the live one."""
        yield from product(self.collection_ids(), (False, True))

    def fingerprint(self) -> dict[str, str]:
        """Return the SHA-256 of every file of a collection, by its name here."""
        files = [
            path
            for identifier in self.collection_ids()
            for path in (
                self.schema(identifier),
                self.item_file(identifier, live=False),
                self.item_file(identifier, live=True),
            )
        ]
        return {path.relative_to(self.folder).as_posix(): _hash(path) for path in files}

    def pages(self, collection_id: str, *, live: bool) -> PageStore:
        """Return the pages of a set, which exist while it is being read."""
        name = f"{_kind(live)}-{_checked(collection_id)}"
        return PageStore(self.folder / ".pages" / name)

    def item_file(self, collection_id: str, *, live: bool) -> Path:
        """Return the file of a set."""
        return self.folder / _kind(live) / f"{_checked(collection_id)}.json"

    def keep_sites(self, body: JsonObject, key: str = "") -> None:
        """Write the answer that lists the sites, and the token that it was given to, so
        that a continued pull need not ask again."""
        replace_file(self.folder / _SITES, [document(body)])
        if key:
            self.keep_held(self._record().get("site_id", ""), key)

    def keep_collections(self, body: JsonObject, site_id: str, key: str = "") -> None:
        """Write the answer that lists the collections of a site, and whose they are."""
        self.keep_held(site_id, key)
        replace_file(self.folder / _COLLECTIONS, [document(body)])

    def keep_held(self, site_id: str, key: str) -> None:
        """Write down whose answers are here, and the token that is known to see it.

        `key` is a digest: it differs between tokens and reveals nothing of them. Every
        command that finds a new token writes this, not only a pull.
        """
        body = document({"site_id": site_id, "key": key})
        replace_file(self.folder / _SITE, [body], is_shared=True)

    def keep_static_pages(self, listed: list[Json]) -> None:
        """Write the list of the site's pages."""
        replace_file(self.folder / _PAGES, [document({"pages": listed})])

    def keep_collection(self, identifier: str, body: JsonObject) -> None:
        """Write a collection's schema."""
        replace_file(self.schema(identifier), [document(body)])

    def reopen(self, identifier: str) -> None:
        """Mark a collection as to be read again; what is here stays until it is."""
        with disk(self.folder):
            for live in (False, True):
                if self.item_file(identifier, live=live).exists():
                    self.pages(identifier, live=live).clear()
            if (schema := self.schema(identifier)).exists():
                before = self.before(identifier)
                before.parent.mkdir(parents=True, exist_ok=True)
                schema.replace(before)

    def keep_items(
        self, collection_id: str, lines: Iterable[bytes], *, live: bool
    ) -> None:
        """Write a whole set, one line of JSON per item, and drop its pages."""
        path = self.item_file(collection_id, live=live)
        replace_file(path, listed("items", lines))
        self.pages(collection_id, live=live).end()

    def holds_collections(self) -> bool:
        """Return whether the collections of a site are listed here."""
        return (self.folder / _COLLECTIONS).is_file()

    def held_site(self) -> str | None:
        """Return the site whose collections are here; None when that is unknown.

        Of a cache that was copied without its folder `.pages` it is the only site.
        """
        return self._record().get("site_id") or self._derived_site()

    def key(self) -> str:
        """Return the digest of the token that is known to see the site; or empty."""
        return self._record().get("key", "")

    def require_held(self, held: str | None, site_id: str | None) -> None:
        """Raise `SettingsError` if `site_id` names another site than the one held."""
        if site_id and held and held != site_id:
            raise SettingsError(
                f"{self.folder} holds the site {self.name_of(held)}, but site_id names"
                f" {site_id}; use another project folder, or `cmsmig pull --refresh`."
            )

    def name_of(self, site_id: str) -> str:
        """Return a site's name and id, or its id alone when its name is not here."""
        try:
            named = {each.site_id: each.display_name for each in self.sites()}
        except CacheError:
            named = {}
        return f"{named[site_id]} ({site_id})" if site_id in named else site_id

    def _record(self) -> dict[str, str]:
        try:
            body = read_document(self.folder / _SITE)
        except CacheError:
            return {}
        found = body if isinstance(body, dict) else {}
        return {name: text for name, text in found.items() if isinstance(text, str)}

    def _derived_site(self) -> str | None:
        if not self.holds_collections():
            return None
        try:
            (only,) = self.sites()
        except (CacheError, ValueError):
            return None
        return only.site_id

    def start_refresh(self) -> None:
        """Mark everything as to be read again; a kill in here is made good."""
        replace_file(self.folder / _REFRESH, [b""])
        self.resume_refresh()

    def resume_refresh(self) -> None:
        """Finish a `start_refresh` that was killed, if there was one."""
        marker = self.folder / _REFRESH
        if not marker.exists():
            return
        with disk(self.folder):
            kinds = ("collections", _kind(False), _kind(True))
            files = [path for each in kinds for path in self._files(each)]
            for identifier in {path.stem for path in files}:
                if _IDENTIFIER.fullmatch(identifier):
                    self.reopen(identifier)
            for name in (_COLLECTIONS, _PAGES, _SITES, _SITE, UNREAD):
                (self.folder / name).unlink(missing_ok=True)
            marker.unlink()

    def forget_others(self, identifiers: Iterable[str]) -> None:
        """Remove what belongs to collections that the site no longer lists."""
        kept = set(identifiers)
        with disk(self.folder):
            for kind in ("collections", _kind(False), _kind(True), _BEFORE):
                for path in self._files(kind):
                    if path.stem not in kept:
                        path.unlink()
            for live in (False, True):
                for path in (self.folder / ".pages").glob(f"{_kind(live)}-*"):
                    if path.name.partition("-")[2] not in kept:
                        PageStore(path).end()

    def _files(self, kind: str) -> list[Path]:
        return [*(self.folder / kind).glob("*.json")]

    def before(self, identifier: str) -> Path:
        """Return where a schema is while it is read again."""
        return self.folder / _BEFORE / f"{_checked(identifier)}.json"

    def schema(self, identifier: str) -> Path:
        """Return the file of a collection's schema."""
        return self.folder / "collections" / f"{_checked(identifier)}.json"


def parse_sites(body: Json, where: str) -> tuple[Site, ...]:
    """Return the sites that an answer lists; raises `CacheError`."""
    return tuple(
        parse_site(record, f"{where}, site {number}")
        for number, record in enumerate(_records(body, "sites", where), start=1)
    )


def choose_site(sites: tuple[Site, ...], site_id: str | None) -> Site:
    """Return the site with this id, or the only one; raises `SettingsError`."""
    names = ", ".join(f"{site.display_name} ({site.site_id})" for site in sites)
    if not sites:
        raise SettingsError(
            "The origin token sees no site; use the token of the site to migrate."
        )
    if site_id is None and len(sites) > 1:
        raise SettingsError(
            f"The origin token sees several sites: {names}; set site_id to one of them."
        )
    for site in sites:
        if site_id in (None, site.site_id):
            return site
    raise SettingsError(
        f"The origin token does not see the site {site_id}; it sees {names}."
    )


def collection_id(record: Json, where: str) -> str:
    """Return the id of a listed collection; raises `CacheError`."""
    found = record.get("id") if isinstance(record, dict) else None
    if not isinstance(found, str):
        raise CacheError(f"A collection in {where} has no id; {AGAIN}.")
    return _checked(found)


def _checked(identifier: str) -> str:
    """Refuse an id that is no plain word: it becomes a file name."""
    if not _IDENTIFIER.fullmatch(identifier):
        raise CacheError(
            f"The collection id {identifier!r} is not one that the origin gives out;"
            " check the address of the origin in the settings."
        )
    return identifier


def _kind(live: bool) -> str:
    return "live" if live else "items"


def _records(body: Json, key: str, where: str) -> list[Json]:
    found = body.get(key) if isinstance(body, dict) else None
    if not isinstance(found, list):
        raise CacheError(f"{where} holds no list of {key}; {AGAIN}.")
    return found


def _hash(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        raise missing(path) from None
