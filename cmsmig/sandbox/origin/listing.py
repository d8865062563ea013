"""Which items a list request names, in which order, on which page."""

from __future__ import annotations

import re

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.origin.refusals import refuse
from cmsmig.sandbox.values import object_of, text_of

SORTS = frozenset({"createdOn", "lastPublished", "lastUpdated", "name", "slug"})
"""The keys that a list can be sorted by. Source: origin, list items."""
MAX_LIMIT = 100
_PAGING = frozenset({"limit", "offset"})
_KNOWN = _PAGING | {"cmsLocaleId", "sortBy", "sortOrder"}
_MOST_KEPT = 64


def selected(
    items: list[JsonObject],
    call: Call,
    primary: str,
    selected_before: dict[object, list[JsonObject]],
) -> list[JsonObject]:
    """Return the items that a call asks a page of.

    `selected_before` keeps what the same items gave for the same query. Ends the
    request with 400 for a filter of the service that is not here.
    """
    if unknown := call.parameters().keys() - _KNOWN:
        refuse(f"the sandbox has no filter {', '.join(sorted(unknown))}")
    asked = tuple(pair for pair in call.query if pair[0] not in _PAGING)
    key = (id(items), asked)
    if key not in selected_before:
        if len(selected_before) >= _MOST_KEPT:
            selected_before.clear()
        chosen = in_locales(items, call.parameter("cmsLocaleId"), primary)
        selected_before[key] = _sorted(chosen, call)
    return selected_before[key]


def page_document(key: str, rows: list[JsonObject], call: Call) -> JsonObject:
    """Return the body that holds the page that a call asks for."""
    limit = _whole(call, "limit", MAX_LIMIT, lowest=1, highest=MAX_LIMIT)
    offset = _whole(call, "offset", 0, lowest=0, highest=None)
    paging: JsonObject = {"limit": limit, "offset": offset, "total": len(rows)}
    return {key: [*rows[offset : offset + limit]], "pagination": paging}


def in_locales(
    items: list[JsonObject], asked: str | None, primary: str
) -> list[JsonObject]:
    """Return the items of the asked locales, else of the primary one, else all."""
    if asked:
        names = {name.strip() for name in asked.split(",")}
        return [item for item in items if item.get("cmsLocaleId") in names]
    if primary:
        return [i for i in items if (i.get("cmsLocaleId") or primary) == primary]
    return items


def _sorted(items: list[JsonObject], call: Call) -> list[JsonObject]:
    key = call.parameter("sortBy")
    order = call.parameter("sortOrder") or "asc"
    if order not in {"asc", "desc"}:
        refuse("sortOrder must be one of asc, desc")
    if key is None:
        return items
    if key not in SORTS:
        refuse(f"sortBy must be one of {', '.join(sorted(SORTS))}")

    def rank(item: JsonObject) -> str:
        source = item if key in item else object_of(item.get("fieldData"))
        return text_of(source.get(key))

    return sorted(items, key=rank, reverse=order == "desc")


def _whole(
    call: Call, name: str, default: int, *, lowest: int, highest: int | None
) -> int:
    text = call.parameter(name)
    if text is None:
        return default
    if not re.fullmatch(r"-?\d{1,9}", text):
        refuse(f"{name} must be an integer")
    value = int(text)
    if value < lowest or (highest is not None and value > highest):
        bound = f" and at most {highest}" if highest is not None else ""
        refuse(f"{name} must be at least {lowest}{bound}")
    return value
