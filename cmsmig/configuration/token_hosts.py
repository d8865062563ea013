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


_SIDES = (
    ("origin_api_url", "origin", ORIGIN_HOSTS),
    (
        "destination_base_url",
        "destination",
        frozenset(urlsplit(base).hostname or "" for base in REGION_BASES.values()),
    ),
)
"""A service's address, the beginning of its settings' names, its own hosts."""


def require_meant(given: Mapping[str, Placed], read: Mapping[str, object]) -> None:
    """Raise `SettingsError` if a token would go to a host that it is not meant for.

    Meant are the service's own hosts, loopback, a host that is set where the
    token is, and one that is confirmed by name. `read`: the settings as they are read.
    """
    for name, side, own in _SIDES:
        token, address = given.get(f"{side}_token"), given.get(name)
        if token is None or address is None or token.source == address.source:
            continue
        host = urlsplit(str(read[name])).hostname or ""
        if host in own or is_loopback(host) or host == read[f"{side}_token_for"]:
            continue
        raise SettingsError(
            f"{name} in {address.place} would send the token from {token.place} to "
            f"{host}, which is not the service's own host; if that is meant, write "
            f'{side}_token_for = "{host}" into cmsmig.toml, or put both into the same '
            "place."
        )


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
