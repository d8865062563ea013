"""What a space holds at one moment, to be there again later."""

from __future__ import annotations

import copy
from dataclasses import fields
from typing import Any

from cmsmig.sandbox.destination.space import Space

_OF_THE_SANDBOX = frozenset(
    {"clock", "received", "touched", "saved", "unknowns", "selections"}
)


def records_of(space: Space) -> dict[str, Any]:
    """Return a copy of all that a space holds."""
    names = {each.name for each in fields(space)} - _OF_THE_SANDBOX
    return copy.deepcopy({name: getattr(space, name) for name in names})


def put_back(space: Space, records: dict[str, Any]) -> None:
    """Let a space, of this sandbox or a later one, hold what it held."""
    for name, value in copy.deepcopy(records).items():
        setattr(space, name, value)
    space.selections.clear()
