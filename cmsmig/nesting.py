"""JSON that nests no deeper than everything can walk: no real answer, document or
setting comes near."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import cast

from cmsmig.canonical import Json

DEEPEST = 200
"""Levels of lists and objects in each other."""


class DeepJsonError(ValueError):
    """JSON text nests deeper than is read."""

    def __init__(self) -> None:
        super().__init__(f"it nests deeper than {DEEPEST} levels")


def parse_json(
    text: str | bytes, parse_constant: Callable[[str], object] | None = None
) -> Json:
    """Return the value that JSON text holds.

    Raises `ValueError`, and `DeepJsonError` for what nests too deep.
    """
    try:
        value = cast(Json, json.loads(text, parse_constant=parse_constant))
    except RecursionError:
        raise DeepJsonError from None
    if _may_be_deep(text) and _is_deep(value):
        raise DeepJsonError
    return value


def _may_be_deep(text: str | bytes) -> bool:
    """Return whether a text opens enough lists and objects to be too deep."""
    if isinstance(text, bytes):
        return text.count(b"[") + text.count(b"{") > DEEPEST
    return text.count("[") + text.count("{") > DEEPEST


def _is_deep(value: Json) -> bool:
    # Every answer comes by here: no generators, no `isinstance`.
    level: list[list[Json] | dict[str, Json]]
    level = [value] if isinstance(value, list | dict) else []
    for _ in range(DEEPEST):
        level = [
            held
            for each in level
            for held in (each.values() if type(each) is dict else each)
            if type(held) is dict or type(held) is list
        ]
        if not level:
            return False
    return True
