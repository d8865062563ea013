"""The destination's management API, version 1."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from cmsmig.sandbox.destination import space_routes
from cmsmig.sandbox.destination.assets import asset_routes
from cmsmig.sandbox.destination.components import COMPONENTS
from cmsmig.sandbox.destination.record_kind import RecordKind
from cmsmig.sandbox.destination.record_kinds import (
    ASSET_FOLDERS,
    COMPONENT_GROUPS,
    DATASOURCES,
    ENTRIES,
    RELEASES,
    WEBHOOKS,
)
from cmsmig.sandbox.destination.refusals import not_found
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.destination.stories import story_list, story_routes
from cmsmig.sandbox.destination.tokens import (
    Credential,
    Credentials,
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

Handler: TypeAlias = Callable[[Space, Call], Reply]
Entry: TypeAlias = tuple[str, str, str, Handler]

_VALIDATE = "validate token"
"""The route that checks neither scope nor space."""
_SPACE = re.compile(r"/v1/spaces/(\d+)(/.*)?")
_STORIES: tuple[Entry, ...] = (
    ("GET", "/stories", "stories", story_list.listing),
    ("POST", "/stories", "create story", story_routes.create),
    ("GET", "/stories/{id}", "story", story_routes.show),
    ("PUT", "/stories/{id}", "update story", story_routes.update),
    ("DELETE", "/stories/{id}", "delete story", story_routes.delete),
    ("GET", "/stories/{id}/publish", "publish story", story_routes.publish),
    ("GET", "/stories/{id}/unpublish", "unpublish story", story_routes.unpublish),
)
_ASSETS: tuple[Entry, ...] = (
    ("GET", "/assets", "assets", asset_routes.listing),
    ("POST", "/assets", "sign upload", asset_routes.signed),
    ("POST", "/assets/bulk_restore", "restore assets", asset_routes.restore_many),
    ("GET", "/assets/{id}", "asset", asset_routes.show),
    ("PUT", "/assets/{id}", "update asset", asset_routes.update),
    ("PATCH", "/assets/{id}", "update asset", asset_routes.update),
    ("DELETE", "/assets/{id}", "delete asset", asset_routes.delete),
    ("GET", "/assets/{id}/finish_upload", "finish upload", asset_routes.finish),
    ("POST", "/assets/{id}/finish_upload", "finish upload", asset_routes.finish),
)
_RECORDS = (
    COMPONENTS,
    COMPONENT_GROUPS,
    DATASOURCES,
    ENTRIES,
    ASSET_FOLDERS,
    WEBHOOKS,
    RELEASES,
)


def _record_routes(kind: RecordKind) -> tuple[Entry, ...]:
    many, one = f"/{kind.plural}", f"/{kind.plural}/{{id}}"
    name = kind.key.replace("_", " ")
    single: tuple[Entry, ...] = (
        ("GET", one, name, kind.show),
        ("PUT", one, f"update {name}", kind.update),
        ("PATCH", one, f"update {name}", kind.update),
        ("DELETE", one, f"delete {name}", kind.delete),
    )
    return (
        ("GET", many, kind.plural.replace("_", " "), kind.listing),
        ("POST", many, f"create {name}", kind.create),
        *(entry for entry in single if entry[0] in kind.methods),
    )


ROUTES: tuple[Entry, ...] = (
    ("GET", "", "space", space_routes.show),
    *(route for kind in _RECORDS for route in _record_routes(kind)),
    *_STORIES,
    *_ASSETS,
)

_RESOURCES = {
    "": "spaces",
    "asset_folders": "asset_folders",
    "assets": "assets",
    "components": "components",
    "datasource_entries": "datasource_entries",
    "datasources": "datasources",
    "releases": "releases",
    "stories": "stories",
    "webhook_endpoints": "webhooks",
}
"""What scopes call the records of a path. The paths that are not here declare no scope:
component groups."""
_PUBLISHING = frozenset({"publish story", "unpublish story"})


def needed_scope(route: Route, call: Call) -> str:
    """Return the scope that a call needs, empty where its route declares none.

    Raises `AnsweredError` for a body that is not JSON. Source: destination, scoped
    tokens.
    """
    head = (*route.template.split("/"), "")[4]
    resource = _RESOURCES.get(head)
    if not resource:
        return ""
    if route.name in _PUBLISHING:
        return f"{resource}:publish"
    if route.method == "GET" and route.name != "finish upload":
        return f"{resource}:read"
    deploys = resource == "releases" and "do_release" in call.document()
    if deploys or (resource == "stories" and story_routes.publishes(call)):
        return f"{resource}:publish"
    return f"{resource}:write"


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
        validate = self.credentials.validate
        outside = Route("GET", "/v1/tokens/validate", _VALIDATE, validate)
        self.router = Router((outside, *own), lambda call: not_found())

    async def answer(self, call: Call) -> Reply:
        """Answer one call."""
        with self.in_flight.entered() as admitted:
            reply = self._refusal(call, admitted=admitted)
            if self.latency:
                await asyncio.sleep(self.latency)
            if reply is None:
                reply = self.apply(call)
        return replace(reply, service="destination")

    def apply(self, call: Call) -> Reply:
        """Do what an admitted call asks for."""
        self.space.received(call)
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
        if found is not None and found[0].name == _VALIDATE:
            return ""
        named = _SPACE.fullmatch(call.path)
        denied = credential.space_refusal(int(named[1])) if named else ""
        if denied or found is None:
            return denied
        try:
            return credential.scope_refusal(needed_scope(found[0], call))
        except AnsweredError:
            # The route itself refuses a body that is not JSON.
            return ""


def _bound(space: Space, handler: Handler) -> Apply:
    return lambda call: handler(space, call)
