"""Long work in slices, so that a panel answers meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from time import monotonic
from typing import TypeVar

T = TypeVar("T")

_SLICE = 0.03
"""Seconds of work before anything else gets its turn."""
_PAUSE = 0.01


async def in_slices(work: Iterable[T]) -> AsyncIterator[T]:
    """Work through something; yield its results, and pause for others meanwhile."""
    until = monotonic() + _SLICE
    for each in work:
        yield each
        if monotonic() > until:
            await asyncio.sleep(_PAUSE)
            until = monotonic() + _SLICE
    await asyncio.sleep(0)
