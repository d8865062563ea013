"""A session at the byte boundary: what is sent, sent again, and said."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.errors import (
    CredentialsError,
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RateLimitedError,
    RejectedError,
    ServiceError,
    UnreachableError,
)
from cmsmig.events import Event, RequestRetried, RequestSent
from cmsmig.whole_text import is_whole
from cmsmig.wire.answers import Answer, Request
from cmsmig.wire.budget import Budget
from cmsmig.wire.multipart import form_body
from cmsmig.wire.session import Session

URL = "https://api.test/v2/things?signature=hush"
TOKEN = "pat-very-secret"
GET, POST = Request("GET", URL), Request("POST", URL, json={"a": "ü"})
PUT = Request("PUT", URL, json={}, repeatable=True)
PUBLISH = Request("GET", f"{URL}/publish", repeatable=True)


class Service:
    """Answers requests one after the other; the last answer stays."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.slept: list[float] = []
        self.events: list[Event] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers[0]
        if len(self.answers) > 1:
            del self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def session(self, **more: Any) -> Session:
        values: dict[str, Any] = {
            "authorization": f"Bearer {TOKEN}",
            "budget": None,
            "in_flight": 4,
            "transport": httpx.MockTransport(self),
            "sleep": self.sleep,
            "random": lambda: 0.5,
            "observer": self.events.append,
        }
        return Session("destination", **(values | more))


def ok(body: object = None) -> httpx.Response:
    return httpx.Response(200, content=json.dumps(body or {"ok": 1}).encode())


async def send(service: Service, request: Request, **more: Any) -> Answer:
    async with service.session(**more) as session:
        return await session.send(request)


async def test_what_goes_over_the_wire() -> None:
    """Token, JSON as UTF-8 and all parameters; the body's keys in their order."""
    service = Service(ok())
    request = Request(
        "POST", "https://api.test/x", (("a", "1"), ("a", "ä")), {"z": 1, "b": ["é"]}
    )
    answer = await send(service, request)
    (sent,) = service.requests
    assert sent.headers["authorization"] == f"Bearer {TOKEN}"
    assert sent.content == '{"z":1,"b":["é"]}'.encode()
    assert str(sent.url) == "https://api.test/x?a=1&a=%C3%A4"
    assert answer.json() == {"ok": 1}
    assert service.events == [RequestSent("destination", "POST", "/x", 200, True)]


HALVES = st.text(st.sampled_from("\ud83d\ude00ab") | st.characters())


@given(st.dictionaries(HALVES, st.lists(HALVES)))
async def test_what_is_sent_is_whole(body: dict) -> None:
    """A text that has no UTF-8 form goes out with U+FFFD, not escaped either."""
    service = Service(ok())
    await send(service, Request("POST", URL, json=body))
    sent = json.loads(service.requests[0].content)
    json.dumps(sent, ensure_ascii=False).encode()
    assert len(sent) == len(body)
    if is_whole(json.dumps(body, ensure_ascii=False)):
        assert sent == body


BROKEN = [
    pytest.param(httpx.Response(500), id="500"),
    pytest.param(httpx.Response(502, html="<h1>Bad gateway</h1>"), id="502 page"),
    pytest.param(httpx.Response(200, content=b'{"items": ['), id="truncated"),
    pytest.param(httpx.Response(200, html="<html></html>"), id="page"),
    pytest.param(httpx.ReadTimeout("late"), id="silent"),
    pytest.param(httpx.RemoteProtocolError("closed"), id="cut off"),
    pytest.param(httpx.ReadError("reset"), id="reset"),
]


@pytest.mark.parametrize("request_", [GET, PUT])
@pytest.mark.parametrize("broken", BROKEN)
async def test_harmless_requests_are_sent_again(broken: Any, request_: Request) -> None:
    """After a useless answer they go again, with growing pauses."""
    service = Service(broken, broken, ok())
    assert (await send(service, request_)).json() == {"ok": 1}
    assert len(service.requests) == 3
    assert service.slept == sorted(service.slept)
    assert sum(isinstance(event, RequestRetried) for event in service.events) == 2


@pytest.mark.parametrize("broken", BROKEN)
async def test_a_create_is_never_sent_twice(broken: Any) -> None:
    """Whether it was applied is open, so the caller has to look."""
    service = Service(broken, ok())
    with pytest.raises(OutcomeUnknownError, match="whether it was applied is open"):
        await send(service, POST)
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("request_", "broken", "error"),
    [
        (GET, httpx.Response(503), UnreachableError),
        (GET, httpx.Response(200, content=b"{"), MalformedAnswerError),
        (PUT, httpx.Response(503), OutcomeUnknownError),
        (PUBLISH, httpx.Response(503), OutcomeUnknownError),
        (POST, httpx.ConnectError("down"), UnreachableError),
    ],
)
async def test_patience_ends(
    request_: Request, broken: Any, error: type[ServiceError]
) -> None:
    """What is known decides the class of the error."""
    service = Service(broken)
    with pytest.raises(error) as caught:
        await send(service, request_)
    assert type(caught.value) is error
    assert len(service.requests) == 5


async def test_a_get_that_changes_something_may_answer_nothing() -> None:
    """A publication is a GET, and what it answers is documented nowhere."""
    service = Service(httpx.Response(200))
    assert (await send(service, PUBLISH)).body == b""
    assert len(service.requests) == 1


async def test_a_connection_that_fails_is_tried_again_for_any_method() -> None:
    """Nothing was sent, so nothing can have been applied."""
    service = Service(httpx.ConnectError("down"), httpx.ConnectTimeout("slow"), ok())
    await send(service, POST)
    assert len(service.requests) == 3


