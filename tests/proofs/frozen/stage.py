"""One run: a project and a sandbox in this process, and the record of both."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.proofs.frozen.record import BEGIN, Names, in_order, request_of, state_of
from tests.proofs.world.disturbances import APPLIED, BEFORE, Disturbance, is_write
from tests.proofs.world.in_process import TICK
from tests.proofs.world.world import World, world
from tests.support.rehearsal import Ended

RATE = 1000
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
    """The sandbox's middleware: keeps each request and its answer."""

    names: Names
    requests: list[dict[str, Any]] = field(default_factory=list)
    space: Any = None

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Answer a call."""
        reply = await answer(call)
        self.names.learn(self.space, call.body)
        self.requests.append(request_of(call, reply, self.names))
        return reply


@dataclass(frozen=True)
class Stage(World):
    """What a run is played on; everything it does is kept in `steps`."""

    clock: Clock = field(default_factory=Clock)
    listener: Listener = field(default_factory=lambda: Listener(Names()))
    texts: bool = True
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
                with self.aside():
                    ended = self.run(*arguments)
                self.listener.names.learn_plans(ended.out)
                step["text"] = self._output(ended)
            arguments = (*arguments, "--json")
        self.listener.requests.clear()
        ended = self.run(*arguments)
        if "--json" in arguments and ended.out:
            step["document"] = self._named(ended.document)
            ended = Ended(ended.code, "", ended.err)
        self.steps.append(step | {"ended": self._output(ended), **self._requests()})
        return ended

    def killed(self, at: int, *arguments: str, applied: bool = True) -> None:
        """Run a command that is killed at a write, which may be applied."""
        self.listener.requests.clear()
        how = APPLIED if applied else BEFORE
        self.disturbed(Disturbance(at, counts=is_write, how=how), *arguments)
        what = f"{' '.join(arguments)}, killed at write {at}"
        self.steps.append({"command": what, "applied": applied, **self._requests()})

    def record(self) -> dict[str, Any]:
        """Return all steps, the final space and the decision files."""
        files = {
            path.name: path.read_text()
            for path in sorted((self.folder / "decisions").glob("*.yaml"))
        }
        names, violations = self.listener.names, self.handle.state.recorder.violations
        noted = sorted((each.kind, each.where, each.what) for each in violations)
        return {
            "steps": self.steps,
            "state": state_of(self.space, names) | {"violations": names.named(noted)},
            "decisions": self._named(files),
        }

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
def staged(folder: Path, *, texts: bool = True, **options: Any) -> Iterator[Stage]:
    """Serve a site, with an empty space and an empty project below a folder."""
    clock, listener = Clock(), Listener(Names())
    chosen = {"rate": RATE, "origin_rate": 60_000, "clock": clock, **options}
    with world(folder, RATE, outer=(listener,), **chosen) as one:
        listener.space = one.space
        listener.names.masked.update(_masks(one.handle.state, folder))
        here = (one.handle, one.folder, one.state, one.switch, one.network)
        yield Stage(*here, clock, listener, texts)


def _masks(sandbox: Any, folder: Path) -> dict[str, str]:
    tokens = sandbox.tokens
    secret = (tokens.origin, tokens.destination, sandbox.space.preview_token,
              sandbox.space.public_token)  # fmt: skip
    return {**dict.fromkeys(secret, "<token>"), str(folder): "<folder>"}
