"""The destination's management API, version 1."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from cmsmig.sandbox.destination import space_routes
from cmsmig.sandbox.destination.assets import asset_routes
from cmsmig.sandbox.destination.assets.signing import Signer
from cmsmig.sandbox.destination.refusals import not_found
from cmsmig.sandbox.destination.routes import ROUTES, Handler
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import (
    Apply,
    Call,
    Reply,
    Route,
    Router,
    json_reply,
    routed,
)
from cmsmig.sandbox.http.rate_limits import InFlight, SecondWindow


class Access(StrEnum):
    """What a token may do."""

    ALL = "all"
    READ = "read"
    """A token with a narrow scope: every write is answered 403."""


@dataclass(slots=True)
class ManagementApi:
    """Answers `/v1`: token, concurrency, rate, route, in this order."""

    space: Space
    credentials: Mapping[str, Access]
    """By the exact value of the `Authorization` header."""
    window: SecondWindow
    in_flight: InFlight
    signer: Signer
    post_url: str
    latency: float = 0.0
    """Seconds that each answer takes longer."""
    router: Router = field(init=False)

    def __post_init__(self) -> None:
        base = f"/v1/spaces/{self.space.space_id}"
        sign = asset_routes.signing(self.signer, self.post_url)
        own = [
            Route(method, base + path, name, _bound(self.space, handler))
            for method, path, name, handler in ROUTES
        ]
        signing = asset_routes.bound(self.space, sign)
        spaces = _bound(self.space, space_routes.listing)
        user = _bound(self.space, space_routes.user)
        self.router = Router(
            (
                Route("GET", "/v1/spaces", "spaces", spaces),
                Route("GET", "/v1/users/me", "user", user),
                Route("POST", f"{base}/assets", "sign upload", signing),
                *own,
            )
        )

    async def answer(self, call: Call) -> Reply:
        """Answer one call."""
        with self.in_flight.entered() as admitted:
            reply = self._refusal(call, admitted=admitted)
            if self.latency:
                await asyncio.sleep(self.latency)
            if reply is None:
                reply = self.apply(call)
        return replace(reply, service="destination", quota=True)

    def apply(self, call: Call) -> Reply:
        """Do what an admitted call asks for."""
        self.space.begin(call)
        if call.method != "GET":
            self.space.version += 1
        return routed(self.router, call, call.path, missing=self._missing)

    def _refusal(self, call: Call, *, admitted: bool) -> Reply | None:
        access = self.credentials.get(call.headers.get("authorization", ""))
        if access is None:
            return json_reply(401, {"error": "Unauthorized"})
        if not admitted:
            return self._slow_down("Too many concurrent requests. Retry later.")
        if not self.window.admit():
            rate = self.window.limit
            message = f"Rate limit of {rate} request per second reached. Retry later."
            return self._slow_down(message)
        if access is Access.READ and call.method not in {"GET", "HEAD"}:
            message = "This action is not allowed for the scopes of this token."
            return json_reply(403, {"error": message})
        largest = self.space.unknowns.largest_body
        if largest and len(call.body) > largest:
            return Reply(413, b"<html><h1>413 Too Large</h1></html>", "text/html")
        return None

    def _slow_down(self, message: str) -> Reply:
        told = self.space.unknowns.retry_after
        headers = (("Retry-After", "1"),) if told else ()
        return json_reply(429, {"error": message}, headers=headers)

    def _missing(self) -> Reply:
        return not_found(self.space)


def _bound(space: Space, handler: Handler) -> Apply:
    return lambda call, parameters: handler(space, call, parameters)
