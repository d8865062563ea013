"""Faults as data: which request gets which one, and the file that lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import UsageError

METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
MOST_SECONDS = 600.0
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

    def as_json(self) -> JsonObject:
        """Return the entry as the file holds it."""
        shown: JsonObject = asdict(self)
        if self.fault is not Fault.SLOW:
            del shown["seconds"]
        if self.retry_after is None:
            del shown["retry_after"]
        return shown


def read_plan(value: Json, routes: Iterable[str]) -> tuple[PlannedFault, ...]:
    """Return the plan that a JSON document holds: `{"faults": [{...}, ...]}`.

    Raises `UsageError` naming the entry and what is wrong with it.
    """
    entries = value.get("faults") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        raise UsageError('A plan of faults is `{"faults": [...]}`; this is not one.')
    allowed = {
        "fault": [str(each) for each in Fault],
        "method": [*METHODS, ANY],
        "route": [*sorted(routes), ANY],
    }
    plan: list[PlannedFault] = []
    for number, entry in enumerate(entries, start=1):
        try:
            plan.append(_planned(entry, allowed))
        except UsageError as error:
            message = f"Entry {number} of the plan of faults: {error}."
            raise UsageError(message) from None
    return tuple(plan)


def _planned(entry: Json, allowed: Mapping[str, list[str]]) -> PlannedFault:
    if not isinstance(entry, dict):
        raise UsageError("it is not an object")
    if unknown := sorted(entry.keys() - _READERS.keys()):
        raise UsageError(f"`{unknown[0]}` is not one of its keys")
    given: JsonObject = {"fault": "", **entry}
    values: dict[str, Any] = {}
    for key, value in given.items():
        if value is not None or key not in _OPTIONAL:
            values[key] = _READERS[key](key, value, allowed.get(key))
    return PlannedFault(**{**values, "fault": Fault(values["fault"])})


def _text(key: str, value: Json, allowed: list[str] | None) -> str:
    if not isinstance(value, str):
        raise UsageError(f"its {key} is not a text")
    if allowed is not None and value not in allowed:
        near = get_close_matches(value, allowed, 1) or [", ".join(allowed)]
        raise UsageError(f"its {key} is `{value}`; write {near[0]}")
    return value


def _count(key: str, value: Json, allowed: list[str] | None) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"its {key} is not a whole number from 1 on")
    return value


def _number(key: str, value: Json, allowed: list[str] | None) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= float(str(value)) <= MOST_SECONDS:
        raise UsageError(f"its {key} is not a number from 0 to {MOST_SECONDS:.0f}")
    return float(str(value))


_READERS: Mapping[str, Callable[[str, Json, list[str] | None], object]] = {
    **dict.fromkeys(("fault", "method", "route", "item"), _text),
    **dict.fromkeys(("attempt", "times"), _count),
    **dict.fromkeys(("seconds", "retry_after"), _number),
}
_OPTIONAL = ("seconds", "retry_after")
