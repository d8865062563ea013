"""A project and a sandbox in this process."""

from __future__ import annotations

import copy
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from cmsmig.sandbox.destination.space import StoredStory
from cmsmig.sandbox.http.asgi import Call, Middleware, Next, Reply
from cmsmig.sandbox.server import SandboxHandle
from tests.proofs.machine.interruptions import Interruption
from tests.proofs.world.in_process import call_here
from tests.support.rehearsal import Ended, Rehearsal

_RATE = 1000
_NOT_COPIED = ("clock", "recorder", "unknowns", "selections")


@dataclass
class Switch:
    """The sandbox's middleware: nothing goes wrong, or what is faulty."""

    interruption: Middleware = field(default_factory=Interruption)

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Answer a call."""
        return await self.interruption(call, answer)


@dataclass
class World:
    """One sandbox, and the project of the run under way."""

    handle: SandboxHandle
    folder: Path
    project: Path = Path()
    runs: int = 0

    @property
    def space(self) -> Any:
        """Return the destination's space."""
        return self.handle.state.space

    # runs

    def end(self) -> None:
        """Take the run's project away, and what the sandbox recorded."""
        if self.project != Path():
            shutil.rmtree(self.project)
            self.project = Path()
        recorder = self.handle.state.recorder
        recorder.entries.clear()
        recorder.violations.clear()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Have what is done inside happen to copies of the project and the space."""
        project = self.project
        held = {name: getattr(self.space, name) for name in space_names(self.space)}
        self.project = project.with_name(f"{project.name}-aside")
        shutil.copytree(project, self.project)
        for name, value in copy.deepcopy(held).items():
            setattr(self.space, name, value)
        try:
            yield
        finally:
            shutil.rmtree(self.project)
            self.project = project
            for name, value in held.items():
                setattr(self.space, name, value)

    def run(self, *arguments: str) -> Ended:
        """Run a command."""
        place = Rehearsal(self.handle, self.project, self.folder / "state")
        return place.run(*arguments)

    # the space

    def stories(self) -> dict[int, StoredStory]:
        """Return all stories but folders, also those in the trash."""
        found: dict[int, StoredStory] = self.space.stories
        return {own: each for own, each in found.items() if not each.is_folder}

    def folder_id(self, path: str) -> int:
        """Return the number of a folder; 0 is the top."""
        if not path:
            return 0
        (own,) = (
            story.story_id
            for story in self.space.stories.values()
            if story.is_folder and self.space.full_slug(story) == path
        )
        return int(own)

    def api(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Ask the management API as an editor's browser would."""
        sent = json.dumps(body).encode() if body is not None else b""
        reply = call_here(self.handle.state, method, path, sent)
        assert reply.status < 300, (method, path, reply.status, reply.body)
        answer: dict[str, Any] = json.loads(reply.body) if reply.body else {}
        return answer

    # decisions

    def decide(self, name: str, old: str, new: str) -> None:
        """Replace a text in a decision file."""
        path = self.project / "decisions" / name
        text = path.read_text()
        assert text.count(old) >= 1, (old, text)
        path.write_text(text.replace(old, new))

    def design(self, before: str, value: str) -> None:
        """Replace the word behind a text in the design."""
        path = self.project / "decisions" / "design.yaml"
        text, found = re.subn(rf"({before})\w+", rf"\g<1>{value}", path.read_text())
        assert found == 1, (before, text)
        path.write_text(text)

    def write_conflicts(self, edits: list[Any], gone: list[Any]) -> None:
        """Replace what was decided about conflicts."""
        path = self.project / "decisions" / "conflicts.yaml"
        head = path.read_text().partition("conflicts:")[0]
        body = {"conflicts": [], "edits": edits, "gone": gone}
        lines = (f"{name}: {json.dumps(value)}\n" for name, value in body.items())
        path.write_text(head + "".join(lines))


def space_names(space: Any) -> list[str]:
    """Return what a space holds, but for what its sandbox shares."""
    return [each.name for each in fields(space) if each.name not in _NOT_COPIED]
