"""Connections that are kept: what goes over them, and when they are given up."""

from __future__ import annotations

import asyncio
import gc
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from cmsmig.wire.connections import Connections
from cmsmig.wire.http_library import certificates
from cmsmig.wire.session import Session
from tests.support.timelimit import patience

MEGABYTE = 1024 * 1024
Conversation = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Host:
    """Counts connections; each is one conversation of a test's own."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self.connections = 0
        self.heard: list[bytes] = []

    async def hear(self, reader: asyncio.StreamReader) -> bytes:
        """Return one request's head, and take its body."""
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
        body = await reader.readexactly(int(length or 0))
        self.heard.append(head + body)
        return head

    async def _meet(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        try:
            await self._conversation(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    @asynccontextmanager
    async def listening(
        self, encrypted: ssl.SSLContext | None = None
    ) -> AsyncIterator[int]:
        """Listen on loopback; yields the port."""
        server = await asyncio.start_server(
            self._meet, "127.0.0.1", 0, ssl=encrypted, limit=MEGABYTE
        )
        async with server:
            yield server.sockets[0].getsockname()[1]


def answering(*answers: bytes) -> Host:
    """Return a host that gives these answers on each connection, in turn."""

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        for each in answers:
            await host.hear(reader)
            writer.write(each)
            await writer.drain()

    host = Host(answer)
    return host


def body(text: str, *head: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(text)}", *head, "", text]
    return "\r\n".join(lines).encode()


@asynccontextmanager
async def kept(idle_seconds: float = 4.0) -> AsyncIterator[Connections]:
    connections = Connections(certificates(), idle_seconds=idle_seconds)
    try:
        yield connections
    finally:
        await connections.aclose()


def request(
    port: int, method: str = "GET", content: bytes | None = None, **patience: float
) -> httpx.Request:
    url = f"http://127.0.0.1:{port}/x?y=%20"
    extensions = {"timeout": {"read": 20, "write": 20, "connect": 20, **patience}}
    return httpx.Request(method, url, content=content, extensions=extensions)


async def ask(connections: Connections, asked: httpx.Request) -> tuple[int, bytes]:
    response = await connections.handle_async_request(asked)
    try:
        return response.status_code, await response.aread()
    finally:
        await response.aclose()


async def test_one_connection_serves_one_request_after_the_other() -> None:
    """Whatever the form of an answer, the next one begins where it ends."""
    chunks = b"3\r\nabc\r\n2;x=1\r\nde\r\n0\r\nA: b\r\n\r\n"
    host = answering(
        body("one"),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + body("two"),
        b"HTTP/1.1 204 No Content\r\n\r\n",
        body("", status="200 OK"),
    )
    async with host.listening() as port, kept() as connections:
        found = [await ask(connections, request(port)) for _ in range(5)]
    assert found == [
        (200, b"one"),
        (200, b"abcde"),
        (200, b"two"),
        (204, b""),
        (200, b""),
    ]
    assert host.connections == 1
    assert host.heard[0].startswith(b"GET /x?y=%20 HTTP/1.1\r\n")


async def test_an_answer_without_a_body_is_one_for_a_head() -> None:
    """It tells a length all the same."""
    host = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", body("next"))
    async with host.listening() as port, kept() as connections:
        assert await ask(connections, request(port, "HEAD")) == (200, b"")
        assert await ask(connections, request(port)) == (200, b"next")
    assert host.connections == 1


async def test_those_at_once_have_a_connection_each() -> None:
    """And no more: the next ones take those that are free."""
    host = answering(*[body("ok")] * 9)
    async with host.listening() as port, kept() as connections:
        for _ in range(3):
            await asyncio.gather(*(ask(connections, request(port)) for _ in range(3)))
    assert host.connections == 3


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(body("ok", "Connection: close"), id="says that it closes"),
        pytest.param(b"HTTP/1.0 200 OK\r\n\r\nok", id="ends with the connection"),
        pytest.param(body("ok") + b"more", id="says more than was asked for"),
    ],
)
async def test_a_connection_that_cannot_serve_again_is_given_up(answer: bytes) -> None:
    """The next request has a new one, and its own answer."""
    host = answering(answer)
    async with host.listening() as port, kept() as connections:
        for _ in range(2):
            assert await ask(connections, request(port)) == (200, b"ok")
    assert host.connections == 2


