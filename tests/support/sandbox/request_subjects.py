"""What a request is about, in words that are the same in every run.

Ids differ between runs, so records are named by path, name or file name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.api import ManagementApi
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import AnsweredError, Call, Router
from cmsmig.sandbox.origin.api import OriginApi
from cmsmig.sandbox.values import object_of, text_of, whole

_FILTERS = ("with_slug", "ext_id", "by_uuids", "starts_with")
_KEY = re.compile(rb'name="?key"?\r\n\r\n([^\r\n]+)')


@dataclass(frozen=True, slots=True)
class RequestName:
    """A method, a route and the thing that it is about."""

    method: str
    route: str
    """Empty for an address that no route answers."""
    item: str
    service: str = "destination"


@dataclass(frozen=True)
class Naming:
    """Names the requests of one sandbox."""

    origin: OriginApi
    api: ManagementApi

    @cached_property
    def routes(self) -> frozenset[str]:
        """Return the names of all routes."""
        named = (*self.origin.router.routes, *self.api.router.routes)
        return frozenset(
            {route.name for route in named}
            | {"file", "upload", "public asset", "delivered stories"}
        )

    def of(self, call: Call, *, at_origin: bool) -> RequestName:
        """Return the name of a call before it is answered; never raises."""
        head = call.path.split("/")[1] if "/" in call.path else ""
        route, item, service = "", call.path.rpartition("/")[2], ""
        if at_origin and head == "v2":
            return self._routed(self.origin.router, call, "origin")
        if at_origin:
            route, service = "file", "files"
        elif head == "upload":
            route, item, service = "upload", _uploaded(call), "upload"
        elif head == "a":
            route, service = "public asset", "delivery"
        elif head == "v2":
            route, item, service = "delivered stories", call.path, "cdn"
        else:
            return self._routed(self.api.router, call)
        return RequestName(call.method, route, item, service)

    def _routed(
        self, router: Router, call: Call, service: str = "destination"
    ) -> RequestName:
        match = router.match(call.method, call.path)
        if match is None:
            return RequestName(call.method, "", call.path, service)
        route, parameters = match
        if router is self.origin.router:
            item = _origin_item(call, parameters)
        elif "id" in parameters:
            item = _record_name(self.api.space, call.path, parameters["id"])
        elif call.method == "GET":
            item = _listed(call)
        else:
            item = _made(self.api.space, call)
        return RequestName(call.method, route.name, item, service)


def _origin_item(call: Call, parameters: Mapping[str, str]) -> str:
    found = "/".join(parameters.values())
    offset = call.parameter("offset")
    return f"{found} from {offset}" if offset else found


def _listed(call: Call) -> str:
    """Return what a list request asks for: a filter, a page, or nothing."""
    for name in _FILTERS:
        if value := call.parameter(name):
            return value
    page = call.parameter("page")
    return f"page {page}" if page else ""


def _uploaded(call: Call) -> str:
    found = _KEY.search(call.body)
    return unquote(found[1].decode("latin-1")).rpartition("/")[2] if found else ""


def _made(space: Space, call: Call) -> str:
    """Return what a record will be called that this request asks for."""
    try:
        document = {**call.parameters(), **call.document()}
    except AnsweredError:
        return ""
    inner = [object_of(value) for value in document.values()]
    body: JsonObject = next((each for each in inner if each), document)
    if "filename" in document:
        return text_of(document["filename"])
    slug = text_of(body.get("slug"))
    parent = space.stories.get(whole(body.get("parent_id")) or 0)
    if parent is not None:
        return f"{space.full_slug(parent)}/{slug}"
    return slug or text_of(body.get("name")) or text_of(body.get("filename"))


def _record_name(space: Space, path: str, own: str) -> str:
    number, kind = whole(own) or 0, (*path.split("/"), "", "", "")[4]
    if kind == "stories" and number in space.stories:
        return space.full_slug(space.stories[number])
    if kind == "assets" and number in space.assets:
        return space.assets[number].key.rpartition("/")[2]
    tables: dict[str, Mapping[int, JsonObject]] = {
        "components": space.components,
        "datasources": space.datasources,
        "datasource_entries": space.entries,
        "asset_folders": space.asset_folders,
    }
    record = tables.get(kind, {}).get(number, {})
    return text_of(record.get("name")) or own
