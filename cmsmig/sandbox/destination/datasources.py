"""Datasources and their entries."""

from __future__ import annotations

import re
from typing import NoReturn

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.record_kind import (
    ANY,
    SLUG,
    RecordKind,
    holding,
    numbered,
    one_of,
)
from cmsmig.sandbox.destination.refusals import missing, refuse
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import AnsweredError, Call, json_reply
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy, whole

_SORTS = frozenset({"name", "created_at", "updated_at"})


def _fresh_datasource(space: Space) -> JsonObject:
    return {"dimensions": [], "created_at": space.now(), "updated_at": space.now()}


def _check_datasource(
    space: Space, call: Call, datasource: JsonObject, changes: JsonObject
) -> None:
    rows = list_of(datasource["dimensions"])
    for wanted in list_of(changes.pop("dimensions_attributes", [])):
        rows = _with_dimension(space, datasource, rows, object_of(wanted))
    changes["dimensions"] = rows


def _with_dimension(
    space: Space, datasource: JsonObject, rows: list[Json], wanted: JsonObject
) -> list[Json]:
    own = whole(wanted.get("id"))
    present = next((row for row in map(object_of, rows) if row["id"] == own), None)
    names = ("name", "entry_value")
    changes: JsonObject = {key: wanted[key] for key in names if key in wanted}
    if present is None and not text_of(wanted.get("entry_value")).strip():
        refuse("dimensions.entry_value", "can't be blank")
    others = [row for row in rows if row is not present]
    if present is not None and truthy(wanted.get("_destroy")):
        return others
    begun: JsonObject = present or {
        "id": space.next_id(),
        "name": "",
        "datasource_id": datasource["id"],
        "created_at": space.now(),
    }
    return [*others, {**begun, **changes, "updated_at": space.now()}]


def _release_datasource(space: Space, datasource: JsonObject) -> None:
    """Delete its entries."""
    for entry in space.entries_of(whole(datasource["id"]) or 0):
        del space.entries[whole(entry["id"]) or 0]


def _find_datasource(space: Space, name: str) -> JsonObject | None:
    """Return the datasource of an id or a slug."""
    own = whole(name)
    every = space.datasources.values()
    return next((d for d in every if d["id"] == own or d["slug"] == name), None)


def _sorted(space: Space, call: Call, rows: list[JsonObject]) -> list[JsonObject]:
    key, _, direction = (call.parameter("sort_by") or "").partition(":")
    if key in _SORTS:
        rows.sort(key=lambda one: text_of(one[key]), reverse=direction == "desc")
    return rows


DATASOURCES = RecordKind(
    key="datasource",
    plural="datasources",
    table=lambda space: space.datasources,
    fresh=_fresh_datasource,
    writable=("name", "slug", "dimensions_attributes"),
    texts={"name": ANY, "slug": SLUG},
    unique=("slug",),
    check=_check_datasource,
    release=_release_datasource,
    filters={
        "by_ids": one_of("id"),
        "search": lambda space, source, text: (
            holding(space, source, text) or source["slug"] == text.lower()
        ),
    },
    find=_find_datasource,
    order=_sorted,
    most=100,
    statuses=(201, 200, 204),
)


def _refuse_entry(key: str, message: str) -> NoReturn:
    # This record's refusals do not name the field, unlike its neighbours'.
    text = f"{key.capitalize()} {message}"
    raise AnsweredError(json_reply(422, {"error": [text]}))


def _check_entry(
    space: Space, call: Call, entry: JsonObject, changes: JsonObject
) -> None:
    """Complete an entry; its name is unique in its datasource.

    `dimension_id` in the query or the body: `dimension_value` is that dimension's.
    """
    owner = whole(entry.get("datasource_id") or changes.get("datasource_id")) or 0
    if owner not in space.datasources:
        missing()
    others = space.entries_of(owner)
    for other in others:
        if other is not entry and other["name"] == changes["name"]:
            _refuse_entry("name", "has already been taken")
    place = whole(changes.get("position")) or entry["position"] or len(others) + 1
    text = text_of(changes.get("value", entry["value"]))
    changes.update({"datasource_id": owner, "position": place, "value": text})
    named = call.parameter("dimension_id") or call.document().get("dimension_id")
    dimension, value = whole(named), changes.pop("dimension_value", None)
    if dimension is not None and value is not None:
        rows = map(object_of, list_of(space.datasources[owner]["dimensions"]))
        if dimension not in [row["id"] for row in rows]:
            missing()
        values = object_of(entry["dimensions"])
        changes["dimensions"] = {**values, str(dimension): text_of(value)}


def _entry(entry: JsonObject, dimension: int | None = None) -> JsonObject:
    shown = {key: entry[key] for key in ("id", "name", "value", "datasource_id")}
    value = object_of(entry["dimensions"]).get(str(dimension), "")
    return {**shown, "dimension_value": value}


def _ordered(space: Space, call: Call, rows: list[JsonObject]) -> list[JsonObject]:
    slug = call.parameter("datasource_slug")
    if slug is not None:
        owners = [d["id"] for d in space.datasources.values() if d["slug"] == slug]
        rows = [row for row in rows if row["datasource_id"] in owners]
    return sorted(rows, key=lambda entry: whole(entry["position"]) or 0)


ENTRIES = RecordKind(
    key="datasource_entry",
    plural="datasource_entries",
    table=lambda space: space.entries,
    fresh=lambda space: {"value": "", "position": 0, "dimensions": {}},
    writable=("name", "value", "datasource_id", "position", "dimension_value"),
    # A first character that the service refuses; with which status and text is
    # unknown. Source: destination, datasource entries.
    texts={"name": re.compile("[^-=@].*", re.DOTALL)},
    refuse=_refuse_entry,
    check=_check_entry,
    filters={"datasource_id": numbered("datasource_id"), "search": holding},
    order=_ordered,
    row=lambda space, call, row: _entry(row, whole(call.parameter("dimension"))),
    most=1000,
    shown=_entry,
    statuses=(201, 204, 204),
)
