"""Downloads over real sockets, and the addresses that are never asked."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from cmsmig.errors import RejectedError, UnreachableError
from cmsmig.wire.addresses import goes_by_proxy, is_private_host
from cmsmig.wire.answers import Request
from cmsmig.wire.session import Session

Conversation = Callable[[str, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def served(conversation: Conversation) -> AsyncIterator[str]:
    """Serve raw bytes on loopback; yields the address without a path."""
    asked: list[str] = []

    async def handle(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            asked.append(head)
            await conversation(head, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def fast(**more: Any) -> Session:
    async def sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    values: dict[str, Any] = {"authorization": "Bearer hush", "budget": None}
    return Session("files", in_flight=4, sleep=sleep, **(values | more))


async def fetch(session: Session, url: str, **more: Any) -> tuple[Any, bytes]:
    got: list[bytes] = []
    values: dict[str, Any] = {"max_bytes": 10_000, "allow_private": True}
    fetched = await session.fetch(url, write=got.append, **(values | more))
    return fetched, b"".join(got)


async def test_a_file_comes_without_the_token() -> None:
    """Bytes, size, hash and type; the host is named as in the address."""

    async def answer(head: str, writer: asyncio.StreamWriter) -> None:
        assert "authorization" not in head.lower()
        assert "\r\nhost: 127.0.0.1:" in head.lower()
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: Image/PNG; x=1\r\n"
            b"Content-Length: 5\r\n\r\nhello"
        )

    async with served(answer) as base, fast() as session:
        fetched, body = await fetch(session, f"{base}/a?b=1")
    assert body == b"hello"
    assert (fetched.status, fetched.size) == (200, 5)
    assert fetched.content_type == "image/png"
    assert fetched.sha256 == hashlib.sha256(b"hello").hexdigest()


async def test_a_loopback_address_needs_permission() -> None:
    """Nothing is sent to a private address, however it is written."""
    asked: list[str] = []

    async def answer(head: str, writer: asyncio.StreamWriter) -> None:
        asked.append(head)

    async with served(answer) as base, fast() as session:
        port = base.rpartition(":")[2]
        for host in ("127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"):
            with pytest.raises(RejectedError) as caught:
                await fetch(session, f"http://{host}:{port}/", allow_private=False)
            assert caught.value.problems[0].field == "private_address"
    assert asked == []


async def test_the_size_is_capped_while_it_streams() -> None:
    """A host that announces nothing is stopped at the limit."""

    async def endless(head: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while True:
            writer.write(b"x" * 5000)
            await writer.drain()

    async with served(endless) as base, fast() as session:
        got: list[bytes] = []
        with pytest.raises(RejectedError, match="larger than 12000 bytes"):
            await session.fetch(
                base, max_bytes=12_000, allow_private=True, write=got.append
            )
        assert sum(map(len, got)) <= 12_000


async def test_a_host_that_drips_runs_into_the_timeout() -> None:
    """The time for the whole counts, not for each piece."""

    async def drip(head: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    async with served(drip) as base, fast() as session:
        with pytest.raises(UnreachableError) as caught:
            await fetch(session, base, timeout=0.3)
    assert caught.value.problems[0].field == "timeout"


async def test_half_a_file_is_no_file() -> None:
    """Fewer bytes than announced are an error once some were handed on."""

    async def half(head: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")

    async with served(half) as base, fast() as session:
        with pytest.raises(UnreachableError, match="cannot be downloaded"):
            await fetch(session, base)


async def test_a_cut_file_is_fetched_anew_if_its_half_can_be_taken_back() -> None:
    """The digest is that of the whole file, and nothing of the half stays."""
    got: list[bytes] = []
    bodies = [b"half", b"whole file"]

    async def once_cut(head: str, writer: asyncio.StreamWriter) -> None:
        head_line = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
        writer.write(head_line + bodies.pop(0))

    async with served(once_cut) as base, fast() as session:
        fetched = await session.fetch(
            base,
            max_bytes=10_000,
            allow_private=True,
            write=got.append,
            restart=got.clear,
        )
    assert (fetched.status, fetched.size, b"".join(got)) == (200, 10, b"whole file")
    assert fetched.sha256 == hashlib.sha256(b"whole file").hexdigest()


async def test_a_redirect_to_another_private_host_is_refused() -> None:
    """The permission is for the host of the address alone."""

    async def elsewhere(head: str, writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2/x\r\n"
            b"Content-Length: 0\r\n\r\n"
        )

    async with served(elsewhere) as base, fast() as session:
        with pytest.raises(RejectedError) as caught:
            await fetch(session, base)
    assert caught.value.problems[0].field == "private_address"


async def test_a_name_that_leads_inwards_is_refused() -> None:
    """What the name resolves to counts, all of it."""

    async def resolve(host: str, port: int) -> tuple[str, ...]:
        return ("93.184.216.34", "192.168.1.1")

    def never(request: httpx.Request) -> httpx.Response:
        raise AssertionError("must not be asked")

    transport = httpx.MockTransport(never)
    async with fast(transport=transport, resolve=resolve) as session:
        with pytest.raises(RejectedError, match="private network"):
            await fetch(session, "https://innocent.test/a", allow_private=False)


async def test_the_address_that_was_checked_is_the_one_that_is_used() -> None:
    """A second lookup with another result finds nobody asking for it."""

    async def answer(head: str, writer: asyncio.StreamWriter) -> None:
        assert "\r\nhost: renamed.test:" in head.lower()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    async with served(answer) as base:
        port = base.rpartition(":")[2]

        async def resolve(host: str, asked_port: int) -> tuple[str, ...]:
            assert (host, asked_port) == ("renamed.test", int(port))
            return ("127.0.0.9", "127.0.0.1")

        async with fast(resolve=resolve) as session:
            _, body = await fetch(session, f"http://user:pw@renamed.test:{port}/")
    assert body == b"ok"


async def test_an_unknown_name_is_said() -> None:
    """A name that nobody knows ends in one sentence."""

    async def resolve(host: str, port: int) -> tuple[str, ...]:
        raise OSError("unknown name")

    async with fast(resolve=resolve) as session:
        with pytest.raises(UnreachableError, match="unknown name"):
            await fetch(session, "https://nowhere.test/a")


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("10.0.0.1", True),
        ("100.64.0.1", True),
        ("169.254.1.1", True),
        ("224.0.0.1", True),
        ("0.0.0.0", True),
        ("::ffff:10.0.0.1", True),
        ("64:ff9b::a00:1", True),
        ("fe80::1%eth0", True),
        ("fc00::1", True),
        ("localhost", True),
        ("LOCALHOST.", True),
        ("a.localhost", True),
        ("2130706433", True),
        ("0x7f.1", True),
        ("017700000001", True),
        ("１２７.０.０.１", True),
        ("127。0。0。1", True),
        ("::127.0.0.1", True),
        ("::ffff:0:127.0.0.1", True),
        ("64:ff9b:1::7f00:1", True),
        ("2002:7f00:1::", True),
        ("168.63.129.16", True),
        ("134744072", False),
        ("64:ff9b::808:808", False),
        ("8.8.8.8", False),
        ("2606:4700::1111", False),
        ("example.org", False),
    ],
)
def test_private_hosts(host: str, private: bool) -> None:
    """Every kind of address that is not the public internet counts as private."""
    assert is_private_host(host) is private


async def test_a_request_cut_off_on_a_real_socket_is_open() -> None:
    """A server that hangs up after the request may have applied it."""

    async def hang_up(head: str, writer: asyncio.StreamWriter) -> None:
        writer.close()

    from cmsmig.errors import OutcomeUnknownError

    async with served(hang_up) as base, fast() as session:
        with pytest.raises(OutcomeUnknownError):
            await session.send(Request("POST", base, json={}))


async def test_nobody_there_is_unreachable() -> None:
    """A closed port takes no request."""

    async def unused(head: str, writer: asyncio.StreamWriter) -> None:
        raise AssertionError("not asked")

    async with served(unused) as base:
        pass
    async with fast() as session:
        with pytest.raises(UnreachableError, match="cannot be reached"):
            await session.send(Request("POST", base, json={}))


def test_a_proxy_resolves_in_our_stead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only addresses that the environment sends to a proxy go there."""
    monkeypatch.setenv("https_proxy", "http://proxy.test:3128")
    monkeypatch.setenv("no_proxy", "inside.test")
    assert goes_by_proxy("https://outside.test/a")
    assert not goes_by_proxy("https://inside.test/a")


@pytest.mark.parametrize("address", ["/files/a.png", "ftp://host.test/a.png"])
async def test_an_address_that_is_not_fetched_is_named_as_it_stands(
    address: str,
) -> None:
    """A relative address has no host, and none is made up for the message."""
    async with fast() as session:
        with pytest.raises(RejectedError, match=f"address {address} is neither"):
            await session.fetch(
                address, max_bytes=9, allow_private=False, write=lambda data: None
            )
