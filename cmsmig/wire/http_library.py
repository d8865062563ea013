"""The seam of the HTTP library: one request at a time, sent once.

What the library repeats for each client or call is done once here.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import cache, lru_cache
from urllib.parse import urlsplit
from urllib.request import getproxies

import httpx

from cmsmig.configuration.token_hosts import is_loopback
from cmsmig.errors import SettingsError
from cmsmig.masking import masked, masked_bytes
from cmsmig.wire.addresses import Target, proxy_of
from cmsmig.wire.answers import Answer, Request, bare
from cmsmig.wire.bounds import (
    ANSWER_BYTES,
    ANSWER_PIECE,
    ANSWER_SECONDS,
    MEGABYTE,
    REFUSAL_BYTES,
    SLOW_TRIES,
    BoundError,
    Gauge,
    TooLargeError,
    held_to,
)
from cmsmig.wire.connections import Connections
from cmsmig.wire.failures import NoAnswer, Outcome

_IDLE_SECONDS = 4.0
"""Shorter than a server's usual five, or requests run into closing connections."""
_CONNECT_SECONDS = 15.0
_PACKING = "gzip, deflate"
"""How answers may be packed; files are asked for as they are."""
_USUAL = {
    "Accept": "*/*",
    "Accept-Encoding": _PACKING,
    "Connection": "keep-alive",
    "User-Agent": "cmsmig",
}
_address = lru_cache(maxsize=256)(httpx.URL)
"""Taking an address apart; many requests go to one."""
_UNSENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
    httpx.LocalProtocolError,
)
_DAMAGED = "its packed bytes are damaged"
TRANSFER_TRIES = 4


class BrokenTransferError(Exception):
    """The transport failed; the text says how."""

    def __init__(
        self,
        reason: str,
        *,
        timed_out: bool = False,
        tries: int = TRANSFER_TRIES,
        sent: bool = True,
    ) -> None:
        super().__init__(reason)
        self.sent = sent
        """Whether the host may have been reached."""
        self.timed_out = timed_out
        self.tries = min(tries, SLOW_TRIES) if timed_out else tries
        """How often it is worth trying in all."""


class StrangePackingError(BoundError):
    """A body is packed in a way that was not asked for."""


class Stream:
    """A file's answer whose body is still to come."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.status = response.status_code
        self.headers = _lower_names(response.headers)
        """Keys in lower case."""

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body; raises `BrokenTransferError`."""
        with _broken():
            _require_packing(self._response)
            async for chunk in self._response.aiter_bytes():
                yield chunk


class Client:
    """Sends requests one by one: no cookies, no redirects, and nothing sent again.

    Without a `transport` of one's own, requests go through connections that are
    kept, or by the proxies that the environment names; none of these hears what stays
    on this machine.
    """

    def __init__(
        self, transport: httpx.AsyncBaseTransport | None, *, timeout: float
    ) -> None:
        self._timeout = httpx.Timeout(
            timeout, connect=min(timeout, _CONNECT_SECONDS)
        ).as_dict()
        self._is_real = transport is None
        self._transport = transport or Connections(
            certificates(), idle_seconds=_IDLE_SECONDS
        )
        self._uses_proxies = transport is None and _names_proxies()
        self._proxied: httpx.AsyncClient | None = None

    def goes_by_proxy(self, url: str) -> bool:
        """Return whether a proxy is asked for `url`, which looks up its host."""
        return self._uses_proxies and bool(proxy_of(url))

    async def exchange(
        self,
        request: Request,
        headers: Mapping[str, str],
        body: bytes | None,
        sent: Callable[[], Awaitable[None]] | None = None,
    ) -> Outcome:
        """Send a request and return what came of it; never raises for the network.

        `sent` is called when its last byte has gone out. Raises `SettingsError`
        before a token would travel in the clear.
        """
        coming = _Coming(tells_token=request.tells_token)
        by_proxy = self._may_use_proxy(request.url, headers)
        try:
            async with held_to(ANSWER_SECONDS, ANSWER_PIECE) as gauge:
                response = await self._send(
                    request.method,
                    request.url,
                    params=request.params,
                    headers=headers,
                    content=body,
                    sent=sent,
                    by_proxy=by_proxy,
                )
                await coming.take(response, gauge)
        except BoundError as error:
            if not coming.is_refusal:
                oversized = isinstance(error, TooLargeError)
                came = coming.answer()
                return NoAnswer(str(error), True, came, error.tries, oversized)
        except httpx.DecodingError:
            return NoAnswer(_DAMAGED, True, coming.answer())
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            reason = _reason(error)
            if by_proxy and self.goes_by_proxy(request.url):
                reason = f"{reason}, by the proxy {bare(proxy_of(request.url))}"
            return NoAnswer(reason, sent=not isinstance(error, _UNSENT))
        return coming.answer() or NoAnswer("it did not answer", sent=True)

    @asynccontextmanager
    async def stream(
        self,
        aim: Target,
        places: tuple[str, ...],
        headers: Mapping[str, str],
        method: str = "GET",
    ) -> AsyncIterator[Stream]:
        """Open a file at one of the numeric addresses that its host may have.

        Without any, they are looked up by name. `headers` are sent in addition to the
        usual ones. Raises `BrokenTransferError`.
        """
        with _broken():
            response = await self._send(
                method,
                aim.url,
                headers={"Accept-Encoding": "identity", **headers},
                addresses=places,
                by_proxy=not places and not is_loopback(aim.host),
            )
        try:
            yield Stream(response)
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        """Hang up."""
        if self._proxied is not None:
            await self._proxied.aclose()
        await self._transport.aclose()

    def _may_use_proxy(self, url: str, headers: Mapping[str, str]) -> bool:
        try:
            parts = urlsplit(url)
        except ValueError:  # The HTTP library says what is wrong with it.
            return True
        if is_loopback(parts.hostname or ""):
            return False
        if self._is_real and parts.scheme != "https" and "Authorization" in headers:
            raise SettingsError(
                f"{bare(url)} would get the token in the clear; correct its address in "
                "the settings: https, or http on this machine."
            )
        return True

    async def _send(
        self,
        method: str,
        url: str,
        *,
        params: tuple[tuple[str, str], ...] = (),
        headers: Mapping[str, str],
        content: bytes | None = None,
        sent: Callable[[], Awaitable[None]] | None = None,
        addresses: tuple[str, ...] = (),
        by_proxy: bool,
    ) -> httpx.Response:
        """Send one request and return the answer, whose body is still to be read."""
        request = httpx.Request(
            method,
            _address(url),
            params=params or None,
            headers={**_USUAL, **headers},
            content=content,
            extensions={"timeout": self._timeout, "addresses": addresses},
        )
        if sent is not None:
            request.stream = _Body(content or b"", sent)
        if by_proxy and self._uses_proxies:
            # Made when it is needed: what stays on this machine asks for no proxy.
            self._proxied = self._proxied or _proxied_client()
            return await self._proxied.send(request, stream=True)
        return await self._transport.handle_async_request(request)


