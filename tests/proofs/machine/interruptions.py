"""What goes wrong with one write of a command, and with all requests after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cmsmig.sandbox.http.asgi import Call, Ending, Next, Reply, json_reply

LOST = "lost"
"""Applied, and the connection breaks without an answer."""
HALF = "half"
"""Applied, and the connection breaks in the middle of the answer."""
ERROR = "error"
"""Applied, and the answer is a 500."""
UNSENT = "unsent"
"""Not applied: the connection breaks."""
REFUSED = "refused"
"""Not applied: the answer names a field."""
MODES = (LOST, HALF, ERROR, UNSENT, REFUSED)
_READS = ("GET", "HEAD")


@dataclass
class Interruption:
    """The sandbox's middleware: one write goes wrong."""

    at: int = 0
    """Which write, from 1; 0: none."""
    mode: str = LOST
    died: Callable[[], object] | None = None
    """The run is killed at that moment, and this is called. None: it goes on."""
    writes: int = 0
    struck: str = ""
    """The path of the request that went wrong."""

    @property
    def dead(self) -> bool:
        """Return whether the run was killed."""
        return bool(self.struck) and self.died is not None

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Answer a call, or do what is faulty."""
        if self.dead:
            return json_reply(401, {"error": "Unauthorized"})
        writes = call.method not in _READS or call.path.endswith("publish")
        self.writes += writes
        if not writes or self.writes != self.at:
            return await answer(call)
        self.struck = call.path
        if self.died is not None:
            self.died()
        return await _go_wrong(self.mode, call, answer)


async def _go_wrong(mode: str, call: Call, answer: Next) -> Reply:
    if mode == REFUSED:
        return json_reply(422, {"name": ["is not to our liking"]})
    if mode == UNSENT:
        return Reply(200, ending=Ending.DROPPED, service="destination")
    reply = await answer(call)
    if mode == ERROR:
        return replace(reply, status=500, body=b"<html>oh</html>", content_type="")
    ending = Ending.DROPPED if mode == LOST else Ending.CUT
    return replace(reply, ending=ending)
