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
        self._heard: Message | None = None

    def on_msg(self, heard: Message) -> None:
        """Remember who listens in the kernel."""
        self._heard = heard

    def on_close(self, heard: object) -> None:
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
        assert self._heard is not None
        thread = threading.Thread(target=self._heard, args=(message,))
        thread.start()
        thread.join()


class FrontEnd:
    """All models of a page, found by the class that a person's browser sees."""

    def __init__(self) -> None:
        self.channels: list[Channel] = []

    def open(self, *, data: dict | None = None, **_: object) -> Channel:
        """Take a new model."""
        channel = Channel(self, data or {})
        self.channels.append(channel)
        return channel

    def controls(self, name: str) -> list[Channel]:
        """Return the controls with this registered name, in their order."""
        wanted = f"cmsmig-{name}"
        return [
            each
            for each in self.channels
            if wanted in each.state.get("_dom_classes", ())
        ]

    def html(self) -> str:
        """Return all the HTML that is shown now."""
        return "\n".join(
            str(each.state.get("html", each.state.get("value", "")))
            for each in self.channels
            if each.state.get("_model_name") == "HTMLModel" or "html" in each.state
        )

    async def click(self, name: str) -> None:
        """Press a button and let the kernel work."""
        content = {"event": "click"}
        found = self.controls(name)
        if not found:
            held = f'data-do="{name}"'
            found = [e for e in self.channels if held in str(e.state.get("html"))]
            content = {"do": name, "value": ""}
        [button] = found
        button.tell({"method": "custom", "content": content})
        await settle()

    async def set(self, name: str, number: int = 0, **state: object) -> None:
        """Change a control, such as `index=1` or `value="x"`."""
        channel = self.controls(name)[number]
        channel.tell({"method": "update", "state": state, "buffer_paths": []})
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
