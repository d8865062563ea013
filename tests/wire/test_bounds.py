"""Answers and files that are too large, too slow or packed to burst, over sockets."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.errors import (
    CredentialsError,
    MalformedAnswerError,
    OutcomeUnknownError,
    RejectedError,
    UnreachableError,
)
from cmsmig.wire import bounds
from cmsmig.wire import session as sessions
from cmsmig.wire.answers import Request
from cmsmig.wire.unpacking import UnknownPackingError, Unpacker, UnpackingError
from tests.wire.test_fetch import fast, fetch, served

MEGABYTE = 1024 * 1024


def bomb(megabytes: int, layers: int) -> bytes:
    """Return zeros, packed so many times: each layer makes them a thousandth."""
    packing = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(MEGABYTE)
    body = b"".join(packing.compress(block) for _ in range(megabytes))
    body += packing.flush()
    for _ in range(layers - 1):
        body = gzip.compress(body, 9)
    return body


def answering(body: bytes, *head: str, status: str = "200 OK") -> Any:
    """Return a conversation that answers with these bytes and ends."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *head, "", ""]

    async def answer(asked: str, writer: asyncio.StreamWriter) -> None:
        writer.write("\r\n".join(lines).encode() + body)

    return answer


def dripping(status: str = "200 OK", start: bytes = b"") -> Any:
    """Return a conversation that never stops, a byte at a time."""

    async def drip(asked: str, writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {status}\r\n\r\n".encode() + start)
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.01)

    return drip


def counted(conversation: Any) -> tuple[Any, list[str]]:
    """Return the conversation, and what was asked for in it."""
    asked: list[str] = []

    async def answer(head: str, writer: asyncio.StreamWriter) -> None:
        asked.append(head)
        await conversation(head, writer)

    return answer, asked


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Expect a piece of an answer or file every 0.2 seconds."""
    monkeypatch.setattr(bounds, "PIECE_SECONDS", 0.2)


class Peak:
    """The most memory that the body took."""

    def __enter__(self) -> Peak:
        tracemalloc.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "gzip, identity, deflate"])
async def test_a_file_packed_twice_or_strangely_is_refused(encoding: str) -> None:
    """Files are asked for as they are; of a bomb in a bomb nothing is unpacked."""
    conversation, asked = counted(
        answering(bomb(64, 2), f"Content-Encoding: {encoding}")
    )
    async with served(conversation) as base, fast() as session:
        with Peak() as peak, pytest.raises(UnreachableError, match="packed as"):
            await fetch(session, base, max_bytes=10 * MEGABYTE)
    assert peak.bytes < 3 * MEGABYTE
    assert len(asked) == 1
    assert "\r\naccept-encoding: identity\r\n" in asked[0].lower()


async def test_a_packed_file_is_unpacked_no_further_than_its_bound() -> None:
    """A host that packs all the same is understood, up to the size that is allowed."""
    good = answering(gzip.compress(b"hello" * 100), "Content-Encoding: gzip")
    async with served(good) as base, fast() as session:
        fetched, body = await fetch(session, base)
    assert (fetched.size, body) == (500, b"hello" * 100)
    burst = answering(bomb(60, 1), "Content-Encoding: gzip")
    async with served(burst) as base, fast() as session:
        with Peak() as peak, pytest.raises(RejectedError, match="larger than"):
            await fetch(session, base, max_bytes=MEGABYTE)
    assert peak.bytes < 4 * MEGABYTE


@pytest.mark.parametrize("packed", [True, False])
async def test_an_answer_beyond_its_bound_is_one_sentence(
    packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read no further, and not asked for again: it would be as large."""
    monkeypatch.setattr(sessions, "ANSWER_BYTES", MEGABYTE)
    body = bomb(60, 1) if packed else bytes(3 * MEGABYTE)
    head = ["Content-Encoding: gzip"] if packed else []
    conversation, asked = counted(answering(body, *head))
    async with served(conversation) as base, fast() as session:
        with Peak() as peak, pytest.raises(MalformedAnswerError, match="than 1 MB"):
            await session.send(Request("GET", base))
        with pytest.raises(OutcomeUnknownError, match="larger than 1 MB"):
            await session.send(Request("POST", base, json={}))
    assert peak.bytes < 6 * MEGABYTE
    assert len(asked) == 2


async def test_an_answer_may_be_twice_as_large_as_the_service_says() -> None:
    """20 MB are documented; 30 MB come through, packed or not."""
    text = json.dumps({"a": "ä" * (15 * MEGABYTE)}, ensure_ascii=False).encode()
    assert 30 * MEGABYTE < len(text) < bounds.ANSWER_BYTES
    packed = answering(gzip.compress(text, 1), "Content-Encoding: gzip")
    async with served(packed) as base, fast() as session:
        answer = await session.send(Request("GET", base))
    assert answer.body == text


async def test_an_answer_packed_twice_is_refused() -> None:
    """Nothing of it is unpacked."""
    packed = answering(bomb(64, 2), "Content-Encoding: gzip, gzip")
    async with served(packed) as base, fast() as session:
        with Peak() as peak, pytest.raises(MalformedAnswerError, match="packed as"):
            await session.send(Request("GET", base))
    assert peak.bytes < 3 * MEGABYTE


@pytest.mark.usefixtures("impatient")
async def test_an_answer_that_drips_is_given_up() -> None:
    """It is tried twice: what is slow rarely gets faster."""
    conversation, asked = counted(dripping(start=b'{"a": '))
    async with served(conversation) as base, fast() as session:
        with pytest.raises(MalformedAnswerError, match="less than 64 KB of it came"):
            await session.send(Request("GET", base))
    assert len(asked) == 2


