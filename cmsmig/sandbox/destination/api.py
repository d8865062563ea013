"""The destination's management API, version 1."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from cmsmig.sandbox.destination import (
    asset_folder_routes,
    asset_routes,
    component_routes,
    datasource_routes,
    space_routes,
    story_list,
    story_routes,
)
from cmsmig.sandbox.destination.refusals import not_found
from cmsmig.sandbox.destination.signing import Signer
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.exchange import (
    Apply,
    Call,
    Reply,
    Route,
    Router,
    json_reply,
    routed,
)
from cmsmig.sandbox.limits import InFlight, SecondWindow

Handler: TypeAlias = Callable[[Space, Call, Mapping[str, str]], Reply]

_ROUTES: tuple[tuple[str, str, str, Handler], ...] = (
    ("GET", "", "space", space_routes.show),
    ("GET", "/components", "components", component_routes.listing),
    ("POST", "/components", "create component", component_routes.create),
    ("GET", "/components/{id}", "component", component_routes.show),
    ("PUT", "/components/{id}", "update component", component_routes.update),
    ("DELETE", "/components/{id}", "delete component", component_routes.delete),
    ("GET", "/component_groups", "component groups", component_routes.groups),
    (
        "POST",
        "/component_groups",
        "create component group",
        component_routes.create_group,
    ),
    (
        "DELETE",
        "/component_groups/{id}",
        "delete component group",
        component_routes.delete_group,
    ),
    ("GET", "/datasources", "datasources", datasource_routes.listing),
    ("POST", "/datasources", "create datasource", datasource_routes.create),
    ("GET", "/datasources/{id}", "datasource", datasource_routes.show),
    ("DELETE", "/datasources/{id}", "delete datasource", datasource_routes.delete),
    ("GET", "/datasource_entries", "datasource entries", datasource_routes.entries),
    (
        "POST",
        "/datasource_entries",
        "create datasource entry",
        datasource_routes.create_entry,
    ),
    (
        "DELETE",
        "/datasource_entries/{id}",
        "delete datasource entry",
        datasource_routes.delete_entry,
    ),
    ("GET", "/stories", "stories", story_list.listing),
    ("POST", "/stories", "create story", story_routes.create),
    ("POST", "/stories/validate_slugs", "validate slugs", story_routes.validate_slugs),
    ("GET", "/stories/{id}", "story", story_routes.show),
    ("PUT", "/stories/{id}", "update story", story_routes.update),
    ("DELETE", "/stories/{id}", "delete story", story_routes.delete),
    ("GET", "/stories/{id}/publish", "publish story", story_routes.publish),
    ("GET", "/stories/{id}/unpublish", "unpublish story", story_routes.unpublish),
    ("PUT", "/stories/{id}/move", "move story", story_routes.move),
    ("PUT", "/stories/{id}/update_uuid", "update uuid", story_routes.update_uuid),
    ("GET", "/assets", "assets", asset_routes.listing),
    ("POST", "/assets/bulk_destroy", "delete assets", asset_routes.delete_many),
    ("GET", "/assets/{id}", "asset", asset_routes.show),
    ("PUT", "/assets/{id}", "update asset", asset_routes.update),
    ("PATCH", "/assets/{id}", "update asset", asset_routes.update),
    ("DELETE", "/assets/{id}", "delete asset", asset_routes.delete),
    ("GET", "/assets/{id}/finish_upload", "finish upload", asset_routes.finish),
    ("POST", "/assets/{id}/finish_upload", "finish upload", asset_routes.finish),
    ("GET", "/asset_folders", "asset folders", asset_folder_routes.listing),
    ("POST", "/asset_folders", "create asset folder", asset_folder_routes.create),
    ("GET", "/asset_folders/{id}", "asset folder", asset_folder_routes.show),
    ("PUT", "/asset_folders/{id}", "update asset folder", asset_folder_routes.update),
    (
        "DELETE",
        "/asset_folders/{id}",
        "delete asset folder",
        asset_folder_routes.delete,
    ),
)


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
            for method, path, name, handler in _ROUTES
        ]
        signing = asset_routes.bound(self.space, sign)
        spaces = _bound(self.space, space_routes.listing)
        self.router = Router(
            (
                Route("GET", "/v1/spaces", "spaces", spaces),
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
                self.space.number = call.number
                reply = routed(self.router, call, call.path, missing=self._missing)
        return replace(reply, service="destination", quota=True)

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
