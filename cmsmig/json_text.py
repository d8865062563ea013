"""JSON text as JavaScript writes it: the one form in which documents are shown.

No blanks, keys in their order, 7 and not 7.0, null for what is no number. Works
at any depth: the walk keeps its own stack.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence

_HINTS = tuple(re.compile(rf"{part}[,\]}}]") for part in (r"\.0", r"e-\d+", r"e\+\d+"))
"""How a number ends that Python writes differently; quick to look for, each alone."""
_SUSPECT = re.compile(r"[:,\[]-?[0-9]+(?:\.0|(?:\.[0-9]+)?e[+-][0-9]+)[,\]}]")
"""The whole of such a number. In a quoted text it may still be something else."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_quoted = json.encoder.encode_basestring
_written = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False
).encode


def json_text(value: object) -> str:
    """Return a JSON value as `JSON.stringify` writes it.

    Raises `TypeError` for what JSON cannot hold.
    """
    try:
        text = _written(value)
        if isinstance(value, float) or _has_odd_number(text):
            text = "".join(_pieces(value))
    except (RecursionError, ValueError, TypeError):
        text = "".join(_pieces(value))
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _has_odd_number(text: str) -> bool:
    hinted = any(hint.search(text) is not None for hint in _HINTS)
    return hinted and _SUSPECT.search(text) is not None


def number_text(number: float) -> str:
    """Return a number as JavaScript prints it, `null` for one that is none."""
    if isinstance(number, int) and -(2**53) <= number <= 2**53:
        return str(int(number))
    if not math.isfinite(value := _double(number)):
        return "null"
    sign = "-" if value < 0 else ""
    digits, exponent = _shortest(abs(value))
    count = len(digits)
    if count <= exponent <= 21:
        return f"{sign}{digits}{'0' * (exponent - count)}"
    if 0 < exponent <= 21:
        return f"{sign}{digits[:exponent]}.{digits[exponent:]}"
    if -6 < exponent <= 0:
        return f"{sign}0.{'0' * -exponent}{digits}" if digits != "0" else "0"
    power = exponent - 1
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if power > 0 else '-'}{abs(power)}"


def _double(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _shortest(value: float) -> tuple[str, int]:
    """Return the digits that mean a number, and where its decimal point is."""
    mantissa, _, power = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    exponent = len(whole) + int(power or 0)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    exponent -= len(digits) - len(stripped)
    return stripped.rstrip("0") or "0", exponent if stripped.strip("0") else 0


def _pieces(value: object) -> Iterator[str]:
    """Yield the text of a value bit by bit."""
    waiting: list[tuple[str, object]] = [("", value)]
    while waiting:
        text, item = waiting.pop()
        if text:
            yield text
        elif isinstance(item, str):
            yield _quoted(item)
        elif isinstance(item, Mapping):
            waiting.append(("}", None))
            members = [(f"{_quoted(_key(key))}:", held) for key, held in item.items()]
            _wait(waiting, members)
            yield "{"
        elif isinstance(item, Sequence):
            waiting.append(("]", None))
            _wait(waiting, [("", held) for held in item])
            yield "["
        else:
            yield _plain(item)


def _wait(waiting: list[tuple[str, object]], members: list[tuple[str, object]]) -> None:
    """Let members wait for their turn, with commas between them."""
    for index in range(len(members) - 1, -1, -1):
        before, held = members[index]
        waiting.append(("", held))
        before = f",{before}" if index else before
        if before:
            waiting.append((before, None))


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{type(key).__name__} is no JSON key")
    return key


def _plain(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
