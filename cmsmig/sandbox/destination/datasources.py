"""Datasources and their entries."""

from __future__ import annotations

import re
from typing import NoReturn

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.record_kind import (
    ANY,
    SLUG,
    RecordKind,
)
from cmsmig.sandbox.destination.refusals import missing
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import AnsweredError, Call, json_reply
from cmsmig.sandbox.values import text_of, whole


def _release_datasource(space: Space, datasource: JsonObject) -> None:
    """Delete its entries."""
    for entry in space.entries_of(whole(datasource["id"]) or 0):
        del space.entries[whole(entry["id"]) or 0]


DATASOURCES = RecordKind(
    key="datasource",
    plural="datasources",
    table=lambda space: space.datasources,
    fresh=lambda space: {"created_at": space.now(), "updated_at": space.now()},
    writable=("name", "slug"),
    texts={"name": ANY, "slug": SLUG},
    unique=("slug",),
    release=_release_datasource,
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
    """Complete an entry; its name is unique in its datasource."""
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


def _entry(entry: JsonObject) -> JsonObject:
    return {key: entry[key] for key in ("id", "name", "value", "datasource_id")}


def _ordered(call: Call, rows: list[JsonObject]) -> list[JsonObject]:
    owner = whole(call.parameter("datasource_id"))
    kept = [row for row in rows if owner in (None, row["datasource_id"])]
    return sorted(kept, key=lambda entry: whole(entry["position"]) or 0)


ENTRIES = RecordKind(
    key="datasource_entry",
    plural="datasource_entries",
    table=lambda space: space.entries,
    fresh=lambda space: {"value": "", "position": 0},
    writable=("name", "value", "datasource_id", "position"),
    # A first character that the service refuses; with which status and text is
    # unknown. Source: destination, datasource entries.
    texts={"name": re.compile("[^-=@].*", re.DOTALL)},
    refuse=_refuse_entry,
    check=_check_entry,
    order=_ordered,
    most=1000,
    shown=_entry,
    statuses=(201, 204, 204),
)
