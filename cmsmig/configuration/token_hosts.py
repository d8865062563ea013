"""Which host a token may be sent to without being asked about.

Settings that come with files of other people must not lead a token elsewhere, so an
address is as trusted as the place that it is set in.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from cmsmig.configuration.regions import ORIGIN_HOSTS, REGION_BASES
from cmsmig.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Placed:
    """A value and where it was given."""

    value: object
    place: str
    """In words, for messages."""
    source: str = ""
    """The file, or empty for the environment."""


@dataclass(frozen=True, slots=True)
class Side:
    """The settings of one service that a token and its host depend on."""

    name: str
    address: str
    hosts: frozenset[str]
    """The service's own."""

    @property
    def token(self) -> str:
        """Return the name of the setting that holds the token."""
        return f"{self.name}_token"

    @property
    def confirmation(self) -> str:
        """Return the name of the setting that confirms a host."""
        return f"{self.name}_token_for"


SIDES = (
    Side("origin", "origin_api_url", ORIGIN_HOSTS),
    Side(
        "destination",
        "destination_base_url",
        frozenset(urlsplit(base).hostname or "" for base in REGION_BASES.values()),
    ),
)


def require_meant(given: Mapping[str, Placed], confirmed: Mapping[str, str]) -> None:
    """Raise `SettingsError` if a token would go to a host that it is not meant for.

    Meant are the service's own hosts, loopback, a host that is set where the
    token is, and one that is confirmed by name.
    """
    for side in SIDES:
        token, address = given.get(side.token), given.get(side.address)
        if token is None or address is None or token.source == address.source:
            continue
        host = host_of(str(address.value))
        named = confirmed.get(side.confirmation, "")
        if host in side.hosts or is_loopback(host) or host == named:
            continue
        raise SettingsError(
            f"{side.address} in {address.place} would send the token from "
            f"{token.place} to {host}, which is not the service's own host; if that is "
            f'meant, write {side.confirmation} = "{host}" into cmsmig.toml, or put '
            "both into the same place."
        )


def host_of(address: str) -> str:
    """Return the host of a base address in lower case, without its port."""
    try:
        return urlsplit(address.strip()).hostname or ""
    except ValueError:
        return ""


_LOOPBACK = ipaddress.ip_network("127.0.0.0/8")
_SIX = ipaddress.ip_address("::1")


@lru_cache(maxsize=256)
def is_loopback(host: str) -> bool:
    """Return whether a host is `localhost`, in 127.0.0.0/8 or `::1`.

    Only as these are written as a rule: what resolvers also take for a number
    (`0x7f.1`, `134744072`) may be any address.
    """
    if host.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address == _SIX if address.version == 6 else address in _LOOPBACK
