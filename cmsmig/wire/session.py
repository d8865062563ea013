"""HTTP to one service: budget, retries, and when to give up."""

from __future__ import annotations

import asyncio
import random as _random
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import BinaryIO, Self

import httpx

from cmsmig.canonical import JsonObject, compact
from cmsmig.events import Observer, RequestRetried, RequestSent, unobserved
from cmsmig.masking import hide
from cmsmig.valid_text import is_utf8, valid_text, valid_value
from cmsmig.wire.addresses import Resolver, resolve_by_system
from cmsmig.wire.answers import Answer, Request, failure, path_of, upload_failure
from cmsmig.wire.bounds import FILE_SECONDS
from cmsmig.wire.budget import Budget
from cmsmig.wire.download import Download, Fetched
from cmsmig.wire.failures import (
    REFUSALS,
    NoAnswer,
    Outage,
    Outcome,
    delay_before,
    given_up,
    may_be_taken,
    refused_for_good,
    unusable,
)
from cmsmig.wire.http_library import Client

_UPLOAD_HOST = "upload host"
_NO_HEADERS: Mapping[str, str] = {}


class Session:
    """An async context manager for all requests to one service.

    Only `send` sends the token; an answer that repeats it, in any encoding, is masked
    before the caller sees it. `credentials_hint` ends the message of a 401 or 403
    ("check the scopes ..."). A host that answered once and cannot be reached is waited
    for `away_seconds`. With a `transport` of one's own the addresses of files
    are looked up only by a `resolve` of one's own.
    """

    def __init__(
        self,
        service: str,
        *,
        authorization: str | None,
        budget: Budget | None,
        in_flight: int,
        observer: Observer = unobserved,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        random: Callable[[], float] = _random.random,
        clock: Callable[[], float] = time.time,
        transport: httpx.AsyncBaseTransport | None = None,
        resolve: Resolver | None = None,
        timeout: float = 60,
        away_seconds: float = 0.0,
        credentials_hint: str = "",
    ) -> None:
        hide(authorization or "")
        self._service = service
        self._authorization = authorization
        self._budget = budget
        self._slots = asyncio.Semaphore(max(1, in_flight))
        self._file_slots = asyncio.Semaphore(max(1, in_flight))
        self._observer = observer
        self._sleep = sleep
        self._random = random
        self._clock = clock
        self._resolve = resolve or (None if transport else resolve_by_system)
        self._credentials_hint = credentials_hint
        self._client = Client(transport, timeout=timeout)
        self._outage = Outage(away_seconds)

    def __repr__(self) -> str:
        return f"Session({self._service!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.aclose()
        if self._budget is not None:
            self._budget.close()

    async def send(self, request: Request) -> Answer:
        """Send a request and return its 2xx answer.

        A 429 waits for the budget and goes again, whatever the method: it was
        not applied. A connection that fails is tried again. What was sent
        without a usable answer is sent again only when that does no harm.
        Raises a `ServiceError` of the class that fits what is known.
        """
        async with self._slots:
            answer = await self._until_usable(
                self._service, request, partial(self._unrefused, request)
            )
        redirected = request.redirects and "location" in answer.headers
        if 200 <= answer.status < (400 if redirected else 300):
            return answer
        raise failure(
            request.method,
            request.url,
            answer,
            service=self._service,
            credentials_hint=self._credentials_hint,
        )

    async def upload(
        self,
        url: str,
        fields: Sequence[tuple[str, str]],
        file_name: str,
        content_type: str,
        data: bytes,
    ) -> Answer:
        """Post a form with the fields verbatim in order and the file last.

        Without the token and outside the budget; failures are retried. Raises
        `RejectedError` (`problems[0].field` is the host's error code),
        `UnreachableError` and `OutcomeUnknownError`.
        """
        body, kind = form_body(fields, file_name, content_type, data)
        # The same bytes again do no harm.
        request = Request("POST", url, quota=False, repeatable=True)
        once = partial(self._upload, request, kind, body)
        async with self._file_slots:
            return await self._until_usable(_UPLOAD_HOST, request, once)

    async def fetch(
        self,
        url: str,
        *,
        max_bytes: int,
        allow_private: bool,
        into: BinaryIO | None = None,
        timeout: float = FILE_SECONDS,
        headers: Mapping[str, str] = _NO_HEADERS,
        follow: bool = True,
        method: str = "GET",
    ) -> Fetched:
        """Download a public file `into` one, or only to know its digest.

        A transfer that is cut begins again, at the start of the file. Http and https
        only; each hop's address is looked up, checked and then used as it was
        checked. `allow_private` permits the private address of the host and port of
        `url` and of no other. A status that is no success is returned, not raised, and
        so is a redirect unless `follow`. `headers` are sent in addition to the usual.
        Raises `RejectedError` (`problems[0].field` is a `Refusal`) and
        `UnreachableError`, and `OSError` for the file itself.
        """
        download = Download(
            url=url,
            max_bytes=max_bytes,
            allow_private=allow_private,
            into=into,
            client=self._client,
            resolve=None if self._client.goes_by_proxy(url) else self._resolve,
            sleep=self._sleep,
            random=self._random,
            timeout=timeout,
            headers=headers,
            follow=follow,
            outage=self._outage,
            observer=self._observer,
            method=method,
        )
        async with self._file_slots:
            return await download.run()

    async def _until_usable(
        self, service: str, request: Request, once: Callable[[], Awaitable[Outcome]]
    ) -> Answer:
        attempt, waited, away = 1, 0, 0.0
        while True:
            outcome = await once()
            if isinstance(outcome, Answer):
                self._outage.over(request.url)
                return outcome
            repeat = request.may_repeat if outcome.sent else request.patient
            waits = not outcome.sent and self._outage.is_waited_for(request.url, away)
            waited += waits
            # A host that is back may be busy at first: it has all its tries then.
            counted = attempt - waited if outcome.sent else attempt
            if not repeat or (not waits and counted >= outcome.tries):
                raise given_up(service, request, outcome)
            attempt += 1
            asked = self._pause_of(outcome.answer) if outcome.answer else None
            delay = delay_before(attempt, self._random, asked)
            away = 0.0 if outcome.sent else away + delay
            path = path_of(request.url)
            self._observer(
                RequestRetried(service, request.method, path, outcome.reason, delay)
            )
            await self._sleep(delay)

    async def _unrefused(self, request: Request) -> Outcome:
        """Exchange until the answer is no 429; those wait for the budget."""
        refusal = 0
        while True:
            refusal += 1
            outcome = await self._exchange(request, refusal)
            if isinstance(outcome, NoAnswer):
                return outcome
            if outcome.status != 429:
                return unusable(request, outcome) or outcome
            if refusal == REFUSALS:
                raise refused_for_good(self._service, request, outcome)

    async def _exchange(self, request: Request, refusal: int) -> Outcome:
        """Exchange once, and let the budget know how it went."""
        headers, body = _headers(request, self._authorization), _encode(request.json)
        if self._budget is None or not request.quota:
            outcome = await self._try(request, headers, body)
            if isinstance(outcome, Answer):
                self._observe(self._service, request, outcome)
                if outcome.status == 429:
                    asked = self._pause_of(outcome)
                    await self._sleep(delay_before(refusal + 1, self._random, asked))
            return outcome
        release = await self._budget.acquire()
        answer: Outcome | None = None
        try:
            answer = await self._try(
                request, headers, body, partial(self._budget.sent, release)
            )
        finally:
            if not isinstance(answer, Answer):
                await self._budget.unanswered(release)
        if isinstance(answer, NoAnswer):
            return answer
        self._observe(self._service, request, answer)
        if answer.status == 429:
            await self._budget.refused(
                attempt=refusal,
                retry_after=self._pause_of(answer),
                named_limit=answer.named_limit(),
                release=release,
            )
        else:
            await self._budget.answered(
                remaining=answer.number("x-ratelimit-remaining"),
                limit=answer.number("x-ratelimit-limit"),
                release=release,
            )
        return answer

    async def _try(
        self,
        request: Request,
        headers: Mapping[str, str],
        body: bytes | None,
        sent: Callable[[], Awaitable[None]] | None = None,
    ) -> Outcome:
        if request.on_try is not None:
            request.on_try(True)
        outcome = await self._client.exchange(request, headers, body, sent)
        if request.on_try is not None and not may_be_taken(outcome):
            request.on_try(False)
        return outcome

    async def _upload(self, request: Request, kind: str, body: bytes) -> Outcome:
        outcome = await self._client.exchange(request, {"Content-Type": kind}, body)
        if isinstance(outcome, NoAnswer):
            return outcome
        self._observe(_UPLOAD_HOST, request, outcome)
        if 200 <= outcome.status < 300:
            return outcome
        if outcome.status < 500 and outcome.status not in (408, 429):
            raise upload_failure(request.url, outcome)
        return NoAnswer(f"it answered {outcome.status}", True, outcome)

    def _pause_of(self, answer: Answer) -> float | None:
        return answer.retry_after(self._clock())

    def _observe(self, service: str, request: Request, answer: Answer) -> None:
        path = path_of(request.url)
        self._observer(
            RequestSent(service, request.method, path, answer.status, request.quota)
        )


