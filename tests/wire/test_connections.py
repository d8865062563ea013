"""Connections that are kept: what goes over them, and when they are given up."""

from __future__ import annotations

import asyncio
import gc
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from cmsmig.wire.answers import Answer, Request
from cmsmig.wire.connections import Connections
from cmsmig.wire.failures import NoAnswer, Outcome
from cmsmig.wire.http_library import Client, certificates
from tests.support.cases import cases, part
from tests.support.timelimit import patience
from tests.support.wire.raw_host import MEGABYTE, RawHost, answer
from tests.support.wire.sessions import impatient

OK = answer("ok")


@asynccontextmanager
async def kept(idle_seconds: float = 4.0) -> AsyncIterator[Connections]:
    connections = Connections(certificates(), idle_seconds=idle_seconds)
    try:
        yield connections
    finally:
        await connections.aclose()


def request(
    host: RawHost,
    method: str = "GET",
    content: bytes | None = None,
    **patience: float,
) -> httpx.Request:
    url = f"{host.url}/x?y=%20"
    extensions = {"timeout": {"read": 20, "write": 20, "connect": 20, **patience}}
    return httpx.Request(method, url, content=content, extensions=extensions)


async def ask(connections: Connections, asked: httpx.Request) -> tuple[int, bytes]:
    response = await connections.handle_async_request(asked)
    try:
        return response.status_code, await response.aread()
    finally:
        await response.aclose()


@cases(__file__, "connections.yaml")
async def test_what_goes_over_kept_connections(case: dict[str, Any]) -> None:
    """Each answer is that of its request; nothing is kept that cannot serve again."""
    host = RawHost(*map(str.encode, case["host"]))

    async def outcome(method: str) -> object:
        try:
            status, body = await ask(connections, request(host, method))
        except httpx.RemoteProtocolError as error:
            return str(error)
        return [status, body.decode()]

    async with host.listening(), kept(case.get("idle", 4.0)) as connections:
        found = [await outcome(method) for method in case["asks"]]
    assert part(found, case["gives"]) == case["gives"]
    assert host.connections == case["connections"]
    assert host.asked[0].startswith(f"{case['asks'][0]} /x?y=%20 HTTP/1.1\r\n")


async def test_a_head_without_end_is_no_answer() -> None:
    """It is read no further than a head may be long."""
    host = RawHost(b"HTTP/1.1 200 OK\r\nA: " + b"x" * 300_000)
    async with host.listening(), kept() as connections:
        with pytest.raises(httpx.RemoteProtocolError, match="long"):
            await ask(connections, request(host))


async def test_those_at_once_have_a_connection_each() -> None:
    """And no more: the next ones take those that are free."""
    host = RawHost(*[OK] * 9)
    async with host.listening(), kept() as connections:
        for _ in range(3):
            await asyncio.gather(*(ask(connections, request(host)) for _ in range(3)))
    assert host.connections == 3


