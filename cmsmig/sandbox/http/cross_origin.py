"""What lets a page of another origin read the destination's answers.

The service's own editor is such a page, so the API, the upload host and the
asset host all allow it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cmsmig.sandbox.http.asgi import Call, Reply, Service

_ALWAYS = (("Access-Control-Allow-Origin", "*"),)
_READABLE = "Total, Per-Page, Retry-After, ETag, Location"
_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"


@dataclass(frozen=True, slots=True)
class CrossOrigin:
    """A service whose answers any page may read; preflights cost no quota."""

    inner: Service

    async def answer(self, call: Call) -> Reply:
        """Answer a preflight here and everything else by the inner service."""
        if call.method == "OPTIONS":
            return _preflight(call)
        reply = await self.inner.answer(call)
        if "origin" not in call.headers:
            return reply
        shown = ("Access-Control-Expose-Headers", _READABLE)
        return replace(reply, headers=(*reply.headers, *_ALWAYS, shown))


def _preflight(call: Call) -> Reply:
    wanted = call.headers.get("access-control-request-headers", "*")
    headers = (
        *_ALWAYS,
        ("Access-Control-Allow-Methods", _METHODS),
        ("Access-Control-Allow-Headers", wanted),
        ("Access-Control-Max-Age", "7200"),
    )
    return Reply(204, headers=headers, service="preflight")
