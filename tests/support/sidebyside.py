"""How tests are shared out among processes: what a process makes, it makes once.

A file of tests stays together, and a file of cases, so that what they share is made by
one process alone. The notebooks that are worked by hand in a browser go together where
the later tests build on the earlier ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

_BY_HAND = re.compile(r"tests/browser/test_(by_hand|hostile_content)\.py")
LONG = (
    "by hand",
    "tests/browser/",
    "tests/run/",
    "tests/steps/",
    "tests/wire/",
)
"""Units that take long begin with one of these; the longest are begun first."""


def unit_of(nodeid: str) -> str:
    """Return the name of what a test is kept together with."""
    path, _, name = nodeid.partition("::")
    if path == "tests/steps/test_cases.py":
        return f"{path} {name.partition(':')[0]}"
    if not _BY_HAND.fullmatch(path):
        return path
    return f"by hand, {'one thread' if 'one-thread' in nodeid else 'subshells'}"


def longest_first(items: list[pytest.Item]) -> None:
    """Put the tests that take long before the others, in their own order."""
    items.sort(key=lambda item: _rank(unit_of(item.nodeid), LONG))


def _rank(unit: str, order: Sequence[str]) -> int:
    starts = (place for place, start in enumerate(order) if unit.startswith(start))
    return next(starts, len(order))


def scheduler(config: pytest.Config, log: Any) -> Any:
    """Return what hands out units in the order in which their first tests come."""
    from xdist.scheduler import LoadScopeScheduling

    class Units(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit_of(nodeid)

    config.option.loadscopereorder = False
    return Units(config, log)
