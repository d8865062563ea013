"""What follows from the exit code of `cmsmig`; knows nothing of the engine.

Source of the codes: docs/commands.md, "Exit codes".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Then(Enum):
    """What the engine does next."""

    DONE = "done"
    WAIT_FOR_PERSON = "waits for a person"
    RUN_AGAIN = "is run again soon"
    RUN_LATER = "is run again later"
    FAIL = "failed"
    STOP = "stopped"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run of a site ended."""

    then: Then
    message: str
    """What happened and what to do, in one or two sentences."""


_BY_CODE = {
    0: Outcome(Then.DONE, "Done."),
    1: Outcome(
        Then.FAIL,
        "Something failed or is gone; the report lists it. Correct what it names; the "
        "next run continues from here.",
    ),
    2: Outcome(Then.STOP, "Wrong settings; correct them, then start this again."),
    3: Outcome(
        Then.WAIT_FOR_PERSON,
        "Decisions are missing; make them in the notebooks 01 to 03, then resume.",
    ),
    4: Outcome(
        Then.WAIT_FOR_PERSON,
        "Verification found differences; look at the report, decide, then resume.",
    ),
    5: Outcome(Then.RUN_AGAIN, "Interrupted; it continues where it stopped."),
    6: Outcome(Then.RUN_LATER, "Another run holds the ledger of this project."),
    7: Outcome(
        Then.STOP,
        "A service refused the credentials; renew the token, then start this again.",
    ),
}
_SIGNALS = range(129, 160)
"""What shells and containers make of a signal: 128 and its number."""


def outcome_of(code: int, complaint: str = "") -> Outcome:
    """Return what follows from an exit code; `complaint` is what cmsmig said last.

    A process that a signal ended (a machine out of memory, a restart) was
    interrupted: negative, as Python reports it, or above 128. Any other code that
    cmsmig does not use stops the site.
    """
    if code < 0 or code in _SIGNALS:
        code, complaint = 5, f"A signal ended it (exit code {code})."
    unknown = Outcome(Then.STOP, f"Exit code {code} is none of cmsmig's own.")
    known = _BY_CODE.get(code, unknown)
    if known.then is Then.DONE or not complaint:
        return known
    return Outcome(known.then, f"{known.message} {complaint}")


def bounded(outcome: Outcome, attempt: int, attempts: int) -> Outcome:
    """Return the outcome of an attempt, from 1 on: the last one is not repeated."""
    if outcome.then not in (Then.RUN_AGAIN, Then.RUN_LATER) or attempt < attempts:
        return outcome
    return Outcome(Then.FAIL, f"Given up after {attempt} attempts. {outcome.message}")
