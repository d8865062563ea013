"""Addresses: of the old site's pages and where each leads, in stories as they were
written last, of the site and of the space."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from cmsmig.canonical import Json
from cmsmig.configuration.regions import REGION_BASES
from cmsmig.evidence.host_files import host_files
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.redirects import RedirectAction, RedirectsDecision
from cmsmig.mapping.draft import path_in_language
from cmsmig.mapping.propose.decision_checks import check_against
from cmsmig.mapping.redirects.address_map import (
    AddressMap,
    AddressOutcome,
    KnownAddress,
    Source,
)
from cmsmig.mapping.redirects.address_resolver import map_addresses
from cmsmig.mapping.redirects.moved_files import MovedFiles
from cmsmig.origin.schema import Site
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.page_table import baseline_addresses
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.steps.decide.known_addresses import (
    NewPaths,
    known_addresses,
    left_out_items,
    unused_rules,
)
from cmsmig.steps.decide.migration import Migration, as_begun, open_migration
from cmsmig.steps.decide.pulled_origin import live_paths
from cmsmig.steps.plan.drafts.offline_drafts import proven_assets
from cmsmig.steps.plan.recorded_stories import language_paths
from cmsmig.ui.report_file import write_text

FOLDER = "redirects"
"""Below a run's folder."""
_APP = "https://{}/#/me/spaces/{}/dashboard"
_APP_HOSTS = {
    urlsplit(base).hostname: "app.storyblokchina.cn"
    if name == "cn"
    else "app.storyblok.com"
    for name, base in REGION_BASES.items()
}
"""Where people work, by the host of the management API."""
_HOST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.")
_CONTENT = "content."
"""Before the name of a field of the content in what was written."""
_PATH = r"(?:[/?#][^\s\"'<>\\]*)?"
_LINKS = frozenset(("href", "url", "cached_url"))
"""Keys of links, which the report lists as links that stay."""


@dataclass(frozen=True, slots=True)
class OldAddress:
    """One address in one field of a story."""

    key: ItemKey
    field: str
    """The story's key of it."""
    address: str
    host: str
    is_link: bool


@dataclass(frozen=True, slots=True)
class HostUse:
    """How often content names one old host."""

    host: str
    is_file_host: bool
    times: int


def count_hosts(
    found: Iterable[OldAddress], migration: Migration
) -> tuple[HostUse, ...]:
    """Return how often each host is named, the most frequent first."""
    times = Counter(each.host for each in found).most_common()
    return tuple(HostUse(h, h in migration.files.hosts, n) for h, n in times)


def find_old_addresses(
    migration: Migration, ledger: Ledger, rows: Mapping[ItemKey, ItemRow]
) -> Iterator[OldAddress]:
    """Yield the addresses on old hosts in what was last written of each story, each
    once a field. Reads only."""
    bare = {each.lower().removeprefix("www.") for each in migration.origin.site.domains}
    hosts = migration.files.hosts | bare | {f"www.{each}" for each in bare}
    longest = sorted(hosts, key=lambda host: (-len(host), host))
    named = "|".join(map(re.escape, longest))
    find = re.compile(rf"(?<![\w.@-])({named})(?![\w-]|\.\w){_PATH}", re.IGNORECASE)
    keys = {
        row.story_record.story_id: key
        for key, row in rows.items()
        if row.story_record is not None
    }
    for story_id, written in ledger.items.written_with(hosts):
        for name, value in written.sent.items() if story_id in keys else ():
            if name.startswith(_CONTENT):
                field = name.removeprefix(_CONTENT)
                found = {
                    (each[0], each[1].lower(), at in _LINKS)
                    for at, text in _texts(field, value)
                    for each in find.finditer(text)
                }
                for each in sorted(found):
                    yield OldAddress(keys[story_id], field, *each)


def _texts(name: str, value: Json) -> Iterator[tuple[str, str]]:
    """Yield every text in a value, and the key that it is under."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _texts(key, part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(name, part)


class OriginPages:
    """The pages of live items. Looks for them when the first one is asked for."""

    def __init__(self, migration: Migration) -> None:
        self._migration = migration

    @property
    def site(self) -> str:
        """Return the address of the site; empty where no host is known."""
        return site_address(self._migration.origin.site)

    def path(self, key: ItemKey) -> str:
        """Return the path of an item's page, empty if it has none."""
        return self._paths.get(key, "")

    @cached_property
    def _paths(self) -> dict[ItemKey, str]:
        return live_paths(self._migration.origin)


def site_address(site: Site) -> str:
    """Return the address of the old site; empty where no host is known."""
    host = site.domains[0].lower() if site.domains else ""
    return f"https://{host}/" if host and set(host) <= _HOST else ""


def space_address(space_id: str, base_url: str) -> str:
    """Return where the space is opened in a browser; empty for another service, such
    as a sandbox."""
    host = _APP_HOSTS.get(urlsplit(base_url).hostname)
    is_number = space_id.isascii() and space_id.isdecimal()
    return _APP.format(host, space_id) if host and is_number else ""


