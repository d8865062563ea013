"""One import in a world of its own: a fresh space, a fresh copy of the project.

Sandbox and import share this process, on real sockets; time passes fast for both,
so that pauses cost nothing. A child process does the imports that are killed.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cmsmig.canonical import canonical
from cmsmig.errors import CmsmigError
from cmsmig.events import RequestSent
from cmsmig.ledger.store import Ledger
from cmsmig.sandbox.comparison import comparable_state
from cmsmig.sandbox.exchange import Call, Ending, Next, Reply
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.sample.exact import write_small_site
from cmsmig.sandbox.server import (
    SandboxHandle,
    environment_file_text,
    running_sandbox,
)
from cmsmig.settings import Project, load_settings
from cmsmig.steps import connect, importing
from cmsmig.steps.batches import StopSignal
from cmsmig.steps.deciding import accept_proposals
from cmsmig.steps.init import start_project
from cmsmig.steps.pull import pull
from cmsmig.wire.budget import Budget
from cmsmig.wire.session import Session

SPEED = 100
"""How much faster time passes here, pauses and budgets together."""
RATE = 500
TIMEOUT = 1.5
"""Real seconds until the client takes an answer for lost."""
RERUNS = 8
"""Imports in a row after which a case counts as not converging."""


def hurry() -> None:
    """Let time pass fast for everything that the import waits for.

    The steps take clock and sleep as arguments, but a command line has no place
    for them; here they are given where the steps build their sessions.
    """
    connect.Budget = partial(Budget, clock=lambda: time.time() * SPEED, sleep=_sleep)
    connect.Session = partial(Session, sleep=_sleep, timeout=TIMEOUT)
    importing.Job = partial(importing.Job, sleep=_sleep)
    read, kept = importing.open_migration, {}

    def once(project: Project, settings: object) -> object:
        # The same raw cache and decisions give the same migration every time.
        source = project.raw.resolve()
        if source not in kept:
            kept[source] = read(Project(source.parent), settings)
        return kept[source]

    importing.open_migration = once


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(seconds / SPEED)


@dataclass(frozen=True)
class Prepared:
    """A decided project that cases are copied from."""

    folder: Path
    content: Path


def prepare(work: Path) -> Prepared:
    """Write the site, pull it, decide, and return what cases start from."""
    content, folder = work / "content", work / "project"
    write_small_site(content)
    _add_choices(content)
    options = SandboxOptions(content=content, rate=RATE, origin_rate=60_000)
    with running_sandbox(options) as handle:
        project = Project(folder)
        start_project(project)
        text = environment_file_text(dict(handle.announcement), RATE)
        project.env.write_text(text)
        settings = load_settings(project, _environ(work))
        asyncio.run(pull(settings, project))
        asyncio.run(
            accept_proposals(project, settings, reviewer="faults", observer=_unheard)
        )
    _decide(project)
    return Prepared(folder, content)


def _add_choices(content: Path) -> None:
    """Give one collection a field of choices: datasources come into it."""
    path = next(
        path
        for path in (content / "collections").iterdir()
        if json.loads(path.read_text())["slug"] == "spots"
    )
    schema = json.loads(path.read_text())
    options = [{"name": name, "id": f"{name:0>32}"} for name in ("calm", "loud")]
    field = {"id": "e" * 32, "slug": "mood", "displayName": "Mood", "type": "Option",
             "isRequired": False, "isEditable": True, "helpText": None,
             "validations": {"options": options}}  # fmt: skip
    schema["fields"].insert(0, field)
    path.write_text(json.dumps(schema))
    for kind in ("items", "live"):
        rows = content / kind / path.name
        document = json.loads(rows.read_text())
        for number, item in enumerate(document["items"]):
            item["fieldData"]["mood"] = options[number % 2]["id"]
        rows.write_text(json.dumps(document))


def _decide(project: Project) -> None:
    """Choose what makes more requests: publication, a folder, a datasource."""
    changes = (
        ("collections.yaml", "    publish: nothing", "    publish: what_is_live"),
        ("design.yaml", "asset_folder: ''", "asset_folder: Old site"),
        ("design.yaml", "encoding: option\n",
         "encoding: option_datasource\n        datasource: moods\n"),
    )  # fmt: skip
    for name, before, after in changes:
        path = project.decisions / name
        text = path.read_text()
        assert before in text, f"{name} holds no {before}"
        path.write_text(text.replace(before, after, 1))


@dataclass
class World:
    """One space and one project."""

    handle: SandboxHandle
    project: Project
    state: Path
    hooks: Hooks

    @property
    def space(self) -> object:
        return self.handle.state.space

    @property
    def entries(self) -> list:
        return self.handle.state.recorder.entries

    def comparable(self) -> bytes:
        return canonical(comparable_state(self.space))

    def run(self, observer: Callable[[object], None] | None = None) -> tuple[int, str]:
        """Import once, here; return exit code and what was said."""
        return run_import(self.project.root, self.state, observer)

    def run_child(self, die_after: int = 0) -> int | None:
        """Import in a process of its own; return how it ended."""
        child = _FORKS.Process(
            target=_child, args=(self.project.root, self.state, die_after)
        )
        child.start()
        self.hooks.child = child.pid or 0
        child.join(60)
        if child.is_alive():
            child.kill()
            child.join()
            return None
        return child.exitcode

    def verify(self) -> list:
        """Return every difference between decisions, ledger and space."""
        settings = load_settings(self.project, _environ(self.state))
        found = asyncio.run(
            importing.verify_only(
                self.project, settings, observer=_unheard, stop=StopSignal()
            )
        )
        return [each.as_json() for each in found.differences]

    def facts(self) -> dict[str, list]:
        """Return what the ledger knows, ids and times aside."""
        with Ledger.open_existing(self.project.ledger) as ledger:
            made = [
                (kind, row.name, row.made)
                for kind in ("component", "datasource", "folder", "asset_folder")
                for row in ledger.inventory.made(kind).values()
            ]
            items = [
                (str(key), row.status, row.reason, row.link_state,
                 bool(row.published), bool(row.home and row.home.made))
                for key, row in ledger.items.all().items()
            ]  # fmt: skip
            assets = [
                (row.sha256, row.status) for row in ledger.inventory.assets().values()
            ]
        return {"made": sorted(made), "items": sorted(items), "assets": sorted(assets)}

    def problems(self, expected: bytes, facts: dict[str, list]) -> list[str]:
        """Return what is not as an uninterrupted import leaves it."""
        found: list[str] = []
        for name, rows in self.facts().items():
            odd = set(rows) ^ set(facts[name])
            found += [f"ledger, {name}: {each}" for each in sorted(odd)[:4]]
        if self.comparable() != expected:
            found.append("space differs: " + _difference(expected, self.comparable()))
        violations = self.handle.state.recorder.violations
        found += [f"violation {each.kind} at {each.where}" for each in violations]
        found += [f"verify: {each}" for each in self.verify()]
        with Ledger.open_existing(self.project.ledger) as ledger:
            listed = {row.asset_id for row in ledger.inventory.assets().values()}
            stray = set(self.space.assets) - listed
            found += [f"orphan asset {each} is not listed" for each in sorted(stray)]
            for kind in ("component", "folder", "asset_folder", "sign", "create",
                         "update", "publish", "datasource"):  # fmt: skip
                found += [f"open intent {each}" for each in ledger.intents.open(kind)]
            accounting = ledger.items.accounting()
            if accounting.open or accounting.failed:
                found.append(f"accounting: {accounting}")
        return found


@dataclass
class Hooks:
    """Kills the child at one request of the destination."""

    child: int = 0
    at: int = 0
    """Counted from 1 over the destination's requests; 0: never."""
    applied: bool = False
    seen: int = 0

    async def __call__(self, call: Call, answer: Next) -> Reply:
        if call.path.startswith("/_sandbox/"):
            return await answer(call)
        self.seen += 1
        if self.seen != self.at:
            return await answer(call)
        while not self.child:
            await asyncio.sleep(0.001)
        if self.applied:
            reply = await answer(call)
            os.kill(self.child, signal.SIGKILL)
            return reply
        os.kill(self.child, signal.SIGKILL)
        return Reply(0, ending=Ending.DROPPED)


