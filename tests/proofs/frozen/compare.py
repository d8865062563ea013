"""What differs between two folders of records, a line each.

Hashes of plans and fingerprints of a plan's inputs are not compared: the record has the
plans and the inputs themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from cmsmig.canonical import canonical

_SHOWN = 160
"""Characters of a value."""


def differences(one: Path, other: Path) -> Iterator[str]:
    """Yield each difference: run, command, place in the record, both values."""
    for name in sorted({path.name for each in (one, other) for path in each.iterdir()}):
        run, both = name.removesuffix(".json"), (one / name, other / name)
        if missing := [path for path in both if not path.exists()]:
            yield f"{run}: is missing in {missing[0].parent}"
            continue
        before, after = (path.read_text() for path in both)
        if before != after:
            yield from differing(run, json.loads(before), json.loads(after))


def differing(place: str, one: Any, other: Any) -> Iterator[str]:
    """Yield where two JSON values differ."""
    if one == other:
        return
    if isinstance(one, list) and isinstance(other, list):
        one, other = (_by_record(each) for each in (one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            if key not in one or key not in other:
                yield _line(f"{place}.{key}", one.get(key), other.get(key))
            elif not (key == "hash" or place.endswith(".fingerprints")):
                yield from differing(f"{place}.{key}", one[key], other[key])
    elif isinstance(one, list) and isinstance(other, list):
        yield from _different_lists(place, one, other)
    else:
        yield _line(place, one, other)


def _by_record(rows: list[Any]) -> dict[str, Any] | list[Any]:
    """Return records of the space by what they are; other lists as they are."""
    found = {
        each.get("own") or each.get("asset_id") or each.get("id"): each
        for each in rows
        if isinstance(each, dict)
    }
    complete = len(found) == len(rows) and not {None, ""} & found.keys()
    return found if complete else rows


def _different_lists(place: str, one: list[Any], other: list[Any]) -> Iterator[str]:
    """Compare what is about the same, in order; the rest comes or goes."""
    texts = [[canonical(each) for each in rows] for rows in (one, other)]
    matcher = SequenceMatcher(None, *texts, autojunk=False)
    for what, i, j, k, m in matcher.get_opcodes():
        left = [] if what == "equal" else other[k:m]
        for number in range(i, i if what == "equal" else j):
            before = one[number]
            same = [each for each in left if _named(each) == _named(before)]
            at = f"{place}[{number}]{_named(before)}"
            if same:
                left.remove(same[0])
                yield from differing(at, before, same[0])
            else:
                yield _line(at, before, None)
        for after in left:
            yield _line(f"{place}[+]{_named(after)}", None, after)


def _named(value: Any) -> str:
    """Return what a record in a list is about."""
    if not isinstance(value, dict):
        return ""
    known = ("command", "day", "method", "path", "full_slug", "code", "kind", "what",
             "subject", "where", "field")  # fmt: skip
    found = " ".join(str(value[name]) for name in known if name in value)
    return f" ({found})" if found else ""


def _line(place: str, one: Any, other: Any) -> str:
    shown = [_short(each) for each in (one, other)]
    return f"{place}: {shown[0]} -> {shown[1]}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
