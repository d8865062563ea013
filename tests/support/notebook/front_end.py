"""What a front end is to a kernel: it gets comm messages and sends some back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

from ipywidgets import comm as ipywidgets_comm

Message = Callable[[dict], None]


class Channel:
    """One comm as a front end holds it."""

    def __init__(self, front_end: FrontEnd, data: dict) -> None:
        self.comm_id = f"channel-{len(front_end.channels)}"
        self.state: dict = dict(data.get("state", {}))
        self.kernel = object()
        self._callback: Message | None = None

    def on_msg(self, callback: Message) -> None:
        """Remember who listens in the kernel."""
        self._callback = callback

    def on_close(self, callback: object) -> None:
        """Nothing closes here."""

    def close(self, **_: object) -> None:
        """Let the kernel forget the model."""

    def send(self, data: dict, buffers: object = None, **_: object) -> None:
        """Take a message of the kernel."""
        if data.get("method") == "update":
            self.state |= data["state"]

    def tell(self, data: dict) -> None:
        """Send a message to the kernel from another thread, as subshells do."""
        message = {"content": {"data": data}, "buffers": []}
        assert self._callback is not None
        thread = threading.Thread(target=self._callback, args=(message,))
        thread.start()
        thread.join()


class FrontEnd:
    """All models of a page."""

    def __init__(self) -> None:
        self.channels: list[Channel] = []

    def open(self, *, data: dict | None = None, **_: object) -> Channel:
        """Take a new model."""
        channel = Channel(self, data or {})
        self.channels.append(channel)
        return channel

    def html(self) -> str:
        """Return all the HTML that is shown now."""
        return "\n".join(
            str(each.state["html"]) for each in self.channels if "html" in each.state
        )

    async def click(self, name: str) -> None:
        """Press a button and let the kernel work."""
        held = f'data-do="{name}"'
        [panel] = [e for e in self.channels if held in str(e.state.get("html"))]
        panel.tell({"method": "custom", "content": {"do": name, "value": ""}})
        await settle()


async def settle() -> None:
    """Let everything run that is queued and quick."""
    for _ in range(5):
        await asyncio.sleep(0)


@contextmanager
def front_end() -> Iterator[FrontEnd]:
    """Be the front end of every widget that is made meanwhile."""
    page = FrontEnd()
    with mock.patch.object(ipywidgets_comm, "create_comm", page.open):
        yield page