async def test_a_host_that_hung_up_meanwhile_is_called_again() -> None:
    """It is seen before a byte is sent: the request certainly had no effect."""
    hung_up = asyncio.Event()

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK)
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        hung_up.set()

    host = RawHost(once)
    async with host.listening(), kept() as connections:
        for _ in range(3):
            assert await ask(connections, request(host, "POST", b"{}")) == (200, b"ok")
            await hung_up.wait()
            hung_up.clear()
    assert host.connections == 3


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_host_that_speaks_unasked_is_called_again(at_once: bool) -> None:
    """What it says beyond its answer, then or later, is no answer to the next one."""
    spoke, answered = asyncio.Event(), asyncio.Event()

    async def talkative(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(OK + (answer("unasked") if at_once else b""))
        await answered.wait()
        writer.write(b"" if at_once else answer("unasked"))
        await writer.drain()
        spoke.set()
        await reader.read()

    host = RawHost(talkative)
    async with host.listening(), kept() as connections:
        assert await ask(connections, request(host)) == (200, b"ok")
        answered.set()
        await spoke.wait()
        for _ in range(5):
            await asyncio.sleep(0)
        assert await ask(connections, request(host)) == (200, b"ok")
    assert host.connections == 2


async def test_an_answer_that_is_not_read_to_its_end_ends_its_connection() -> None:
    """What is left of it must not be taken for the next answer."""
    host = RawHost(answer("x" * 100_000))
    async with host.listening(), kept() as connections:
        response = await connections.handle_async_request(request(host))
        await response.aclose()
        status, rest = await ask(connections, request(host))
    assert (status, len(rest)) == (200, 100_000)
    assert host.connections == 2


async def test_a_cancelled_request_ends_its_connection() -> None:
    """Its answer may still come, and belongs to no other request."""

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if host.connections == 1:
            asked.set()
            await reader.read()
        writer.write(answer("second"))

    asked = asyncio.Event()
    host = RawHost(slow)
    async with host.listening(), kept() as connections:
        first = asyncio.create_task(ask(connections, request(host)))
        await asked.wait()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert await ask(connections, request(host)) == (200, b"second")
    assert host.connections == 2


async def test_an_answer_that_a_cancelled_caller_ends_leaves_nothing_open() -> None:
    """Its connection serves no other request, and ends with the others."""

    async def patient(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(answer("whole"))
        await reader.read()
        closed.set()

    async def cancelled() -> None:
        response = await connections.handle_async_request(request(host))
        assert isinstance(response.stream, httpx.AsyncByteStream)
        assert [each async for each in response.stream] == [b"whole"]
        own = asyncio.current_task()
        assert own is not None
        own.cancel()
        await response.aclose()

    closed = asyncio.Event()
    host = RawHost(patient)
    async with host.listening(), kept() as connections:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(cancelled())
        assert await ask(connections, request(host)) == (200, b"whole")
        await connections.aclose()
        await asyncio.wait_for(closed.wait(), patience())
    assert host.connections == 2


async def test_closing_hangs_up_on_a_request_on_its_way() -> None:
    """Its host learns of it, also while something waits for the answer."""

    async def patient(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        begun.set()
        await reader.read()
        hung_up.set()

    begun, hung_up = asyncio.Event(), asyncio.Event()
    host = RawHost(patient)
    async with host.listening(), kept() as connections:
        endless = request(host)
        endless.extensions["timeout"] = {}
        asked = asyncio.create_task(ask(connections, endless))
        await asyncio.wait_for(begun.wait(), patience())
        await connections.aclose()
        await asyncio.wait_for(hung_up.wait(), patience())
        with pytest.raises(httpx.HTTPError):
            await asked


async def test_a_host_that_does_not_listen_is_no_connection() -> None:
    """Nor is an unknown name, or another protocol."""
    async with RawHost().listening() as host:
        pass
    async with kept() as connections:
        with pytest.raises(httpx.ConnectError, match="Connection refused"):
            await ask(connections, request(host))
        with pytest.raises(httpx.ConnectError):
            await ask(connections, httpx.Request("GET", "http://unknown.invalid/"))
        with pytest.raises(httpx.UnsupportedProtocol):
            await ask(connections, httpx.Request("GET", "ftp://unknown.invalid/"))


async def test_a_header_with_a_line_in_it_is_not_sent() -> None:
    """The line could be a header of its own."""
    host = RawHost(OK)
    async with host.listening(), kept() as connections:
        asked = request(host)
        asked.headers["X"] = "a\r\nY: b"
        with pytest.raises(httpx.LocalProtocolError):
            await ask(connections, asked)
    assert host.asked == []


async def test_time_limits_hold_for_answers_and_for_bytes_that_are_not_read() -> None:
    """A host that never answers, and one that never reads."""

    async def silent(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await hang_up.wait()

    hang_up = asyncio.Event()
    host = RawHost(silent, reads=False)
    async with host.listening(), kept() as connections:
        with pytest.raises(httpx.ReadTimeout):
            await ask(connections, request(host, read=0.05))
        large = request(host, "POST", bytes(64 * MEGABYTE), write=0.05)
        with pytest.raises(httpx.WriteTimeout):
            await ask(connections, large)
        hang_up.set()


async def test_the_end_of_sending_is_reported() -> None:
    """A large body waits for its host; one that is cut off was not sent whole."""

    async def early(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if host.connections == 1:
            assert sent == []
            await reader.readexactly(64 * MEGABYTE)
            writer.write(answer("all of it"))
            await writer.drain()

    async def note() -> None:
        sent.append(host.connections)

    async def large() -> Outcome:
        asked = Request("POST", f"{host.url}/x")
        return await client.exchange(asked, {}, bytes(64 * MEGABYTE), note)

    sent: list[int] = []
    host = RawHost(early, reads=False)
    client = Client(None, timeout=20)
    async with host.listening():
        answered = await large()
        assert isinstance(answered, Answer)
        assert answered.body == b"all of it"
        await client.aclose()
        cut = await large()
        assert isinstance(cut, NoAnswer)
        assert cut.sent
        await client.aclose()
    assert sent == [1]


async def test_an_unread_answer_stays_in_the_network() -> None:
    """An answer of any size takes no memory before it is read."""
    sent = 0

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while sent < 64 * MEGABYTE:
            writer.write(bytes(MEGABYTE))
            sent += MEGABYTE
            await writer.drain()

    host = RawHost(pour)
    async with host.listening(), kept() as connections:
        response = await connections.handle_async_request(request(host))
        for _ in range(500):
            await asyncio.sleep(0)
        stopped_at = sent
        assert isinstance(response.stream, httpx.AsyncByteStream)
        size = sum([len(chunk) async for chunk in response.stream])
        await response.aclose()
    assert size == 64 * MEGABYTE
    assert stopped_at < 32 * MEGABYTE


async def test_hosts_at_one_address_have_a_connection_each() -> None:
    """What one of them says beyond its answer is not taken for the other's file."""

    async def resolve(host: str, port: int) -> tuple[str, ...]:
        return ("127.0.0.1",)

    host = RawHost(*[OK] * 4)
    async with (
        host.listening(),
        impatient(resolve=resolve) as session,
    ):
        for name in ("one.test", "other.test", "one.test", "other.test"):
            fetched = await session.fetch(
                f"http://{name}:{host.port}/",
                max_bytes=9,
                allow_private=True,
            )
            assert fetched.size == 2
    assert host.connections == 2


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Make a certificate of `files.test`, signed by itself, with its key."""
    folder = tmp_path_factory.mktemp("authority")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
         "/CN=files.test", "-addext", "subjectAltName=DNS:files.test",
         "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return certificate, key


async def over_tls(
    authority: tuple[Path, Path], name: str, trusted: bool
) -> tuple[RawHost, list[tuple[int, bytes]]]:
    """Ask twice for a file by an address, for a host of a name."""
    certificate, key = authority
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(certificate, key)
    host = RawHost(OK, OK)
    checks = ssl.create_default_context(cafile=certificate if trusted else None)
    connections = Connections(checks, idle_seconds=4.0)
    try:
        async with host.listening(own):
            asked = httpx.Request("GET", f"https://{name}:{host.port}/x")
            asked.extensions["addresses"] = ("127.0.0.1",)
            found = [await ask(connections, asked) for _ in range(2)]
            await connections.aclose()
            return host, found
    finally:
        await connections.aclose()


async def test_a_host_is_known_by_its_certificate(
    authority: tuple[Path, Path],
) -> None:
    """By the name that was asked for, at whatever address; and kept as others are."""
    host, found = await over_tls(authority, "files.test", trusted=True)
    assert found == [(200, b"ok")] * 2
    assert host.connections == 1


@pytest.mark.parametrize(
    ("name", "trusted", "said"),
    [
        ("other.test", True, "Hostname mismatch"),
        ("files.test", False, "self-signed certificate"),
    ],
)
async def test_a_host_of_another_name_or_authority_hears_nothing(
    authority: tuple[Path, Path], name: str, trusted: bool, said: str
) -> None:
    """No byte of a request goes to it."""
    with pytest.raises(httpx.ConnectError, match=said):
        await over_tls(authority, name, trusted)


@pytest.mark.parametrize("steps", range(10))
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_connection_whose_caller_was_cancelled_is_closed(
    host: str, steps: int
) -> None:
    """Whenever its caller is cancelled: a socket left open is a warning, an error
    here."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1")
    async with server, kept() as connections:
        port = server.sockets[0].getsockname()[1]
        asked = httpx.Request("GET", f"http://{host}:{port}/")
        task = asyncio.create_task(ask(connections, asked))
        for _ in range(steps):
            await asyncio.sleep(0.0002)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    gc.collect()
