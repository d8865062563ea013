"""Datasources."""

from __future__ import annotations

import re

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.record_kind import RecordKind, holding, one_of
from cmsmig.sandbox.destination.refusals import refuse, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy, whole

_SLUG = re.compile(r"[a-z0-9_-]+", re.IGNORECASE)
_SORTS = frozenset({"name", "created_at", "updated_at"})


def _make(space: Space, call: Call) -> JsonObject:
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
    _apply(space, datasource, body)
    return datasource


def _change(space: Space, call: Call, datasource: JsonObject) -> None:
    _apply(space, datasource, wrapped(call, "datasource"))
    datasource["updated_at"] = space.now()


def _release(space: Space, datasource: JsonObject) -> None:
    """Delete its entries."""
    for entry in space.entries_of(whole(datasource["id"]) or 0):
        del space.entries[whole(entry["id"]) or 0]


def _find(space: Space, name: str) -> JsonObject | None:
    """Return the datasource of an id or a slug."""
    own = whole(name)
    every = space.datasources.values()
    return next((d for d in every if d["id"] == own or d["slug"] == name), None)


def _matching(source: JsonObject, text: str) -> bool:
    return holding(source, text) or source["slug"] == text.lower()


def _sorted(space: Space, call: Call, rows: list[JsonObject]) -> list[JsonObject]:
    key, _, direction = (call.parameter("sort_by") or "").partition(":")
    if key in _SORTS:
        rows.sort(key=lambda one: text_of(one[key]), reverse=direction == "desc")
    return rows


def _apply(space: Space, datasource: JsonObject, body: JsonObject) -> None:
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


DATASOURCES = RecordKind(
    key="datasource",
    plural="datasources",
    table=lambda space: space.datasources,
    make=_make,
    change=_change,
    release=_release,
    filters={"by_ids": one_of("id"), "search": _matching},
    label="slug",
    find=_find,
    order=_sorted,
    most=100,
    statuses=(201, 200, 204),
)
