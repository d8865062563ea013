"""HTTP to one service: the seam of the HTTP library, with `http_library` below it."""

from __future__ import annotations

import asyncio
import random as _random
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx

from cmsmig.configuration.token_hosts import is_loopback
from cmsmig.errors import SettingsError
from cmsmig.events import Observer, unobserved
from cmsmig.masking import hide, masked, masked_bytes, may_tell
from cmsmig.wire.addresses import Resolver, Target, goes_by_proxy, resolve_by_system
from cmsmig.wire.answers import Answer, Request, bare
from cmsmig.wire.bounds import (
    ANSWER_BYTES,
    ANSWER_PIECE,
    ANSWER_SECONDS,
    FILE_SECONDS,
    MEGABYTE,
    REFUSAL_BYTES,
    BoundError,
    Gauge,
    TooLargeError,
    held_to,
)
from cmsmig.wire.budget import Budget
from cmsmig.wire.download import BrokenTransferError, Download, Fetched, Stream
from cmsmig.wire.failures import NoAnswer
from cmsmig.wire.http_library import Client
from cmsmig.wire.sending import Outcome, Sender, Sent
from cmsmig.wire.unpacking import Unpacker, UnpackingError

_UNSENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
    httpx.LocalProtocolError,
)
_PACKING = "gzip, deflate"
"""How answers may be packed; files are asked for as they are."""
_LAST_BYTE = "http11.send_request_body.complete"
"""What the HTTP library calls the moment; it traces requests without a body too."""


class Session:
    """An async context manager for all requests to one service.

    The token is sent by `send` only; where it comes back, in whatever disguise, it
    is masked before anybody sees the answer. `credentials_hint` ends the message
    of a 401 or 403 ("check the scopes ..."). With a `transport` of one's own the
    addresses of files are looked up only by a `resolve` of one's own.
    """

    def __init__(
        self,
        service: str,
        *,
        authorization: str | None,
        budget: Budget | None,
        in_flight: int,
        observer: Observer = unobserved,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        random: Callable[[], float] = _random.random,
        clock: Callable[[], float] = time.time,
        transport: httpx.AsyncBaseTransport | None = None,
        resolve: Resolver | None = None,
        timeout: float = 60,
        credentials_hint: str = "",
    ) -> None:
        self._authorization = authorization
        hide(authorization or "")
        self._budget = budget
        self._slots = asyncio.Semaphore(max(1, in_flight))
        self._file_slots = asyncio.Semaphore(max(1, in_flight))
        self._sleep = sleep
        self._random = random
        self._transport = transport
        self._resolve = resolve or (None if transport else resolve_by_system)
        self._timeout = timeout
        self._client = self._new_client(by_proxies=True)
        self._direct = self._new_client(by_proxies=False)
        self._sender = Sender(
            service=service,
            exchange=self._exchange,
            budget=budget,
            observer=observer,
            sleep=sleep,
            random=random,
            clock=clock,
            credentials_hint=credentials_hint,
        )

    def __repr__(self) -> str:
        return f"Session({self._sender.service!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.aclose()
        await self._direct.aclose()
        if self._budget is not None:
            self._budget.close()

    async def send(self, request: Request) -> Answer:
        """Send a request and return its 2xx answer.

        A 429 waits for the budget and goes again, whatever the method: it was
        not applied. A connection that fails is tried again. What was sent
        without a usable answer is sent again only when that does no harm.
        Raises a `ServiceError` of the class that tells what is known.
        """
        async with self._slots:
            return await self._sender.send(request, self._authorization)

    async def upload(
        self,
        url: str,
        fields: Sequence[tuple[str, str]],
        file_name: str,
        content_type: str,
        data: bytes,
    ) -> Answer:
        """Post a form with the fields verbatim in order and the file last.

        Without the token and outside the budget; failures are retried. Raises
        `RejectedError` (`problems[0].field` is the host's error code),
        `UnreachableError` and `OutcomeUnknownError`.
        """
        async with self._file_slots:
            return await self._sender.upload(url, fields, file_name, content_type, data)

    async def fetch(
        self,
        url: str,
        *,
        max_bytes: int,
        allow_private: bool,
        write: Callable[[bytes], None],
        restart: Callable[[], None] | None = None,
        timeout: float = FILE_SECONDS,
    ) -> Fetched:
        """Download a public file, handing its bytes to `write` as they come.

        A transfer that is cut begins anew if `restart` takes back what was handed on.
        Http and https only; each hop's address is looked up, checked and then
        used as it was checked. `allow_private` permits the private address of
        the host and port of `url` and of no other. A status that is no success is
        returned, not raised. Raises `RejectedError` (`problems[0].field` is a
        `Refusal`) and `UnreachableError`.
        """
        asks_itself = self._transport is not None or not goes_by_proxy(url)
        download = Download(
            url=url,
            max_bytes=max_bytes,
            allow_private=allow_private,
            write=write,
            open=self._stream,
            resolve=self._resolve if asks_itself else None,
            sleep=self._sleep,
            random=self._random,
            timeout=timeout,
            restart=restart,
        )
        async with self._file_slots:
            return await download.run()

    async def _exchange(
        self,
        request: Request,
        headers: Mapping[str, str],
        body: bytes | None,
        sent: Sent,
    ) -> Outcome:
        async def trace(event: str, _: object) -> None:
            if event == _LAST_BYTE:
                await sent()

        coming = _Coming(tells_token=request.tells_token)
        client = self._client_for(request.url, headers)
        try:
            async with held_to(ANSWER_SECONDS, ANSWER_PIECE) as gauge:
                response = await client.send(
                    request.method,
                    request.url,
                    params=request.params,
                    headers={**headers, "Accept-Encoding": _PACKING},
                    content=body,
                    extensions={"trace": trace},
                )
                await coming.take(response, gauge)
        except BoundError as error:
            if not coming.is_refusal:
                oversized = isinstance(error, TooLargeError)
                came = coming.answer()
                return NoAnswer(str(error), True, came, error.tries, oversized)
        except UnpackingError as error:
            return NoAnswer(str(error), True, coming.answer(), error.tries)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            return NoAnswer(_reason(error), sent=not isinstance(error, _UNSENT))
        return coming.answer() or NoAnswer("it did not answer", sent=True)

    def _client_for(self, url: str, headers: Mapping[str, str]) -> Client:
        """Return the client for an address: no proxy hears what stays on this machine.

        Raises `SettingsError` before a token would travel in the clear.
        """
        try:
            parts = urlsplit(url)
        except ValueError:  # The HTTP library says what is wrong with it.
            return self._client
        if is_loopback(parts.hostname or ""):
            return self._direct
        clear = parts.scheme != "https" and self._transport is None
        if clear and "Authorization" in headers:
            raise SettingsError(
                f"{bare(url)} would get the token in the clear; correct its address in "
                "the settings: https, or http on this machine."
            )
        return self._client

    @asynccontextmanager
    async def _stream(
        self, aim: Target, places: tuple[str, ...]
    ) -> AsyncIterator[Stream]:
        response = await self._first_that_answers(aim, places)
        try:
            yield _HttpStream(response)
        finally:
            await response.aclose()

    async def _first_that_answers(
        self, aim: Target, places: tuple[str, ...]
    ) -> httpx.Response:
        if self._transport is not None or not places:
            client = self._direct if is_loopback(aim.host) else self._client
            return await _begin(client, aim, aim.url)
        for place in places[:-1]:
            try:
                return await _begin(self._direct, aim, aim.at(place))
            except BrokenTransferError:
                continue
        return await _begin(self._direct, aim, aim.at(places[-1]))

    def _new_client(self, *, by_proxies: bool) -> Client:
        return Client(self._transport, by_proxies=by_proxies, timeout=self._timeout)


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
        """Read it to its end; raises `BoundError` and `UnpackingError`."""
        self._status = response.status_code
        self._headers = _lower_names(response.headers)
        most = REFUSAL_BYTES if self.is_refusal else ANSWER_BYTES
        gauge.begin()
        try:
            async for chunk in _unpack(response):
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


