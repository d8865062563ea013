"""What there is at the origin, without reading it: how many items, and the pages that
are no items: people build them again by hand."""

from __future__ import annotations

from dataclasses import dataclass

from cmsmig.canonical import Json
from cmsmig.errors import CredentialsError, ServiceError
from cmsmig.events import Noticed, Observer
from cmsmig.origin.cache import choose_site, collection_id, parse_sites
from cmsmig.origin.client import PAGE, OriginClient, is_about_one
from cmsmig.origin.page_list import StaticPage, parse_pages
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
        body = await client.collections(site.site_id)
        listed = body["collections"]
        found = []
        for record in listed if isinstance(listed, list) else ():
            identifier, counted = collection_id(record, "collections"), 0
            try:
                page = await client.items(
                    identifier, live=False, locales=site.asked_locales, limit=1
                )
                counted = page.total
            except ServiceError as error:
                if not is_about_one(error):
                    raise
                observer(Noticed(_name(record), f"it is not counted: {error}"))
            found.append(CollectionCount(_name(record), counted))
    return tuple(found)


def _name(record: Json) -> str:
    body = record if isinstance(record, dict) else {}
    return str(body.get("displayName") or body.get("slug") or body.get("id"))


async def read_static_pages(
    settings: Settings, site_id: str, observer: Observer
) -> tuple[StaticPage, ...]:
    """Return the pages that belong to no collection. Reads only, a call per 100 pages.

    Raises `CredentialsError` where the token has no scope for it.
    """
    async with open_origin(settings, observer) as session:
        client = OriginClient(session, settings.origin_api_url)
        try:
            return parse_pages(await list_pages(client, site_id))
        except CredentialsError as error:
            if not is_about_one(error):
                raise
            raise error.reworded(
                "The origin's token may not list pages: give it the scope pages:read "
                "in the site's settings, or list them by hand."
            ) from error


async def list_pages(client: OriginClient, site_id: str) -> list[Json]:
    """Return every page of a site as the origin lists it, a call per 100 pages."""
    listed: list[Json] = []
    for offset in range(0, _MOST, PAGE):
        found = await client.site_pages(site_id, offset=offset)
        listed += found
        if len(found) < PAGE:
            break
    return listed
