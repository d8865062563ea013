"""Answers and files that are too large, too slow or packed to burst, over sockets."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cmsmig.errors import (
    CredentialsError,
    MalformedAnswerError,
    OutcomeUnknownError,
    RejectedError,
    UnreachableError,
)
from cmsmig.wire import bounds, http_library
from cmsmig.wire.answers import Request
from tests.support.wire.raw_host import MEGABYTE, Conversation, RawHost, answer
from tests.support.wire.sessions import fetch, impatient

GZIP = "Content-Encoding: gzip"


def bomb(megabytes: int, layers: int) -> bytes:
    """Return zeros, packed so many times: each layer makes them a thousandth."""
    packing = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(MEGABYTE)
    body = b"".join(packing.compress(block) for _ in range(megabytes))
    body += packing.flush()
    for _ in range(layers - 1):
        body = gzip.compress(body, 9)
    return body


def repeating(start: bytes, piece: bytes, pause: float = 0.01) -> Conversation:
    """Return a conversation that never stops sending a piece."""

    async def repeat(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return repeat


DRIPPING = repeating(b'HTTP/1.1 200 OK\r\n\r\n{"a": ', b" ")


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Expect a piece of an answer or file every 0.2 seconds."""
    monkeypatch.setattr(bounds, "PIECE_SECONDS", 0.2)


@contextmanager
def memory_below(megabytes: int) -> Iterator[None]:
    """Hold what is done to so much memory."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes * MEGABYTE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "gzip, identity, deflate"])
async def test_what_is_packed_twice_or_strangely_is_refused(encoding: str) -> None:
    """Files are asked for as they are; of a bomb in a bomb nothing is unpacked."""
    host = RawHost(answer(bomb(64, 2), f"Content-Encoding: {encoding}"))
    async with host.listening(), impatient() as session:
        with memory_below(3):
            with pytest.raises(UnreachableError, match="packed as"):
                await fetch(session, host.url, max_bytes=10 * MEGABYTE)
            with pytest.raises(MalformedAnswerError, match="packed as"):
                await session.send(Request("GET", host.url))
    assert len(host.asked) == 2
    assert "\r\naccept-encoding: identity\r\n" in host.asked[0].lower()


async def test_a_packed_file_is_unpacked_no_further_than_its_bound() -> None:
    """A host that packs all the same is understood, up to the size that is allowed."""
    good = RawHost(answer(gzip.compress(b"hello" * 100), GZIP))
    async with good.listening(), impatient() as session:
        fetched, body = await fetch(session, good.url)
    assert (fetched.size, body) == (500, b"hello" * 100)
    burst = RawHost(answer(bomb(60, 1), GZIP))
    async with burst.listening(), impatient() as session:
        with memory_below(200), pytest.raises(RejectedError, match="larger than"):
            await fetch(session, burst.url, max_bytes=MEGABYTE)


@pytest.mark.parametrize("packed", [True, False])
async def test_an_answer_beyond_its_bound_is_one_sentence(
    packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read no further, and not asked for again: it would be as large."""
    monkeypatch.setattr(http_library, "ANSWER_BYTES", MEGABYTE)
    large = answer(bomb(60, 1), GZIP) if packed else answer(bytes(3 * MEGABYTE))
    async with RawHost(large).listening() as host, impatient() as session:
        with memory_below(200), pytest.raises(MalformedAnswerError, match="than 1 MB"):
            await session.send(Request("GET", host.url))
        with pytest.raises(OutcomeUnknownError, match="larger than 1 MB"):
            await session.send(Request("POST", host.url, json={}))
    assert len(host.asked) == 2


async def test_an_answer_may_be_twice_as_large_as_the_service_says() -> None:
    """20 MB are documented; 30 MB come through, packed or not."""
    text = json.dumps({"a": "ä" * (15 * MEGABYTE)}, ensure_ascii=False).encode()
    assert 30 * MEGABYTE < len(text) < bounds.ANSWER_BYTES
    host = RawHost(answer(gzip.compress(text, 1), GZIP))
    async with host.listening(), impatient() as session:
        received = await session.send(Request("GET", host.url))
    assert received.body == text


@pytest.mark.usefixtures("quickly")
async def test_what_drips_is_given_up() -> None:
    """It is tried twice, not for its whole deadline: slow rarely gets faster."""
    async with RawHost(DRIPPING).listening() as host, impatient() as session:
        with pytest.raises(MalformedAnswerError, match="less than 64 KB of it came"):
            await session.send(Request("GET", host.url))
        assert len(host.asked) == 2
        with pytest.raises(UnreachableError, match="less than 256 KB") as caught:
            await fetch(session, host.url)
    assert caught.value.problems[0].field == "timeout"
    assert len(host.asked) == 4


@pytest.mark.parametrize(
    "conversation",
    [DRIPPING, repeating(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n")],
)
async def test_an_answer_has_a_deadline(
    monkeypatch: pytest.MonkeyPatch, conversation: Conversation
) -> None:
    """However fast its pieces come, and however long its head is on its way."""
    monkeypatch.setattr(http_library, "ANSWER_SECONDS", 0.3)
    async with RawHost(conversation).listening() as host, impatient() as session:
        errors = (MalformedAnswerError, UnreachableError)
        with pytest.raises(errors, match=r"longer than 0\.3"):
            await session.send(Request("GET", host.url))


async def test_the_deadline_of_a_file_counts_for_all_pieces_and_tries() -> None:
    """A host that cuts each try off late does not get four times as long."""

    async def cut_late(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nx")
        await writer.drain()
        await asyncio.sleep(0.25)

    for conversation in (cut_late, DRIPPING):
        async with RawHost(conversation).listening() as host, impatient() as session:
            with pytest.raises(UnreachableError, match=r"than 0\.4 seconds") as caught:
                await fetch(session, host.url, timeout=0.4)
        assert caught.value.problems[0].field == "timeout"
        assert len(host.asked) <= 2


@pytest.mark.usefixtures("quickly")
async def test_a_refusal_is_believed_though_its_text_has_no_end() -> None:
    """A 401 without end is a 401; what has come of its text is enough."""
    slow = repeating(b'HTTP/1.1 401 No\r\n\r\n{"message": "no such key"}', b" ")
    async with RawHost(slow).listening() as host, impatient() as session:
        with pytest.raises(CredentialsError, match="no such key"):
            await session.send(Request("GET", host.url))
    flood = repeating(b"HTTP/1.1 422 No\r\n\r\n", b"nothing good " * 8000, 0.0)
    async with RawHost(flood).listening() as host, impatient() as session:
        with memory_below(10), pytest.raises(RejectedError, match="nothing good") as no:
            await session.send(Request("POST", host.url, json={}))
    assert len(str(no.value)) < 1000


@pytest.mark.parametrize("digits", ["9" * 5000, "1" + "0" * 400, "٣", "1e3", "-1"])
async def test_a_header_that_is_no_number_counts_nothing(digits: str) -> None:
    """Five thousand digits are more than Python reads, and say nothing."""
    names = ("X-RateLimit-Remaining", "X-RateLimit-Limit", "Retry-After", "Total")
    heads = [f"{name}: {digits}" for name in names]
    async with (
        RawHost(answer("{}", *heads)).listening() as host,
        impatient() as session,
    ):
        received = await session.send(Request("GET", host.url))
    assert [received.number(name.lower()) for name in names] == [None] * 4
    assert (received.retry_after(0.0) or 0) <= 1e400
