"""One request's way through a service: parse, route, apply, respond.

A `Call` is the parsed request and a `Reply` the whole answer; neither knows the
server. Middleware sees both, before a byte is sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, TypeAlias
from urllib.parse import parse_qsl, unquote

from cmsmig.canonical import JsonObject
from cmsmig.errors import CmsmigError
from cmsmig.sandbox.values import encoded, object_of, whole


@dataclass(frozen=True, slots=True)
class Call:
    """One request, completely received."""

    method: str
    path: str
    """Decoded."""
    raw_path: str
    """As it was sent, percent-encoded."""
    query: tuple[tuple[str, str], ...]
    headers: Mapping[str, str]
    """Lower-case names."""
    body: bytes
    named: Mapping[str, str] = field(default_factory=dict)
    """The parts of the path by their names in the route's template."""
    _read: list[JsonObject] = field(default_factory=list, compare=False)
    """The body's object once it was read."""

    @property
    def record_id(self) -> int:
        """Return the id in the path; 0 for anything else."""
        return whole(self.named["id"]) or 0

    def parameter(self, name: str) -> str | None:
        """Return the last value of a query parameter, or None."""
        return self.parameters().get(name)

    def parameters(self) -> dict[str, str]:
        """Return the query; the last value of each name."""
        return dict(self.query)

    def document(self) -> JsonObject:
        """Return the JSON object of the body, empty when there is none.

        It is read once and the same object each time: no route may change it. Raises
        `AnsweredError` with status 400 for a body that is not JSON.
        """
        if not self._read:
            self._read.append(self._document())
        return self._read[0]

    def _document(self) -> JsonObject:
        if not self.body.strip():
            return {}
        try:
            return object_of(json.loads(self.body, parse_constant=_no_number))
        except (ValueError, RecursionError):
            reply = json_reply(400, {"error": "The body is not valid JSON."})
            raise AnsweredError(reply) from None


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole answer, and what gave it."""

    status: int
    body: bytes = b""
    content_type: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    service: str = ""
    route: str = ""


class AnsweredError(CmsmigError):
    """A rule of the service ends the request with this reply."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"The sandbox answered {reply.status}.")
        self.reply = reply


def json_reply(
    status: int,
    value: object,
    *,
    headers: tuple[tuple[str, str], ...] = (),
) -> Reply:
    """Return an answer with a JSON body."""
    content_type = "application/json; charset=utf-8"
    return Reply(status, encoded(value), content_type, headers)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Apply: TypeAlias = Callable[[Call], Reply]
Next: TypeAlias = Callable[[Call], Awaitable[Reply]]
Middleware: TypeAlias = Callable[[Call, Next], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Route:
    """A method and path template such as `/stories/{id}`, and what it does."""

    method: str
    template: str
    name: str
    apply: Apply


_LOOPBACK = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?", re.I)
"""The `Host` of who means this machine. A page of elsewhere, whose name leads here,
would read what the sandbox holds."""
_NO_HOST = json_reply(421, {"error": "The sandbox answers loopback names only."})

_NOT_ITS_PAGE = json_reply(
    403, {"error": "Only the sandbox's own pages may use its control pages."}
)
"""A page of another site can send a form, although it cannot read the answer."""


@dataclass(slots=True)
class Router:
    """Finds the route of a call; earlier routes win."""

    routes: Sequence[Route]
    missing: Apply
    """Answers a call that no route is for."""
    patterns: dict[tuple[str, int], list[tuple[re.Pattern[str], Route]]] = field(
        default_factory=dict, init=False
    )
    """By method and number of slashes, which no parameter of a path holds."""

    def __post_init__(self) -> None:
        for route in self.routes:
            key = (route.method, route.template.count("/"))
            entry = (_pattern(route.template), route)
            self.patterns.setdefault(key, []).append(entry)

    def match(self, method: str, path: str) -> tuple[Route, dict[str, str]] | None:
        """Return the route and its path parameters, or None; a HEAD is a GET."""
        wanted = path.rstrip("/") or "/"
        method = "GET" if method == "HEAD" else method
        for pattern, route in self.patterns.get((method, wanted.count("/")), ()):
            if found := pattern.fullmatch(wanted):
                return route, found.groupdict()
        return None

    def answer(self, call: Call) -> Reply:
        """Apply the route of a call."""
        match = self.match(call.method, call.path)
        if match is None:
            return self.missing(call)
        route, named = match
        try:
            reply = route.apply(replace(call, named=named) if named else call)
        except AnsweredError as answered:
            reply = answered.reply
        return replace(reply, route=route.name)


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template))


@dataclass(frozen=True, slots=True)
class Exchange:
    """The ASGI application of one port."""

    choose: Callable[[str], Next]
    """What answers a path; never raises for what a client may send."""
    control: Next
    """Answers what is under `/_sandbox`, where no middleware is asked, to all but pages
    of other sites."""
    middleware: tuple[Middleware, ...] = ()
    """The first is the outermost."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Receive, answer and send."""
        if scope["type"] != "http":
            return
        body = await _received(receive)
        if body is not None:
            await self.respond(await self._answer(_call(scope, body)), receive, send)

    async def respond(self, reply: Reply, receive: Receive, send: Send) -> None:
        """Send an answer."""
        headers = _headers(reply)
        if reply.status >= 200 and reply.status not in (204, 304):
            headers.append((b"content-length", str(len(reply.body)).encode()))
        start = {"type": "http.response.start", "status": reply.status}
        await send({**start, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})

    async def _answer(self, call: Call) -> Reply:
        if not _LOOPBACK.fullmatch(call.headers.get("host", "")):
            return _NO_HOST
        if call.path == "/_sandbox" or call.path.startswith("/_sandbox/"):
            if _is_of_elsewhere(call):
                return _NOT_ITS_PAGE
            return await self.control(call)
        answer = self.choose(call.path)
        for layer in reversed(self.middleware):
            answer = _wrapped(layer, answer)
        return await answer(call)


def _is_of_elsewhere(call: Call) -> bool:
    origin = call.headers.get("origin")
    own = call.headers.get("host", "").lower()
    return origin is not None and origin.partition("://")[2].lower() != own


def _call(scope: Scope, body: bytes) -> Call:
    raw = scope.get("raw_path") or scope["path"].encode()
    raw_path = raw.decode("latin-1")
    query = scope["query_string"].decode("latin-1")
    return Call(
        scope["method"],
        unquote(raw_path),
        raw_path,
        tuple(parse_qsl(query, keep_blank_values=True)) if query else (),
        {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]},
        body,
    )


async def _received(receive: Receive) -> bytes | None:
    """Return a request's whole body, or None when the client is gone before."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def _wrapped(layer: Middleware, answer: Next) -> Next:
    async def through(call: Call) -> Reply:
        return await layer(call, answer)

    return through


def _headers(reply: Reply) -> list[tuple[bytes, bytes]]:
    headers = dict(reply.headers)
    if reply.content_type:
        headers["Content-Type"] = reply.content_type
    return [
        (name.lower().encode("latin-1"), value.encode("latin-1"))
        for name, value in headers.items()
    ]
