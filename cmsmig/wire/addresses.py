"""Which addresses from other people's content may be requested."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import unicodedata
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from cmsmig.errors import FieldProblem, RejectedError
from cmsmig.wire.answers import bare

Resolver: TypeAlias = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""Host and port to numeric addresses; raises `OSError`."""

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            "192.0.0.0/24",
            "168.63.129.16/32",
            "64:ff9b:1::/48",
            "3fff::/20",
            "5f00::/16",
        ),
    )
)
"""What the standard library takes for public, in some of its versions: special-purpose
addresses of RFC 6890 and later, and the one that a machine's own cloud answers at."""
_COMPATIBLE = ipaddress.ip_network("::/96")
_TRANSLATED = ipaddress.ip_network("::ffff:0:0:0/96")
"""IPv4 in IPv6, besides mapped addresses. Source: RFC 4291 and RFC 2765."""
_DOTS = str.maketrans({"\u3002": ".", "\uff61": "."})
"""What browsers and IDNA take for a dot, besides what normalisation makes one."""


class Refusal(StrEnum):
    """Why a file is not fetched; `problems[0].field` of the error."""

    NOT_HTTP = "not_http"
    PRIVATE = "private_address"
    TOO_LARGE = "too_large"
    REDIRECTS = "redirects"


@dataclass(frozen=True, slots=True)
class Target:
    """An address that may be asked for."""

    url: str
    """Without credentials and fragment."""
    host: str
    port: int
    tls: bool


def refuse(reason: Refusal, url: str, sentence: str) -> RejectedError:
    """Return the error for an address that is not asked for."""
    return RejectedError(
        sentence,
        service="files",
        method="GET",
        url=bare(url),
        problems=(FieldProblem(reason.value, sentence),),
    )


def target(url: str) -> Target:
    """Take an address apart; raises `RejectedError` unless it is http or https."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in ("http", "https") or not host:
        raise refuse(
            Refusal.NOT_HTTP,
            url,
            f"The address {bare(url)} is neither http nor https; correct it in the"
            " origin.",
        )
    tls = parts.scheme == "https"
    place = parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment="")
    return Target(place.geturl(), host, port or (443 if tls else 80), tls)


async def reachable(
    aim: Target, *, allowed: tuple[str, int] | None, resolve: Resolver | None
) -> tuple[str, ...]:
    """Return the numeric addresses of `aim`, all of them public.

    The host and port in `allowed` may be private. Without `resolve` only what
    the address itself says is looked at. Raises `RejectedError` for a private
    address and `OSError` when the name is unknown.
    """
    literal = _numeric(aim.host)
    if literal is not None:
        found: tuple[str, ...] = (_write_host(literal, aim.host),)
    elif resolve is not None:
        found = await resolve(aim.host, aim.port)
    else:
        found = ()
    if (aim.host, aim.port) == allowed:
        return found
    if _is_localhost(aim.host) or any(not _public(address) for address in found):
        raise refuse(
            Refusal.PRIVATE,
            aim.url,
            f"{aim.host} is an address inside a private network, so nothing is"
            " downloaded from it.",
        )
    return found


async def resolve_by_system(host: str, port: int) -> tuple[str, ...]:
    """Ask the system's resolver; raises `OSError`."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(f"{host} is no host name") from error
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def proxy_of(url: str) -> str:
    """Return the proxy that the environment sends `url` to, which then resolves; empty
    for none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
    return "" if proxy_bypass(parts.hostname or "") else proxy


def is_private_host(host: str) -> bool:
    """Return whether `host` says of itself that it is private, without a lookup."""
    is_inner = _numeric(host) is not None and not _public(host)
    return is_inner or _is_localhost(host)


def _is_localhost(host: str) -> bool:
    name = _plain(host)
    return name == "localhost" or name.endswith(".localhost")


def _numeric(host: str) -> _Address | None:
    """Return the address that a host is, in any way of writing one.

    Resolvers and proxies read `0x7f.1`, `017700000001` and `2130706433` too.
    """
    name = _plain(host)
    try:
        return ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(name))
    except (OSError, UnicodeEncodeError, ValueError):
        return None


def _write_host(address: _Address, host: str) -> str:
    """Return a numeric host as it is connected to: its zone is kept."""
    _, percent, zone = host.partition("%")
    return f"{address}{percent}{zone}" if address.version == 6 else str(address)


def _plain(host: str) -> str:
    return unicodedata.normalize("NFKC", host).translate(_DOTS).lower().rstrip(".")


def _public(host: str) -> bool:
    address = _numeric(host)
    if address is None:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        address = _inner(address)
    if any(address in each for each in _NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast


def _inner(address: ipaddress.IPv6Address) -> _Address:
    """Return the IPv4 address that an IPv6 one embeds, else itself."""
    if any(address in each for each in (_NAT64, _COMPATIBLE, _TRANSLATED)):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
