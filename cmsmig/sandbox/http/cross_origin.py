"""What lets a page of another origin read the destination's answers.

The service's own editor is such a page, so the API, the upload host and the
asset host all allow it.
"""

from __future__ import annotations

from dataclasses import replace

from cmsmig.sandbox.http.asgi import Call, Next, Reply

_ALWAYS = (("Access-Control-Allow-Origin", "*"),)
_READABLE = "Total, Per-Page, Retry-After, ETag, Location"
_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"


async def cross_origin(call: Call, answer: Next) -> Reply:
    """Answer a preflight, which costs no quota; let any page read other answers."""
    if call.method == "OPTIONS":
        wanted = call.headers.get("access-control-request-headers", "*")
        headers = (
            *_ALWAYS,
            ("Access-Control-Allow-Methods", _METHODS),
            ("Access-Control-Allow-Headers", wanted),
            ("Access-Control-Max-Age", "7200"),
        )
        return Reply(204, headers=headers, service="preflight")
    reply = await answer(call)
    if "origin" not in call.headers:
        return reply
    shown = ("Access-Control-Expose-Headers", _READABLE)
    return replace(reply, headers=(*reply.headers, *_ALWAYS, shown))
