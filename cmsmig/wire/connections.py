"""HTTP/1.1 over connections that are kept: the HTTP library's requests and answers.

The library's own connections take four times the processor's time for one request, and
other clients send a request again by themselves when a kept connection ends, which must
not happen to a write. The grammar is the library's, h11; so are the bounds of a head.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import h11
import httpx

from cmsmig.wire.line import Line, connect

_HEAD_BYTES = 100 * 1024
"""The longest head of an answer."""
_SMALL = 64 * 1024
"""A body up to this size goes out together with the head."""
_LAST_BYTE = "http11.send_request_body.complete"

_Place: TypeAlias = tuple[str, str, int, str]
"""Scheme, host, port, and the name in the certificate."""


class Connections(httpx.AsyncBaseTransport):
    """Sends each request over a connection of its own, kept for the next one.

    A request goes out once: one that fails is the caller's to repeat. `trace` and
    `sni_hostname` among a request's extensions are heeded as the HTTP library does.
    """

    def __init__(self, certificates: ssl.SSLContext, *, idle_seconds: float) -> None:
        self._certificates = certificates
        self._idle_seconds = idle_seconds
        self._idle: dict[_Place, list[_Kept]] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return the answer, whose body is still to be read."""
        place = _place_of(request)
        patience = request.extensions.get("timeout", {})
        talk = self._take(place) or await self._begin(place, patience)
        try:
            await talk.send(request, patience)
            head = await talk.head(patience)
        except BaseException:
            talk.close()
            raise
        return httpx.Response(
            head.status_code,
            headers=head.headers.raw_items(),
            stream=_Body(self, place, talk, patience),
            extensions={
                "http_version": b"HTTP/" + bytes(head.http_version),
                "reason_phrase": bytes(head.reason),
            },
        )

    async def aclose(self) -> None:
        """Hang up all that nobody uses."""
        kept, self._idle = self._idle, {}
        for each in (each for idle in kept.values() for each in idle):
            each.talk.close()

    def give_back(self, place: _Place, talk: _Talk) -> None:
        """Keep a connection for the next request, if it can serve one."""
        if not talk.renew():
            talk.close()
            return
        until = time.monotonic() + self._idle_seconds
        self._idle.setdefault(place, []).append(_Kept(talk, until))

    def _take(self, place: _Place) -> _Talk | None:
        """Return the connection that was used last; those that rest long are ended."""
        idle = self._idle.get(place, [])
        now = time.monotonic()
        while idle and idle[0].until <= now:
            idle.pop(0).talk.close()
        while idle:
            talk = idle.pop().talk
            if talk.usable:
                return talk
            talk.close()
        return None

    async def _begin(
        self, place: _Place, patience: Mapping[str, float | None]
    ) -> _Talk:
        scheme, host, port, name = place
        if scheme == "https":
            self._certificates.set_alpn_protocols(["http/1.1"])
        return _Talk(
            await connect(
                host,
                port,
                certificates=self._certificates if scheme == "https" else None,
                name=name,
                seconds=patience.get("connect"),
            )
        )


class _Talk:
    """One connection and where in the conversation it stands."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._grammar = h11.Connection(
            our_role=h11.CLIENT, max_incomplete_event_size=_HEAD_BYTES
        )

    @property
    def usable(self) -> bool:
        """Return whether a request may be sent over it."""
        return self._line.usable

    async def send(
        self, request: httpx.Request, patience: Mapping[str, float | None]
    ) -> None:
        """Send a request, and tell its `trace` of the last byte."""
        trace = request.extensions.get("trace")
        try:
            await self._send(request, patience.get("write"))
        except httpx.WriteError:
            # A host may refuse a request before it has all of it: the answer tells.
            return
        if trace is not None:
            await trace(_LAST_BYTE, {})

    async def _send(self, request: httpx.Request, seconds: float | None) -> None:
        try:
            waiting = self._grammar.send(
                h11.Request(
                    method=request.method,
                    target=request.url.raw_path,
                    headers=request.headers.raw,
                )
            )
        except h11.LocalProtocolError as error:
            raise httpx.LocalProtocolError(str(error)) from error
        waiting = waiting or b""
        assert isinstance(request.stream, httpx.AsyncByteStream)
        async for chunk in request.stream:
            data = self._grammar.send(h11.Data(data=chunk)) or b""
            if len(waiting) + len(data) > _SMALL:
                await self._line.write(waiting, seconds)
                waiting = data
            else:
                waiting += data
        waiting += self._grammar.send(h11.EndOfMessage()) or b""
        await self._line.write(waiting, seconds)

    async def head(self, patience: Mapping[str, float | None]) -> h11.Response:
        """Return the answer's head; those that only announce it are passed over."""
        while True:
            event = await self.next(patience)
            if isinstance(event, h11.Response):
                return event

    async def next(self, patience: Mapping[str, float | None]) -> Any:
        """Return the next event of the answer."""
        while True:
            try:
                event = self._grammar.next_event()
                if event is not h11.NEED_DATA:
                    return event
                data = await self._line.read(patience.get("read"))
                if not data and self._grammar.their_state is h11.SEND_RESPONSE:
                    raise httpx.RemoteProtocolError(
                        "Server disconnected without sending a response."
                    )
                self._grammar.receive_data(data)
            except h11.RemoteProtocolError as error:
                raise httpx.RemoteProtocolError(str(error)) from error

    def renew(self) -> bool:
        """Return whether both sides have said all, and begin anew if so."""
        done = (self._grammar.our_state, self._grammar.their_state)
        if done != (h11.DONE, h11.DONE) or self._grammar.trailing_data[0]:
            return False
        self._grammar.start_next_cycle()
        return True

    def close(self) -> None:
        """Hang up."""
        self._line.close()


@dataclass(frozen=True, slots=True)
class _Kept:
    talk: _Talk
    until: float


class _Body(httpx.AsyncByteStream):
    """The body of an answer; its end gives the connection back."""

    def __init__(
        self,
        connections: Connections,
        place: _Place,
        talk: _Talk,
        patience: Mapping[str, float | None],
    ) -> None:
        self._connections = connections
        self._place = place
        self._talk: _Talk | None = talk
        self._patience = patience

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._talk is None:
            return
        try:
            while isinstance(event := await self._talk.next(self._patience), h11.Data):
                yield bytes(event.data)
        except BaseException:
            self._end(broken=True)
            raise

    async def aclose(self) -> None:
        """End the answer, read to its end or not."""
        self._end(broken=False)

    def _end(self, *, broken: bool) -> None:
        talk, self._talk = self._talk, None
        if talk is None:
            return
        if broken:
            talk.close()
        else:
            self._connections.give_back(self._place, talk)


def _place_of(request: httpx.Request) -> _Place:
    """Return where a request goes; raises `httpx.UnsupportedProtocol`."""
    url = request.url
    if url.scheme not in ("http", "https"):
        missing = "is missing an 'http://' or 'https://' protocol."
        other = f"has an unsupported protocol '{url.scheme}://'."
        raise httpx.UnsupportedProtocol(
            f"Request URL {other if url.scheme else missing}"
        )
    host = url.raw_host.decode("ascii")
    port = url.port or (443 if url.scheme == "https" else 80)
    return url.scheme, host, port, request.extensions.get("sni_hostname") or host
