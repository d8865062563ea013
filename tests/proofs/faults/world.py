"""One import in a world of its own: a fresh space, a fresh copy of the project.

Sandbox and import share this process, on real sockets; time passes fast for both,
so that pauses cost nothing. A child process does the imports that are killed.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cmsmig.canonical import canonical
from cmsmig.ledger.store import Ledger
from cmsmig.sandbox.history import Entry
from cmsmig.sandbox.http.asgi import Call, Ending, Next, Reply
from cmsmig.sandbox.observe.comparison import comparable_state
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import (
    SandboxHandle,
    environment_file_text,
    running_sandbox,
)
from cmsmig.settings import Project, load_settings
from cmsmig.steps.verify.verify import verify_only
from cmsmig.steps.worker_pool import StopSignal
from tests.proofs.faults.importing import (
    RATE,
    RUNS,
    SAME,
    TIMEOUT,
    Child,
    ended,
    ended_at_last,
    environ,
    fast_time,
    start_child,
    start_command,
    unheard,
)
from tests.proofs.faults.site import Prepared

KILLED = -signal.SIGKILL
ENDED = "ended before"
"""What a kill is that came too late."""
ORIGIN_RATE = 60
"""Requests per minute of the origin; a minute is short here."""
READS = ("GET", "HEAD")
WRITING_READS = ("publish story",)
"""Routes that change the space although their method is GET."""
LISTED = 1
"""How a run ends that is done but for what it lists as failed."""
FILLING = ("update story", "publish story")


@dataclass(frozen=True)
class Whole:
    """What an uninterrupted import asks, and what it leaves."""

    entries: list[Entry]
    """Its requests, in order."""
    space: bytes
    ledger: dict[str, list]


def confirmed(entries: Iterable[Entry]) -> Counter[tuple[str, str, str]]:
    """Count the writes that were applied and answered, by what they were about."""
    return Counter(
        (entry.method, entry.route, entry.subject)
        for entry in entries
        if (entry.method not in READS or entry.route in WRITING_READS)
        and 200 <= entry.status < 300
        and not entry.fault
    )


@dataclass
class World:
    """One space and one project."""

    handle: SandboxHandle
    project: Project
    state: Path
    hooks: Hooks
    codes: list[int] = field(default_factory=list)
    """How the runs ended that this process did."""
    plan_before: str = ""
    """A plan of an earlier import, which no rerun goes on with."""

    @property
    def space(self) -> object:
        return self.handle.state.space

    @property
    def entries(self) -> list:
        return self.handle.state.recorder.entries

    def comparable(self) -> bytes:
        return canonical(comparable_state(self.space))

    def run(self, what: str = "import") -> tuple[int, str]:
        """Import or pull once, here; return exit code and what was said."""
        code, said = RUNS[what](self.project.root, self.state)
        self.codes.append(code)
        return code, said

    def start(
        self, what: str = "import", die_after: int = 0, patience: float = TIMEOUT
    ) -> Child:
        """Import or pull in a process of its own; the hooks may kill it."""
        root = self.project.root
        if what == "command":
            return start_command(root, self.state)
        child = start_child(what, root, self.state, die_after, patience)
        self.hooks.child = child.pid or 0
        return child

    def killed(self, what: str, at: int, how: str) -> int | None:
        """Run in a child that is killed at a request; return how it ended."""
        hooks = self.hooks
        hooks.seen, hooks.child = 0, 0
        hooks.at = 0 if how == "answered" else at
        hooks.applied = how == "applied"
        code = ended_at_last(self.start(what, at if how == "answered" else 0))
        hooks.at = hooks.child = 0
        return code

    def killed_after(self, what: str, asking: bool, seconds: float) -> str:
        """Run in a child that is killed then; return what that hit.

        With `asking` the seconds count from its first request, else from its start.
        """
        seen = self.hooks.seen
        child = self.start(what)
        if asking:
            self.first_request(child, seen)
        code = ended(child, seconds)
        if code is not None:
            return ENDED if code == 0 else f"odd: a run ended with {code} by itself"
        hit = "between its requests"
        if self.hooks.open:
            hit = "while a request was open"
        elif self.hooks.seen == seen:
            hit = "before its first request"
        child.kill()
        code = ended_at_last(child)
        return hit if code == KILLED else ENDED

    def first_request(self, child: Child, seen: int = 0) -> None:
        """Wait until a child asks for something, or ends."""
        while self.hooks.seen == seen and ended(child, 0.001) is None:
            pass

    def verify(self) -> list:
        """Return every difference between decisions, ledger and space."""
        settings = load_settings(self.project, environ(self.state))
        found = asyncio.run(
            verify_only(self.project, settings, observer=unheard, stop=StopSignal())
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
                 bool(row.published), bool(row.story_record and row.story_record.made))
                for key, row in ledger.items.all().items()
            ]  # fmt: skip
            assets = [
                (row.sha256, row.status) for row in ledger.inventory.assets().values()
            ]
        return {"made": sorted(made), "items": sorted(items), "assets": sorted(assets)}

    def problems(self, whole: Whole, unknown: int) -> list[str]:
        """Return what is not as an uninterrupted import leaves it.

        `unknown` counts the writes whose answers a client may have missed.
        """
        found: list[str] = []
        for name, rows in self.facts().items():
            odd = set(rows) ^ set(whole.ledger[name])
            found += [f"ledger, {name}: {each}" for each in sorted(odd)[:4]]
        if self.comparable() != whole.space:
            found.append(
                "space differs: " + _difference(whole.space, self.comparable())
            )
        again = confirmed(self.entries) - confirmed(whole.entries)
        if LISTED in self.codes:
            # What failed in one run came a run later; stories that link to it or
            # show it were filled without it, and are filled again.
            again = Counter({k: n for k, n in again.items() if k[1] not in FILLING})
        if again.total() > unknown:
            found.append(f"{again.total()} writes too many: {dict(again)}")
        violations = self.handle.state.recorder.violations
        found += [f"violation {each.kind} at {each.where}" for each in violations]
        found += [f"verify: {each}" for each in self.verify()]
        with Ledger.open_existing(self.project.ledger) as ledger:
            listed = {row.asset_id for row in ledger.inventory.assets().values()}
            stray = set(self.space.assets) - listed
            found += [f"orphan asset {each} is not listed" for each in sorted(stray)]
            for kind in ("component", "folder", "asset_folder", "sign", "create",
                         "update", "publish", "datasource", "delete"):  # fmt: skip
                found += [f"open intent {each}" for each in ledger.intents.open(kind)]
            accounting = ledger.items.accounting()
            if accounting.open or accounting.failed:
                found.append(f"accounting: {accounting}")
        return found


@dataclass
class Hooks:
    """Does something at one request, of either service."""

    child: int = 0
    """The process to kill."""
    at: int = 0
    """Counted from 1 over the requests; 0: never."""
    applied: bool = False
    meanwhile: Callable[[], None] | None = None
    """Done at that request, which waits for it; nothing is killed then."""
    act: Callable[[Call, Next], Awaitable[Reply]] | None = None
    """Answers that request in the sandbox's stead."""
    seen: int = 0
    open: int = 0
    """How many requests are being answered."""

    async def __call__(self, call: Call, answer: Next) -> Reply:
        if call.path.startswith("/_sandbox/"):
            return await answer(call)
        self.seen += 1
        self.open += 1
        try:
            if self.seen != self.at:
                return await answer(call)
            if self.act is not None:
                return await self.act(call, answer)
            if self.meanwhile is not None:
                await asyncio.to_thread(self.meanwhile)
                return await answer(call)
            return await self._kill(call, answer)
        finally:
            self.open -= 1

    async def _kill(self, call: Call, answer: Next) -> Reply:
        while not self.child:
            await asyncio.sleep(0.001)
        reply = Reply(0, ending=Ending.DROPPED)
        if self.applied:
            reply = await answer(call)
        os.kill(self.child, signal.SIGKILL)
        return reply


