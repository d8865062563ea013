"""Links to other sites that lead nowhere; asked only on demand, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from cmsmig.canonical import JsonObject
from cmsmig.errors import RejectedError, UnreachableError
from cmsmig.events import Observer
from cmsmig.mapping.cleaning.body_edits import Body
from cmsmig.mapping.decisions.cleaning import BODY, LINK_TYPES
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.site_address import host_of
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.wire.session import Session

_PAUSE = 0.5
"""Seconds between two requests."""
_SECONDS = 15.0
_GONE = frozenset((404, 410))
"""Other statuses may be for programs alone. Source: RFC 9110."""


async def find_dead_links(
    project: Project, settings: Settings, most: int, observer: Observer
) -> JsonObject:
    """Ask the addresses outside of the site that items link to, at most so many, each
    once with HEAD; return how many were asked, how many are left, and the dead ones.

    One host after the other, one request at a time. Raises `UnreadError` without a
    complete pull.
    """
    uses = _external(read_origin(project, settings.site_id))
    wanted = sorted(uses, key=lambda address: (host_of(address), address))
    asked, dead = wanted[:most], list[JsonObject]()
    async with Session(
        "site", authorization=None, budget=None, in_flight=1, observer=observer
    ) as session:
        for address in asked:
            if why := await _why_dead(session, address):
                dead.append({"address": address, "why": why, "items": [*uses[address]]})
            await asyncio.sleep(_PAUSE)
    left = len(wanted) - len(asked)
    return {"links_asked": len(asked), "links_left": left, "dead_links": [*dead]}


async def _why_dead(session: Session, address: str) -> str:
    try:
        found = await session.fetch(
            address,
            max_bytes=1 << 40,
            allow_private=False,
            timeout=_SECONDS,
            method="HEAD",
        )
    except (RejectedError, UnreachableError) as error:
        return str(error)
    return f"It answers {found.status}." if found.status in _GONE else ""


def _external(origin: Origin) -> Mapping[str, dict[str, None]]:
    """Return the addresses outside of the site, each with the items that link there."""
    own = {each.removeprefix("www.") for each in origin.site.domains}
    types = {
        each.collection_id: {field.slug: field.type for field in each.fields}
        for each in origin.collections
    }
    found: dict[str, dict[str, None]] = {}
    for key, item in origin.every_item().items():
        for slug, value in item.data.items():
            kind = types[key.collection_id].get(slug)
            if not isinstance(value, str) or kind not in (BODY, *LINK_TYPES):
                continue
            for address in Body(value).hrefs if kind == BODY else (value,):
                host = host_of(address).removeprefix("www.")
                if address.lower().startswith("http") and host and host not in own:
                    bare = address.partition("#")[0]
                    found.setdefault(bare, {})[item.name or item.slug] = None
    return found
