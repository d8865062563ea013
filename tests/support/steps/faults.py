"""Faults of the destination, faulty by method, path and occurrence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from tests.support.sandbox.replies import Ending, broken

CREATE_STORY = ("POST", r"/stories$")
UPDATE_STORY = ("PUT", r"/stories/\d+$")
PUBLISH_STORY = ("GET", r"/stories/\d+/publish$")
CREATE_COMPONENT = ("POST", r"/components$")
SIGN = ("POST", r"/assets$")

CUT = "cut"
"""Applied; the connection breaks in the middle of the answer."""
ERROR = "error"
"""Applied; the answer is a 500."""
GARBAGE = "garbage"
"""Applied; the answer is a success that is not JSON."""
EMPTY = "empty"
"""Applied; the answer is a success without a record."""
UNSENT = "unsent"
"""Not applied; the connection breaks."""
REFUSED = "refused"
"""Not applied; the answer names a field."""

APPLIED = (CUT, ERROR, GARBAGE, EMPTY)


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
        reply = await answer(call)
        if self.after is not None:
            self.after(reply)
        return _spoilt(reply, self.mode)

    def _meant(self, call: Call) -> bool:
        method, path = self.request
        if call.method != method or not re.search(path, call.path):
            return False
        if self.item and self.item.encode() not in call.body:
            return False
        self.seen += 1
        return not self.at or self.seen in self.at


def _spoilt(reply: Reply, mode: str) -> Reply:
    if mode == CUT:
        return broken(reply, Ending.CUT)
    if mode == ERROR:
        return replace(reply, status=500, body=b"<html>oh</html>", content_type="")
    if mode == GARBAGE:
        return replace(reply, body=reply.body[: len(reply.body) // 2])
    return replace(reply, body=b"{}")