async def test_a_host_that_hung_up_meanwhile_is_called_again() -> None:
    """It is seen before a byte is sent: nobody has to wonder whether it was taken."""
    hung_up = asyncio.Event()

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await host.hear(reader)
        writer.write(body("ok"))
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        hung_up.set()

    host = Host(once)
    async with host.listening() as port, kept() as connections:
        for _ in range(3):
            assert await ask(connections, request(port, "POST", b"{}")) == (200, b"ok")
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
        await host.hear(reader)
        writer.write(body("ok") + (body("unasked") if at_once else b""))
        await answered.wait()
        writer.write(b"" if at_once else body("unasked"))
        await writer.drain()
        spoke.set()
        await reader.read()

    host = Host(talkative)
    async with host.listening() as port, kept() as connections:
        assert await ask(connections, request(port)) == (200, b"ok")
        answered.set()
        await spoke.wait()
        for _ in range(5):
            await asyncio.sleep(0)
        assert await ask(connections, request(port)) == (200, b"ok")
    assert host.connections == 2


async def test_a_connection_that_rested_long_is_given_up() -> None:
    """Hosts hang up after a while, maybe just when the next request goes out."""
    host = answering(body("ok"), body("ok"))
    async with host.listening() as port, kept(idle_seconds=0.0) as connections:
        for _ in range(2):
            assert await ask(connections, request(port)) == (200, b"ok")
    assert host.connections == 2


async def test_an_answer_that_nobody_reads_to_its_end_ends_its_connection() -> None:
    """What is left of it must not be taken for the next answer."""
    host = answering(body("x" * 100_000))
    async with host.listening() as port, kept() as connections:
        response = await connections.handle_async_request(request(port))
        await response.aclose()
        status, rest = await ask(connections, request(port))
    assert (status, len(rest)) == (200, 100_000)
    assert host.connections == 2


async def test_a_cancelled_request_ends_its_connection() -> None:
    """Its answer may still come, and is nobody else's."""

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await host.hear(reader)
        if host.connections == 1:
            asked.set()
            await reader.read()
        writer.write(body("second"))

    asked = asyncio.Event()
    host = Host(slow)
    async with host.listening() as port, kept() as connections:
        first = asyncio.create_task(ask(connections, request(port)))
        await asked.wait()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert await ask(connections, request(port)) == (200, b"second")
    assert host.connections == 2


async def test_an_answer_that_a_cancelled_caller_ends_ends_its_connection() -> None:
    """The host sees that it is closed, though the answer was read to its end."""

    async def patient(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await host.hear(reader)
        writer.write(body("whole"))
        await reader.read()
        closed.set()

    async def cancelled() -> None:
        answer = await connections.handle_async_request(request(port))
        assert isinstance(answer.stream, httpx.AsyncByteStream)
        assert [each async for each in answer.stream] == [b"whole"]
        own = asyncio.current_task()
        assert own is not None
        own.cancel()
        await answer.aclose()

    closed = asyncio.Event()
    host = Host(patient)
    async with host.listening() as port, kept() as connections:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(cancelled())
        await asyncio.wait_for(closed.wait(), patience())


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "without sending a response"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "without sending a response"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "complete"),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "illegal status"),
        (b"HTTP/1.1 200 OK\r\nA: " + b"x" * 300_000, "long"),
        (body("ok", "Content-Length: 3"), "conflicting"),
    ],
)
async def test_what_is_no_whole_answer_is_none(answer: bytes, said: str) -> None:
    """Cut off, endless in its head, of another protocol, or of two lengths."""
    host = answering(answer)
    async with host.listening() as port, kept() as connections:
        with pytest.raises(httpx.RemoteProtocolError, match=said):
            await ask(connections, request(port))


