"""Addresses of both sides: of the old site, of its pages, in stories as they were
written last, and of the space."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from cmsmig.canonical import Json
from cmsmig.configuration.regions import REGION_BASES
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.origin.schema import Site
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.decide.pulled_origin import old_addresses as page_paths

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


def old_addresses(
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
        return page_paths(self._migration.origin)


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
