"""The entries of datasources."""

from __future__ import annotations

from typing import NoReturn

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.record_kind import RecordKind, holding, numbered
from cmsmig.sandbox.destination.refusals import missing, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import AnsweredError, Call, json_reply
from cmsmig.sandbox.values import list_of, object_of, text_of, whole

_UNUSABLE = ("-", "=", "@")
"""First characters that the service refuses in a name."""


def _make(space: Space, call: Call) -> JsonObject:
    """Make an entry; its name is unique in its datasource."""
    body = wrapped(call, "datasource_entry")
    owner = whole(body.get("datasource_id")) or 0
    if owner not in space.datasources:
        missing()
    entry: JsonObject = {
        "id": space.next_id(),
        "name": "",
        "value": "",
        "datasource_id": owner,
        "position": len(space.entries_of(owner)) + 1,
        "dimensions": {},
    }
    _apply(space, entry, body)
    return entry


def _change(space: Space, call: Call, entry: JsonObject) -> None:
    """Replace the keys that the body names.

    `dimension_id` in the query or the body: `dimension_value` is that
    dimension's.
    """
    body = wrapped(call, "datasource_entry")
    _apply(space, entry, body)
    named = call.parameter("dimension_id") or call.document().get("dimension_id")
    dimension = whole(named)
    if dimension is not None and "dimension_value" in body:
        if dimension not in _dimensions(space, entry):
            missing()
        values = object_of(entry["dimensions"])
        values[str(dimension)] = text_of(body["dimension_value"])


def _apply(space: Space, entry: JsonObject, body: JsonObject) -> None:
    name = text_of(body.get("name", entry["name"])).strip()
    owner = whole(entry["datasource_id"]) or 0
    if not name:
        _refuse("Name can't be blank")
    if name.startswith(_UNUSABLE):
        # Source: destination, datasource entries. Status and text are unknown.
        _refuse("Name is invalid")
    for other in space.entries_of(owner):
        if other["name"] == name and other["id"] != entry["id"]:
            _refuse("Name has already been taken")
    entry["name"] = name
    entry["value"] = text_of(body.get("value", entry["value"]))
    entry["position"] = whole(body.get("position")) or entry["position"]


def _refuse(message: str) -> NoReturn:
    # This record's refusals do not name the field, unlike its neighbours'.
    raise AnsweredError(json_reply(422, {"error": [message]}))


def _shown(entry: JsonObject, dimension: int | None = None) -> JsonObject:
    shown = {key: entry[key] for key in ("id", "name", "value", "datasource_id")}
    value = object_of(entry["dimensions"]).get(str(dimension), "")
    return {**shown, "dimension_value": value}


def _ordered(space: Space, call: Call, rows: list[JsonObject]) -> list[JsonObject]:
    slug = call.parameter("datasource_slug")
    rows = [row for row in rows if slug is None or _slug(space, row) == slug]
    return sorted(rows, key=lambda entry: whole(entry["position"]) or 0)


def _row(space: Space, call: Call, entry: JsonObject) -> JsonObject:
    return _shown(entry, whole(call.parameter("dimension")))


def _dimensions(space: Space, entry: JsonObject) -> set[int]:
    owner = space.datasources.get(whole(entry["datasource_id"]) or 0, {})
    rows = list_of(owner.get("dimensions"))
    return {whole(object_of(row)["id"]) or 0 for row in rows}


def _slug(space: Space, entry: JsonObject) -> str:
    owner = space.datasources.get(whole(entry["datasource_id"]) or 0, {})
    return text_of(owner.get("slug"))


ENTRIES = RecordKind(
    key="datasource_entry",
    plural="datasource_entries",
    table=lambda space: space.entries,
    make=_make,
    change=_change,
    filters={"datasource_id": numbered("datasource_id"), "search": holding},
    order=_ordered,
    row=_row,
    most=1000,
    shown=_shown,
    statuses=(201, 204, 204),
)
