"""Requests without a usable answer: what that means and how long to wait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from cmsmig.configuration.token_hosts import is_loopback
from cmsmig.errors import (
    MalformedAnswerError,
    OutcomeUnknownError,
    OversizedAnswerError,
    RateLimitedError,
    ServiceError,
    UnreachableError,
)
from cmsmig.nesting import DeepJsonError
from cmsmig.wire.answers import Answer, Request, bare, path_of

TRIES = 5
"""How often a request is sent before its failure is believed."""
REFUSALS = 12
"""How many 429s in a row one request takes before it gives up."""
_FIRST_DELAY, _LONGEST_DELAY = 0.5, 20.0


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """No usable answer came."""

    reason: str
    sent: bool
    """Whether the service may have taken the request."""
    answer: Answer | None = None
    """What came instead, if anything did."""
    tries: int = TRIES
    """How often it is worth sending a request that ends so."""
    oversized: bool = False
    """Whether the answer holds more than is taken: bytes, or levels."""


Outcome: TypeAlias = Answer | NoAnswer


def delay_before(
    attempt: int, random: Callable[[], float], asked: float | None
) -> float:
    """Return the seconds to wait before try `attempt` (2 is the first repetition)."""
    grown: float = min(_FIRST_DELAY * 2.0 ** (attempt - 2), _LONGEST_DELAY)
    return max(grown * (0.5 + random()), min(asked or 0.0, 3 * _LONGEST_DELAY))


def unusable(request: Request, answer: Answer) -> NoAnswer | None:
    """Return why an answer cannot be relied on, or None when it can."""
    if answer.status >= 500 or answer.status == 408:
        return NoAnswer(f"it answered {answer.status}", True, answer)
    if not 200 <= answer.status < 300 or request.method == "HEAD":
        return None
    if not answer.body.strip():
        empty = request.reads_only and answer.status == 200
        return NoAnswer("its answer is empty", True, answer) if empty else None
    try:
        answer.json()
    except MalformedAnswerError as error:
        if isinstance(error.__cause__, DeepJsonError):
            return NoAnswer(str(error.__cause__), True, answer, 1, oversized=True)
        return NoAnswer("its answer is not whole JSON", True, answer)
    return None


def may_be_taken(outcome: Outcome) -> bool:
    """Return whether the service may have done what a request asks for."""
    if isinstance(outcome, NoAnswer):
        return outcome.sent
    return not 400 <= outcome.status < 500 or outcome.status == 408


def given_up(service: str, request: Request, failed: NoAnswer) -> ServiceError:
    """Return the error that the last failure amounts to."""
    what = f"{request.method} {path_of(request.url)}"
    kind: type[ServiceError] = UnreachableError
    if not failed.sent:
        message = (
            f"The {service} at {bare(request.url)} cannot be reached"
            f" ({failed.reason}); {_check_address(request.url)}, then run again."
        )
    elif not request.reads_only:
        kind = OutcomeUnknownError
        message = (
            f"{what} was sent to the {service}, but {failed.reason}, so whether it"
            " was applied is open; run again to find out."
        )
    else:
        if failed.answer is not None and failed.answer.status < 300:
            kind = MalformedAnswerError
            if failed.oversized:
                kind = OversizedAnswerError
        later = failed.tries > 1
        advice = "run again later" if later else "check its address in the settings"
        message = (
            f"The {service} gave no usable answer to {what} ({failed.reason});"
            f" {advice}."
        )
    answer = failed.answer
    return kind(
        message,
        service=service,
        method=request.method,
        url=bare(request.url),
        status=answer.status if answer else None,
        body=answer.said() if answer else None,
    )


def _check_address(url: str) -> str:
    if is_loopback(urlsplit(bare(url)).hostname or ""):
        return (
            "check its address, or start a stopped rehearsal with "
            "`cmsmig --project FOLDER sandbox`"
        )
    return "check its address and the network"


def refused_for_good(service: str, request: Request, answer: Answer) -> ServiceError:
    """Return the error for 429s beyond all patience."""
    return RateLimitedError(
        f"The {service} kept refusing {request.method} {path_of(request.url)}"
        " because of too many requests (429); wait a while, or lower the rate in the"
        " settings, then run again.",
        service=service,
        method=request.method,
        url=bare(request.url),
        status=answer.status,
        body=answer.content(),
    )


class Outage:
    """Hosts that answered once are waited for when they cannot be reached.

    One that never answered is waited for no longer than other failures: its address
    may be wrong, or a firewall may be in the way.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        """Seconds that one request waits."""
        self._answered: set[str] = set()

    def over(self, url: str) -> None:
        """Take note that a host answered."""
        self._answered.add(_host(url))

    def is_waited_for(self, url: str, seconds: float) -> bool:
        """Return whether a request waits on, whose host was away for so long."""
        return seconds < self._limit and _host(url) in self._answered


def _host(url: str) -> str:
    return urlsplit(bare(url)).netloc
