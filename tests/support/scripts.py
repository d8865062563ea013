"""Scripts in YAML: what a person does, step by step, and what must be seen then."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any


async def play(steps: Iterable[Mapping[str, Any]], *doers: object) -> None:
    """Do one step after another: a method of the first that has it, its arguments."""
    for number, step in enumerate(steps, start=1):
        try:
            done = do(step, *doers)
            if inspect.isawaitable(done):
                await done
        except BaseException as error:
            error.add_note(f"step {number}: {step}")
            raise


def do(step: Mapping[str, Any], *doers: object) -> Any:
    """Do one step."""
    [(verb, given)] = step.items()
    doer = next(each for each in doers if hasattr(each, verb))
    return getattr(doer, verb)(*(given if isinstance(given, list) else [given]))


def value_at(document: Any, path: str) -> Any:
    """Return what a document holds at a path such as `collections.0.items`.

    `*` matches each part: the different values, sorted. A missing part is None.
    """
    if not path or document is None:
        return document
    first, _, rest = path.partition(".")
    if first == "*":
        parts = document.values() if isinstance(document, dict) else document
        return sorted({value_at(each, rest) for each in parts})
    if isinstance(document, list):
        place = int(first)
        return value_at(document[place] if place < len(document) else None, rest)
    return value_at(document.get(first), rest)


def differences(document: Any, expected: dict[str, Any]) -> dict[str, Any]:
    """Return what a document holds at those paths where something else is expected."""
    found = {path: value_at(document, path) for path in expected}
    return {path: each for path, each in found.items() if each != expected[path]}
