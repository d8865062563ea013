"""Writes whose reply was lost: settled by looking, never by sending blindly."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from cmsmig.errors import (
    MalformedAnswerError,
    OutcomeUnknownError,
    RejectedError,
)

T = TypeVar("T")

ATTEMPTS = 5
"""How often a write is sent when each look shows that it was not applied."""
LATER = (0.25, 0.75, 2.0)
"""Seconds before each further look for what has to be there."""
ONCE_MORE = (1.2,)
"""Seconds before the last look for what may never have been made."""

Sleep = Callable[[float], Awaitable[object]]


async def poll_until_visible(
    look: Callable[[], Awaitable[T | None]],
    sleep: Sleep = asyncio.sleep,
    delays: Sequence[float] = (),
) -> T | None:
    """Look, and after `delays` again: a list may lag behind what was written."""
    found = await look()
    for delay in delays or LATER:
        if found is not None:
            break
        await sleep(delay)
        found = await look()
    return found


async def apply_once(
    send: Callable[[], Awaitable[T]], look: Callable[[], Awaitable[T | None]]
) -> T:
    """Send a write until its effect is seen exactly once.

    After a lost or unusable reply `look` finds out whether it was applied; it is sent
    again only when it was not. A refusal because the name is taken, after a lost
    reply, is an effect that shows late. Raises what `send` raises.
    """
    doubtful = False
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return await send()
        except (OutcomeUnknownError, MalformedAnswerError):
            found = await look()
            if found is not None:
                return found
            doubtful = True
            if attempt == ATTEMPTS:
                raise
        except RejectedError as error:
            found = (
                await poll_until_visible(look) if doubtful and is_taken(error) else None
            )
            if found is None:
                raise
            return found
    raise AssertionError("unreachable: the last attempt returns or raises")


def is_taken(error: RejectedError) -> bool:
    """Return whether the service refused because the name or slug is in use."""
    return any("taken" in problem.message for problem in error.problems)
