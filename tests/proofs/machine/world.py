"""A decided project beside a sandbox, both copied from one template for each run."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from unittest import mock

from cmsmig.sandbox.destination.space import StoredStory
from cmsmig.sandbox.http.asgi import Call, Middleware, Next, Reply
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import SandboxHandle
from tests.proofs.machine.in_process import (
    answered_here,
    build_sandbox,
    call_here,
    ticking,
)
from tests.proofs.machine.interruptions import Interruption
from tests.proofs.machine.site import FIRST, Notes, serve, write_site
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


@dataclass(frozen=True)
class Template:
    """What each run begins with: a project, and what its space holds."""

    folder: Path
    space: Mapping[str, Any]


@dataclass
class World:
    """One sandbox for all runs, and the projects of the run under way."""

    handle: SandboxHandle
    folder: Path
    switch: Switch
    templates: dict[bool, Template] = field(default_factory=dict)
    """By whether stories were made; components and folders are there."""
    project: Path = Path()
    runs: int = 0

    @property
    def space(self) -> Any:
        """Return the destination's space."""
        return self.handle.state.space

    # runs

    def begin(self, *, imported: bool) -> None:
        """Begin a run: a copy of a template, and the origin as it was first."""
        self.end()
        self.runs += 1
        template = self.templates[imported]
        self.project = self.folder / f"run-{self.runs}"
        shutil.copytree(template.folder, self.project)
        for name, value in copy.deepcopy(dict(template.space)).items():
            setattr(self.space, name, value)
        self.space.selections.clear()
        self.switch.interruption = Interruption()
        self.publish_at_origin(FIRST)

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

    def publish_at_origin(self, notes: Notes, *, moody: bool = False) -> None:
        """Have the origin hold these notes from now on."""
        serve(self.handle.state.naming.origin.content, notes, moody=moody)

    def run(self, *arguments: str) -> Ended:
        """Run a command."""
        place = Rehearsal(self.handle, self.project, self.folder / "state")
        return place.run(*arguments)

    def run_through(self, interruption: Interruption, *arguments: str) -> Ended:
        """Run a command whose requests follow each other, while one goes wrong."""
        self.switch.interruption = interruption
        try:
            with mock.patch.dict(os.environ, {"CMSMIG_IN_FLIGHT": "1"}):
                return self.run(*arguments)
        finally:
            self.switch.interruption = Interruption()

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


@contextmanager
def world(folder: Path) -> Iterator[World]:
    """Make the sandbox and the templates below an empty folder."""
    write_site(folder / "content")
    ticks, switch = ticking(), Switch()
    options = SandboxOptions(
        content=folder / "content",
        rate=_RATE,
        origin_rate=60_000,
        # The same in every world: a process masks each token that it has read.
        destination_token="the-destination-token-of-the-proof",
        clock=lambda: next(ticks),
        middleware=(switch,),
    )
    handle = build_sandbox(options)
    environment = {"CMSMIG_STATE_DIR": str(folder / "state")}
    with ExitStack() as stack:
        stack.enter_context(answered_here(handle.state))
        stack.enter_context(mock.patch.dict(os.environ, environment))
        made = World(handle, folder, switch)
        project = folder / "project"
        place = Rehearsal.start(handle, project, _RATE, folder / "state")
        place.decided()
        place.done("prepare")
        _folders(made)
        made.templates[False] = _template(made, project, folder / "decided")
        place.done("import")
        made.templates[True] = _template(made, project, folder / "imported")
        yield made
        made.end()


def _folders(made: World) -> None:
    """Make the folder that editors move stories into."""
    body = {"story": {"name": "Other", "slug": "other", "is_folder": True}}
    made.api("POST", "/stories", body)


def _template(made: World, project: Path, folder: Path) -> Template:
    shutil.copytree(project, folder)
    names = space_names(made.space)
    return Template(
        folder, copy.deepcopy({name: getattr(made.space, name) for name in names})
    )


def space_names(space: Any) -> list[str]:
    return [each.name for each in fields(space) if each.name not in _NOT_COPIED]
