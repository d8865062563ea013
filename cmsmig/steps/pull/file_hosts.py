"""Which hosts the origin serves uploaded files from: its own too, where that is a
private one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from urllib.parse import urlsplit

from cmsmig.errors import RejectedError
from cmsmig.mapping.convert.asset_uploads import KNOWN_FILE_HOSTS, observed_file_hosts
from cmsmig.origin.schema import Collection, Item
from cmsmig.settings import Settings
from cmsmig.steps.pull.file_downloads import fetchable
from cmsmig.wire.addresses import is_private_host, target

_PORTS = {"http": 80, "https": 443}


class OwnHost:
    """The origin's own host, where it is a private one: a sandbox, as a rule."""

    def __init__(self, api_url: str) -> None:
        parts = urlsplit(api_url)
        host = parts.hostname or ""
        self._host = host if is_private_host(host) else ""
        self._port = parts.port or _PORTS.get(parts.scheme)
        self._names = _aliases(self._host)

    def owns(self, address: str) -> bool:
        """Return whether an address is on it, at the origin's own port.

        Whatever else listens on this machine is none of an item's business.
        """
        try:
            aim = target(fetchable(address))
        except RejectedError:
            return False
        return aim.port == self._port and self.has(aim.host)

    def has(self, host: str) -> bool:
        """Return whether a host, with or without a port, is this one."""
        if not self._host:
            return False
        try:
            return _hostname(host) in self._names
        except ValueError:
            return False


class FileHosts(Set[str]):
    """Named hosts, and the origin's own private one with any port."""

    def __init__(self, named: frozenset[str], own: OwnHost) -> None:
        self._named = named
        self._own = own

    def __contains__(self, host: object) -> bool:
        return host in self._named or (isinstance(host, str) and self._own.has(host))

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)


def _hostname(host: str) -> str | None:
    bracketed = f"[{host}]" if host.count(":") > 1 and "[" not in host else host
    return urlsplit(f"//{bracketed}").hostname


def _aliases(host: str) -> Set[str]:
    loopback = frozenset(("localhost", "127.0.0.1", "::1"))
    return loopback if host in loopback else frozenset((host,))


def file_hosts(
    settings: Settings,
    collections: Sequence[Collection],
    staged: Mapping[str, Iterable[Item]],
    live: Mapping[str, Iterable[Item]],
) -> frozenset[str]:
    """Return the known hosts, those the settings name, and those that file
    fields of this site use. Reads only."""
    items = chain.from_iterable([*staged.values(), *live.values()])
    observed = observed_file_hosts(items, collections)
    return KNOWN_FILE_HOSTS | frozenset(settings.file_hosts) | observed