class _Body(httpx.AsyncByteStream):
    """The body of a request, which may be empty; says when its last byte has gone."""

    def __init__(self, content: bytes, sent: Callable[[], Awaitable[None]]) -> None:
        self._content = content
        self._sent = sent

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._content
        await self._sent()


class _Coming:
    """An API's answer whose body is still being received."""

    def __init__(self, *, tells_token: bool) -> None:
        self._tells_token = tells_token
        self._status = 0
        self._headers: Mapping[str, str] = {}
        self._body = bytearray()

    @property
    def is_refusal(self) -> bool:
        """Return whether the status is known and no success: its start is enough."""
        return self._status >= 300

    async def take(self, response: httpx.Response, gauge: Gauge) -> None:
        """Read it to its end; raises `BoundError` and what httpx raises."""
        self._status = response.status_code
        self._headers = _lower_names(response.headers)
        most = REFUSAL_BYTES if self.is_refusal else ANSWER_BYTES
        gauge.begin()
        try:
            _require_packing(response)
            async for chunk in response.aiter_bytes():
                gauge.take(len(chunk))
                self._body += chunk
                if len(self._body) > most:
                    del self._body[most:]
                    size = f"{most // MEGABYTE} MB"
                    raise TooLargeError(f"its answer is larger than {size}")
        finally:
            await response.aclose()

    def answer(self) -> Answer | None:
        """Return what has come, if its head has."""
        if not self._status:
            return None
        body = bytes(self._body)
        if self.is_refusal or not self._tells_token:
            body = masked_bytes(body)
        return Answer(self._status, self._headers, body)


def _require_packing(response: httpx.Response) -> None:
    """Raise `StrangePackingError` unless the body is packed once, as was asked for, or
    not at all: httpx would return it packed."""
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "deflate"):
        shown = " ".join(encoding.split())[:80]
        raise StrangePackingError(f"it is packed as {shown!r}, not as was asked for")


@contextmanager
def _broken() -> Iterator[None]:
    try:
        yield
    except StrangePackingError as error:
        raise BrokenTransferError(str(error), tries=error.tries) from None
    except httpx.DecodingError:
        raise BrokenTransferError(_DAMAGED) from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        late = isinstance(error, httpx.TimeoutException)
        sent = not isinstance(error, _UNSENT)
        raise BrokenTransferError(_reason(error), timed_out=late, sent=sent) from None


def _reason(error: Exception) -> str:
    if isinstance(error, httpx.TimeoutException):
        return "it did not answer in time"
    return masked(str(error)) or type(error).__name__


def _lower_names(headers: httpx.Headers) -> dict[str, str]:
    return {masked(name.lower()): masked(value) for name, value in headers.items()}


def _proxied_client() -> httpx.AsyncClient:
    """Return what sends by the environment's proxies; raises `SettingsError`."""
    try:
        return httpx.AsyncClient(
            follow_redirects=False,
            verify=certificates(),
            trust_env=True,
            limits=httpx.Limits(max_connections=None, keepalive_expiry=_IDLE_SECONDS),
        )
    except (ValueError, httpx.InvalidURL):
        # Its words have the whole address, which may hold a password.
        raise SettingsError(
            "The environment names a proxy whose address cannot be used; correct "
            "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY: http://HOST:PORT, https://HOST:PORT "
            "or socks5://HOST:PORT."
        ) from None


def _names_proxies() -> bool:
    """Return whether the environment has a proxy for any of our requests."""
    return not {"http", "https", "all"}.isdisjoint(getproxies())


def certificates() -> ssl.SSLContext:
    """Return the certificates that services are checked by; reading them is slow."""
    return _read(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _read(*named: str | None) -> ssl.SSLContext:
    return httpx.create_ssl_context()
