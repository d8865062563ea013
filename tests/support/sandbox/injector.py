"""Faults on request: numbers every request and spoils those that a plan names."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from cmsmig.sandbox.values import encoded, list_of, object_of, whole
from tests.support.sandbox.fault_rules import (
    ANY,
    MOVING,
    UPLOADS,
    Fault,
    PlannedFault,
)
from tests.support.sandbox.replies import Ending, broken, observed
from tests.support.sandbox.request_subjects import RequestName

_LISTS = {"stories", "assets", "datasources", "datasource_entries", "items"}
_GATEWAY = b"<html><head><title>502 Bad Gateway</title></head><body></body></html>"
_EXPIRED = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code>'
    b"<Message>Invalid according to Policy: Policy expired.</Message></Error>"
)


@dataclass(slots=True)
class FaultInjector:
    """One plan over both services; requests are counted in order of arrival."""

    plan: tuple[PlannedFault, ...] = ()
    given: int = 0
    """How many faults of this plan went to a request."""
    _seen: list[int] = field(default_factory=list)
    """How many requests each entry of the plan has matched."""
    _attempts: Counter[RequestName] = field(default_factory=Counter)

    def set(self, plan: tuple[PlannedFault, ...]) -> None:
        """Take another plan; its counts begin now."""
        self.plan = plan
        self._seen = [0] * len(plan)
        self._attempts.clear()
        self.given = 0

    async def answer(self, call: Call, name: RequestName, inner: Next) -> Reply:
        """Answer one call as `inner` does, or as the plan wants it."""
        self._attempts[name] += 1
        attempt = self._attempts[name]
        entry = self._due(call, name)
        self.given += entry is not None
        reply = await (spoilt(entry, call, inner) if entry else inner(call))
        return observed(
            reply,
            service=reply.service or name.service,
            route=reply.route or (name.route if entry else ""),
            subject=name.item,
            attempt=attempt,
            fault=str(entry.fault) if entry else "",
        )

    def _due(self, call: Call, name: RequestName) -> PlannedFault | None:
        """Return the first entry whose turn it is; every entry counts."""
        due: PlannedFault | None = None
        for index, entry in enumerate(self.plan):
            if not _meant(entry, call, name):
                continue
            self._seen[index] += 1
            turn = self._seen[index] - entry.attempt
            if due is None and 0 <= turn < entry.times:
                due = entry
        return due


def _meant(entry: PlannedFault, call: Call, name: RequestName) -> bool:
    return (
        entry.method in (ANY, name.method)
        and entry.route in (ANY, name.route)
        and entry.item in (ANY, name.item)
        and possible(entry.fault, call, name)
    )


def possible(fault: Fault, call: Call, name: RequestName) -> bool:
    """Return whether a request can go wrong in this way."""
    if fault in UPLOADS:
        return name.route == "upload"
    if fault in (Fault.MALFORMED, Fault.EMPTY):
        # Its answer has no body.
        return name.route != "upload"
    if fault is Fault.UNSEEN:
        return name.route in ("public asset", "file")
    return fault not in MOVING or is_later_page(call)


async def spoilt(entry: PlannedFault, call: Call, inner: Next) -> Reply:
    """Answer one call with a fault."""
    if (unapplied := _UNAPPLIED.get(entry.fault)) is not None:
        return unapplied(entry)
    if entry.fault in MOVING:
        return await moved(call, inner, 1 if entry.fault is Fault.GROWS else -1)
    reply = await inner(call)
    if entry.fault is Fault.SLOW:
        await asyncio.sleep(entry.seconds)
        return reply
    return _AFTER[entry.fault](reply)


def _too_many(entry: PlannedFault) -> Reply:
    headers: tuple[tuple[str, str], ...] = ()
    if entry.retry_after is not None:
        headers = (("Retry-After", f"{entry.retry_after:g}"),)
    message = "Too many requests. Retry later."
    return json_reply(429, {"error": message}, headers=headers)


def _failed(reply: Reply) -> Reply:
    error = json_reply(500, {"error": "Internal Server Error"})
    return replace(error, service=reply.service)


def _gateway(reply: Reply) -> Reply:
    return replace(
        reply, status=502, body=_GATEWAY, content_type="text/html", headers=()
    )


def _malformed(reply: Reply) -> Reply:
    if not reply.body:
        return broken(reply, Ending.DROPPED)
    return replace(reply, body=reply.body[: len(reply.body) // 2])


_UNAPPLIED: dict[Fault, Callable[[PlannedFault], Reply]] = {
    Fault.DROP_BEFORE: lambda entry: broken(Reply(0), Ending.DROPPED),
    Fault.ERROR_BEFORE: lambda entry: _failed(Reply(500)),
    Fault.GATEWAY_BEFORE: lambda entry: _gateway(Reply(502)),
    Fault.TOO_MANY: _too_many,
    Fault.SILENT: lambda entry: Reply(204),
    Fault.EXPIRED: lambda entry: Reply(403, _EXPIRED, "application/xml"),
    Fault.UNSEEN: lambda entry: Reply(404, b"Not found", "text/plain"),
}
_AFTER: dict[Fault, Callable[[Reply], Reply]] = {
    Fault.DROP_AFTER: lambda reply: broken(reply, Ending.DROPPED),
    Fault.ERROR_AFTER: _failed,
    Fault.GATEWAY_AFTER: _gateway,
    Fault.TRUNCATED: lambda reply: broken(reply, Ending.CUT),
    Fault.MALFORMED: _malformed,
    Fault.EMPTY: lambda reply: replace(reply, body=b"{}" if reply.body else b""),
}


# Lists that move while they are paged, as they do when editors are working.
#
# A row that is added before a page pushes one row onto it that the page before
# has shown; one that is removed pulls a row over the edge that no page shows.


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
        document = _document(reply)
    else:
        page = whole(call.parameter("page")) or 1
        reply, near = await answer(call), await answer(_with(call, "page", page - by))
        document, neighbour = _document(reply), _document(near)
        for key in document.keys() & _LISTS:
            rows, others = list_of(document[key]), list_of(neighbour.get(key))
            grown = [*others[-1:], *rows][: max(len(rows), 1)]
            document[key] = grown if by > 0 else [*rows[1:], *others[:1]]
    paging = object_of(document.get("pagination"))
    for key in paging.keys() & {"total", "offset"}:
        # The number of rows that there are then.
        paging[key] = (whole(paging[key]) or 0) + by
    headers = (
        (name, str(int(value) + by) if name == "Total" else value)
        for name, value in reply.headers
    )
    return replace(reply, body=encoded(document), headers=tuple(headers))


def _with(call: Call, name: str, value: int) -> Call:
    pairs = ((key, str(value) if key == name else text) for key, text in call.query)
    return replace(call, query=tuple(pairs))


def _document(reply: Reply) -> JsonObject:
    return object_of(json.loads(reply.body or b"{}"))
