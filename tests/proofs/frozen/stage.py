"""One run: a project and a sandbox in this process, and the record of both."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from cmsmig.sandbox.options import SandboxOptions
from tests.proofs.frozen.record import BEGIN, Names, in_order, request_of, state_of
from tests.proofs.machine.world import World
from tests.proofs.world.in_process import TICK, answered_here, build_sandbox
from tests.support.rehearsal import Ended, Rehearsal
from tests.support.steps.staged_project import StagedProject

RATE = 1000
READS = ("GET", "HEAD")
_BOTH = ("plan", "import", "prepare", "create", "link", "publish", "changes", "verify",
         "status", "rollback", "rebuild")  # fmt: skip
"""Commands that print a text or a document."""
_PROGRESS = re.compile(r"[\w ]+: \d+/\d+\b")


@dataclass
class Clock:
    """The sandbox's clock: each reading is later than the last."""

    now: float = BEGIN.timestamp()
    day: int = 1

    def __call__(self) -> float:
        """Return a moment that is later than the last one."""
        self.now += TICK
        return self.now

    def next_day(self) -> None:
        """Go on to the next morning."""
        self.day += 1
        self.now = (BEGIN + timedelta(days=self.day - 1)).timestamp()


@dataclass
class Listener:
    """The sandbox's middleware: keeps each request, and kills a run at one write."""

    names: Names
    requests: list[dict[str, Any]] = field(default_factory=list)
    space: Any = None
    kill_at: int = 0
    """Which write, from 1; 0: none."""
    applied: bool = False
    killed: Callable[[], None] = lambda: None
    writes: int = 0
    dead: bool = False

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Answer a call, unless its run is dead."""
        if self.dead:
            return json_reply(401, {"error": "Unauthorized"})
        writes = call.method not in READS or call.path.endswith("publish")
        self.writes += writes
        if writes and self.writes == self.kill_at:
            self.dead = True
            self.killed()
            if not self.applied:
                return json_reply(401, {"error": "Unauthorized"})
        reply = await answer(call)
        self.names.learn(self.space, call.body)
        self.requests.append(request_of(call, reply, self.names))
        return reply


@dataclass(frozen=True)
class Here(Rehearsal):
    """A rehearsal whose editors ask the sandbox without a socket."""

    world: World

    def api(self, method: str, path: str, body: object = None) -> dict:
        """Ask the management API as an editor's browser would."""
        return self.world.api(method, path, body)


