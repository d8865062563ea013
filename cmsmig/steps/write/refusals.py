"""What stories need and the destination refused: listed by name, and the run continues.

A refusal of one component, datasource, entry or folder fails what depends on it, each
with a reason. Refused credentials and lost connections end the run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
    ServiceError,
)
from cmsmig.events import Noticed
from cmsmig.ledger.rows import Intent
from cmsmig.steps.worker_pool import Work
from cmsmig.steps.write.import_job import ImportJob, RefusedObject
from cmsmig.steps.write.write_ahead import write_ahead

T = TypeVar("T")

OF_ONE_OBJECT: Final = (
    NotFoundError,
    RejectedError,
    OutcomeUnknownError,
    MalformedAnswerError,
)
"""Errors that end no run: they are about one object."""


def contained(
    job: ImportJob,
    named: Callable[[T], tuple[str, str]],
    intent_of: Callable[[T], Intent | None],
    perform: Callable[[T], Awaitable[None]],
) -> Work[T]:
    """Return write-ahead work in which the refusal of a piece ends that piece alone.

    `named` returns the kind and the name of a piece.
    """

    async def attempt(piece: T) -> None:
        try:
            await perform(piece)
        except OF_ONE_OBJECT as error:
            refuse(job, *named(piece), str(error))
            intent = intent_of(piece)
            if intent is not None:
                settle_refused(job, intent, error)

    return write_ahead(job.ledger.intents, intent_of, attempt)


def settle_refused(job: ImportJob, intent: Intent, error: ServiceError) -> None:
    """Close the intent of a refused request. Without an answer it stays open: the next
    run looks before it sends."""
    if isinstance(error, RejectedError):
        job.ledger.intents.settle(intent.kind, intent.subject, "refused")


def refuse(job: ImportJob, kind: str, name: str, text: str) -> None:
    """Note that an object could not be made or brought up to date, and report it."""
    job.refused[kind, name] = RefusedObject(kind, name, text)
    job.observer(Noticed(f"{kind} {name}", text))