class _HttpStream:
    """A response under way, in the words of the downloads."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.status = response.status_code
        self.headers = _lower_names(response.headers)

    async def chunks(self) -> AsyncIterator[bytes]:
        with _broken():
            async for chunk in _unpack(self._response):
                yield chunk


async def _unpack(response: httpx.Response) -> AsyncIterator[bytes]:
    """Yield a body in small pieces; raises `UnpackingError`."""
    # From the stream itself the bytes are as they came: the library would unpack a
    # whole chunk at once, however much that holds.
    assert isinstance(response.stream, httpx.AsyncByteStream)
    unpacker = Unpacker(response.headers.get("content-encoding", ""))
    async for chunk in response.stream:
        for piece in unpacker.pieces(chunk):
            yield piece
    unpacker.finish()


async def _begin(client: Client, aim: Target, url: str) -> httpx.Response:
    with _broken():
        named = httpx.URL(aim.url)
        name = named.raw_host.decode("ascii")
        return await client.send(
            "GET",
            url,
            headers={
                "Host": named.netloc.decode("ascii"),
                "Accept-Encoding": "identity",
            },
            # Without TLS too: hosts at one address must not share a connection.
            extensions={} if url == aim.url else {"sni_hostname": name},
        )


@contextmanager
def _broken() -> Iterator[None]:
    try:
        yield
    except UnpackingError as error:
        raise BrokenTransferError(str(error), tries=error.tries) from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        late = isinstance(error, httpx.TimeoutException)
        raise BrokenTransferError(_reason(error), timed_out=late) from None


def _reason(error: Exception) -> str:
    if isinstance(error, httpx.TimeoutException):
        return "it did not answer in time"
    return masked(str(error)) or type(error).__name__


def _lower_names(headers: httpx.Headers) -> dict[str, str]:
    named = {name.lower(): value for name, value in headers.items()}
    if not may_tell("\n".join([*named, *named.values()])):
        return named
    return {masked(name): masked(value) for name, value in named.items()}
