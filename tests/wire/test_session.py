"""A session at the byte boundary: what is sent, sent again, and reported."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.errors import (
    CredentialsError,
    InterruptedRunError,
    RejectedError,
    ServiceError,
    UnreachableError,
)
from cmsmig.events import RequestRetried, RequestSent
from cmsmig.steps.worker_pool import StopSignal, ending_waits
from cmsmig.valid_text import is_valid
from cmsmig.wire.answers import Answer, Request
from cmsmig.wire.budget import Budget
from cmsmig.wire.failures import TRIES
from cmsmig.wire.session import form_body
from tests.support.cases import cases
from tests.support.wire.sessions import TOKEN, URL, Service, written
from tests.support.wire.virtual_time import VirtualTime

REQUESTS = {
    "read": Request("GET", URL),
    "create": Request("POST", URL, json={"a": "ü"}),
    "update": Request("PUT", URL, json={}, repeatable=True),
    "publish": Request("GET", URL, repeatable=True),
}
OK = httpx.Response(200, json={"ok": 1})


def causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@cases(__file__, "exchanges.yaml")
async def test_what_a_session_does(case: dict[str, Any]) -> None:
    """Each request by itself; the token is shown nowhere."""
    for name in case["sends"]:
        service = Service(*(written(**each) for each in case["answers"]))
        error: ServiceError | None = None
        session = service.session(credentials_hint="check scope read_content")
        async with session:
            try:
                await session.send(REQUESTS[name])
            except ServiceError as raised:
                error = raised
        assert len(service.requests) == case["sent"], name
        assert (type(error).__name__ if error else None) == case.get("error"), name
        pauses = case.get("pauses", [])
        assert len(service.slept) >= len(pauses)
        assert service.slept == sorted(service.slept)
        assert all(map(float.__ge__, service.slept, map(float, pauses))), name
        retried = sum(isinstance(each, RequestRetried) for each in service.events)
        assert retried == case.get("retried", retried)
        shown = "".join(f"{each}{each!r}{vars(each)}" for each in causes(error))
        assert TOKEN not in f"{shown}{session!r}{service.events}"
        assert "hush" not in str(error)
        if error is not None:
            assert case.get("says", "") in str(error)
            assert error.url == "https://api.test/v2/things"
            fields = [problem.field for problem in error.problems]
            assert fields == case.get("fields", fields)
        if isinstance(error, RejectedError | CredentialsError):
            assert error.status == service.answers[-1].status_code
        if isinstance(error, CredentialsError):
            assert "check scope read_content" in str(error)
            assert isinstance(error.body, dict)


@pytest.mark.parametrize(
    ("answers", "tries"),
    [
        ([{"fails": "ConnectError"}, {"status": 200}], "+-+"),
        ([{"status": 429}, {"status": 503}, {"status": 401}], "+-++-"),
        ([{"fails": "ReadError"}, {"status": 422}], "++-"),
    ],
)
async def test_each_try_is_announced_and_whether_it_was_surely_not_taken(
    answers: list[dict[str, Any]], tries: str
) -> None:
    """A request that counts what may have been done hears of each try."""
    service = Service(*(written(**each) for each in answers))
    heard: list[str] = []

    def on_try(begins: bool) -> None:
        assert len(service.requests) == heard.count("+")
        heard.append("+" if begins else "-")

    request = Request("GET", URL, repeatable=True, on_try=on_try)
    async with service.session() as session:
        with suppress(ServiceError):
            await session.send(request)
    assert "".join(heard) == tries


async def test_what_goes_over_the_wire() -> None:
    """Token, JSON as UTF-8 and all parameters; the body's keys in their order."""
    service = Service(OK)
    request = Request(
        "POST", "https://api.test/x", (("a", "1"), ("a", "ä")), {"z": 1, "b": ["é"]}
    )
    async with service.session() as session:
        answer = await session.send(request)
    (sent,) = service.requests
    assert sent.headers["authorization"] == f"Bearer {TOKEN}"
    assert sent.content == '{"z":1,"b":["é"]}'.encode()
    assert str(sent.url) == "https://api.test/x?a=1&a=%C3%A4"
    assert answer.json() == {"ok": 1}
    assert service.events == [RequestSent("destination", "POST", "/x", 200, True)]


