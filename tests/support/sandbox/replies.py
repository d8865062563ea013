"""An answer with what the tests know of it, and how its sending ends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import Any

from cmsmig.sandbox.http.asgi import Exchange, Reply

_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Ending(Enum):
    """How the sending of an answer ends."""

    WHOLE = "whole"
    CUT = "cut"
    """Half of the body, then the connection breaks."""
    DROPPED = "dropped"
    """Not a byte; the connection breaks."""


@dataclass(frozen=True, slots=True)
class ObservedReply(Reply):
    """An answer, and what the history says about it."""

    ending: Ending = Ending.WHOLE
    subject: str = ""
    """What the request was about, in words that are the same in every run."""
    attempt: int = 1
    """How often the same was asked, this time included."""
    fault: str = ""
    """What a planned fault did to it."""


def observed(reply: Reply, **known: Any) -> ObservedReply:
    """Return an answer with more that is known of it."""
    parts = {each.name: getattr(reply, each.name) for each in fields(reply)}
    return ObservedReply(**parts | known)


def broken(reply: Reply, ending: Ending = Ending.DROPPED) -> ObservedReply:
    """Return an answer that does not arrive, or not whole."""
    return observed(reply, ending=ending)


@dataclass(frozen=True)
class BreakingExchange(Exchange):
    """The application of one port, whose connections break where an answer says so.

    The server's `receive` belongs to an object that has the connection's `transport`.
    """

    async def respond(self, reply: Reply, receive: Any, send: _Send) -> None:
        """Send an answer, half of it, or nothing."""
        ending = observed(reply).ending
        if ending is Ending.WHOLE:
            await super().respond(reply, receive, send)
            return
        if ending is Ending.CUT:
            # A status without a body would make half of one whole.
            status = 200 if reply.status == 204 else reply.status
            await super().respond(
                replace(reply, status=status), receive, _half(reply.body, send)
            )
            receive.__self__.transport.close()
        else:
            receive.__self__.transport.abort()
        while (await receive())["type"] != "http.disconnect":
            pass


def _half(body: bytes, send: _Send) -> _Send:
    """Promise one byte more than there are, and send half of them."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if "headers" in message:
            length = (b"content-length", str(len(body) + 1).encode())
            named = [each for each in message["headers"] if each[0] != length[0]]
            await send({**message, "headers": [*named, length]})
        else:
            await send({**message, "body": body[: len(body) // 2], "more_body": True})

    return sending
