"""The origin's read API, one method per endpoint.

Spec: origin read API (version 2). Source of the shapes: Webflow Data API v2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast
from urllib.parse import quote

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import (
    CmsmigError,
    CredentialsError,
    MalformedAnswerError,
    NotFoundError,
    RejectedError,
    ServiceError,
    UnreachableError,
)
from cmsmig.valid_text import valid_text
from cmsmig.wire.answers import Answer, Request, bare
from cmsmig.wire.session import Session

PAGE = 100
"""The most items that the service puts into one answer."""
CREDENTIALS_HINT = (
    "check that the token is this site's own and has the scopes sites:read and cms:read"
)
_ORDER = (("sortBy", "createdOn"), ("sortOrder", "asc"))
"""The service documents no default order; in this one additions come last.
Services before March 2026 refuse it. Source: origin, list items."""
_BAD_REQUEST = 400


@dataclass(frozen=True, slots=True)
class ItemPage:
    """One page of items, as they came."""

    items: list[JsonObject]
    """Each has a text `id`."""
    total: int
    """How many items the service counts at that moment."""
    limit: int = PAGE
    """How many items it would have given at most."""
    ordered: bool = True
    """Whether the service accepts to give the oldest items first."""


class OriginClient:
    """Reads only. `api_url` may end in the version segment or not."""

    def __init__(self, session: Session, api_url: str) -> None:
        self._session = session
        self._ordered = True
        """Whether no page of items was refused for its order yet."""
        self._base = api_url.rstrip("/").removesuffix("/v2").rstrip("/") + "/v2"

    async def sites(self, *, patient: bool = True) -> JsonObject:
        """Return the body that lists the sites of the token.

        Unless `patient`, an origin that cannot be reached is asked once.
        """
        return await self._listing("sites", key="sites", patient=patient)

    async def collections(self, site_id: str) -> JsonObject:
        """Return the body that lists a site's collections, without their fields."""
        return await self._listing(
            f"sites/{_segment(site_id)}/collections", key="collections"
        )

    async def site_pages(self, site_id: str, *, offset: int = 0) -> list[JsonObject]:
        """Return up to `PAGE` pages of a site from a place on, collections' templates
        included; an empty list behind the last one.

        Needs the scope pages:read. Source: Webflow Data API v2, List Pages.
        """
        paging = (("offset", str(offset)), ("limit", str(PAGE)))
        body = await self._listing(
            f"sites/{_segment(site_id)}/pages", paging, key="pages"
        )
        listed = cast("list[Json]", body["pages"])
        return [each for each in listed if isinstance(each, dict)]

    async def collection(self, collection_id: str) -> JsonObject:
        """Return a collection with its fields."""
        return _object(await self._get(f"collections/{_segment(collection_id)}"))

    async def items(
        self,
        collection_id: str,
        *,
        live: bool,
        locales: tuple[str, ...] = (),
        offset: int = 0,
        limit: int = PAGE,
    ) -> ItemPage:
        """Return one page of the staged or the live set, oldest items first.

        A service that refuses this order is asked without one, from then on at
        once. Without `locales` the service gives the primary locale alone. Raises
        `MalformedAnswerError` when the page has no total or an item no id, and
        `OversizedAnswerError` when it holds too many bytes or levels.
        """
        path = f"collections/{_segment(collection_id)}/items"
        paging = (("offset", str(offset)), ("limit", str(limit)))
        chosen = (("cmsLocaleId", ",".join(locales)),) if locales else ()
        path = f"{path}/live" if live else path
        if self._ordered:
            try:
                return _page(await self._get(path, (*paging, *_ORDER, *chosen)), limit)
            except RejectedError as refused:
                if refused.status != _BAD_REQUEST:
                    raise
        got = await self._get(path, (*paging, *chosen))
        page = replace(_page(got, limit), ordered=False)
        # Only now it is certain that the order was what the service refused.
        self._ordered = False
        return page

    async def item(
        self, collection_id: str, item_id: str, *, live: bool, locale: str | None = None
    ) -> JsonObject:
        """Return one item; raises `NotFoundError` when the set does not hold it."""
        path = f"collections/{_segment(collection_id)}/items/{_segment(item_id)}"
        chosen = (("cmsLocaleId", valid_text(locale)),) if locale else ()
        return _object(await self._get(f"{path}/live" if live else path, chosen))

    async def _listing(
        self,
        path: str,
        params: tuple[tuple[str, str], ...] = (),
        *,
        key: str,
        patient: bool = True,
    ) -> JsonObject:
        answer = await self._get(path, params, patient=patient)
        body = _object(answer)
        if not isinstance(body.get(key), list):
            raise _malformed(answer, f"it holds no list of {key}")
        return body

    async def _get(
        self,
        path: str,
        params: tuple[tuple[str, str], ...] = (),
        *,
        patient: bool = True,
    ) -> _Got:
        url = f"{self._base}/{path}"
        request = Request("GET", url, params, patient=patient)
        return _Got(url, await self._session.send(request))


@dataclass(frozen=True, slots=True)
class _Got:
    url: str
    answer: Answer


def is_about_one(error: CmsmigError) -> bool:
    """Return whether the origin answered, and its answer concerns what was asked for
    alone: a lost network and a token that is refused concern all that is asked for.

    A 403 may be about one collection: a shop's needs a scope of its own.
    """
    if isinstance(error, MalformedAnswerError | NotFoundError | RejectedError):
        return True
    answered = isinstance(error, ServiceError) and error.status not in (None, 401)
    return answered and isinstance(error, CredentialsError | UnreachableError)


def _page(got: _Got, asked: int) -> ItemPage:
    body = _object(got)
    listed, pagination = body.get("items"), body.get("pagination")
    total = pagination.get("total") if isinstance(pagination, dict) else None
    if not isinstance(listed, list):
        raise _malformed(got, "it holds no list of items")
    if not isinstance(total, int) or isinstance(total, bool) or total < 0:
        raise _malformed(got, "it does not say how many items there are")
    most = pagination.get("limit") if isinstance(pagination, dict) else None
    limit = most if isinstance(most, int) and 0 < most < asked else asked
    return ItemPage([_identified(got, entry) for entry in listed], total, limit)


def _identified(got: _Got, entry: Json) -> JsonObject:
    if not isinstance(entry, dict):
        raise _malformed(got, "one of its items is no object")
    if not isinstance(entry.get("id"), str) or not entry["id"]:
        raise _malformed(got, "one of its items has no id")
    if not isinstance(entry.get("fieldData"), dict):
        raise _malformed(got, f"the item {entry['id']} has no fieldData")
    return entry


def _object(got: _Got) -> JsonObject:
    body = got.answer.json()
    if not isinstance(body, dict):
        raise _malformed(got, "it is no JSON object")
    return body


def _malformed(got: _Got, why: str) -> MalformedAnswerError:
    return MalformedAnswerError(
        f"The origin's answer at {bare(got.url)} cannot be used, because {why};"
        " check the address of the origin in the settings, then run again.",
        service="origin",
        method="GET",
        url=bare(got.url),
        status=got.answer.status,
        body=got.answer.said(),
    )


def _segment(identifier: str) -> str:
    return quote(valid_text(identifier), safe="")
