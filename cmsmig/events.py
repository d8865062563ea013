"""What happened, as frozen records; progress, log and report observe them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A step begins; `total` is how many things it will handle, if known."""

    step: str
    total: int | None


@dataclass(frozen=True, slots=True)
class StepAdvanced:
    """One more thing of the step is handled."""

    step: str
    what: str


@dataclass(frozen=True, slots=True)
class StepFinished:
    """The step ended; `note` is one line for a person."""

    step: str
    note: str


@dataclass(frozen=True, slots=True)
class RequestSent:
    """One request went out; `quota` says whether it draws on the budget."""

    service: str
    method: str
    path: str
    status: int
    quota: bool


@dataclass(frozen=True, slots=True)
class RequestRetried:
    """A request is sent again after `delay` seconds, for `reason`."""

    service: str
    method: str
    path: str
    reason: str
    delay: float


@dataclass(frozen=True, slots=True)
class BudgetWaited:
    """A caller waits `delay` seconds for its turn, for `reason`."""

    service: str
    delay: float
    reason: str


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something a person should know; the run continues."""

    where: str
    what: str


Event: TypeAlias = (
    StepStarted
    | StepAdvanced
    | StepFinished
    | RequestSent
    | RequestRetried
    | BudgetWaited
    | Noticed
)
Observer: TypeAlias = Callable[[Event], None]


def unobserved(event: Event) -> None:
    """Take an event and do nothing with it."""
