"""A project folder in the Lab, its notebooks, its sandbox, and a gate before that."""

from __future__ import annotations

import asyncio
import re
import shutil
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from cmsmig.run.locations import find_notebooks, notebooks_folder
from cmsmig.sandbox.http.asgi import Call, Next, Reply
from cmsmig.sandbox.options import SandboxOptions
from tests.support.sandbox.observed import SandboxHandle, running_sandbox
from tests.support.steps.staged_project import StagedProject
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


RATE = 500
ORIGIN_RATE = 60_000


@dataclass
class Rehearsed:
    """A project folder and the sandbox that its settings point at."""

    rehearsal: StagedProject
    gate: Gate
    _options: SandboxOptions
    _running: AbstractContextManager[SandboxHandle] = field(repr=False)

    @classmethod
    def begin(
        cls, content: Path, folder: Path, state: Path, kept_in: Path | None = None
    ) -> Rehearsed:
        """Start a sandbox on `content` and make a project that points at it.

        With `kept_in`, the space outlives the sandbox in this file.
        """
        gate = Gate()
        options = SandboxOptions(
            content=content,
            rate=RATE,
            origin_rate=ORIGIN_RATE,
            middleware=(gate,),
            kept_in=kept_in,
            origin_token="the-origin-token-of-the-test",
            destination_token="the-destination-token-of-the-test",
        )
        running = running_sandbox(options)
        handle = running.__enter__()
        rehearsal = StagedProject.start(handle, folder, RATE, state)
        for each in find_notebooks(notebooks_folder()):
            shutil.copy(each.path, folder)
        return cls(rehearsal, gate, options, running)

    @property
    def folder(self) -> Path:
        """Return the project folder."""
        return self.rehearsal.folder

    async def done(self, *commands: tuple[str, ...]) -> str:
        """Run commands one after the other, each in a process of its own; return what
        they said."""
        said = ""
        for arguments in commands:
            process = self.rehearsal.process(*arguments)
            out, err = await asyncio.to_thread(process.communicate)
            assert process.returncode == 0, f"{arguments}: {out}\n{err}"
            said += out
        return said

    def restart(self) -> None:
        """End the sandbox and start it again at the same addresses."""
        self.end()
        options = self._at_the_same_addresses()
        self._running = running_sandbox(options)
        self.rehearsal = replace(self.rehearsal, handle=self._running.__enter__())

    def content(self) -> Mapping[str, object]:
        """Return what the space holds, without what differs from run to run."""
        base = self.rehearsal.handle.announcement["base_url"].removesuffix("/v1")
        return httpx.get(f"{base}/_sandbox/state?comparable").json()

    def with_an_empty_space(self, folder: Path) -> Rehearsed:
        """End the sandbox; return another project and sandbox, alike and fresh.

        It has the same addresses, and the same decisions.
        """
        self.end()
        options = self._at_the_same_addresses()
        running = running_sandbox(options)
        handle = running.__enter__()
        state = self.rehearsal.state
        rehearsal = StagedProject.start(handle, folder, RATE, state)
        shutil.copytree(self.folder / "decisions", folder / "decisions")
        return Rehearsed(rehearsal, self.gate, options, running)

    def _at_the_same_addresses(self) -> SandboxOptions:
        known = self.rehearsal.handle.announcement
        return replace(
            self._options,
            origin_port=urlsplit(known["origin_api_url"]).port or 0,
            destination_port=urlsplit(known["base_url"]).port or 0,
        )

    def end(self) -> None:
        """End the sandbox."""
        self.gate.release()
        self._running.__exit__(None, None, None)


@dataclass(frozen=True)
class Unattended:
    """An unattended run of all notebooks, on the decisions of an editor."""

    rehearsed: Rehearsed
    reports: Path
    """The folder of the run."""
