"""What goes wrong at one request of a command: a fault, a kill, an editor's edit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from tests.support.sandbox.fault_rules import Fault, PlannedFault
from tests.support.sandbox.injector import spoilt
from tests.support.sandbox.replies import broken

READS = ("GET", "HEAD")
BEFORE, APPLIED, ANSWERED = KILLS = ("before", "applied", "answered")
"""When a run is killed: before its request arrives, once it was applied, or when its
answer was read and nothing of it is written down yet."""


def is_write(call: Call) -> bool:
    """Return whether a request changes the space."""
    return call.method not in READS or call.path.endswith("publish")


def is_any(call: Call) -> bool:
    """Return whether a request is one of a command's own."""
    return not call.path.startswith("/_sandbox/")


@dataclass
class Disturbance:
    """The sandbox's middleware: something happens at one request."""

    at: int = 0
    """Which request, from 1; 0: none."""
    act: Callable[[Call, Next], Awaitable[Reply]] | None = None
    """Answers that request in the sandbox's place."""
    counts: Callable[[Call], bool] = is_any
    how: str = ""
    """One of `KILLS`: the run is killed at that request."""
    killed: Callable[[], object] = lambda: None
    """Keeps what is on the disk at that moment."""
    seen: int = 0
    struck: str = ""
    """The path of the request that it happened at."""
    dead: bool = False
    """Whether the run was killed. Nothing reaches the services from then on."""

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Answer a call, or do what happens at it."""
        if self.dead:
            return json_reply(401, {"error": "Unauthorized"})
        counted = self.counts(call)
        self.seen += counted
        if not counted or self.seen != self.at:
            return await answer(call)
        self.struck = call.path
        if self.act is not None:
            return await self.act(call, answer)
        if self.how == BEFORE:
            self.kill()
            return broken(Reply(0))
        reply = await answer(call)
        if self.how == APPLIED:
            self.kill()
        return reply

    def answer_read(self) -> None:
        """Kill the run when the answer that it is to be killed after was read."""
        if self.how == ANSWERED and self.seen >= self.at and not self.dead:
            self.kill()

    def kill(self) -> None:
        """Kill the run here."""
        self.dead = True
        self.killed()


@dataclass
class Switch:
    """The sandbox's middleware: one disturbance after the other, or none."""

    disturbance: Disturbance

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Answer a call."""
        return await self.disturbance(call, answer)


LOST, UNSENT, REFUSED = str(Fault.DROP_AFTER), str(Fault.DROP_BEFORE), "refused"
"""A write that is applied without an answer, or not; or whose answer names a field."""
MODES = (LOST, str(Fault.TRUNCATED), str(Fault.ERROR_AFTER), UNSENT, REFUSED)


def kill(at: int, mode: str) -> Disturbance:
    """Return what kills a run at a write, which is applied or not."""
    how = BEFORE if mode == UNSENT else APPLIED
    return Disturbance(at, counts=is_write, how=how)


def fault(at: int, mode: str) -> Disturbance:
    """Return what goes wrong with a write of a run that continues."""
    return Disturbance(at, partial(_go_wrong, mode), is_write)


async def _go_wrong(mode: str, call: Call, answer: Next) -> Reply:
    if mode == REFUSED:
        return json_reply(422, {"name": ["is not to our liking"]})
    return await spoilt(PlannedFault(Fault(mode)), call, answer)
