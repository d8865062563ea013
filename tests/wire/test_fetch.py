"""Downloads over real sockets, and the addresses that are never asked."""

from __future__ import annotations

import asyncio
import hashlib
from io import BytesIO

import pytest

from cmsmig.errors import OutcomeUnknownError, RejectedError, UnreachableError
from cmsmig.wire.addresses import is_private_host, proxy_of
from cmsmig.wire.answers import Request
from tests.support.wire.raw_host import RawHost, answer
from tests.support.wire.sessions import fetch, impatient


async def test_a_file_comes_without_the_token() -> None:
    """Bytes, size, hash and type; the host is named as in the address."""
    host = RawHost(answer("hello", "Content-Type: Image/PNG; x=1"))
    async with host.listening(), impatient() as session:
        fetched, body = await fetch(session, f"{host.url}/a?b=1")
    assert "authorization" not in host.asked[0].lower()
    assert "\r\nhost: 127.0.0.1:" in host.asked[0].lower()
    assert body == b"hello"
    assert (fetched.status, fetched.size) == (200, 5)
    assert fetched.content_type == "image/png"
    assert fetched.sha256 == hashlib.sha256(b"hello").hexdigest()


@pytest.mark.parametrize(
    "name", ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"]
)
async def test_a_loopback_address_needs_permission(name: str) -> None:
    """Nothing is sent to a private address, however it is written."""
    async with RawHost().listening() as host, impatient() as session:
        with pytest.raises(RejectedError) as caught:
            await fetch(session, f"http://{name}:{host.port}/", allow_private=False)
    assert caught.value.problems[0].field == "private_address"
    assert host.connections == 0


async def test_the_size_is_capped_while_it_streams() -> None:
    """A host that announces nothing is stopped at the limit."""

    async def endless(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while True:
            writer.write(b"x" * 5000)
            await writer.drain()

    got = BytesIO()
    async with RawHost(endless).listening() as host, impatient() as session:
        with pytest.raises(RejectedError, match="larger than 12000 bytes"):
            await fetch(session, host.url, max_bytes=12_000, into=got)
    assert len(got.getvalue()) <= 12_000


async def test_half_a_file_is_no_file() -> None:
    """It is tried again, and is an error then."""
    host = RawHost(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
    async with host.listening(), impatient() as session:
        with pytest.raises(UnreachableError, match="cannot be downloaded"):
            await fetch(session, host.url)
    assert host.connections == 4


async def test_a_cut_file_is_fetched_again() -> None:
    """The digest is that of the whole file, and nothing of the half stays."""

    async def once_cut(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        body = b"longer ha" if host.connections == 1 else b"whole file"
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + body)

    async with RawHost(once_cut).listening() as host, impatient() as session:
        fetched, body = await fetch(session, host.url)
    assert (fetched.status, fetched.size, body) == (200, 10, b"whole file")
    assert fetched.sha256 == hashlib.sha256(b"whole file").hexdigest()


async def test_a_redirect_to_another_private_host_is_refused() -> None:
    """The permission is for the host of the address alone."""
    host = RawHost(answer("", "Location: http://127.0.0.2/x", status="302 Found"))
    async with host.listening(), impatient() as session:
        with pytest.raises(RejectedError) as caught:
            await fetch(session, host.url)
    assert caught.value.problems[0].field == "private_address"


async def test_a_name_that_leads_inwards_is_refused() -> None:
    """What the name resolves to counts, all of it."""

    async def resolve(name: str, port: int) -> tuple[str, ...]:
        return ("93.184.216.34", "127.0.0.1")

    async with RawHost().listening() as host, impatient(resolve=resolve) as session:
        address = f"http://innocent.test:{host.port}/a"
        with pytest.raises(RejectedError, match="private network"):
            await fetch(session, address, allow_private=False)
    assert host.connections == 0


async def test_the_address_that_was_checked_is_the_one_that_is_used() -> None:
    """It is looked up once; the first address that answers is asked."""
    asked: list[tuple[str, int]] = []

    async def resolve(name: str, port: int) -> tuple[str, ...]:
        asked.append((name, port))
        return ("127.0.0.9", "127.0.0.1")

    host = RawHost(answer("ok"))
    async with host.listening(), impatient(resolve=resolve) as session:
        _, body = await fetch(session, f"http://user:pw@renamed.test:{host.port}/")
    assert body == b"ok"
    assert asked == [("renamed.test", host.port)]
    assert "\r\nhost: renamed.test:" in host.asked[0].lower()


async def test_an_unknown_name_is_one_sentence() -> None:
    """The resolver's reason is in it."""

    async def resolve(name: str, port: int) -> tuple[str, ...]:
        raise OSError("unknown name")

    async with impatient(resolve=resolve) as session:
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


async def test_a_request_that_is_cut_off_may_have_been_applied() -> None:
    """A closed port takes no request; a server that hangs up may have done it."""
    async with RawHost(b"").listening() as host, impatient() as session:
        create = Request("POST", host.url, json={})
        with pytest.raises(OutcomeUnknownError):
            await session.send(create)
    async with impatient() as session:
        with pytest.raises(UnreachableError, match="cannot be reached"):
            await session.send(create)


def test_a_proxy_resolves_in_our_stead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only addresses that the environment sends to a proxy go there."""
    monkeypatch.setenv("https_proxy", "http://proxy.test:3128")
    monkeypatch.setenv("no_proxy", "inside.test")
    assert proxy_of("https://outside.test/a")
    assert not proxy_of("https://inside.test/a")


@pytest.mark.parametrize("address", ["/files/a.png", "ftp://host.test/a.png"])
async def test_an_address_that_is_not_fetched_is_named_as_it_is(address: str) -> None:
    """A relative address has no host, and none is made up for the message."""
    async with impatient() as session:
        with pytest.raises(RejectedError, match=f"address {address} is neither"):
            await fetch(session, address)