def address_map(
    project: Project,
    migration: Migration,
    existing: Mapping[ItemKey, str] | None = None,
    earlier: Mapping[ItemKey, Iterable[str]] | None = None,
    gone: Iterable[KnownAddress] = (),
    files: Mapping[str, UploadedAsset] = MappingProxyType({}),
) -> AddressMap:
    """Return where every old address leads. Reads the raw cache and the decisions.

    `existing` are the full slugs of the stories that exist, and of their pages in other
    languages; without them, the places that are planned. `earlier` are addresses that
    items had at the origin, and paths that their stories had; `gone` those of items
    that are gone; `files` are those that were uploaded, by their old address. Raises
    `DecisionsError`.
    """
    if existing is None:
        places = migration.places.places.items()
        existing = {key: place.full_slug for key, place in places}
    existing = {**dict(_translated_stories(migration, existing)), **existing}
    stories = {key: f"/{path}" for key, path in existing.items()}
    folders = dict(_folders(migration))
    known = [
        *known_addresses(
            project,
            migration.origin,
            migration.decisions.collections,
            NewPaths(stories, folders, files),
        ),
        *baseline_addresses(project),
        *_earlier_addresses(migration, stories, earlier or {}),
        *(each for each in gone if each.old),
    ]
    pages = {path: key for key, path in sorted(stories.items(), reverse=True)}
    decided = decided_redirects(project)
    left_out = left_out_items(
        migration.origin, migration.decisions.collections, migration.skipped
    )
    lists = frozenset(folders.values())
    moved = MovedFiles.of(files)
    found = map_addresses(known, pages, lists, decided, left_out, moved)
    return replace(found, unused=unused_rules(project, migration.origin))


def current_addresses(project: Project, migration: Migration) -> AddressMap:
    """Return where every old address leads by what is imported. Reads the ledger."""
    with Ledger.open_existing(project.ledger) as ledger:
        begun = as_begun(migration, ledger)
        return imported_addresses(project, begun, ledger, ledger.items.all())


def imported_addresses(
    project: Project,
    migration: Migration,
    ledger: Ledger,
    rows: Mapping[ItemKey, ItemRow],
) -> AddressMap:
    """Return the same for the rows of a ledger that is open."""
    existing = {
        key: record.full_slug
        for key, row in rows.items()
        if (record := row.current_record) is not None
    }
    existing |= dict(language_paths(migration, ledger, existing))
    # Visitors may know the addresses of items that are gone.
    gone = (
        KnownAddress(
            row.old_path,
            Source.GONE_ITEM,
            f"/{row.current_record.full_slug}" if row.current_record else "",
            key,
            row.name,
        )
        for key, row in rows.items()
        if row.gone is not None
    )
    earlier = ledger.items.earlier_paths()
    files = proven_assets(migration, ledger)
    return address_map(project, migration, existing, earlier, gone, files)


def decided_redirects(project: Project) -> RedirectsDecision:
    """Return what is decided about old addresses. Raises `DecisionsError`."""
    decided = decision_in(project, RedirectsDecision) or RedirectsDecision()
    check_against(decided, ())
    return decided


def gone_addresses(project: Project, settings: Settings) -> frozenset[str]:
    """Return the old addresses that were decided to be gone.

    Raises what `open_migration` does, where there is any such decision.
    """
    decided = decided_redirects(project).addresses
    if all(each.action is not RedirectAction.GONE for each in decided):
        return frozenset()
    found = address_map(project, open_migration(project, settings))
    return frozenset(each.old for each in found.of(AddressOutcome.GONE))


def _translated_stories(
    migration: Migration, existing: Mapping[ItemKey, str]
) -> Iterator[tuple[ItemKey, str]]:
    """Yield the planned paths of items whose story is the primary language's."""
    for entry in migration.selected:
        key = entry.item.key
        slugs = dict(migration.places.places[key].slugs)
        for each in entry.item.languages if key in existing else ():
            slug = slugs[each.code]
            yield each.key, path_in_language(existing[key], each.code, slug)


def _folders(migration: Migration) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the path of each collection's folder, in each locale."""
    decided = migration.decisions.collections
    # Folders below a collection's own come later, and are longer.
    for folder in sorted(migration.places.folders, key=lambda each: -len(each.path)):
        if folder.collection_id:
            yield (folder.collection_id, folder.locale_id), f"/{folder.path}"
            for each in decided.translations:
                path = f"/{each.code}/{folder.path}"
                yield (folder.collection_id, each.locale_id), path


def _earlier_addresses(
    migration: Migration,
    stories: Mapping[ItemKey, str],
    earlier: Mapping[ItemKey, Iterable[str]],
) -> Iterator[KnownAddress]:
    """Yield the addresses that items and stories had before."""
    paths = live_paths(migration.origin)
    for key in sorted(earlier.keys() & stories.keys()):
        for path in earlier[key]:
            yield KnownAddress(f"/{path}", Source.EARLIER, stories[key], key)
            if key in paths:
                above = paths[key].rpartition("/")[0]
                old = f"{above}/{path.rpartition('/')[2]}"
                yield KnownAddress(old, Source.EARLIER, stories[key], key)


def write_redirects(folder: Path, addresses: AddressMap) -> tuple[Path, ...]:
    """Write the list of addresses and a file for each host below `folder`/redirects.

    Raises `StorageError` when the disk refuses.
    """
    return tuple(
        write_text(folder / FOLDER / each.name, each.text)
        for each in host_files(addresses)
    )
