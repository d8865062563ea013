"""The HTTP library's requests, without what it does anew for each client or call."""

from __future__ import annotations

import os
import ssl
import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any
from urllib.request import getproxies

import httpx

from cmsmig.wire.connections import Connections

if find_spec("sniffio") is None:
    # httpcore looks for this library at every request, in every folder of the path:
    # that it is not installed is found out once.
    sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]


_IDLE_SECONDS = 4.0
"""Shorter than a server's usual five, or requests run into closing connections."""
_CONNECT_SECONDS = 15.0
_USUAL = {
    "Accept": "*/*",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "keep-alive",
    "User-Agent": "cmsmig",
}
_address = lru_cache(maxsize=256)(httpx.URL)
"""Taking an address apart; many requests go to one."""


class Client:
    """Sends requests one by one: no cookies, no redirects, and nothing sent again.

    Without a `transport` of one's own, requests go through connections that are
    kept, or by the proxies that the environment names if `by_proxies`.
    """

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport | None,
        *,
        by_proxies: bool,
        timeout: float,
    ) -> None:
        self._timeout = httpx.Timeout(
            timeout, connect=min(timeout, _CONNECT_SECONDS)
        ).as_dict()
        self._library: httpx.AsyncClient | None = None
        self._transport = transport or Connections(
            certificates(), idle_seconds=_IDLE_SECONDS
        )
        if transport is None and by_proxies and _names_proxies():
            self._library = httpx.AsyncClient(
                follow_redirects=False,
                verify=certificates(),
                trust_env=True,
                limits=httpx.Limits(
                    max_connections=None, keepalive_expiry=_IDLE_SECONDS
                ),
            )

    async def send(
        self,
        method: str,
        url: str,
        *,
        params: tuple[tuple[str, str], ...] = (),
        headers: dict[str, str],
        content: bytes | None = None,
        extensions: Mapping[str, Any],
    ) -> httpx.Response:
        """Send one request and return the answer, whose body is still to be read.

        Raises what the HTTP library raises.
        """
        request = httpx.Request(
            method,
            _address(url),
            params=params or None,
            headers=_USUAL | headers,
            content=content,
            extensions={"timeout": self._timeout, **extensions},
        )
        if self._library is not None:
            return await self._library.send(request, stream=True)
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        """Hang up."""
        if self._library is not None:
            await self._library.aclose()
        await self._transport.aclose()


def _names_proxies() -> bool:
    """Return whether the environment has a proxy for any of our requests."""
    return not {"http", "https", "all"}.isdisjoint(getproxies())


def certificates() -> ssl.SSLContext:
    """Return the certificates that services are checked by; reading them is slow."""
    return _read(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _read(*named: str | None) -> ssl.SSLContext:
    return httpx.create_ssl_context()
