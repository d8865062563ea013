"""A project and a sandbox in this process; both can go back to a checkpoint."""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

from cmsmig.sandbox.http.asgi import Middleware
from cmsmig.sandbox.options import SandboxOptions
from tests.proofs.world.disturbances import Disturbance, Switch
from tests.proofs.world.in_process import (
    TIME,
    answered_here,
    build_sandbox,
    call_here,
)
from tests.support.rehearsal import Ended, Rehearsal
from tests.support.sandbox.comparison import comparable_state
from tests.support.sandbox.in_process import Network
from tests.support.sandbox.observed import SandboxHandle
from tests.support.sandbox.space_records import put_back, records_of
from tests.support.steps.staged_project import StagedProject

_MINUTE = 60.0
"""Seconds in which the origin counts requests."""
_DEAD = 1 << 22
"""A number that no process has."""


@dataclass(frozen=True)
class Checkpoint:
    """Project, space and origin as they were at one moment."""

    folder: Path
    space: dict[str, Any]
    origin: dict[str, Any]


@dataclass(frozen=True)
class World(StagedProject):
    """One project, one sandbox; both answer in this process, without a socket."""

    switch: Switch
    network: Network = field(default_factory=Network)

    def api(self, method: str, path: str, body: object = None) -> dict:
        """Ask the management API as an editor's browser would."""
        sent = json.dumps(body).encode() if body is not None else b""
        reply = call_here(self.handle.state, method, path, sent)
        assert reply.status < 300, (method, path, reply.status, reply.body)
        return json.loads(reply.body) if reply.body else {}

    def comparable(self) -> dict:
        """Return what is in the space without ids, addresses and times."""
        return comparable_state(self.handle.state.space)

    @property
    def work(self) -> Path:
        """Return the folder that holds all that a run writes."""
        return self.folder.parent

    @property
    def entries(self) -> list:
        """Return the requests since the history began, oldest first."""
        return self.handle.state.recorder.entries

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Have commands of this process ask this sandbox, while the body runs."""
        settings = {
            "CMSMIG_STATE_DIR": str(self.work / "state"),
            "CMSMIG_IN_FLIGHT": "1",
        }
        with (
            answered_here(self.handle.state, self.network),
            mock.patch.dict(os.environ, settings),
        ):
            yield

    def init(self, rate: int) -> None:
        """Make the project folder, with so many calls a second allowed."""
        Rehearsal.start(self.handle, self.folder, rate, self.state)

    def moved(self, work: Path) -> World:
        """Return the same with its files in another folder, also for commands."""
        os.environ["CMSMIG_STATE_DIR"] = str(work / "state")
        return replace(self, folder=work / "project", state=work / "state")

    def begin(self) -> None:
        """Begin the history again: nothing is asked, nothing is faulty."""
        state = self.handle.state
        state.recorder.entries.clear()
        state.recorder.violations.clear()
        state.injector.set(())
        self.switch.disturbance = Disturbance()

    def keep(self, folder: Path) -> Checkpoint:
        """Return a checkpoint; the project is copied to a folder."""
        shutil.copytree(self.work, folder)
        origin = copy.deepcopy(self._origin())
        return Checkpoint(folder, records_of(self.space), origin)

    def go_back(self, kept: Checkpoint) -> None:
        """Put project, space and origin back as they were, a minute later: the budget
        forgets what was asked since, the services do not."""
        TIME.passed += _MINUTE
        _replace(self.work, kept.folder)
        put_back(self.space, kept.space)
        content = self.handle.state.origin_api.content
        content.kept = copy.deepcopy(kept.origin)
        _forget_lists(content)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Have what is done inside happen to copies of project and space alone."""
        violations = self.handle.state.recorder.violations
        before, kept = len(violations), self.keep(self.work.with_name("aside"))
        yield
        self.go_back(kept)
        shutil.rmtree(kept.folder)
        del violations[before:]

    def _origin(self) -> dict[str, Any]:
        return self.handle.state.origin_api.content.kept

    def disturbed(self, disturbance: Disturbance, *arguments: str) -> Ended:
        """Run a command while something goes wrong.

        Of one that is killed stays what was on the disk at that moment.
        """
        kept = self.work.with_name("killed")
        disturbance.killed = lambda: shutil.copytree(self.work, kept)
        self.switch.disturbance = disturbance
        self.network.read = disturbance.answer_read
        try:
            ended = self.run(*arguments)
        finally:
            self.switch.disturbance = Disturbance()
            self.network.read = lambda: None
        if disturbance.dead:
            _replace(self.work, kept)
            shutil.rmtree(kept)
            for path in self.work.rglob(f".arriving-{os.getpid()}-*"):
                # This process continues, the killed one does not.
                path.rename(
                    path.with_name(f".arriving-{_DEAD}-{path.name.rpartition('-')[2]}")
                )
        return ended

    @contextmanager
    def in_flight(self, count: int, seed: str) -> Iterator[None]:
        """Have so many requests in flight at a time, answered in a drawn order."""
        self.network.drawn = random.Random(seed) if count > 1 else None
        with mock.patch.dict(os.environ, CMSMIG_IN_FLIGHT=str(count)):
            yield
        self.network.drawn = None

    def origin(
        self, change: Callable[[dict[str, Any]], object], *sets: str, slug: str = ""
    ) -> None:
        """Change items at the origin; `change` returns False for one that goes.

        In the sets `items` and `live`, or in those that are named.
        """
        content = self.handle.state.origin_api.content
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
        _forget_lists(content)


def _forget_lists(content: Any) -> None:
    content.chosen.clear()
    content.by_id.clear()


def _replace(folder: Path, by: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(by, folder)


def build_world(
    folder: Path, outer: Sequence[Middleware] = (), **options: Any
) -> World:
    """Serve `folder / "content"`, with an empty space; no project is begun yet."""
    switch, network = Switch(Disturbance()), Network()
    tokens = {
        f"{each}_token": f"the-{each}-token-of-the-proofs"
        for each in ("origin", "destination")
    }
    handle: SandboxHandle = build_sandbox(
        SandboxOptions(
            content=folder / "content", middleware=(*outer, switch), **tokens, **options
        )
    )
    work = folder / "work"
    work.mkdir()
    return World(handle, work / "project", work / "state", switch, network)


@contextmanager
def world(
    folder: Path, allowed: int, outer: Sequence[Middleware] = (), **options: Any
) -> Iterator[World]:
    """Serve `folder / "content"`, with an empty space and a project that was begun."""
    one = build_world(folder, outer, **options)
    with one.answering():
        one.init(allowed)
        yield one