_ENDING: list[threading.Thread] = []


@contextmanager
def world(prepared: Prepared, work: Path, in_flight: int = 1) -> Iterator[World]:
    """Give a fresh space and a fresh copy of the project; both go away after."""
    folder = Path(tempfile.mkdtemp(dir=work, prefix="case-"))
    root, state = folder / "project", folder / "state"
    root.mkdir()
    for name in ("raw", "files", "decisions"):
        (root / name).symlink_to(prepared.folder / name)
    toml = (prepared.folder / "cmsmig.toml").read_text()
    (root / "cmsmig.toml").write_text(f"{toml}\nin_flight = {in_flight}\n")
    hooks = Hooks()
    options = SandboxOptions(
        content=prepared.content,
        rate=1_000_000,
        origin_rate=1_000_000,
        middleware=(hooks,),
    )
    running = running_sandbox(options)
    handle = running.__enter__()
    try:
        text = environment_file_text(dict(handle.announcement), RATE)
        (root / ".env").write_text(text)
        yield World(handle, Project(root), state, hooks)
    finally:
        # Stopping takes a server a while that the next case need not wait for.
        ending = threading.Thread(target=running.__exit__, args=(None, None, None))
        ending.start()
        _ENDING.append(ending)
        shutil.rmtree(folder, ignore_errors=True)
        while len(_ENDING) > 4:
            _ENDING.pop(0).join()


def run_import(
    root: Path, state: Path, observer: Callable[[object], None] | None = None
) -> tuple[int, str]:
    """Import once as the command does; return exit code and what was said."""
    project = Project(root)
    try:
        outcome = asyncio.run(
            importing.run_command(
                "import",
                project,
                load_settings(project, _environ(state)),
                observer=observer or _unheard,
                stop=StopSignal(),
                show=lambda plan: None,
            )
        )
    except CmsmigError as error:
        return error.exit_code, str(error)
    return outcome.exit_code, f"writes: {outcome.writes}"


_FORKS = multiprocessing.get_context("forkserver")


def start_forks() -> None:
    """Have children start from a process that has everything imported."""
    _FORKS.set_forkserver_preload(["faultworld"])


def _child(root: Path, state: Path, die_after: int) -> None:
    hurry()
    sent = 0

    def dying(event: object) -> None:
        # The answer is here, and nothing of it is in the ledger yet.
        nonlocal sent
        if isinstance(event, RequestSent):
            sent += 1
            if sent == die_after:
                os.kill(os.getpid(), signal.SIGKILL)

    code, _ = run_import(root, state, dying)
    os._exit(code)


def _environ(state: Path) -> dict[str, str]:
    return {"CMSMIG_STATE_DIR": str(state)}


def _unheard(event: object) -> None:
    pass


def _difference(expected: bytes, found: bytes) -> str:
    """Return the first lines that one of the two has alone."""
    wanted, there = json.loads(expected), json.loads(found)
    for part, rows in wanted.items():
        before = [canonical(row) for row in rows]
        after = [canonical(row) for row in there[part]]
        for sign, one, other in (("-", before, after), ("+", after, before)):
            left = list(other)
            for row in one:
                with suppress(ValueError):
                    left.remove(row)
                    continue
                return f"{part} {sign}{row.decode()[:300]}"
    return "?"
