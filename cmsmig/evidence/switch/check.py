"""One line of the checklist before the DNS switch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum

from cmsmig.canonical import JsonObject


class CheckState(StrEnum):
    """The state of one line of the checklist."""

    DONE = "done"
    OPEN = "open"
    """Something has to be done or decided first."""
    PERSON = "person"
    """It cannot be checked here: a person has to look."""
    TICKED = "ticked"
    """A person saw to it, and nothing has changed since."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the checklist."""

    what: str
    state: CheckState
    found: str
    """What is known about it."""
    where: str = ""
    """The file, list or page that names each case."""
    todo: str = ""
    """What to do; empty for a line that is done."""
    said: str = ""
    """Who ticked it, when, and a note."""

    def as_json(self) -> JsonObject:
        """Return the line as report.json lists it."""
        return {**asdict(self), "state": str(self.state)}


def done(what: str, found: str) -> Check:
    """Return a line that is done."""
    return Check(what, CheckState.DONE, found)


def either(
    what: str, found: str, where: str = "", todo: str = "", *, ok: bool
) -> Check:
    """Return a line that is done if `ok`, else open."""
    state = CheckState.OPEN
    return done(what, found) if ok else Check(what, state, found, where, todo)


def person(what: str, found: str, where: str = "", todo: str = "") -> Check:
    """Return a line that cannot be checked here."""
    return Check(what, CheckState.PERSON, found, where, todo)