async def test_a_429_goes_again_whatever_the_method() -> None:
    """It was not applied; `Retry-After` is waited for."""
    refused = httpx.Response(429, headers={"Retry-After": "7"})
    service = Service(refused, refused, ok())
    await send(service, POST)
    assert len(service.requests) == 3
    assert min(service.slept) >= 7


async def test_endless_429s_end() -> None:
    """Patience is long, but it ends in one sentence."""
    service = Service(httpx.Response(429))
    with pytest.raises(RateLimitedError, match="too many requests"):
        await send(service, POST)
    assert 8 <= len(service.requests) <= 20


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (httpx.Response(401, json={"error": "Unauthorized"}), CredentialsError, "401"),
        (httpx.Response(403, json={"error": "scope"}), CredentialsError, "scope"),
        (httpx.Response(404, json={}), NotFoundError, "nothing at /v2/things"),
        (httpx.Response(422, json={"error": "slug"}), RejectedError, "slug"),
        (httpx.Response(409, text="conflict!"), RejectedError, "conflict!"),
        (
            httpx.Response(301, headers={"location": "https://other.test/?t=1"}),
            RejectedError,
            "https://other.test",
        ),
    ],
)
async def test_refusals_are_told_apart(
    answer: httpx.Response, error: type[ServiceError], said: str
) -> None:
    """Each has its class, one sentence, the status and the raw body."""
    service = Service(answer)
    with pytest.raises(error, match=re.escape(said)) as caught:
        await send(service, POST, credentials_hint="check scope read_content")
    assert caught.value.status == answer.status_code
    assert caught.value.url == "https://api.test/v2/things"
    assert len(service.requests) == 1
    if error is CredentialsError:
        assert "check scope read_content" in str(caught.value)
        assert caught.value.body == json.loads(answer.content)


async def test_problems_name_their_fields() -> None:
    """The origin's details are read without help."""
    details = [{"field": "slug", "message": "taken"}, "odd"]
    service = Service(httpx.Response(400, json={"message": "m", "details": details}))
    with pytest.raises(RejectedError, match="slug: taken") as caught:
        await send(service, POST)
    assert [problem.field for problem in caught.value.problems] == ["slug"]


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(401, json={"echo": TOKEN}),
        httpx.Response(422, json={"error": [f"Bearer {TOKEN}"]}),
        httpx.Response(500, text=TOKEN),
        httpx.ConnectError("down"),
    ],
)
async def test_the_token_is_shown_nowhere(answer: Any) -> None:
    """Not in messages, fields, representations, events, nor in what caused it."""
    service = Service(answer)
    session = service.session()
    with pytest.raises(ServiceError) as caught:
        await session.send(POST)
    shown = "".join(
        f"{error}{error!r}{vars(error)}" for error in causes(caught.value)
    ) + repr((session, vars(session).get("_client"), service.events))
    await session.__aexit__(None, None, None)
    assert TOKEN not in shown
    assert "hush" not in str(caught.value)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


async def test_the_budget_hears_of_every_answer(tmp_path: Path) -> None:
    """A 429 with a limit in its body slows all down; then it flows again."""
    service = Service(
        httpx.Response(
            429, json={"error": "Rate limit of 2 request per second reached."}
        ),
        ok(),
    )
    now = [1000.0]
    times: list[float] = []

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    def note(event: Event) -> None:
        if isinstance(event, RequestSent) and event.status == 200:
            times.append(now[0])

    budget = Budget(
        "k",
        limit=6,
        window=1.0,
        spaced=True,
        folder=tmp_path,
        clock=lambda: now[0],
        sleep=sleep,
    )
    async with service.session(budget=budget, sleep=sleep, observer=note) as session:
        for _ in range(5):
            await session.send(POST)
        await session.send(Request("GET", URL, quota=False))
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
        return ok()

    transport = httpx.MockTransport(slow)
    async with Service().session(transport=transport, in_flight=3) as session:
        await asyncio.gather(*(session.send(GET) for _ in range(20)))
    assert most == 3


NAMES = st.text(min_size=1, max_size=12)


@given(fields=st.lists(st.tuples(NAMES, st.text(max_size=30)), max_size=8))
def test_a_form_keeps_fields_verbatim_in_order_and_the_file_last(
    fields: list[tuple[str, str]],
) -> None:
    """Read back by plain cutting at the boundary; the values are the same."""
    fields = [(name, re.sub("[\ud800-\udfff]", "", value)) for name, value in fields]
    fields = [(re.sub('[\ud800-\udfff"\r\n]', "", n), v) for n, v in fields]
    body, kind = form_body(fields, 'a"b\r\nX: y.jpg', "image/jpeg", b"\x00\xff--")
    boundary = kind.partition("boundary=")[2].encode()
    parts = body.split(b"--" + boundary)
    assert parts[0] == b""
    assert parts[-1] == b"--\r\n"
    *texts, last = parts[1:-1]
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
    service = Service(
        httpx.Response(500),
        httpx.Response(
            403, text="<Error><Code>AccessDenied</Code><Message>old</Message></Error>"
        ),
    )
    async with service.session() as session:
        with pytest.raises(RejectedError, match="AccessDenied: old") as caught:
            await session.upload(
                "https://s3.test/", [("key", "k")], "f.jpg", "image/jpeg", b"bytes"
            )
    assert caught.value.problems[0].field == "AccessDenied"
    for request in service.requests:
        assert "authorization" not in request.headers
        assert int(request.headers["content-length"]) == len(request.content)
        assert request.content.index(b'name="key"') < request.content.index(b'"file"')


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