@dataclass(frozen=True)
class Stage(StagedProject):
    """What a run is played on; everything it does is kept in `steps`."""

    world: World
    clock: Clock
    listener: Listener
    texts: bool
    steps: list[dict[str, Any]] = field(default_factory=list)
    named: dict[str, Any] = field(default_factory=dict)
    """What later steps of the script name."""

    def day(self, what: str) -> None:
        """Begin another day, which is named in the record."""
        self.clock.next_day()
        self.steps.append({"day": self.clock.day, "what": what})

    def command(self, line: str) -> Ended:
        """Run a command line and keep its requests and its output."""
        return self.do(*shlex.split(line))

    def do(self, *arguments: str) -> Ended:
        """Run a command and keep its requests and its output.

        One that prints a text or a document is run twice, the first time on copies of
        project and space, for its text.
        """
        step: dict[str, Any] = {"command": " ".join(arguments)}
        if arguments[0] in _BOTH:
            if self.texts:
                with self._aside():
                    ended = self.world.run(*arguments)
                self.listener.names.learn_plans(ended.out)
                step["text"] = self._output(ended)
            arguments = (*arguments, "--json")
        self.listener.requests.clear()
        ended = self.world.run(*arguments)
        if "--json" in arguments and ended.out:
            step["document"] = self._named(ended.document)
            ended = Ended(ended.code, "", ended.err)
        self.steps.append(step | {"ended": self._output(ended), **self._requests()})
        return ended

    def killed(self, at: int, *arguments: str, applied: bool = True) -> None:
        """Run a command that is killed at a write, which may be applied.

        Of its project stays what was on the disk at that moment.
        """
        listener, project = self.listener, self.folder
        kept = project.with_name("killed")
        listener.requests.clear()
        listener.writes, listener.kill_at, listener.applied = 0, at, applied
        listener.killed = lambda: (shutil.copytree(project, kept), None)[1]
        self.world.run(*arguments)
        what = f"{' '.join(arguments)}, killed at write {at}"
        self.steps.append({"command": what, "applied": applied, **self._requests()})
        if listener.dead:
            shutil.rmtree(project)
            kept.rename(project)
        listener.kill_at, listener.dead = 0, False

    def record(self) -> dict[str, Any]:
        """Return all steps, the final space and the decision files."""
        files = {
            path.name: path.read_text()
            for path in sorted((self.folder / "decisions").glob("*.yaml"))
        }
        return {
            "steps": self.steps,
            "state": state_of(self.space, self.listener.names),
            "decisions": self._named(files),
        }

    def origin(
        self, change: Callable[[dict[str, Any]], object], *sets: str, slug: str = ""
    ) -> None:
        """Change items at the origin; `change` returns False for one that goes."""
        content = self.world.handle.state.naming.origin.content
        for each in content.collections:
            for live in (False, True):
                items = content.items(str(each["id"]), live=live)
                if sets and ("live" if live else "items") not in sets:
                    continue
                items[:] = [
                    item
                    for item in items
                    if (slug and item["fieldData"]["slug"] != slug)
                    or change(item) is not False
                ]
        content.chosen.clear()
        content.by_id.clear()

    @contextmanager
    def _aside(self) -> Iterator[None]:
        violations = self.space.recorder.violations
        before = len(violations)
        with self.world.aside():
            yield
        del violations[before:]

    def _output(self, ended: Ended) -> dict[str, Any]:
        """Return how a command ended; lines of progress depend on the time."""
        err = [each for each in ended.err.splitlines() if not _PROGRESS.match(each)]
        output = {"exit": ended.code, "out": ended.out.splitlines(), "err": err}
        return {name: self._named(each) for name, each in output.items()}

    def _requests(self) -> dict[str, Any]:
        return {"requests": in_order(self.listener.requests)}

    def _named(self, value: Any) -> Any:
        return self.listener.names.named(value)


@contextmanager
def staged(
    content: Path, folder: Path, *, texts: bool = True, **options: Any
) -> Iterator[Stage]:
    """Serve a site, with an empty space and an empty project below a folder."""
    clock, names = Clock(), Names()
    listener = Listener(names)
    chosen = {
        "rate": RATE,
        "origin_rate": 60_000,
        "origin_token": "the-origin-token-of-the-frozen-runs",
        "destination_token": "the-destination-token-of-the-frozen-runs",
        **options,
    }
    handle = build_sandbox(
        SandboxOptions(content=content, clock=clock, middleware=(listener,), **chosen)
    )
    listener.space = handle.state.space
    names.masked.update(_masks(handle.state, folder))
    environment = {"CMSMIG_STATE_DIR": str(folder / "state"), "CMSMIG_IN_FLIGHT": "1"}
    with answered_here(handle.state), mock.patch.dict(os.environ, environment):
        world = World(handle, folder, project=folder / "project")
        Rehearsal.start(handle, world.project, RATE, folder / "state")
        here = Here(handle, world.project, folder / "state", world)
        yield Stage(here, world, clock, listener, texts)


def _masks(sandbox: Any, folder: Path) -> dict[str, str]:
    tokens = sandbox.tokens
    secret = (tokens.origin, tokens.destination, sandbox.space.preview_token,
              sandbox.space.public_token)  # fmt: skip
    return {**dict.fromkeys(secret, "<token>"), str(folder): "<folder>"}
