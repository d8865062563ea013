"""What goes wrong with one request of an import, and with all that come after it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cmsmig.sandbox.http.asgi import Call, Ending, Next, Reply, json_reply

CREATE = ("POST", r"/stories$")
UPDATE = ("PUT", r"/stories/(\d+)$")
PUBLISH = ("GET", r"/stories/(\d+)/publish$")
UNPUBLISH = ("GET", r"/stories/(\d+)/unpublish$")
DELETE = ("DELETE", r"/stories/(\d+)$")
WRITES: Mapping[str, tuple[str, str]] = {
    "create": CREATE,
    "update": UPDATE,
    "publish": PUBLISH,
    "unpublish": UNPUBLISH,
    "delete": DELETE,
}

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
APPLIED = (LOST, HALF, ERROR)


@dataclass(frozen=True)
class Written:
    """A request that may have changed a story."""

    kind: str
    story_id: int
    """0 for one that was to be made."""
    applied: bool
    answered: bool
    """Whether the whole answer arrived."""
    slug: str = ""
    """Of one that was to be made."""


@dataclass
class Interruption:
    """The sandbox's middleware: one request goes wrong, as it is faulty."""

    kind: str = ""
    """Of the request, one of `WRITES`. Empty: nothing goes wrong."""
    mode: str = ""
    number: int = 1
    """Which of these requests, from 1."""
    killing: bool = False
    """Whether nothing is answered any more from then on: the run is killed."""
    seen: int = 0
    struck: bool = False
    log: list[Written] = field(default_factory=list)

    @property
    def killed(self) -> bool:
        """Return whether the run has to have ended there."""
        return self.killing and self.struck

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Answer a call, or do what is faulty."""
        if not call.path.startswith("/v1/"):
            return await answer(call)
        if self.killed:
            return json_reply(401, {"error": "Unauthorized"})
        kind, story_id = _kind_of(call)
        slug = _slug_of(call) if kind == "create" else ""
        if kind == self.kind and not self.struck:
            self.seen += 1
            self.struck = self.seen == self.number
            if self.struck:
                applied = self.mode in APPLIED
                self.log.append(Written(kind, story_id, applied, False, slug))
                return await _go_wrong(self.mode, call, answer)
        reply = await answer(call)
        if kind:
            fine = reply.status < 300
            self.log.append(Written(kind, story_id, fine, fine, slug))
        return reply


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


def _kind_of(call: Call) -> tuple[str, int]:
    for kind, (method, path) in WRITES.items():
        found = re.search(path, call.path) if call.method == method else None
        if found:
            return kind, int(found[1]) if found.re.groups else 0
    return "", 0


def _slug_of(call: Call) -> str:
    story = call.document().get("story")
    return str(story.get("slug")) if isinstance(story, dict) else ""
