"""Valid Unicode text: each lone surrogate becomes U+FFFD.

Origin content has lone surrogates: editors cut names inside an emoji, and JSON
can hold the half that remains. No file, database or service accepts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar, cast

T = TypeVar("T")


def is_valid(text: str) -> bool:
    """Return whether a text has a UTF-8 form."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def valid_text(text: str) -> str:
    """Return a text with U+FFFD for lone surrogates; a pair becomes one character."""
    if is_valid(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def valid_value(value: T) -> T:
    """Return a JSON value with valid texts and keys; the same object where all are.

    Keys that would become equal stay different, so that no value is dropped.
    """
    return value if _is_valid_value(value) else cast(T, _replaced(value))


def changed_keys(
    given: Mapping[str, object], valid: Mapping[str, object]
) -> Iterator[str]:
    """Yield the keys, as in `valid`, of what `valid_value` changed in `given`."""
    before = given.items()
    for (old, held), (new, now) in zip(before, valid.items(), strict=True):
        if old != new or (held is not now and held != now):
            yield new


def _is_valid_value(value: object) -> bool:
    """Return whether a value is known to be valid, without a walk in Python."""
    # Every command begins with this module, and `--help` has no JSON.
    import json

    try:
        return is_valid(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return False


def _replaced(value: object) -> object:
    if isinstance(value, str):
        return valid_text(value)
    if isinstance(value, list):
        return [_replaced(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    made: dict[object, object] = {}
    for name, held in value.items():
        made[_key(name, value, made)] = _replaced(held)
    return made


def _key(
    name: object, value: Mapping[object, object], made: Mapping[object, object]
) -> object:
    if not isinstance(name, str) or is_valid(name):
        return name
    key = valid_text(name)
    while key in value or key in made:
        key += "\ufffd"
    return key
