"""What a browser says and asks for while the tests work in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Request,
    WebSocket,
)

MARKER = "hostile-content-ran"
"""What content that should not run says on the console when it does."""
_LOCAL_SCHEMES = frozenset({"about", "blob", "data", "file"})
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

_KERNELS = re.compile(r"http://127\.0\.0\.1:\d+/api/kernels\?\d+")
"""What the Lab asks for every few seconds. Its server answers with an error of its own
while one of the kernels is just being started."""


@dataclass
class Hearing:
    """Everything that the pages of one browser context said and asked for."""

    errors: list[str] = field(default_factory=list)
    """Errors on the console and uncaught ones, of every frame."""
    ran: list[str] = field(default_factory=list)
    """Console lines of content that should not have run."""
    away: list[str] = field(default_factory=list)
    """Addresses asked for that lie outside of this machine."""
    asked: int = 0
    subshells: bool = False
    """Whether a kernel was asked for a subshell."""

    def listen(self, context: BrowserContext) -> None:
        """Hear every page that the context opens from now on."""
        context.on("console", self._said)
        context.on("weberror", lambda error: self.errors.append(str(error.error)))
        context.on("request", self._requested)
        context.on("page", lambda page: page.on("websocket", self._connected))

    def quiet(self) -> bool:
        """Return whether pages reported, and nothing that they should not."""
        assert self.errors == [], self.errors
        assert self.ran == [], self.ran
        assert self.away == [], self.away
        return self.asked > 0

    def _said(self, message: ConsoleMessage) -> None:
        if MARKER in message.text:
            self.ran.append(message.text)
        elif message.type == "error":
            where = message.location.get("url", "")
            if "status of 500" in message.text and _KERNELS.fullmatch(where):
                return
            self.errors.append(f"{message.text} ({where})")

    def _requested(self, request: Request) -> None:
        self.asked += 1
        self._address(request.url)

    def _connected(self, socket: WebSocket) -> None:
        self._address(socket.url)
        socket.on("framesent", self._sent)

    def _sent(self, payload: str | bytes) -> None:
        frame = payload.encode() if isinstance(payload, str) else payload
        self.subshells = self.subshells or b"create_subshell_request" in frame

    def _address(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme not in _LOCAL_SCHEMES and parts.hostname not in _LOOPBACK:
            self.away.append(address)


async def listened(browser: Browser) -> tuple[BrowserContext, Hearing]:
    """Return a browser context of its own, and what its pages report."""
    context = await browser.new_context(viewport={"width": 1400, "height": 1000})
    hearing = Hearing()
    hearing.listen(context)
    return context, hearing
