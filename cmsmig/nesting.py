"""JSON of any depth, read to a depth that everything can walk.

What nests deeper is kept in its place as JSON text: no real
answer, document or setting comes near, and nothing of it is dropped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import cast

from cmsmig.canonical import Json

DEEPEST = 200
"""Levels of lists and objects in each other."""
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def parse_json(
    text: str | bytes, parse_constant: Callable[[str], object] | None = None
) -> Json:
    """Return the value that JSON text holds; raises `ValueError`."""
    try:
        value = cast(Json, json.loads(text, parse_constant=parse_constant))
        if not (_may_be_deep(text) and _is_deep(value)):
            return value
    except RecursionError:
        pass
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    shallow = "".join(_shallow(text))
    return cast(Json, json.loads(shallow, parse_constant=parse_constant))


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


def _shallow(text: str) -> Iterator[str]:
    """Yield the text with what is too deep as a string of its own."""
    depth = done = 0
    for token in _TOKENS.finditer(text):
        sign = token[0]
        if sign in ("[", "{"):
            depth += 1
            if depth == DEEPEST + 1:
                yield text[done : token.start()]
                done = token.start()
        elif sign in ("]", "}"):
            if depth == DEEPEST + 1:
                yield json.dumps(text[done : token.end()])
                done = token.end()
            depth -= 1
    if depth > DEEPEST:
        raise ValueError("lists and objects without an end")
    yield text[done:]
