"""Searches for an input on which a check fails, and makes it small."""

from __future__ import annotations

import traceback
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.strategies import SearchStrategy


def falsified(
    check: Callable[..., None],
    *inputs: SearchStrategy[object],
    count: int,
    start: object,
) -> bool:
    """Check so many inputs; print the smallest that fails, and return whether one does.

    `start`: the same one gives the same inputs.
    """
    chosen = settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.normal,
        print_blob=False,
    )
    try:
        seed(start)(chosen(given(*inputs)(check)))()
    except Exception as error:
        print("FOUND", *traceback.format_exception(error, limit=-2), sep="\n")
        return True
    return False
