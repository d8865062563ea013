"""Work whose intents stand in the ledger before anything of it is sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from cmsmig.ledger.intents import Intents
from cmsmig.ledger.rows import Intent
from cmsmig.steps.worker_pool import Work

T = TypeVar("T")


def write_ahead(
    intents: Intents,
    intent_of: Callable[[T], Intent | None],
    perform: Callable[[T], Awaitable[None]],
) -> Work[T]:
    """Return work that writes the intents of a batch before any piece is performed.

    A piece whose intent is None sends nothing. The intent of a piece that is
    abandoned is closed as `not_sent`.
    """

    def intend(batch: Sequence[T]) -> None:
        found = [intent_of(each) for each in batch]
        intents.write([each for each in found if each is not None])

    def abandon(piece: T) -> None:
        intent = intent_of(piece)
        if intent is not None:
            intents.settle(intent.kind, intent.subject, "not_sent")

    return Work(intend, perform, abandon)
