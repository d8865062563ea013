"""Faults as data: which request gets which one, and the file that says so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

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
        shown: JsonObject = {
            "fault": str(self.fault),
            "method": self.method,
            "route": self.route,
            "item": self.item,
            "attempt": self.attempt,
            "times": self.times,
        }
        if self.fault is Fault.SLOW:
            shown["seconds"] = self.seconds
        if self.retry_after is not None:
            shown["retry_after"] = self.retry_after
        return shown


def read_plan(value: Json, routes: Iterable[str]) -> tuple[PlannedFault, ...]:
    """Return the plan that a JSON document holds: `{"faults": [{...}, ...]}`.

    Raises `UsageError` naming the entry and what is wrong with it.
    """
    entries = value.get("faults") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        raise UsageError('A plan of faults is `{"faults": [...]}`; this is not one.')
    known = frozenset(routes)
    return tuple(
        _Entry(number, entry, known).planned()
        for number, entry in enumerate(entries, start=1)
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    number: int
    body: Json
    routes: frozenset[str]

    def planned(self) -> PlannedFault:
        if not isinstance(self.body, dict):
            raise self._wrong("it is not an object")
        if unknown := sorted(set(self.body) - set(_KEYS)):
            raise self._wrong(f"`{unknown[0]}` is not one of its keys")
        fault = Fault(self._one_of("fault", [str(each) for each in Fault], ""))
        seconds = self._number("seconds", 1.0)
        return PlannedFault(
            fault=fault,
            method=self._one_of("method", [*METHODS, ANY], ANY),
            route=self._one_of("route", [*sorted(self.routes), ANY], ANY),
            item=self._text("item", ANY),
            attempt=self._count("attempt"),
            times=self._count("times"),
            seconds=1.0 if seconds is None else seconds,
            retry_after=self._number("retry_after", None),
        )

    def _one_of(self, key: str, allowed: list[str], default: str) -> str:
        text = self._text(key, default)
        if text not in allowed:
            near = get_close_matches(text, allowed, 1) or [", ".join(allowed)]
            raise self._wrong(f"its {key} is `{text}`; write {near[0]}")
        return text

    def _text(self, key: str, default: str) -> str:
        found = self._given().get(key, default)
        if not isinstance(found, str):
            raise self._wrong(f"its {key} is not a text")
        return found

    def _count(self, key: str) -> int:
        found = self._given().get(key, 1)
        if isinstance(found, bool) or not isinstance(found, int) or found < 1:
            raise self._wrong(f"its {key} is not a whole number from 1 on")
        return found

    def _number(self, key: str, default: float | None) -> float | None:
        found = self._given().get(key, default)
        if found is None:
            return None
        fits = isinstance(found, int | float) and not isinstance(found, bool)
        if not fits or not 0 <= float(str(found)) <= MOST_SECONDS:
            raise self._wrong(f"its {key} is not a number from 0 to {MOST_SECONDS:.0f}")
        return float(str(found))

    def _given(self) -> JsonObject:
        return self.body if isinstance(self.body, dict) else {}

    def _wrong(self, what: str) -> UsageError:
        return UsageError(f"Entry {self.number} of the plan of faults: {what}.")


_KEYS = ("fault", "method", "route", "item", "attempt", "times", "seconds",
         "retry_after")  # fmt: skip
