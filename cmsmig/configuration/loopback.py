"""What certainly is this machine: the only place where a token may go in the clear."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

_NETWORK = ipaddress.ip_network("127.0.0.0/8")
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
    return address == _SIX if address.version == 6 else address in _NETWORK