_ENDING: list[threading.Thread] = []


@contextmanager
def world(
    prepared: Prepared, work: Path, in_flight: int = 1, *, pulled: bool = True
) -> Iterator[World]:
    """Give a fresh space and a fresh copy of the project; both go away after.

    Unless it is `pulled`, the project holds settings alone.
    """
    folder = Path(tempfile.mkdtemp(dir=work, prefix="case-"))
    root, state = folder / "project", folder / "state"
    root.mkdir()
    if pulled:
        (root / SAME).symlink_to(prepared.folder)
    for name in ("raw", "files", "decisions") if pulled else ():
        shutil.copytree(prepared.folder / name, root / name)
    toml = (prepared.folder / "cmsmig.toml").read_text()
    (root / "cmsmig.toml").write_text(f"{toml}\nin_flight = {in_flight}\n")
    hooks = Hooks()
    options = SandboxOptions(
        content=prepared.content,
        languages=prepared.languages,
        rate=1_000_000,
        origin_rate=ORIGIN_RATE,
        # The same in every world: a process masks each token that it has read.
        destination_token="the-destination-token-of-the-proof",
        clock=time.time if pulled else fast_time,
        middleware=(hooks,),
    )
    running = running_sandbox(options)
    handle = running.__enter__()
    try:
        text = environment_file_text(dict(handle.announcement), RATE)
        (root / ".env").write_text(text)
        (root / ".env").chmod(0o600)
        yield World(handle, Project(root), state, hooks)
    finally:
        # Stopping takes a server a while that the next case need not wait for.
        ending = threading.Thread(target=running.__exit__, args=(None, None, None))
        ending.start()
        _ENDING.append(ending)
        shutil.rmtree(folder, ignore_errors=True)
        while len(_ENDING) > 4:
            _ENDING.pop(0).join()


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
