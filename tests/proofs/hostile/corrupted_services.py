"""Where a corrupted input is met: services in a process, commands in others."""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import shutil
import signal
import socketserver
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.proofs.hostile.corruptions import HEADS, STATUSES, WIRE, damaged, reshaped

import asyncio  # isort: skip

from cmsmig import cli
from cmsmig.sandbox.http.asgi import Call, Ending, Next, Reply
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text, running_sandbox
from cmsmig.steps import connect
from cmsmig.steps.pull import pull as pulling
from cmsmig.wire import bounds, failures
from cmsmig.wire.budget import Budget
from cmsmig.wire.session import Session

RATE = 900
SPEED = 200
"""How much faster time passes for what waits."""
LONGEST = 45.0
"""Seconds after which a command hangs; once more, alone and thrice as long, before
that is believed."""
MEMORY = 3 << 30
"""Bytes that a command may ask for."""
_FORKING = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Met:
    """How a command ended."""

    code: int | None
    """None: it hung."""
    out: str
    err: str


class Services:
    """A sandbox in a process of its own, or a port that answers nonsense."""

    def __init__(self, content: Path, seed: str = "", kind: str = "") -> None:
        ours, theirs = _FORKING.Pipe()
        self._pipe = ours
        serve = _serve_wire if kind == "wire" else _serve
        self._process = _FORKING.Process(
            target=serve, args=(content, seed, kind, theirs), daemon=True
        )
        self._process.start()
        self.announcement: Mapping[str, str] = ours.recv()

    def end(self) -> None:
        """Take it down."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


def _serve(content: Path, seed: str, kind: str, pipe: Connection) -> None:
    # A server that is made to answer nonsense complains of it; ours is what counts.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    middleware = (_Fault(seed, kind),) if kind else ()
    options = SandboxOptions(
        content=content, rate=RATE, origin_rate=60_000, middleware=middleware
    )
    with running_sandbox(options) as handle:
        pipe.send(dict(handle.announcement))
        threading.Event().wait()


class _Fault:
    """Corrupts the n-th answer, or every one of a route from there on."""

    def __init__(self, seed: str, kind: str) -> None:
        self._chance = random.Random(seed)
        self._kind = kind
        self._first = self._chance.choice((1, 1, 2, 3, 5, 8, 12, 20))
        self._always = self._chance.random() < 0.5
        self._seen = 0

    async def __call__(self, call: Call, onward: Next) -> Reply:
        reply = await onward(call)
        self._seen += 1
        if self._seen < self._first or (self._seen > self._first and not self._always):
            return reply
        chance = self._chance
        if self._kind == "downloads":
            return replace(reply, body=damaged(reply.body, chance))
        if self._kind == "answers":
            corrupt = damaged if chance.random() < 0.3 else reshaped
            return replace(reply, body=corrupt(reply.body, chance))
        way = chance.randrange(4)
        if way == 0:
            return replace(reply, status=chance.choice(STATUSES))
        if way == 1:
            return replace(reply, ending=chance.choice((Ending.CUT, Ending.DROPPED)))
        heads = tuple(chance.choice(HEADS) for _ in range(chance.choice((1, 3))))
        sent = tuple(
            (name, text.encode("latin-1", "ignore").decode("latin-1"))
            for name, text in heads
        )
        status = chance.choice((reply.status, reply.status, 429, 302, 503))
        return replace(reply, status=status, headers=(*reply.headers, *sent))


def _serve_wire(content: Path, seed: str, kind: str, pipe: Connection) -> None:
    chance = random.Random(seed)
    answer = chance.choice(WIRE)
    if chance.random() < 0.5:
        answer = damaged(answer, chance)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                self.request.recv(60_000)
                self.request.sendall(answer)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        base = f"http://127.0.0.1:{server.server_address[1]}"
        pipe.send({"base": base})
        server.serve_forever()


def environment_text(announcement: Mapping[str, str]) -> str:
    """Return the `.env` that points at services."""
    if "base" in announcement:
        base = announcement["base"]
        return (
            f"CMSMIG_ORIGIN_API_URL={base}\nCMSMIG_ORIGIN_TOKEN=abc\n"
            f"CMSMIG_DESTINATION_BASE_URL={base}/v1\nCMSMIG_DESTINATION_TOKEN=def\n"
            "CMSMIG_SPACE_ID=290512\n"
        )
    return environment_file_text(dict(announcement), RATE)


def copied(source: Path, target: Path) -> None:
    """Make a fresh copy of a project and its state."""
    _cleared(target)
    shutil.copytree(source, target)


def _cleared(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


def run(folder: Path, *arguments: str) -> Met:
    """Run a command in a child, with the project and state below `folder`."""
    met = _run(folder, arguments, LONGEST)
    return met if met.code is not None else _run(folder, arguments, 3 * LONGEST)


def _run(folder: Path, arguments: tuple[str, ...], longest: float) -> Met:
    out, err = folder / "out", folder / "err"
    process = _FORKING.Process(target=_command, args=(folder, arguments, out, err))
    process.start()
    process.join(longest)
    code = process.exitcode
    if code is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid or 0, signal.SIGKILL)
        process.kill()
        process.join()
    return Met(code, _text(out), _text(err))


def _text(path: Path) -> str:
    with open(path, "rb") as file:
        return file.read(2_000_000).decode("utf-8", "replace")


def _command(folder: Path, arguments: tuple[str, ...], out: Path, err: Path) -> None:
    code = 99
    try:
        os.setsid()
        for number, path in ((1, out), (2, err)):
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.dup2(file, number)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        for name in [name for name in os.environ if name.startswith("CMSMIG_")]:
            del os.environ[name]
        os.environ["CMSMIG_STATE_DIR"] = str(folder / "state")
        os.chdir(folder)
        _hurry()
        code = _ended(lambda: cli.main(["--project", "project", *arguments]))
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _ended(work: Callable[[], None]) -> int:
    try:
        work()
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else int(bool(ending.code))
    except BaseException:
        traceback.print_exc()
        return 99
    return 0


def _hurry() -> None:
    """Let pauses pass fast, and what is too slow be told soon."""
    began = time.monotonic()

    def fast_time() -> float:
        return began + (time.monotonic() - began) * SPEED

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(seconds / SPEED)

    budget: Any = partial(Budget, clock=fast_time, sleep=sleep)
    session: Any = partial(Session, sleep=sleep, timeout=3)
    for module in (connect, pulling):
        module.Budget, module.Session = budget, session  # type: ignore[attr-defined]
    bounds.PIECE_SECONDS = 3.0
    failures._FIRST_DELAY = 0.1