async def test_an_answer_has_a_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast its pieces come, and however long its head is on its way."""
    monkeypatch.setattr(sessions, "ANSWER_SECONDS", 0.3)

    async def announcing(asked: str, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
            await writer.drain()
            await asyncio.sleep(0.01)

    for conversation in (dripping(), announcing):
        async with served(conversation) as base, fast() as session:
            with pytest.raises(
                (MalformedAnswerError, UnreachableError), match=r"longer than 0\.3"
            ):
                await session.send(Request("GET", base))


@pytest.mark.usefixtures("impatient")
async def test_a_refusal_is_believed_whatever_becomes_of_its_text() -> None:
    """A 401 without end is a 401; what has come of its text is enough."""
    said = b'{"message": "no such key"}'
    async with served(dripping("401 No", said)) as base, fast() as session:
        with pytest.raises(CredentialsError, match="no such key"):
            await session.send(Request("GET", base))

    async def flood(asked: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 422 No\r\n\r\n")
        while True:
            writer.write(b"nothing good " * 8000)
            await writer.drain()

    async with served(flood) as base, fast() as session:
        with Peak() as peak, pytest.raises(RejectedError, match="nothing good") as told:
            await session.send(Request("POST", base, json={}))
    assert peak.bytes < 10 * MEGABYTE
    assert len(str(told.value)) < 1000


@pytest.mark.usefixtures("impatient")
async def test_a_file_that_drips_is_given_up() -> None:
    """Below the least speed it is tried twice, not for its whole deadline."""
    conversation, asked = counted(dripping())
    async with served(conversation) as base, fast() as session:
        got: list[bytes] = []
        with pytest.raises(UnreachableError, match="less than 256 KB") as caught:
            await session.fetch(
                base,
                max_bytes=10_000,
                allow_private=True,
                write=got.append,
                restart=got.clear,
            )
    assert caught.value.problems[0].field == "timeout"
    assert len(asked) == 2


async def test_the_deadline_of_a_file_counts_for_all_tries() -> None:
    """A host that cuts each try off late does not get four times as long."""

    async def cut_late(asked: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nx")
        await writer.drain()
        await asyncio.sleep(0.25)

    conversation, asked = counted(cut_late)
    async with served(conversation) as base, fast() as session:
        got: list[bytes] = []
        with pytest.raises(UnreachableError, match=r"longer than 0\.4 seconds"):
            await session.fetch(
                base,
                max_bytes=10_000,
                allow_private=True,
                write=got.append,
                restart=got.clear,
                timeout=0.4,
            )
    assert len(asked) == 2


@pytest.mark.parametrize("digits", ["9" * 5000, "1" + "0" * 400, "٣", "1e3", "-1"])
async def test_a_header_that_is_no_number_counts_nothing(digits: str) -> None:
    """Five thousand digits are more than Python reads, and say nothing."""
    names = ("X-RateLimit-Remaining", "X-RateLimit-Limit", "Retry-After", "Total")
    heads = [f"{name}: {digits}" for name in names]
    async with served(answering(b"{}", *heads)) as base, fast() as session:
        answer = await session.send(Request("GET", base))
    assert [answer.number(name.lower()) for name in names] == [None] * 4
    assert (answer.retry_after(0.0) or 0) <= 1e400


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "identity": bytes,
}


@given(
    st.lists(st.binary(max_size=200_000), min_size=1, max_size=3),
    st.sampled_from(sorted(PACKINGS)),
    st.lists(st.integers(1, 5000), min_size=1, max_size=5),
    st.sampled_from([b"", b"\0" * 7]),
)
def test_what_was_packed_comes_out_however_it_is_cut(
    parts: list[bytes], name: str, cuts: list[int], padding: bytes
) -> None:
    """Several members of gzip, cut anywhere, padded or not; pieces stay small."""
    pack = PACKINGS[name]
    members = parts if name == "gzip" else [b"".join(parts)]
    packed = b"".join(map(pack, members)) + (padding if name == "gzip" else b"")
    unpacker = Unpacker(name)
    pieces: list[bytes] = []
    start = turn = 0
    while start < len(packed):
        size = cuts[turn % len(cuts)]
        pieces += unpacker.pieces(packed[start : start + size])
        start, turn = start + size, turn + 1
    unpacker.finish()
    assert b"".join(pieces) == b"".join(parts)
    assert all(len(piece) <= 64 * 1024 for piece in pieces)


@given(st.binary(min_size=1, max_size=2000), st.data())
def test_half_a_packed_body_is_told(body: bytes, data: st.DataObject) -> None:
    """A body that ends before its packing does is not taken for a whole one."""
    packed = gzip.compress(body)
    unpacker = Unpacker("gzip")
    list(unpacker.pieces(packed[: data.draw(st.integers(1, len(packed) - 1))]))
    with pytest.raises(UnpackingError, match="end in the middle"):
        unpacker.finish()


@given(st.binary(min_size=3, max_size=500))
def test_bytes_that_are_not_packed_are_told(body: bytes) -> None:
    """Whatever claims to be packed either comes out or is told."""
    unpacker = Unpacker("gzip")
    with pytest.raises(UnpackingError):
        list(unpacker.pieces(b"\0" + body))


@given(st.text(max_size=30))
def test_any_name_of_a_packing_is_understood_or_refused(name: str) -> None:
    """No header's text is a crash."""
    known = {"", "identity", "gzip", "x-gzip", "deflate"}
    if {each.strip().lower() for each in name.split(",")} <= known:
        return
    with pytest.raises(UnknownPackingError, match="packed as"):
        Unpacker(name)
