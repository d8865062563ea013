"""Faults as data: which request gets which one, and the file that lists them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.values import list_of, object_of

ANY = "*"


class Fault(StrEnum):
    """What goes wrong with one request."""

    DROP_BEFORE = "drop_before"
    """Not applied; the connection breaks without an answer."""
    DROP_AFTER = "drop_after"
    """Applied; the connection breaks without an answer."""
    ERROR_BEFORE = "error_before"
    """Not applied; a 500 in the service's own form."""
    ERROR_AFTER = "error_after"
    """Applied; a 500."""
    GATEWAY_BEFORE = "gateway_before"
    """Not applied; a 502 with a page of HTML."""
    GATEWAY_AFTER = "gateway_after"
    """Applied; a 502 with a page of HTML."""
    TRUNCATED = "truncated"
    """Applied; the connection breaks in the middle of the body."""
    MALFORMED = "malformed"
    """Applied; a whole answer that holds half of its JSON."""
    EMPTY = "empty"
    """Applied; a success that says nothing, `{}`."""
    TOO_MANY = "too_many"
    """Not applied; a 429, with `Retry-After` when `retry_after` is given."""
    SLOW = "slow"
    """Applied; the answer comes `seconds` late."""
    SILENT = "silent"
    """An upload that is answered with success and stores nothing."""
    EXPIRED = "expired"
    """An upload that is refused because its policy is too old."""
    UNSEEN = "unseen"
    """A public file that is there and answered with 404."""
    GROWS = "list_grows"
    """A later page, after a row was added before it: one row comes twice."""
    SHRINKS = "list_shrinks"
    """A later page, after a row was removed before it: one row is passed over."""


UPLOADS = frozenset((Fault.SILENT, Fault.EXPIRED))
MOVING = frozenset((Fault.GROWS, Fault.SHRINKS))


@dataclass(frozen=True, slots=True)
class PlannedFault:
    """One entry of a plan: from its `attempt`-th request on, `times` requests."""

    fault: Fault
    method: str = ANY
    route: str = ANY
    item: str = ANY
    attempt: int = 1
    """Counted from 1 over the requests that the entry's first parts name."""
    times: int = 1
    seconds: float = 1.0
    retry_after: float | None = None


def read_plan(value: JsonObject, routes: Iterable[str]) -> tuple[PlannedFault, ...]:
    """Return the plan that a JSON document holds: `{"faults": [{...}, ...]}`."""
    plan = tuple(
        PlannedFault(**{**entry, "fault": Fault(entry["fault"])})
        for entry in map(object_of, list_of(value["faults"]))
    )
    unknown = {each.route for each in plan} - {ANY, *routes}
    assert not unknown, f"no request is called {unknown}"
    return plan
