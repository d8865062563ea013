"""Datasources."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.refusals import missing, page_of, refuse, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy, whole

_SLUG = re.compile(r"[a-z0-9_-]+", re.IGNORECASE)
_SORTS = frozenset({"name", "created_at", "updated_at"})


def listing(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer one page of the datasources that the filters name."""
    ids = set((call.parameter("by_ids") or "").split(",")) - {""}
    search = (call.parameter("search") or "").lower()
    chosen = [
        source
        for source in space.datasources.values()
        if (not ids or str(source["id"]) in ids)
        and (search in text_of(source["name"]).lower() or search == source["slug"])
    ]
    key, _, direction = (call.parameter("sort_by") or "").partition(":")
    if key in _SORTS:
        chosen.sort(key=lambda one: text_of(one[key]), reverse=direction == "desc")
    page = page_of(call, chosen)
    return json_reply(200, {"datasources": [*page.rows]}, headers=page.headers)


def show(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer one datasource, named by its id or its slug."""
    return json_reply(200, {"datasource": known(space, parameters["id"])})


def create(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Make a datasource; its slug is unique in the space."""
    body = wrapped(call, "datasource")
    datasource: JsonObject = {
        "id": space.next_id(),
        "name": "",
        "slug": "",
        "dimensions": [],
        "created_at": space.now(),
        "updated_at": space.now(),
    }
    _change(space, datasource, body)
    space.datasources[whole(datasource["id"]) or 0] = datasource
    slug = text_of(datasource["slug"])
    return json_reply(201, {"datasource": datasource}, item=slug)


def update(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Replace the keys that the body names."""
    datasource = known(space, parameters["id"])
    _change(space, datasource, wrapped(call, "datasource"))
    datasource["updated_at"] = space.now()
    slug = text_of(datasource["slug"])
    return json_reply(200, {"datasource": datasource}, item=slug)


def delete(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Delete a datasource and its entries."""
    datasource = known(space, parameters["id"])
    own = whole(datasource["id"]) or 0
    del space.datasources[own]
    for entry in space.entries_of(own):
        del space.entries[whole(entry["id"]) or 0]
    return Reply(204, item=text_of(datasource["slug"]))


def known(space: Space, name: str) -> JsonObject:
    """Return the datasource of an id or a slug; ends the request without one."""
    own = whole(name)
    every = space.datasources.values()
    found = next((d for d in every if d["id"] == own or d["slug"] == name), None)
    if found is None:
        missing(space)
    return found


def _change(space: Space, datasource: JsonObject, body: JsonObject) -> None:
    name = text_of(body.get("name", datasource["name"])).strip()
    slug = text_of(body.get("slug", datasource["slug"])).strip()
    if not name:
        refuse("name", "can't be blank")
    if not _SLUG.fullmatch(slug):
        refuse("slug", "is invalid" if slug else "can't be blank")
    for other in space.datasources.values():
        if other["slug"] == slug and other["id"] != datasource["id"]:
            refuse("slug", "has already been taken")
    datasource.update({"name": name, "slug": slug})
    for wanted in list_of(body.get("dimensions_attributes")):
        _dimension(space, datasource, object_of(wanted))


def _dimension(space: Space, datasource: JsonObject, wanted: JsonObject) -> None:
    rows = list_of(datasource["dimensions"])
    own = whole(wanted.get("id"))
    present = next((row for row in rows if object_of(row)["id"] == own), None)
    names = ("name", "entry_value")
    changes: JsonObject = {key: wanted[key] for key in names if key in wanted}
    if present is None:
        if not text_of(wanted.get("entry_value")).strip():
            refuse("dimensions.entry_value", "can't be blank")
        fresh: Json = {
            "id": space.next_id(),
            "name": "",
            "datasource_id": datasource["id"],
            "created_at": space.now(),
            "updated_at": space.now(),
            **changes,
        }
        datasource["dimensions"] = [*rows, fresh]
    elif truthy(wanted.get("_destroy")):
        datasource["dimensions"] = [row for row in rows if row is not present]
    else:
        object_of(present).update(changes, updated_at=space.now())
