"""The origin's read API, version 2."""

from __future__ import annotations

import asyncio
import hmac
from dataclasses import dataclass, field, replace
from functools import partial

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.http.asgi import Call, Reply, Route, Router, json_reply
from cmsmig.sandbox.http.rate_limits import MinuteWindow
from cmsmig.sandbox.origin.content import Content
from cmsmig.sandbox.origin.listing import in_locales, page_document, selected
from cmsmig.sandbox.origin.refusals import failure, missing, no_route


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