SURROGATES = st.text(st.sampled_from("\ud83d\ude00ab") | st.characters())


@given(st.dictionaries(SURROGATES, st.lists(SURROGATES)))
async def test_what_is_sent_is_valid(body: dict) -> None:
    """A text that has no UTF-8 form goes out with U+FFFD, not escaped either."""
    service = Service(OK)
    async with service.session() as session:
        await session.send(Request("POST", URL, json=body))
    sent = json.loads(service.requests[0].content)
    json.dumps(sent, ensure_ascii=False).encode()
    assert len(sent) == len(body)
    if is_valid(json.dumps(body, ensure_ascii=False)):
        assert sent == body


async def test_the_budget_learns_of_every_answer(tmp_path: Path) -> None:
    """A 429 with a limit in its body slows all down; then it flows again."""
    said = "Rate limit of 2 request per second reached."
    service = Service(httpx.Response(429, json={"error": said}), OK)
    clock = VirtualTime()
    times: list[float] = []

    async def calls() -> None:
        async with service.session(budget=budget, sleep=clock.sleep) as session:
            for quota in (True, True, True, True, True, False):
                await session.send(Request("POST", URL, json={}, quota=quota))
                times.append(clock.now)

    budget = Budget(
        "k",
        limit=6,
        window=1.0,
        spaced=True,
        folder=tmp_path,
        clock=clock.clock,
        sleep=clock.sleep,
    )
    await clock.run(calls())
    assert times[3] - times[1] > 0.99
    assert times[5] == times[4]


async def test_no_more_in_flight_than_allowed() -> None:
    """The cap holds however many callers there are."""
    open_now = most = 0

    async def slow(request: httpx.Request) -> httpx.Response:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        for _ in range(5):
            await asyncio.sleep(0)
        open_now -= 1
        return OK

    transport = httpx.MockTransport(slow)
    async with Service().session(transport=transport, in_flight=3) as session:
        read = REQUESTS["read"]
        await asyncio.gather(*(session.send(read) for _ in range(20)))
    assert most == 3


VALUES = st.text(max_size=30).map(lambda text: re.sub("[\ud800-\udfff]", "", text))
NAMES = VALUES.map(lambda text: re.sub('["\r\n]', "", text))


@given(fields=st.lists(st.tuples(NAMES, VALUES), max_size=8))
def test_a_form_keeps_fields_verbatim_in_order_and_the_file_last(
    fields: list[tuple[str, str]],
) -> None:
    """Read back by plain cutting at the boundary; the values are the same."""
    body, kind = form_body(fields, 'a"b\r\nX: y.jpg', "image/jpeg", b"\x00\xff--")
    boundary = kind.partition("boundary=")[2].encode()
    first, *texts, last, end = body.split(b"--" + boundary)
    assert (first, end) == (b"", b"--\r\n")
    expected = [
        f'\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields
    ]
    assert [part.decode() for part in texts] == expected
    assert last == (
        b'\r\nContent-Disposition: form-data; name="file"; '
        b'filename="a%22b%0D%0AX: y.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'
        b"\x00\xff--\r\n"
    )


async def test_an_upload_carries_no_token_and_a_length() -> None:
    """It is retried when the host fails, and its refusal is named."""
    refusal = "<Error><Code>AccessDenied</Code><Message>old</Message></Error>"
    service = Service(httpx.Response(500), httpx.Response(403, text=refusal))
    async with service.session() as session:
        with pytest.raises(RejectedError, match="AccessDenied: old") as caught:
            await session.upload(
                "https://s3.test/", [("key", "k")], "f.jpg", "image/jpeg", b"bytes"
            )
    assert caught.value.problems[0].field == "AccessDenied"
    assert len(service.requests) == 2
    for request in service.requests:
        assert "authorization" not in request.headers
        assert int(request.headers["content-length"]) == len(request.content)
        assert request.content.index(b'name="key"') < request.content.index(b'"file"')


