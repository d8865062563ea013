"""The origin's read API, version 2."""

from __future__ import annotations

import asyncio
import hmac
from dataclasses import dataclass, field, replace

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.http.asgi import (
    AnsweredError,
    Call,
    Reply,
    Route,
    Router,
    json_reply,
    routed,
)
from cmsmig.sandbox.http.rate_limits import MinuteWindow
from cmsmig.sandbox.origin.content import Content
from cmsmig.sandbox.origin.listing import (
    BadArgumentError,
    in_locales,
    page_of,
    pages_document,
)
from cmsmig.sandbox.origin.scopes import SCOPES, for_enterprise, missing_scope
from cmsmig.sandbox.values import list_of


def failure(
    status: int, code: str, message: str, details: list[Json] | None = None
) -> Reply:
    """Return an error answer in the origin's one shape."""
    body: JsonObject = {
        "message": message,
        "code": code,
        "externalReference": None,
        "details": details or [],
    }
    return json_reply(status, body)


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
        items = "/v2/collections/{collection_id}/items"
        self.router = Router(
            (
                Route("GET", "/v2/sites", "sites", self._sites),
                Route("GET", "/v2/sites/{site_id}", "site", self._site),
                Route("GET", "/v2/token/introspect", "token", self._token),
                Route(
                    "GET",
                    "/v2/sites/{site_id}/custom_domains",
                    "custom domains",
                    self._domains,
                ),
                Route(
                    "GET",
                    "/v2/sites/{site_id}/collections",
                    "collections",
                    self._collections,
                ),
                Route("GET", "/v2/sites/{site_id}/pages", "pages", self._pages),
                Route(
                    "GET",
                    "/v2/collections/{collection_id}",
                    "collection",
                    self._collection,
                ),
                Route("GET", items, "items", self._staged),
                Route("GET", f"{items}/live", "live items", self._live),
                Route("GET", f"{items}/{{item_id}}", "item", self._item),
                Route("GET", f"{items}/{{item_id}}/live", "live item", self._live_item),
            )
        )

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
            reply = routed(
                self.router, call, call.path, missing=lambda: _no_route(call)
            )
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

    def _site(self, call: Call) -> Reply:
        site = self.content.site(call.named["site_id"])
        return json_reply(200, site) if site else _missing("Site")

    def _token(self, call: Call) -> Reply:
        sites = [site.get("id") for site in self.content.sites]
        authorization: JsonObject = {
            "id": "0" * 24,
            "grantType": "authorization_code",
            "rateLimit": self.window.limit,
            "scope": SCOPES.replace(" ", ","),
            "authorizedTo": {"siteIds": sites, "workspaceIds": [], "userIds": []},
        }
        return json_reply(200, {"authorization": authorization})

    def _domains(self, call: Call) -> Reply:
        site = self.content.site(call.named["site_id"])
        if site is None:
            return _missing("Site")
        return json_reply(200, {"customDomains": list_of(site.get("customDomains"))})

    def _collections(self, call: Call) -> Reply:
        if self.content.site(call.named["site_id"]) is None:
            return _missing("Site")
        return json_reply(200, {"collections": [*self.content.collections]})

    def _pages(self, call: Call) -> Reply:
        """Answer as to a token with the scope where the content lists its pages."""
        pages = self.content.pages
        if pages is None:
            return _no_route(call)
        if self.content.site(call.named["site_id"]) is None:
            return _missing("Site")
        try:
            return json_reply(200, pages_document(pages, call))
        except BadArgumentError as refused:
            return _refused(refused)

    def _collection(self, call: Call) -> Reply:
        return json_reply(200, self._known(call))

    def _staged(self, call: Call) -> Reply:
        return self._page(call, live=False)

    def _live(self, call: Call) -> Reply:
        return self._page(call, live=True)

    def _item(self, call: Call) -> Reply:
        return self._one(call, live=False)

    def _live_item(self, call: Call) -> Reply:
        return self._one(call, live=True)

    def _known(self, call: Call) -> JsonObject:
        collection = self.content.collection(call.named["collection_id"])
        if collection is None:
            code = "collection_not_found"
            raise AnsweredError(_missing("Collection", code))
        return collection

    def _page(self, call: Call, *, live: bool) -> Reply:
        self._known(call)
        items = self.content.items(call.named["collection_id"], live=live)
        try:
            page = page_of(
                items,
                call,
                self.content.primary_locale,
                self.content.chosen,
            )
        except BadArgumentError as refused:
            return _refused(refused)
        return json_reply(200, page.document())

    def _one(self, call: Call, *, live: bool) -> Reply:
        self._known(call)
        collection_id, item_id = call.named["collection_id"], call.named["item_id"]
        same = self.content.variants(collection_id, item_id, live=live)
        locale = call.parameter("cmsLocaleId")
        found = in_locales(same, locale, self.content.primary_locale)
        if not found:
            return _missing("Item", "item_not_found")
        return json_reply(200, found[0], item=call.named["item_id"])


def _refused(refused: BadArgumentError) -> Reply:
    return failure(400, "validation_error", "Validation Error", [str(refused)])


def _missing(what: str, code: str = "resource_not_found") -> Reply:
    return failure(404, code, f"Requested resource not found: {what} was not found")


def _no_route(call: Call) -> Reply:
    scope = missing_scope(call.method, call.path)
    if scope:
        message = f"OAuthForbidden: You are missing the following scopes - {scope}"
        return failure(403, "missing_scopes", message)
    if for_enterprise(call.path):
        message = "The site is not on the plan that this needs"
        return failure(403, "not_enterprise_plan_site", message)
    return failure(404, "resource_not_found", "Requested resource not found: the path")
