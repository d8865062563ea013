"""A gate before the sandbox: requests wait there while the test does something."""

from __future__ import annotations

import asyncio
import re
import threading
from dataclasses import dataclass, field

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.timelimit import patience


@dataclass
class Gate:
    """Lets all requests through until some are to be held."""

    _method: str = ""
    _path: str = ""
    _left: int = 0
    _reached: threading.Event = field(default_factory=threading.Event)
    _waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(
        default_factory=list
    )

    def hold(self, method: str, path: str, after: int) -> None:
        """Hold requests whose path matches, once `after` of them have passed."""
        self._reached.clear()
        self._path, self._left = path, after
        self._method = method

    async def reached(self) -> None:
        """Wait until a request waits at the gate."""
        assert await asyncio.to_thread(self._reached.wait, patience()), (
            "no request came"
        )

    def release(self) -> None:
        """Let everything through, what waits too."""
        self._method = ""
        waiting, self._waiting = self._waiting, []
        for loop, event in waiting:
            loop.call_soon_threadsafe(event.set)

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Be the sandbox's middleware."""
        if call.method == self._method and re.search(self._path, call.path):
            self._left -= 1
            if self._left < 0:
                event = asyncio.Event()
                self._waiting.append((asyncio.get_running_loop(), event))
                self._reached.set()
                await event.wait()
        return await answer(call)
