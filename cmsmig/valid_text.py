"""Valid Unicode text: each lone surrogate becomes U+FFFD. Text of the origin: U+0000 is
left out as well, which services that store texts refuse.

Origin content has lone surrogates: editors cut names inside an emoji, and JSON
can hold the half that remains. No file, database or service accepts it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

T = TypeVar("T")


def is_valid(text: str) -> bool:
    """Return whether a text has a UTF-8 form."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_utf8(data: bytes) -> bool:
    """Return whether bytes are text in UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
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
    return value if _is_valid_value(value) else cast(T, _replaced(value, valid_text))


def storable_value(value: T) -> tuple[T, int]:
    """Return the same without U+0000, and how many characters of both kinds it held."""
    if _is_valid_value(value, without=b"\\u0000"):
        return value, 0
    odd = 0

    def clean(text: str) -> str:
        nonlocal odd
        valid = valid_text(text)
        odd += valid.count("\ufffd") - text.count("\ufffd") + valid.count("\0")
        return valid.replace("\0", "")

    return cast(T, _replaced(value, clean)), odd


def _is_valid_value(value: object, without: bytes = b"\xff") -> bool:
    """Return whether a value is known to be valid, without a walk in Python, and its
    JSON not to hold some bytes."""
    # Every command begins with this module, and `--help` has no JSON.
    import json

    import orjson

    try:
        text = orjson.dumps(value)
    except TypeError:
        try:
            # Numbers of more than 64 bits are valid, lone surrogates are not.
            text = json.dumps(value, ensure_ascii=False).encode()
        except (TypeError, ValueError, RecursionError):
            return False
    return without not in text


def _replaced(value: object, clean: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_replaced(each, clean) for each in value]
    if not isinstance(value, Mapping):
        return value
    made: dict[object, object] = {}
    for name, held in value.items():
        made[_key(name, value, made, clean)] = _replaced(held, clean)
    return made


def _key(
    name: object,
    value: Mapping[object, object],
    made: Mapping[object, object],
    clean: Callable[[str], str],
) -> object:
    if not isinstance(name, str) or (key := clean(name)) == name:
        return name
    while key in value or key in made:
        key += "\ufffd"
    return key
