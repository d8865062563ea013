"""What goes wrong with one write of a command, and with all requests after it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from cmsmig.sandbox.http.asgi import Call, Ending, Next, Reply, json_reply
from tests.proofs.world.disturbances import APPLIED, BEFORE, Disturbance, is_write

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
    if mode == UNSENT:
        return Reply(200, ending=Ending.DROPPED, service="destination")
    reply = await answer(call)
    if mode == ERROR:
        return replace(reply, status=500, body=b"<html>oh</html>", content_type="")
    ending = Ending.DROPPED if mode == LOST else Ending.CUT
    return replace(reply, ending=ending)
