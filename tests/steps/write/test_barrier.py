"""Between files and stories: nothing is created early, and nothing waits idly."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.steps.staged_project import StagedProject
from tests.support.timelimit import patience

HELD = "plate-00003.jpg"
FILES = ("upload", "public asset")


@dataclass
class Gate:
    """Keeps one file's public address from answering until components are read."""

    signed: bool = False
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    gave_up: bool = False

    async def __call__(self, call: Call, answer: Next) -> Reply:
        if call.method == "GET" and call.path.endswith(HELD):
            with suppress(TimeoutError):
                async with asyncio.timeout(patience()):
                    await self.opened.wait()
            self.gave_up = not self.opened.is_set()
        self.signed = self.signed or call.path.endswith("/assets")
        if call.path.endswith("/components") and self.signed:
            self.opened.set()
        return await answer(call)


def test_stories_wait_for_every_file_and_their_check_does_not(
    stage: Callable[..., StagedProject],
) -> None:
    """Components are read again during the last file; stories come after it."""
    gate = Gate()
    project = stage(gate)
    project.done("import")
    assert not gate.gave_up
    entries = project.since()
    files = [n for n, each in enumerate(entries) if each.route in FILES]
    stories = [
        n for n, each in enumerate(entries) if each.subject.startswith("records/")
    ]
    assert (len(files), len(stories)) == (8, 12)
    assert max(files) < min(stories)
