"""Whose budget a request draws on: the token's, or the space's."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic import SecretStr

from cmsmig.destination.client import DestinationClient
from cmsmig.events import unobserved
from cmsmig.settings import Settings
from cmsmig.steps import connect
from tests.support.steps.pull_origin import settings
from tests.support.wire.virtual_time import fullest_window

RATE = 20
EACH = 14
"""Requests of each client: of two they fit in no second of one budget."""
ANSWER = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 23\r\n\r\n"
    b'{"space":{"id":1     }}'
)


@dataclass
class Service:
    """Answers each request after a while, and counts."""

    latency: float = 0.0
    arrivals: list[float] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    in_flight: int = 0
    most_in_flight: int = 0
    connections: set[asyncio.Task[None] | None] = field(default_factory=set)

    async def answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve one connection."""
        self.connections.add(asyncio.current_task())
        while head := await _head(reader):
            self.arrivals.append(time.monotonic())
            self.tokens.add(head.lower().split("authorization: ")[1].split("\r\n")[0])
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            await asyncio.sleep(self.latency)
            self.in_flight -= 1
            writer.write(ANSWER)
        writer.close()
        await writer.wait_closed()


async def _head(reader: asyncio.StreamReader) -> str:
    try:
        return (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return ""


async def load(service: Service, folder: Path, *clients: dict[str, str]) -> Path:
    """Let clients with these tokens and spaces ask at once; return their state."""
    server = await asyncio.start_server(service.answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    def given(scope: str, token: str, space: str) -> Settings:
        return settings(
            folder,
            destination_base_url=f"http://127.0.0.1:{port}/v1",
            destination_token=SecretStr(token),
            destination_rate=float(RATE),
            space_id=space,
            in_flight=12,
            assumed={"rate_limit_scope": scope} if scope else {},
        )

    async def ask(client: DestinationClient) -> None:
        await asyncio.gather(*(client.space() for _ in range(EACH)))

    async with AsyncExitStack() as stack:
        opened = [
            await stack.enter_async_context(
                connect.open_destination(given(**each), unobserved)
            )
            for each in clients
        ]
        await asyncio.gather(*map(ask, opened))
    server.close()
    await asyncio.gather(*filter(None, service.connections))
    assert len(service.arrivals) == EACH * len(clients)
    return folder / "state"


@contextmanager
def places(most: int) -> Iterator[None]:
    """Let a space have so many requests in flight."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(connect, "SPACE_IN_FLIGHT", most)
        yield


def client(token: str, space: str, scope: str = "") -> dict[str, str]:
    """Return what one project sets."""
    return {"token": token, "space": space, "scope": scope}


async def test_two_spaces_with_one_token_share_its_rate(tmp_path: Path) -> None:
    """The default: no second holds more than one token may send."""
    service = Service()
    state = await load(service, tmp_path, client("shared", "1"), client("shared", "2"))
    assert fullest_window(service.arrivals, 1.0) <= RATE
    assert len([*state.glob("budget-*.sqlite")]) == 1


async def test_two_spaces_with_one_token_where_the_rate_is_the_spaces(
    tmp_path: Path,
) -> None:
    """`rate_limit_scope = "space"`: each space has the whole rate."""
    service = Service()
    clients = client("shared", "1", "space"), client("shared", "2", "space")
    await load(service, tmp_path, *clients)
    assert fullest_window(service.arrivals, 1.0) == 2 * EACH


async def test_two_tokens_of_one_space_have_a_rate_each(tmp_path: Path) -> None:
    """The service counts its rate per token."""
    service = Service()
    await load(service, tmp_path, client("first", "1"), client("second", "1"))
    assert fullest_window(service.arrivals, 1.0) == 2 * EACH
    assert service.tokens == {"first", "second"}


async def test_no_more_requests_are_open_than_a_space_takes(tmp_path: Path) -> None:
    """All processes of one token together."""
    service = Service(latency=0.15)
    with places(4):
        await load(service, tmp_path, client("shared", "1"), client("shared", "1"))
    assert service.most_in_flight == 4


async def test_no_file_of_a_budget_reveals_the_token(tmp_path: Path) -> None:
    """Neither by its name nor by what is in it."""
    state = await load(Service(), tmp_path, client("very-secret", "1"))
    files = [path for path in state.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert b"very-secret" not in path.name.encode() + path.read_bytes()


def test_a_space_never_holds_as_many_as_it_takes() -> None:
    """The service takes 30; two are left to editors and other tools."""
    assert connect.SPACE_IN_FLIGHT < 30
