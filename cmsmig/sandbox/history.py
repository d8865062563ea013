"""What was asked and what was wrong with it, for tests and reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from cmsmig.canonical import JsonObject


@dataclass(frozen=True, slots=True)
class Entry:
    """One answered request; never a header, so never a token."""

    number: int
    time: float
    """Unix time of the answer, by the sandbox's clock."""
    service: str
    """`origin`, `files`, `site`, `destination`, `upload`, `delivery`, `cdn` or
    `control`."""
    method: str
    path: str
    query: dict[str, str]
    route: str
    status: int
    quota: bool
    """Whether it drew on the destination's rate budget."""
    item: str
    subject: str = ""
    """What the request was about, in words that are the same in every run."""
    attempt: int = 1
    """Which of the requests of this method and route about the same."""
    fault: str = ""
    """What a planned fault did to it; empty: nothing."""


@dataclass(frozen=True, slots=True)
class Violation:
    """Something the real service stores in silence and an editor suffers from."""

    number: int
    """The request that brought it."""
    kind: str
    where: str
    """Record and place inside it, such as `stories/a/b: body[2].image`."""
    what: str


@dataclass(slots=True)
class Recorder:
    """Collects entries and violations; read by tests and the control pages."""

    clock: Callable[[], float]
    entries: list[Entry] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    arrivals: int = 0

    def arrived(self) -> int:
        """Return the number of a new request."""
        self.arrivals += 1
        return self.arrivals

    def answered(self, entry: Entry) -> None:
        """Keep an answered request, the control pages' own aside."""
        if entry.service != "control":
            self.entries.append(entry)

    def violated(self, number: int, kind: str, where: str, what: str) -> None:
        """Keep one violation."""
        self.violations.append(Violation(number, kind, where, what))

    def history(self) -> list[JsonObject]:
        """Return every entry as JSON, oldest first."""
        return [asdict(entry) for entry in self.entries]

    def complaints(self) -> list[JsonObject]:
        """Return every violation as JSON, oldest first."""
        return [asdict(violation) for violation in self.violations]

    def summary(self) -> JsonObject:
        """Return counts by service, route and status, and of violations by kind."""
        entries = self.entries
        return {
            "requests": len(entries),
            "quota": sum(entry.quota for entry in entries),
            "refused_for_rate": sum(entry.status == 429 for entry in entries),
            "services": dict(Counter(entry.service for entry in entries)),
            "routes": dict(Counter(entry.route for entry in entries if entry.route)),
            "statuses": dict(Counter(str(entry.status) for entry in entries)),
            "violations": dict(Counter(found.kind for found in self.violations)),
            "faults": dict(Counter(entry.fault for entry in entries if entry.fault)),
        }
