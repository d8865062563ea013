"""Lists that move while they are paged, as they do when somebody is working.

A row that is added before a page pushes one row onto it that the page before
has shown; one that is removed pulls a row over the edge that nobody sees.
"""

from __future__ import annotations

import json
from dataclasses import replace

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.http.asgi import Call, Next, Reply
from cmsmig.sandbox.values import list_of, object_of, whole

_LISTS = ("stories", "assets", "datasources", "datasource_entries", "items")


def is_later_page(call: Call) -> bool:
    """Return whether a call asks for a page of a list that is not its first."""
    if call.method != "GET":
        return False
    page, offset = call.parameter("page"), call.parameter("offset")
    return (whole(page) or 1) > 1 or (whole(offset) or 0) > 0


async def moved(call: Call, answer: Next, by: int) -> Reply:
    """Answer a later page of a list that grew (`by` 1) or shrank (-1) meanwhile."""
    offset = whole(call.parameter("offset"))
    if offset:
        reply = await answer(_with(call, "offset", max(0, offset - by)))
        return _counted(reply, by)
    page = whole(call.parameter("page")) or 1
    reply = await answer(call)
    beside = await answer(_with(call, "page", page - by))
    return _counted(_joined(reply, beside, by), by)


def _with(call: Call, name: str, value: int) -> Call:
    pairs = ((key, str(value) if key == name else text) for key, text in call.query)
    return replace(call, query=tuple(pairs))


def _joined(reply: Reply, beside: Reply, by: int) -> Reply:
    key, rows = _rows(reply)
    _, others = _rows(beside)
    if by > 0:
        shown = [*others[-1:], *rows][: max(len(rows), 1)]
    else:
        shown = [*rows[1:], *others[:1]]
    return replace(reply, body=_encoded({**_document(reply), key: shown}))


def _counted(reply: Reply, by: int) -> Reply:
    """Return the answer with the number of rows that there are then."""
    document = _document(reply)
    paging = object_of(document.get("pagination"))
    total = whole(paging.get("total"))
    if total is not None:
        changed: JsonObject = {**paging, "total": total + by}
        if "offset" in paging:
            changed["offset"] = (whole(paging["offset"]) or 0) + by
        return replace(reply, body=_encoded({**document, "pagination": changed}))
    headers = (
        (name, str(int(value) + by) if name == "Total" else value)
        for name, value in reply.headers
    )
    return replace(reply, headers=tuple(headers))


def _rows(reply: Reply) -> tuple[str, list[Json]]:
    document = _document(reply)
    key = next((name for name in _LISTS if name in document), "")
    return key, list_of(document.get(key))


def _document(reply: Reply) -> JsonObject:
    return object_of(json.loads(reply.body or b"{}"))


def _encoded(document: JsonObject) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
