"""Text that has a UTF-8 form: half a surrogate pair becomes U+FFFD.

Real content has halves of emoji: editors cut names at a number of characters,
and JSON can hold the half that is left. No file, database or service takes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar, cast

T = TypeVar("T")


def is_whole(text: str) -> bool:
    """Return whether a text has a UTF-8 form."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def whole_text(text: str) -> str:
    """Return a text with U+FFFD for each half of a surrogate pair; two halves that
    belong together become the character."""
    if is_whole(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def whole_value(value: T) -> T:
    """Return a JSON value with whole texts and keys; the same object where all are.

    Keys that would become equal are distinguished, so that nothing is dropped.
    """
    return value if _is_whole_value(value) else cast(T, _whole(value))


def changed(given: Mapping[str, object], whole: Mapping[str, object]) -> Iterator[str]:
    """Yield the keys, as they are now, of what `whole_value` had to change."""
    before = given.items()
    for (old, held), (new, now) in zip(before, whole.items(), strict=True):
        if old != new or (held is not now and held != now):
            yield new


def _is_whole_value(value: object) -> bool:
    """Return whether a value is known to be whole, without a walk in Python."""
    # Every command begins with this module, and `--help` has no JSON.
    import json

    try:
        return is_whole(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return False


def _whole(value: object) -> object:
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, list):
        return [_whole(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    made: dict[object, object] = {}
    for name, held in value.items():
        made[_key(name, value, made)] = _whole(held)
    return made


def _key(
    name: object, value: Mapping[object, object], made: Mapping[object, object]
) -> object:
    if not isinstance(name, str) or is_whole(name):
        return name
    key = whole_text(name)
    while key in value or key in made:
        key += "\ufffd"
    return key
