"""The origin's own host as a file host, where it is a private one."""

from __future__ import annotations

from collections.abc import Iterator, Set
from urllib.parse import urlsplit

from cmsmig.mapping.addresses import host_of
from cmsmig.wire.addresses import is_private_host


class OwnHost:
    """The origin's own host, where it is a private one: a sandbox, as a rule."""

    def __init__(self, api_url: str) -> None:
        host = urlsplit(api_url).hostname or ""
        self._host = host if is_private_host(host) else ""
        self._names = _aliases(self._host)

    def owns(self, address: str) -> bool:
        """Return whether an address is on it, whatever its port."""
        return self.has(host_of(address))

    def has(self, host: str) -> bool:
        """Return whether a host, with or without a port, is this one."""
        if not self._host:
            return False
        try:
            return urlsplit(f"//{host}").hostname in self._names
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


def _aliases(host: str) -> Set[str]:
    loopback = frozenset(("localhost", "127.0.0.1", "::1"))
    return loopback if host in loopback else frozenset((host,))
