"""How much there is at the origin, without reading it."""

from __future__ import annotations

from dataclasses import dataclass

from cmsmig.canonical import Json
from cmsmig.events import Observer
from cmsmig.origin.cache import choose_site, collection_id, parse_sites
from cmsmig.origin.client import OriginClient
from cmsmig.settings import Settings
from cmsmig.steps.connect import open_origin


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
