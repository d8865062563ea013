"""Datasources and their entries."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.refusals import (
    missing,
    number_in,
    page_of,
    refuse,
    wrapped,
)
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.exchange import Call, Reply, json_reply
from cmsmig.sandbox.values import text_of, whole

_SLUG = re.compile(r"[a-z0-9_-]+", re.IGNORECASE)
_MOST_ENTRIES = 1000


def listing(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer one page of datasources."""
    page = page_of(call, list(space.datasources.values()))
    return json_reply(200, {"datasources": [*page.rows]}, headers=page.headers)


def show(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer one datasource."""
    return json_reply(200, {"datasource": _known(space, parameters)})


def create(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Make a datasource; its slug is unique in the space."""
    body = wrapped(call, "datasource")
    name, slug = text_of(body.get("name")).strip(), text_of(body.get("slug")).strip()
    if not name:
        refuse("name", "can't be blank")
    if not _SLUG.fullmatch(slug):
        refuse("slug", "is invalid" if slug else "can't be blank")
    if any(slug == source["slug"] for source in space.datasources.values()):
        refuse("slug", "has already been taken")
    datasource: JsonObject = {
        "id": space.next_id(),
        "name": name,
        "slug": slug,
        "dimensions": [],
        "created_at": space.now(),
        "updated_at": space.now(),
    }
    space.datasources[whole(datasource["id"]) or 0] = datasource
    return json_reply(201, {"datasource": datasource}, item=slug)


def delete(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Delete a datasource and its entries."""
    datasource = _known(space, parameters)
    own = whole(datasource["id"]) or 0
    del space.datasources[own]
    for entry in space.entries_of(own):
        del space.entries[whole(entry["id"]) or 0]
    return Reply(204, item=text_of(datasource["slug"]))


def entries(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer one page of the entries of a datasource, named by id or slug."""
    wanted = whole(call.parameter("datasource_id"))
    slug = call.parameter("datasource_slug")
    rows = [
        entry
        for entry in space.entries.values()
        if (wanted is None or entry["datasource_id"] == wanted)
        and (slug is None or _slug(space, entry) == slug)
    ]
    page = page_of(call, rows, highest=_MOST_ENTRIES)
    return json_reply(200, {"datasource_entries": [*page.rows]}, headers=page.headers)


def create_entry(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Make an entry; its name is unique in its datasource."""
    body = wrapped(call, "datasource_entry")
    owner = whole(body.get("datasource_id")) or 0
    name = text_of(body.get("name")).strip()
    if owner not in space.datasources:
        missing(space)
    if not name:
        refuse("name", "can't be blank")
    if any(name == entry["name"] for entry in space.entries_of(owner)):
        refuse("name", "has already been taken")
    entry: JsonObject = {
        "id": space.next_id(),
        "name": name,
        "value": text_of(body.get("value")),
        "dimension_value": None,
        "datasource_id": owner,
    }
    space.entries[whole(entry["id"]) or 0] = entry
    return json_reply(201, {"datasource_entry": entry}, item=name)


def delete_entry(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Delete an entry."""
    if space.entries.pop(number_in(parameters, "id"), None) is None:
        missing(space)
    return Reply(204)


def _known(space: Space, parameters: Mapping[str, str]) -> JsonObject:
    datasource = space.datasources.get(number_in(parameters, "id"))
    if datasource is None:
        missing(space)
    return datasource


def _slug(space: Space, entry: JsonObject) -> str:
    owner = space.datasources.get(whole(entry["datasource_id"]) or 0, {})
    return text_of(owner.get("slug"))
