"""A query string read as the destination's framework reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cmsmig.canonical import Json, JsonObject

_STEP = re.compile(r"\[([^\[\]]*)\]")
_DEEPEST = 16


def read_query(pairs: Iterable[tuple[str, str]]) -> JsonObject:
    """Return the parameters as an object.

    `a=1&a=2` keeps the last value, `a[]=1&a[]=2` is a list and `a[b]=1` an
    object; `a[][b]=1&a[][c]=2` is a list of one object, and a key that the
    object has already begins the next one.
    """
    root: JsonObject = {}
    for name, value in pairs:
        head = name.partition("[")[0]
        steps = [head, *_STEP.findall(name[len(head) :])]
        if head and len(steps) <= _DEEPEST:
            _put(root, steps, value)
        else:
            root[name] = value
    return root


def _put(target: JsonObject, steps: Sequence[str], value: str) -> None:
    key, rest = steps[0], steps[1:]
    present = target.get(key)
    if not rest:
        target[key] = value
    elif rest[0]:
        inner: JsonObject = present if isinstance(present, dict) else {}
        target[key] = inner
        _put(inner, rest, value)
    else:
        rows: list[Json] = present if isinstance(present, list) else []
        target[key] = rows
        _append(rows, rest[1:], value)


def _append(rows: list[Json], steps: Sequence[str], value: str) -> None:
    if not steps:
        rows.append(value)
        return
    last = rows[-1] if rows else None
    if not isinstance(last, dict) or _has(last, steps):
        last = {}
        rows.append(last)
    _put(last, steps, value)


def _has(row: JsonObject, steps: Sequence[str]) -> bool:
    node: Json = row
    for step in steps:
        if not isinstance(node, dict) or step not in node:
            return False
        node = node[step]
    return True
