"""What stories need and the destination refused: listed by name, and the run continues.

A refusal of one component, datasource, entry or folder fails what depends on it, each
with a reason. Refused credentials and lost connections end the run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Set
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

COMPONENT_MISSING: Final = "component_missing"
"""Why an item failed: the space lacks a component or a field of its story."""
FOLDER_MISSING: Final = "folder_missing"
"""Why an item failed: its folder was not made."""
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


def lacking_fields(
    there: Mapping[str, Set[str]], used: Mapping[str, Set[str]]
) -> tuple[str, ...]:
    """Return the components and fields that are `used` and not `there`, a phrase
    each."""
    found: list[str] = []
    for component, keys in sorted(used.items()):
        if component not in there:
            found.append(f"component `{component}`")
            continue
        found += [
            f"field `{key}` of component `{component}`"
            for key in sorted(keys - there[component])
        ]
    return tuple(found)


def lacking_sentence(job: ImportJob, lacking: tuple[str, ...]) -> str:
    """Return why a story cannot be written over a space that lacks what it uses."""
    refused = " ".join(
        each.text
        for each in job.refused.values()
        if each.kind == "component" and any(f"`{each.name}`" in one for one in lacking)
    )
    return (
        f"The space lacks what the story uses ({'; '.join(lacking)}). "
        + (refused or "Correct decisions/design.yaml, or run `cmsmig prepare` again.")
    ).strip()