async def test_an_upload_to_no_address_is_one_sentence() -> None:
    """Whatever the service names as the place to send a file to."""
    async with Service(httpx.ConnectError("no host")).session() as session:
        with pytest.raises(UnreachableError, match="check its address"):
            await session.upload("http://[", [], "f.jpg", "image/jpeg", b"bytes")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5", 5.0),
        ("0.5", 0.5),
        ("Thu, 01 Jan 1970 00:01:10 GMT", 60.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("-3", None),
        ("inf", None),
        ("soon", None),
        ("", None),
    ],
)
def test_both_forms_of_retry_after(text: str, seconds: float | None) -> None:
    """Seconds or a date; nonsense is nothing."""
    assert Answer(429, {"retry-after": text}, b"").retry_after(10.0) == seconds


AWAY = httpx.ConnectError("Temporary failure in name resolution")


async def test_a_host_that_answered_is_waited_for_while_it_is_away() -> None:
    """Also one that files are read from; each pause is shown."""
    service = Service(OK, *[AWAY] * 9, OK, *[AWAY] * 9, OK)
    async with service.session(away_seconds=600) as session:
        await session.send(REQUESTS["create"])
        await session.send(REQUESTS["create"])
        found = await session.fetch(URL, max_bytes=100, allow_private=False)
    assert found.status == 200
    assert len(service.requests) == 21
    assert 60 < sum(service.slept[:9]) < 600
    shown = [
        each.service for each in service.events if isinstance(each, RequestRetried)
    ]
    assert shown == ["destination"] * 9 + ["files"] * 9


async def test_a_host_that_is_back_may_be_busy_at_first() -> None:
    """Tries while it was away are none of those that it has then."""
    busy = httpx.Response(503)
    back = [*[AWAY] * 9, *[busy] * 3, OK]
    service = Service(OK, *back, *back)
    async with service.session(away_seconds=600) as session:
        for _ in range(2):
            await session.send(REQUESTS["read"])
        found = await session.fetch(URL, max_bytes=100, allow_private=False)
    assert found.status == 200


async def test_a_wait_for_a_host_ends_once_a_person_asks() -> None:
    """At the next pause, of a request and of a file."""
    stop = StopSignal()

    def last(request: httpx.Request) -> httpx.Response:
        stop.set()
        raise AWAY

    service = Service(OK, AWAY, AWAY, last, AWAY)
    observer = ending_waits(service.events.append, stop)
    async with service.session(away_seconds=600, observer=observer) as session:
        await session.send(REQUESTS["create"])
        with pytest.raises(InterruptedRunError, match="Stopped as asked"):
            await session.send(REQUESTS["create"])
        with pytest.raises(InterruptedRunError, match="Stopped as asked"):
            await session.fetch(URL, max_bytes=100, allow_private=False)
    assert len(service.requests) == 5


async def test_a_host_that_comes_and_goes_is_given_up() -> None:
    """Its failures count, however often it is away between them."""
    service = Service(OK, *[AWAY, httpx.Response(503)] * 9)
    async with service.session(away_seconds=600) as session:
        await session.send(REQUESTS["read"])
        with pytest.raises(UnreachableError, match="no usable answer"):
            await session.send(REQUESTS["read"])
    assert len(service.requests) == 1 + 2 * TRIES


@pytest.mark.parametrize(("answers", "waited"), [((OK, AWAY), 600), ((AWAY,), 0)])
async def test_a_host_is_waited_for_no_longer_than_is_set(
    answers: tuple[Any, ...], waited: float
) -> None:
    """One that never answered may have a wrong address."""
    service = Service(*answers)
    async with service.session(away_seconds=600) as session:
        for _ in answers[1:]:
            await session.send(REQUESTS["read"])
        with pytest.raises(UnreachableError, match="check its address and the network"):
            await session.send(REQUESTS["read"])
    assert waited <= sum(service.slept) < waited + 30