def _headers(request: Request, authorization: str | None) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    if authorization:
        headers["Authorization"] = authorization
    if request.json is not None:
        headers["Content-Type"] = "application/json"
    return headers


def _encode(body: JsonObject | None) -> bytes | None:
    if body is None:
        return None
    encoded = compact(body)
    # JSON can hold an escaped lone surrogate, which no service can store.
    return encoded if is_utf8(encoded) else compact(valid_value(body))


_ESCAPES = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})
"""As browsers escape names, so that a hostile name cannot open another header."""


def form_body(
    fields: Sequence[tuple[str, str]], file_name: str, content_type: str, data: bytes
) -> tuple[bytes, str]:
    """Return the body and its content type.

    Spec: asset upload rules. A wrong order makes the upload seem to succeed.
    """
    boundary = _boundary(data)
    head = b"".join(_field(boundary, name, value) for name, value in fields)
    kind = content_type.translate(_ESCAPES) or "application/octet-stream"
    opening = (
        f"--{boundary}\r\n"
        'Content-Disposition: form-data; name="file";'
        f' filename="{file_name.translate(_ESCAPES)}"\r\n'
        f"Content-Type: {kind}\r\n\r\n"
    )
    closing = f"\r\n--{boundary}--\r\n"
    body = head + valid_text(opening).encode() + data + closing.encode()
    return body, f"multipart/form-data; boundary={boundary}"


def _field(boundary: str, name: str, value: str) -> bytes:
    return valid_text(
        f"--{boundary}\r\n"
        f'Content-Disposition: form-data; name="{name.translate(_ESCAPES)}"\r\n\r\n'
        f"{value}\r\n"
    ).encode()


def _boundary(data: bytes) -> str:
    while True:
        boundary = secrets.token_hex(16)
        if boundary.encode() not in data:
            return boundary
