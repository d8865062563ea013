"""What was asked of a sandbox and what was wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.sandbox.replies import observed


@dataclass(frozen=True, slots=True)
class Entry:
    """One answered request; never a header, so never a token."""

    number: int
    """Counted from 1 over both services, in the order of arrival."""
    time: float
    """Unix time of the answer, by the sandbox's clock."""
    service: str
    """`origin`, `files`, `site`, `destination`, `upload`, `delivery` or `cdn`."""
    method: str
    path: str
    query: dict[str, str]
    route: str
    status: int
    quota: bool
    """Whether it drew on the destination's rate budget."""
    subject: str = ""
    """What the request was about, in words that are the same in every run."""
    attempt: int = 1
    """Which of the requests of this method and route about the same."""
    fault: str = ""
    """What a planned fault did to it; empty: nothing."""


@dataclass(frozen=True, slots=True)
class Violation:
    """Something the real service stores in silence and an editor suffers from."""

    kind: str
    where: str
    """Record and place inside it, such as `stories/a/b: body[2].image`."""
    what: str


@dataclass(slots=True)
class Recorder:
    """Collects entries and violations; the outermost middleware of both services."""

    clock: Callable[[], float]
    entries: list[Entry] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    arrivals: int = 0

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Answer a call and keep an entry of it."""
        self.arrivals += 1
        number = self.arrivals
        reply = observed(await answer(call))
        self.entries.append(
            Entry(
                number=number,
                time=self.clock(),
                service=reply.service,
                method=call.method,
                path=call.path,
                query={k: v for k, v in call.query if k != "token"},
                route=reply.route,
                status=reply.status,
                quota=reply.service == "destination" and reply.status > 0,
                subject=reply.subject,
                attempt=reply.attempt,
                fault=reply.fault,
            )
        )
        return reply

    def violated(self, kind: str, where: str, what: str) -> None:
        """Keep one violation."""
        self.violations.append(Violation(kind, where, what))

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
