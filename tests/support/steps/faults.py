"""Faults of the destination, faulty by method, path and occurrence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from tests.support.sandbox.fault_rules import Fault as Kind
from tests.support.sandbox.fault_rules import PlannedFault
from tests.support.sandbox.injector import spoilt
from tests.support.sandbox.replies import Ending, broken

CREATE_STORY = ("POST", r"/stories$")
UPDATE_STORY = ("PUT", r"/stories/\d+$")
PUBLISH_STORY = ("GET", r"/stories/\d+/publish$")
CREATE_COMPONENT = ("POST", r"/components$")
SIGN = ("POST", r"/assets$")

CUT = "cut"
"""Applied; the connection breaks in the middle of the answer."""
UNSENT = "unsent"
"""Not applied; the connection breaks."""
REFUSED = "refused"
"""Not applied; the answer names a field."""

SPOILT = {
    CUT: Kind.TRUNCATED,
    "error": Kind.ERROR_AFTER,
    "garbage": Kind.MALFORMED,
    "empty": Kind.EMPTY,
}
"""What is applied and then goes wrong."""


@dataclass
class Fault:
    """One fault, and with `then_dead` a service that answers 401 from then on.

    To a run, that is what being killed is to the ledger: what was intended and
    got no result stays open.
    """

    request: tuple[str, str]
    mode: str
    at: tuple[int, ...] = (1,)
    """Which of the matching requests, from 1; empty: every one."""
    item: str = ""
    """Only requests whose body holds this text."""
    then_dead: bool = False
    before: Callable[[Call], None] | None = None
    """Done before a faulty request is handled."""
    after: Callable[[Reply], None] | None = None
    """Done with the true reply of a faulty request."""
    seen: int = 0
    hits: int = 0
    dead: bool = field(default=False)
    bodies: list[bytes] = field(default_factory=list)
    """Of the faulty requests."""

    def over(self) -> None:
        """Let everything through from now on."""
        self.dead = False
        self.at = (-1,)

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Be the sandbox's middleware."""
        if self.dead and call.path.startswith("/v1/"):
            return json_reply(401, {"error": "Unauthorized"})
        if not self._meant(call):
            return await answer(call)
        self.hits += 1
        self.bodies.append(call.body)
        self.dead = self.then_dead
        if self.before is not None:
            self.before(call)
        if self.mode == UNSENT:
            return broken(Reply(200, b"{}", service="destination"), Ending.CUT)
        if self.mode == REFUSED:
            return json_reply(422, {"name": ["is not to our liking"]})

        async def seen(call: Call) -> Reply:
            reply = await answer(call)
            if self.after is not None:
                self.after(reply)
            return reply

        return await spoilt(PlannedFault(SPOILT[self.mode]), call, seen)

    def _meant(self, call: Call) -> bool:
        method, path = self.request
        if call.method != method or not re.search(path, call.path):
            return False
        if self.item and self.item.encode() not in call.body:
            return False
        self.seen += 1
        return not self.at or self.seen in self.at
