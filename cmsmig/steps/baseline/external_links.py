"""Links to other sites that lead nowhere; asked only on demand, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from cmsmig.canonical import JsonObject
from cmsmig.errors import RejectedError, UnreachableError
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
    project: Project, settings: Settings, session: Session, most: int
) -> JsonObject:
    """Ask the addresses outside of the site that items link to, at most so many, each
    once with HEAD; return how many were asked, how many are left, and the dead ones.

    One host after the other, one request at a time. Raises `UnreadError` without a
    complete pull.
    """
    uses = _external(read_origin(project, settings.site_id))
    wanted = sorted(uses, key=lambda address: (host_of(address), address))
    dead: list[JsonObject] = []
    for address in wanted[:most]:
        if why := await _why_dead(session, address):
            dead.append({"address": address, "why": why, "items": [*uses[address]]})
        await asyncio.sleep(_PAUSE)
    asked = min(len(wanted), most)
    left = len(wanted) - asked
    return {"links_asked": asked, "links_left": left, "dead_links": [*dead]}


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
    own = {each.removeprefix("www.") for each in origin.site.domains}
    found: dict[str, dict[str, None]] = {}
    fields = {each.collection_id: each.fields for each in origin.collections}
    for key, item in origin.every_item().items():
        for field in fields[key.collection_id]:
            value = item.data.get(field.slug)
            for address in _links(field.type, value) if isinstance(value, str) else ():
                is_web = address.lower().startswith(("http://", "https://"))
                if is_web and host_of(address).removeprefix("www.") not in own:
                    bare = address.partition("#")[0]
                    found.setdefault(bare, {})[item.name or item.slug] = None
    return found


def _links(kind: str, value: str) -> Iterator[str]:
    if kind in LINK_TYPES:
        yield value
    elif kind == BODY:
        body = Body(value)
        yield from body.facts[2]
        body.close()
