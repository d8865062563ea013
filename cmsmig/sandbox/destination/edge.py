"""The edge in front of the delivery side: cache versions, kept answers and rates.

Source: delivery, cache version and rate limits.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TypeAlias
from urllib.parse import urlencode

from cmsmig.sandbox.destination.delivery import StoryDelivery, is_draft, of_space
from cmsmig.sandbox.destination.journal import Journal
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.http.rate_limits import PageWindow
from cmsmig.sandbox.values import whole

_PER_PAGE = 25
"""Rows of a list that names no number."""
_WEEK = 7 * 86_400.0
_SPACE_SECONDS = 2.0
"""How long the answer about the space is kept."""
_MOST_KEPT = 64
_POLICY = ("X-RateLimit-Policy", '"space-concurrent-requests";q=30')
"""Sent with drafts only, and no rate."""

Address: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(slots=True)
class DeliveryEdge:
    """Answers `/v2/cdn`; the token is in the query.

    A public token reads what is published, the preview token drafts as well. A
    published answer is kept under its whole address, with the cache version in it,
    and given again unchanged; a published call without a version, or with one that
    is neither kept nor the present one, is sent to the present one.
    """

    journal: Journal
    window: PageWindow
    minimum_cache: int = 0
    """Seconds that an answer is kept at least; cache versions come in such steps."""
    kept: OrderedDict[Address, tuple[float, Reply]] = field(default_factory=OrderedDict)

    async def answer(self, call: Call) -> Reply:
        """Answer one call."""
        reply = self._refusal(call) or self._kept(call) or self._fresh(call)
        return replace(reply, service="cdn", route="delivered stories")

    @property
    def _space(self) -> Space:
        return self.journal.space

    def _refusal(self, call: Call) -> Reply | None:
        allowed = {self._space.preview_token}
        if not is_draft(call):
            allowed.add(self._space.public_token)
        if call.parameter("token") in allowed:
            return None
        return _marked(json_reply(401, {"error": "Unauthorized"}), "Error")

    def _kept(self, call: Call) -> Reply | None:
        until, reply = self.kept.get(_address(call), (0.0, None))
        if reply is None or self.window.clock() >= until:
            return None
        return _marked(reply, "Hit")

    def _fresh(self, call: Call) -> Reply:
        rows = 1 if of_space(call) else whole(call.parameter("per_page")) or _PER_PAGE
        if not self.window.admit(rows):
            return _marked(json_reply(429, {"error": "Too many requests"}), "Error")
        state = self.journal.state()
        version = state.version - state.version % max(self.minimum_cache, 1)
        fixed = is_draft(call) or of_space(call)
        if not fixed and whole(call.parameter("cv")) != version:
            return _marked(_redirect(call, version), "Miss")
        reply = StoryDelivery(state, version).reply(call)
        if is_draft(call):
            reply = replace(reply, headers=(*reply.headers, _POLICY))
        elif reply.status == 200:
            self._keep(call, reply)
        return _marked(reply, "Miss" if reply.status < 400 else "Error")

    def _keep(self, call: Call, reply: Reply) -> None:
        seconds = _SPACE_SECONDS if of_space(call) else self.minimum_cache or _WEEK
        self.kept[_address(call)] = (self.window.clock() + seconds, reply)
        self.kept.move_to_end(_address(call))
        if len(self.kept) > _MOST_KEPT:
            self.kept.popitem(last=False)


def _address(call: Call) -> Address:
    return call.path, tuple(sorted(call.query))


def _redirect(call: Call, version: int) -> Reply:
    """Return the way to the same address with another cache version."""
    query = [(name, value) for name, value in call.query if name != "cv"]
    asked = urlencode([*query, ("cv", str(version))])
    address = f"http://{call.headers['host']}{call.raw_path}?{asked}"
    return Reply(301, headers=(("Location", address),))


def _marked(reply: Reply, how: str) -> Reply:
    return replace(
        reply, headers=(*reply.headers, ("X-Cache", f"{how} from cloudfront"))
    )
