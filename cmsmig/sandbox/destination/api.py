"""The destination's management API, version 1."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field, replace

from cmsmig.sandbox.destination import space_routes
from cmsmig.sandbox.destination.refusals import not_found
from cmsmig.sandbox.destination.routes import ROUTES, Handler, needed_scope
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.destination.tokens import (
    Credential,
    Credentials,
    available_scopes,
    unauthorized,
)
from cmsmig.sandbox.http.asgi import (
    AnsweredError,
    Apply,
    Call,
    Reply,
    Route,
    Router,
    json_reply,
)
from cmsmig.sandbox.http.rate_limits import InFlight, TokenWindows

_METADATA = "/v1/personal_access_tokens/metadata"
_OPEN = frozenset({"validate token", "available scopes"})
"""Routes that check neither scope nor space."""
_SPACE = re.compile(r"/v1/spaces/(\d+)(/.*)?")


@dataclass(slots=True)
class ManagementApi:
    """Answers `/v1`: token, concurrency, rate, scope, route, in this order."""

    space: Space
    credentials: Credentials
    window: TokenWindows
    in_flight: InFlight
    latency: float = 0.0
    """Seconds that each answer takes longer."""
    router: Router = field(init=False)

    def __post_init__(self) -> None:
        base = f"/v1/spaces/{self.space.space_id}"
        own = [
            Route(method, base + path, name, _bound(self.space, handler))
            for method, path, name, handler in ROUTES
        ]
        spaces = _bound(self.space, space_routes.listing)
        user = _bound(self.space, space_routes.user)
        validate = self.credentials.validate
        outside = (
            Route("GET", "/v1/tokens/validate", "validate token", validate),
            Route("GET", _METADATA, "available scopes", available_scopes),
            Route("GET", "/v1/spaces", "spaces", spaces),
            Route("GET", "/v1/users/me", "user", user),
        )
        self.router = Router((*outside, *own), lambda call: not_found())

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
        return self.router.answer(call)

    def _refusal(self, call: Call, *, admitted: bool) -> Reply | None:
        credential = self.credentials.of(call)
        if credential is None:
            return unauthorized()
        if not admitted:
            message = "Too many concurrent requests. Retry later."
            return json_reply(429, {"error": message})
        if not self.window.admit(call.headers["authorization"]):
            rate = self.window.limit
            message = f"Rate limit of {rate} request per second reached. Retry later."
            return json_reply(429, {"error": message})
        message = self._denial(call, credential)
        return json_reply(403, {"error": message}) if message else None

    def _denial(self, call: Call, credential: Credential) -> str:
        """Return why the token may not make this call, empty when it may."""
        found = self.router.match(call.method, call.path)
        if found is not None and found[0].name in _OPEN:
            return ""
        named = _SPACE.fullmatch(call.path)
        denied = credential.space_refusal(int(named[1]) if named else None)
        if denied or found is None:
            return denied
        try:
            return credential.scope_refusal(needed_scope(found[0], call))
        except AnsweredError:
            # The route itself refuses a body that is not JSON.
            return ""


def _bound(space: Space, handler: Handler) -> Apply:
    return lambda call: handler(space, call)
