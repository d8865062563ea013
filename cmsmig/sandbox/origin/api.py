"""The origin's read API, version 2."""

from __future__ import annotations

import asyncio
import hmac
import re
from dataclasses import dataclass, field, replace
from functools import partial

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.http.asgi import Call, Reply, Route, Router, json_reply
from cmsmig.sandbox.http.rate_limits import MinuteWindow
from cmsmig.sandbox.origin.content import Content
from cmsmig.sandbox.origin.refusals import failure, missing, no_route, refuse
from cmsmig.sandbox.values import object_of, text_of


@dataclass(slots=True)
class OriginApi:
    """Answers what is under `/v2`: token first, then the rate, then the route."""

    content: Content
    token: str
    window: MinuteWindow
    latency: float = 0.0
    """Seconds that each answer takes longer."""
    router: Router = field(init=False)

    def __post_init__(self) -> None:
        site, collection = "/v2/sites/{site_id}", "/v2/collections/{collection_id}"
        items, item = f"{collection}/items", f"{collection}/items/{{item_id}}"
        staged, live = partial(self._items, live=False), partial(self._items, live=True)
        one, live_one = partial(self._item, live=False), partial(self._item, live=True)
        routes = (
            Route("GET", "/v2/sites", "sites", self._sites),
            Route("GET", f"{site}/collections", "collections", self._collections),
            Route("GET", f"{site}/pages", "pages", self._pages),
            Route("GET", collection, "collection", self._collection),
            Route("GET", items, "items", staged),
            Route("GET", f"{items}/live", "live items", live),
            Route("GET", item, "item", one),
            Route("GET", f"{item}/live", "live item", live_one),
        )
        self.router = Router(routes, no_route)

    async def answer(self, call: Call) -> Reply:
        """Answer one call."""
        if not hmac.compare_digest(
            call.headers.get("authorization", "").encode(),
            f"Bearer {self.token}".encode(),
        ):
            reply = failure(401, "not_authorized", "Request not authorized")
            return replace(reply, service="origin")
        admitted = self.window.admit()
        if self.latency:
            await asyncio.sleep(self.latency)
        if admitted:
            reply = self.router.answer(call)
        else:
            reply = failure(429, "too_many_requests", "Too Many Requests")
        return replace(reply, service="origin", headers=self._headers(admitted))

    def _headers(self, admitted: bool) -> tuple[tuple[str, str], ...]:
        # The documented answers carry `Retry-After: 60` on a success too.
        wait = 60 if admitted else self.window.reopens_in
        return (
            ("X-RateLimit-Limit", str(self.window.limit)),
            ("X-RateLimit-Remaining", str(self.window.remaining)),
            ("Retry-After", str(wait)),
        )

    def _sites(self, call: Call) -> Reply:
        return json_reply(200, {"sites": [*self.content.sites]})

    def _collections(self, call: Call) -> Reply:
        self._known_site(call)
        return json_reply(200, {"collections": [*self.content.collections]})

    def _pages(self, call: Call) -> Reply:
        """Answer as to a token with the scope where the content lists its pages."""
        pages = self.content.pages
        if pages is None:
            return no_route(call)
        self._known_site(call)
        return json_reply(200, page_document("pages", pages, call))

    def _collection(self, call: Call) -> Reply:
        return json_reply(200, self._known_collection(call))

    def _items(self, call: Call, *, live: bool) -> Reply:
        self._known_collection(call)
        items = self.content.items(call.named["collection_id"], live=live)
        chosen = selected(items, call, self.content.primary_locale, self.content.chosen)
        return json_reply(200, page_document("items", chosen, call))

    def _item(self, call: Call, *, live: bool) -> Reply:
        self._known_collection(call)
        collection_id, item_id = call.named["collection_id"], call.named["item_id"]
        same = self.content.variants(collection_id, item_id, live=live)
        locale = call.parameter("cmsLocaleId")
        found = in_locales(same, locale, self.content.primary_locale)
        if not found:
            missing("Item", "item_not_found")
        return json_reply(200, found[0])

    def _known_site(self, call: Call) -> JsonObject:
        site = self.content.site(call.named["site_id"])
        return site if site is not None else missing("Site")

    def _known_collection(self, call: Call) -> JsonObject:
        collection = self.content.collection(call.named["collection_id"])
        if collection is None:
            missing("Collection", "collection_not_found")
        return collection


SORTS = frozenset({"createdOn", "lastPublished", "lastUpdated", "name", "slug"})
"""The keys that a list can be sorted by. Source: origin, list items."""
MAX_LIMIT = 100
_PAGING = frozenset({"limit", "offset"})
_KNOWN = _PAGING | {"cmsLocaleId", "sortBy", "sortOrder"}
_MOST_KEPT = 64


def selected(
    items: list[JsonObject],
    call: Call,
    primary: str,
    selected_before: dict[object, list[JsonObject]],
) -> list[JsonObject]:
    """Return the items that a call asks a page of.

    `selected_before` keeps what the same items gave for the same query. Ends the
    request with 400 for a filter of the service that is not here.
    """
    if unknown := call.parameters().keys() - _KNOWN:
        refuse(f"the sandbox has no filter {', '.join(sorted(unknown))}")
    asked = tuple(pair for pair in call.query if pair[0] not in _PAGING)
    key = (id(items), asked)
    if key not in selected_before:
        if len(selected_before) >= _MOST_KEPT:
            selected_before.clear()
        chosen = in_locales(items, call.parameter("cmsLocaleId"), primary)
        selected_before[key] = _sorted(chosen, call)
    return selected_before[key]


def page_document(key: str, rows: list[JsonObject], call: Call) -> JsonObject:
    """Return the body that holds the page that a call asks for."""
    limit = _whole(call, "limit", MAX_LIMIT, lowest=1, highest=MAX_LIMIT)
    offset = _whole(call, "offset", 0, lowest=0, highest=None)
    paging: JsonObject = {"limit": limit, "offset": offset, "total": len(rows)}
    return {key: [*rows[offset : offset + limit]], "pagination": paging}


def in_locales(
    items: list[JsonObject], asked: str | None, primary: str
) -> list[JsonObject]:
    """Return the items of the asked locales, else of the primary one, else all."""
    if asked:
        names = {name.strip() for name in asked.split(",")}
        return [item for item in items if item.get("cmsLocaleId") in names]
    if primary:
        return [i for i in items if (i.get("cmsLocaleId") or primary) == primary]
    return items


def _sorted(items: list[JsonObject], call: Call) -> list[JsonObject]:
    key = call.parameter("sortBy")
    order = call.parameter("sortOrder") or "asc"
    if order not in {"asc", "desc"}:
        refuse("sortOrder must be one of asc, desc")
    if key is None:
        return items
    if key not in SORTS:
        refuse(f"sortBy must be one of {', '.join(sorted(SORTS))}")

    def rank(item: JsonObject) -> str:
        source = item if key in item else object_of(item.get("fieldData"))
        return text_of(source.get(key))

    return sorted(items, key=rank, reverse=order == "desc")


def _whole(
    call: Call, name: str, default: int, *, lowest: int, highest: int | None
) -> int:
    text = call.parameter(name)
    if text is None:
        return default
    if not re.fullmatch(r"-?\d{1,9}", text):
        refuse(f"{name} must be an integer")
    value = int(text)
    if value < lowest or (highest is not None and value > highest):
        bound = f" and at most {highest}" if highest is not None else ""
        refuse(f"{name} must be at least {lowest}{bound}")
    return value
