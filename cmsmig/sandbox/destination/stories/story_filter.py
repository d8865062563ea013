"""The story list's `filter_query`: conditions on what a story holds."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import NoReturn, TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.http.asgi import AnsweredError, json_reply
from cmsmig.sandbox.values import list_of, text_of

Condition: TypeAlias = Callable[[JsonObject], bool]
_Compare: TypeAlias = Callable[[Json, Json], bool]
_PLAIN_NUMBER = re.compile(r"[+-]?(\d++\.?\d*|\.\d+)")


def conditions_of(query: Json) -> tuple[Condition, ...]:
    """Return the conditions of a `filter_query`, all of which have to hold.

    Ends the request with 422 for a query that is no object of objects, and for
    an operation that there is not.
    """
    if query is None:
        return ()
    if not isinstance(query, dict):
        _refuse("filter_query must be an object")
    found: list[Condition] = []
    for field, operations in query.items():
        if field == "__or":
            found.append(_any_of(operations))
        else:
            found += _of_field(field, operations)
    return tuple(found)


def matches(content: JsonObject, conditions: tuple[Condition, ...]) -> bool:
    """Return whether a story's content meets every condition."""
    return all(condition(content) for condition in conditions)


def as_number(value: Json) -> float | None:
    """Return a number, also one written as text, else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str) and _PLAIN_NUMBER.fullmatch(value.strip()):
        number = float(value)
        return number if math.isfinite(number) else None
    return None


def _any_of(alternatives: Json) -> Condition:
    if isinstance(alternatives, dict):
        alternatives = list(alternatives.values())
    choices = [conditions_of(one) for one in list_of(alternatives)]
    return lambda content: any(matches(content, choice) for choice in choices)


def _of_field(field: str, operations: Json) -> list[Condition]:
    if not isinstance(operations, dict) or not operations:
        _refuse(f"filter_query[{field}] names no operation")
    return [_condition(field, *pair) for pair in operations.items()]


def _condition(field: str, operation: str, wanted: Json) -> Condition:
    negated = operation in {"not_in", "not_like"}
    compare = _OPERATIONS.get(operation.removeprefix("not_") if negated else operation)
    if compare is None:
        _refuse(f"filter_query has no operation {operation}")
    known = compare
    return lambda content: known(_at(content, field), wanted) is not negated


def _refuse(message: str) -> NoReturn:
    raise AnsweredError(json_reply(422, {"error": message}))


def _at(content: JsonObject, field: str) -> Json:
    value: Json = content
    for step in field.split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _parts(wanted: Json) -> set[str]:
    rows = wanted if isinstance(wanted, list) else text_of(wanted).split(",")
    return {text_of(row).strip() for row in rows}


def _held(value: Json) -> set[str]:
    return {_word(one) for one in list_of(value)}


def _word(value: Json) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else text_of(value)


def _like(value: Json, wanted: Json) -> bool:
    pattern = text_of(wanted).replace("[", "[[]").lower()
    return fnmatchcase(_word(value).lower(), pattern)


def _is(value: Json, wanted: Json) -> bool:
    kind = text_of(wanted)
    if kind not in _KINDS:
        _refuse(f"filter_query has no kind {kind}")
    return _KINDS[kind](value)


_KINDS: dict[str, Callable[[Json], bool]] = {
    "empty": lambda value: value is None or value == "",
    "not_empty": lambda value: value is not None and value != "",
    "empty_array": lambda value: value == [],
    "not_empty_array": lambda value: isinstance(value, list) and bool(value),
    "null": lambda value: value is None,
    "not_null": lambda value: value is not None,
    "true": lambda value: value is True,
    "false": lambda value: value is False,
}


def _moment(value: Json) -> float | None:
    try:
        moment = datetime.fromisoformat(text_of(value))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _ordered(
    read: Callable[[Json], float | None], holds: Callable[[float, float], bool]
) -> _Compare:
    def compare(value: Json, wanted: Json) -> bool:
        left, right = read(value), read(wanted)
        return left is not None and right is not None and holds(left, right)

    return compare


_OPERATIONS: dict[str, _Compare] = {
    "in": lambda value, wanted: value is not None and _word(value) in _parts(wanted),
    "like": _like,
    "in_array": lambda value, wanted: not _held(value).isdisjoint(_parts(wanted)),
    "all_in_array": lambda value, wanted: _parts(wanted) <= _held(value),
    "exists": lambda value, wanted: (value is not None) is (text_of(wanted) == "true"),
    "is": _is,
    "gt_date": _ordered(_moment, float.__gt__),
    "lt_date": _ordered(_moment, float.__lt__),
    "gt_int": _ordered(as_number, float.__gt__),
    "lt_int": _ordered(as_number, float.__lt__),
    "gt_float": _ordered(as_number, float.__gt__),
    "lt_float": _ordered(as_number, float.__lt__),
}
