"""Where a corrupted input is met: a command in a child, and services that corrupt."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import resource
import signal
import socketserver
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from cmsmig.steps import connect
from cmsmig.steps.pull import pull as pulling
from cmsmig.wire import bounds, failures
from cmsmig.wire.budget import Budget
from cmsmig.wire.session import Session
from tests.proofs.hostile.corruptions import HEADS, STATUSES, WIRE, damaged, reshaped
from tests.proofs.world.world import World
from tests.support.rehearsal import Ended, write_env
from tests.support.sandbox.replies import Ending, broken

SPEED = 200
"""How much faster time passes for what waits for a port."""
LONGEST = 45.0
"""Seconds after which a command hangs; once more, alone and thrice as long, before
that is believed."""
MEMORY = 3 << 30
"""Bytes that a command may ask for."""
_FORKING = multiprocessing.get_context("fork")
Answering = Callable[[], AbstractContextManager[None]]


class Fault:
    """The sandbox's middleware: corrupts one answer, or every one from there on."""

    def __init__(self, seed: str, kind: str) -> None:
        self._chance = random.Random(seed)
        self._kind = kind
        self._first = self._chance.choice((1, 1, 2, 3, 5, 8, 12, 20))
        self._always = self._chance.random() < 0.5
        self._seen = 0

    async def __call__(self, call: Call, onward: Next) -> Reply:
        """Answer a call."""
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
            return broken(reply, chance.choice((Ending.CUT, Ending.DROPPED)))
        status = chance.choice((reply.status, reply.status, 429, 302, 503))
        return replace(reply, status=status, headers=(*reply.headers, *_heads(chance)))


def _heads(chance: random.Random) -> list[tuple[str, str]]:
    heads = [chance.choice(HEADS) for _ in range(chance.choice((1, 3)))]
    return [
        (n, text.encode("latin-1", "ignore").decode("latin-1")) for n, text in heads
    ]


@contextmanager
def nonsense(one: World, seed: str) -> Iterator[None]:
    """Have a port answer what is no such service, or a broken one."""
    chance = random.Random(seed)
    heads = "".join(f"{name}: {text}\r\n" for name, text in _heads(chance))
    headed = f"HTTP/1.1 200 OK\r\n{heads}Content-Length: 2\r\n\r\n{{}}".encode(
        "latin-1"
    )
    answer = chance.choice((*WIRE, headed, headed, headed))
    if chance.random() < 0.5:
        answer = damaged(answer, chance)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                self.request.recv(60_000)
                self.request.sendall(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_address[1]}"
        write_env(
            one.folder,
            f"CMSMIG_ORIGIN_API_URL={base}\nCMSMIG_ORIGIN_TOKEN=abc\n"
            f"CMSMIG_DESTINATION_BASE_URL={base}/v1\nCMSMIG_DESTINATION_TOKEN=def\n"
            "CMSMIG_SPACE_ID=290512\n",
        )
        state = {"CMSMIG_STATE_DIR": str(one.work / "state")}
        with mock.patch.dict(os.environ, state):
            _hurry()
            yield


def _hurry() -> None:
    """Let pauses pass fast, and what is too slow be noticed soon."""
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


@dataclass(frozen=True)
class Met:
    """How a command ended."""

    code: int | None
    """None: it hung."""
    out: str
    err: str


def run(one: World, answering: Answering, arguments: Sequence[str]) -> Met:
    """Run a command in a child, in which services answer."""
    met = _run(one, answering, arguments, LONGEST)
    return met if met.code is not None else _run(one, answering, arguments, 3 * LONGEST)


def _run(
    one: World, answering: Answering, arguments: Sequence[str], longest: float
) -> Met:
    said = one.work / "said"
    process = _FORKING.Process(target=_command, args=(one, answering, arguments, said))
    process.start()
    process.join(longest)
    code = process.exitcode
    if code is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid or 0, signal.SIGKILL)
        process.kill()
        process.join()
    out, err = json.loads(said.read_text()) if said.exists() else ("", "")
    return Met(code, out, err)


def _command(
    one: World, answering: Answering, arguments: Sequence[str], said: Path
) -> None:
    ended = Ended(99, "", "")
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(one.work)
        with answering():
            ended = one.run(*arguments)
    except BaseException:
        ended = Ended(99, "", traceback.format_exc())
    finally:
        said.write_text(json.dumps([ended.out, ended.err]))
        os._exit(ended.code)
