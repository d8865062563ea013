"""A service that gives the token back, in any form: it is shown nowhere."""

from __future__ import annotations

import json

import httpx
import pytest

from cmsmig.destination.client import DestinationClient
from cmsmig.errors import CmsmigError
from cmsmig.wire.answers import Request
from tests.support.token_encodings import ENCODINGS, reveals
from tests.support.wire.sessions import TOKEN, Service


def shown(value: object) -> bytes:
    """Return all that an error, its causes, an answer or events show of themselves."""
    texts = [repr(value), str(value)]
    if isinstance(value, BaseException):
        texts += [repr(getattr(value, "__dict__", "")), repr(value.__cause__)]
        texts += [repr(value.__context__)]
    return "\n".join(texts).encode()


@pytest.mark.parametrize("encoding", list(ENCODINGS))
@pytest.mark.parametrize("status", [200, 307, 400, 401, 404, 422, 429, 500])
async def test_no_answer_reveals_the_token(encoding: str, status: int) -> None:
    """Body, header and `Location` are masked before anything reads them."""
    said = ENCODINGS[encoding](TOKEN)
    body = f'{{"message": "no {said} here", "n": 1}}'
    header = said.encode("ascii")
    answer = httpx.Response(
        status,
        headers=[
            (b"Deprecation", header),
            (b"Location", b"https://e.test/" + header.replace(b" ", b"%20")),
            (b"X-RateLimit-Limit", header),
        ],
        content=body.encode(),
    )
    service = Service(answer)
    async with service.session() as session:
        outcome: object
        try:
            outcome = await session.send(Request("GET", "https://e.test/v1/spaces/7"))
        except CmsmigError as error:
            outcome = error
    assert not reveals(shown(outcome), TOKEN)
    assert status != 200 or b"(hidden)" in getattr(outcome, "body", b"")
    assert not reveals(shown(service.events), TOKEN)


@pytest.mark.parametrize("encoding", ["plain", "json", "address"])
async def test_notices_and_errors_reveal_no_token(encoding: str) -> None:
    """A notice of deprecation, and the sentence of an error of the space."""
    said = ENCODINGS[encoding](TOKEN)
    answer = httpx.Response(
        200,
        headers={"deprecation": said},
        content=f'{{"space": {{"id": 7, "name": "{said}"}}}}'.encode(),
    )
    service = Service(answer)
    async with service.session() as session:
        client = DestinationClient(
            session, "https://e.test/v1", "7", observer=service.events.append
        )
        space = await client.space()
    assert not reveals(shown([space, *service.events]), TOKEN)
    assert "(hidden)" in repr(service.events)


async def test_an_upload_host_reveals_no_token() -> None:
    """Its XML may hold the token that the service passed to it."""
    body = f"<Code>No</Code><Message>{TOKEN}</Message>".encode()
    async with Service(httpx.Response(400, content=body)).session() as session:
        with pytest.raises(CmsmigError) as caught:
            await session.upload("https://up.test/", [], "a", "text/plain", b"x")
    assert not reveals(shown(caught.value), TOKEN)


async def test_a_masked_answer_is_still_json() -> None:
    """Only the token's place changes."""
    document = {"a": ["x", {"b": f"\n{TOKEN}\n", "c": "ä\\"}], "d": 1.5}
    answer = httpx.Response(200, content=json.dumps(document).encode())
    async with Service(answer).session() as session:
        got = await session.send(Request("GET", "https://e.test/v1"))
    expected = json.dumps(document).replace(TOKEN, "(hidden)")
    assert got.json() == json.loads(expected)
