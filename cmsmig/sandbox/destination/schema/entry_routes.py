"""The entries of datasources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.refusals import missing, number_in, page_of, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import AnsweredError, Call, Reply, json_reply
from cmsmig.sandbox.values import list_of, object_of, text_of, whole

_MOST = 1000


def listing(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer one page of the entries of a datasource, named by id or slug."""
    wanted = whole(call.parameter("datasource_id"))
    slug = call.parameter("datasource_slug")
    search = (call.parameter("search") or "").lower()
    rows = [
        entry
        for entry in space.entries.values()
        if (wanted is None or entry["datasource_id"] == wanted)
        and (slug is None or _slug(space, entry) == slug)
        and search in text_of(entry["name"]).lower()
    ]
    rows.sort(key=lambda entry: whole(entry["position"]) or 0)
    page = page_of(call, rows, highest=_MOST)
    dimension = whole(call.parameter("dimension"))
    shown = [_shown(entry, dimension) for entry in page.rows]
    return json_reply(200, {"datasource_entries": [*shown]}, headers=page.headers)


def show(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer one entry."""
    entry = _known(space, parameters)
    return json_reply(200, {"datasource_entry": _shown(entry, None)})


def create(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Make an entry; its name is unique in its datasource."""
    body = wrapped(call, "datasource_entry")
    owner = whole(body.get("datasource_id")) or 0
    if owner not in space.datasources:
        missing(space)
    entry: JsonObject = {
        "id": space.next_id(),
        "name": "",
        "value": "",
        "dimension_value": None,
        "datasource_id": owner,
        "position": len(space.entries_of(owner)) + 1,
        "dimensions": {},
    }
    _change(space, entry, body)
    space.entries[whole(entry["id"]) or 0] = entry
    shown: JsonObject = {"datasource_entry": _shown(entry, None)}
    return json_reply(201, shown, item=text_of(entry["name"]))


def update(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Replace the keys that the body names; answers without a body.

    `dimension_id` in the query or the body: `dimension_value` is that
    dimension's.
    """
    entry = _known(space, parameters)
    body = wrapped(call, "datasource_entry")
    _change(space, entry, body)
    named = call.parameter("dimension_id") or call.document().get("dimension_id")
    dimension = whole(named)
    if dimension is not None and "dimension_value" in body:
        if dimension not in _dimensions(space, entry):
            missing(space)
        values = object_of(entry["dimensions"])
        values[str(dimension)] = text_of(body["dimension_value"])
    return Reply(204, item=text_of(entry["name"]))


def delete(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Delete an entry."""
    entry = _known(space, parameters)
    del space.entries[number_in(parameters, "id")]
    return Reply(204, item=text_of(entry["name"]))


def _change(space: Space, entry: JsonObject, body: JsonObject) -> None:
    name = text_of(body.get("name", entry["name"])).strip()
    owner = whole(entry["datasource_id"]) or 0
    if not name:
        _refuse("Name can't be blank")
    for other in space.entries_of(owner):
        if other["name"] == name and other["id"] != entry["id"]:
            _refuse("Name has already been taken")
    entry["name"] = name
    entry["value"] = text_of(body.get("value", entry["value"]))
    entry["position"] = whole(body.get("position")) or entry["position"]


def _refuse(message: str) -> NoReturn:
    # This record's refusals do not name the field, unlike its neighbours'.
    raise AnsweredError(json_reply(422, {"error": [message]}))


def _shown(entry: JsonObject, dimension: int | None) -> JsonObject:
    shown = {key: entry[key] for key in ("id", "name", "value", "datasource_id")}
    value = object_of(entry["dimensions"]).get(str(dimension))
    return {**shown, "dimension_value": value}


def _dimensions(space: Space, entry: JsonObject) -> set[int]:
    owner = space.datasources.get(whole(entry["datasource_id"]) or 0, {})
    rows = list_of(owner.get("dimensions"))
    return {whole(object_of(row)["id"]) or 0 for row in rows}


def _known(space: Space, parameters: Mapping[str, str]) -> JsonObject:
    entry = space.entries.get(number_in(parameters, "id"))
    if entry is None:
        missing(space)
    return entry


def _slug(space: Space, entry: JsonObject) -> str:
    owner = space.datasources.get(whole(entry["datasource_id"]) or 0, {})
    return text_of(owner.get("slug"))