async def test_nobody_there_is_no_connection() -> None:
    """Nor is a name that nobody knows, or a protocol of another kind."""
    async with answering().listening() as port:
        pass
    async with kept() as connections:
        with pytest.raises(httpx.ConnectError, match="All connection attempts failed"):
            await ask(connections, request(port))
        with pytest.raises(httpx.ConnectError):
            await ask(connections, httpx.Request("GET", "http://nobody.invalid/"))
        with pytest.raises(httpx.UnsupportedProtocol):
            await ask(connections, httpx.Request("GET", "ftp://nobody.invalid/"))


async def test_a_header_with_a_line_in_it_is_not_sent() -> None:
    """It would be a header of somebody else's."""
    host = answering(body("ok"))
    async with host.listening() as port, kept() as connections:
        asked = request(port)
        asked.headers["X"] = "a\r\nY: b"
        with pytest.raises(httpx.LocalProtocolError):
            await ask(connections, asked)
    assert host.heard == []


async def test_patience_ends_for_answers_and_for_bytes_that_nobody_takes() -> None:
    """A host that never answers, and one that never reads."""

    async def silent(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await hang_up.wait()

    hang_up = asyncio.Event()
    host = Host(silent)
    async with host.listening() as port, kept() as connections:
        with pytest.raises(httpx.ReadTimeout):
            await ask(connections, request(port, read=0.05))
        large = request(port, "POST", bytes(64 * MEGABYTE), write=0.05)
        with pytest.raises(httpx.WriteTimeout):
            await ask(connections, large)
        hang_up.set()


async def test_the_last_byte_is_told_when_it_is_out() -> None:
    """A large body waits for its host; one that refuses it early is heard as well."""

    async def early(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if host.connections == 1:
            assert told == []
            await reader.readexactly(64 * MEGABYTE)
            writer.write(body("all of it"))
        else:
            writer.write(body("too large", status="413 Content Too Large"))
        await writer.drain()

    async def trace(event: str, _: object) -> None:
        if event == "http11.send_request_body.complete":
            told.append(event)

    told: list[str] = []
    host = Host(early)
    async with host.listening() as port, kept() as connections:
        for answer in [(200, b"all of it"), (413, b"too large")]:
            asked = request(port, "POST", bytes(64 * MEGABYTE))
            asked.extensions["trace"] = trace
            assert await ask(connections, asked) == answer
            await connections.aclose()
    assert told == ["http11.send_request_body.complete"]


async def test_what_nobody_reads_is_not_taken_from_the_network() -> None:
    """An answer of any size takes no memory before somebody asks for it."""
    sent = 0

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await host.hear(reader)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while sent < 64 * MEGABYTE:
            writer.write(bytes(MEGABYTE))
            sent += MEGABYTE
            await writer.drain()

    host = Host(pour)
    async with host.listening() as port, kept() as connections:
        response = await connections.handle_async_request(request(port))
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

    host = answering(*[body("ok")] * 4)
    async with (
        host.listening() as port,
        Session(
            "files", authorization=None, budget=None, in_flight=1, resolve=resolve
        ) as session,
    ):
        for name in ("one.test", "other.test", "one.test", "other.test"):
            fetched = await session.fetch(
                f"http://{name}:{port}/",
                max_bytes=9,
                allow_private=True,
                write=bytearray().extend,
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
) -> tuple[Host, list[tuple[int, bytes]]]:
    """Ask twice for a file by an address, for a host of a name."""
    certificate, key = authority
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(certificate, key)
    host = answering(body("ok"), body("ok"))
    checks = ssl.create_default_context(cafile=certificate if trusted else None)
    connections = Connections(checks, idle_seconds=4.0)
    try:
        async with host.listening(own) as port:
            asked = httpx.Request("GET", f"https://127.0.0.1:{port}/x")
            asked.extensions["sni_hostname"] = name
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
async def test_a_connection_that_nobody_waits_for_is_closed(
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
