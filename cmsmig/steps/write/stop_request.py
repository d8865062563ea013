"""A run that another notebook or process may stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from cmsmig.ledger.lease import is_asked_to_stop
from cmsmig.steps.worker_pool import StopSignal

_EVERY = 0.5
"""Seconds between two looks for a request."""


@asynccontextmanager
async def stoppable_from_elsewhere(lock: Path, stop: StopSignal) -> AsyncIterator[None]:
    """Set `stop` once somebody asks for it beside the lock that this process holds."""

    async def watch() -> None:
        while not is_asked_to_stop(lock):
            await asyncio.sleep(_EVERY)
        stop.set()

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
