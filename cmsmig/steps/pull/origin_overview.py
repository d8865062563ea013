"""What there is at the origin, without reading it: how many items, and the pages that
are no items: people build them again by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject, text_of
from cmsmig.errors import CredentialsError
from cmsmig.events import Observer
from cmsmig.origin.cache import choose_site, collection_id, parse_sites
from cmsmig.origin.client import PAGE, OriginClient
from cmsmig.settings import Settings
from cmsmig.steps.connect import open_origin

_MOST = 20_000
"""Pages after which a list that never ends is taken to have ended."""


@dataclass(frozen=True, slots=True)
class CollectionCount:
    """How many items a collection has, each language counted."""

    name: str
    items: int


async def count_items(
    settings: Settings, observer: Observer
) -> tuple[CollectionCount, ...]:
    """Return the items of each collection as editors see them.

    Asks for one item of each collection: the service says how many there are.
    """
    async with open_origin(settings, observer) as session:
        client = OriginClient(session, settings.origin_api_url)
        site = choose_site(parse_sites(await client.sites(), "sites"), settings.site_id)
        locales = tuple(each.locale_id for each in site.locales if each.enabled)
        body = await client.collections(site.site_id)
        listed = body["collections"]
        found = []
        for record in listed if isinstance(listed, list) else ():
            page = await client.items(
                collection_id(record, "collections"),
                live=False,
                locales=locales,
                limit=1,
            )
            found.append(CollectionCount(_name(record), page.total))
    return tuple(found)


def _name(record: Json) -> str:
    body = record if isinstance(record, dict) else {}
    return str(body.get("displayName") or body.get("slug") or body.get("id"))


@dataclass(frozen=True, slots=True)
class StaticPage:
    """One page of the designer."""

    title: str
    path: str
    """Below the site's domain."""
    state: str
    seo_title: str
    description: str


async def read_static_pages(
    settings: Settings, site_id: str, observer: Observer
) -> tuple[StaticPage, ...]:
    """Return the pages that belong to no collection. Reads only, a call per 100 pages.

    Raises `CredentialsError` where the token has no scope for it.
    """
    async with open_origin(settings, observer) as session:
        client = OriginClient(session, settings.origin_api_url)
        try:
            return tuple(
                [
                    _page(each)
                    async for each in _pages(client, site_id)
                    if not each.get("collectionId") and not each.get("isBranch")
                ]
            )
        except CredentialsError as error:
            raise CredentialsError(
                "The origin's token may not list pages: give it the scope pages:read "
                "in the site's settings, or list them by hand.",
                service=error.service,
                method=error.method,
                url=error.url,
                status=error.status,
                body=error.body,
            ) from error


async def _pages(client: OriginClient, site_id: str) -> AsyncIterator[JsonObject]:
    for offset in range(0, _MOST, PAGE):
        found = await client.site_pages(site_id, offset=offset)
        for each in found:
            yield each
        if len(found) < PAGE:
            return


def _page(page: JsonObject) -> StaticPage:
    seo = page.get("seo")
    fields = seo if isinstance(seo, dict) else {}
    draft, archived = page.get("draft") is True, page.get("archived") is True
    slug = text_of(page.get("slug"))
    return StaticPage(
        title=text_of(page.get("title")),
        path=text_of(page.get("publishedPath")) or f"/{slug}",
        state="archived" if archived else "draft" if draft else "published",
        seo_title=text_of(fields.get("title")),
        description=text_of(fields.get("description")),
    )
