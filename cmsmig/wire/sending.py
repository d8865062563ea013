"""Sending until the outcome is known: budget, retries, and when to give up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cmsmig.canonical import JsonObject, compact
from cmsmig.events import Observer, RequestRetried, RequestSent
from cmsmig.whole_text import whole_value
from cmsmig.wire.answers import (
    Answer,
    Request,
    failure,
    path_of,
    upload_failure,
)
from cmsmig.wire.budget import Budget, Release
from cmsmig.wire.failures import (
    REFUSALS,
    NoAnswer,
    delay_before,
    given_up,
    refused_for_good,
    unusable,
)
from cmsmig.wire.multipart import form_body

Outcome: TypeAlias = "Answer | NoAnswer"
Sent: TypeAlias = Callable[[], Awaitable[None]]
"""Hears that the last byte of a request has gone out."""
Exchange: TypeAlias = Callable[
    [Request, Mapping[str, str], bytes | None, Sent], Awaitable[Outcome]
]
"""Sends one request with headers and body, once; never raises for the network."""

_UPLOAD_HOST = "upload host"


@dataclass(frozen=True, slots=True)
class Sender:
    """Sends requests of one service through one exchange."""

    service: str
    exchange: Exchange
    budget: Budget | None
    observer: Observer
    sleep: Callable[[float], Awaitable[object]]
    random: Callable[[], float]
    clock: Callable[[], float]
    credentials_hint: str

    async def send(self, request: Request, authorization: str | None) -> Answer:
        """Return the 2xx answer; raises the `ServiceError` that tells what is known."""
        refusals, attempt = 0, 1
        while True:
            outcome = await self._budgeted(request, authorization, refusals + 1)
            if isinstance(outcome, Answer):
                if outcome.status != 429:
                    return self._accepted(request, outcome)
                refusals += 1
                if refusals == REFUSALS:
                    raise refused_for_good(self.service, request, outcome)
                continue
            repeat = request.may_repeat if outcome.sent else request.patient
            if not repeat or attempt >= outcome.tries:
                raise given_up(self.service, request, outcome)
            attempt += 1
            await self._wait(self.service, request, attempt, outcome)

    async def upload(
        self,
        url: str,
        fields: Sequence[tuple[str, str]],
        file_name: str,
        content_type: str,
        data: bytes,
    ) -> Answer:
        """Post a form with the file last; the same bytes again do no harm."""
        body, kind = form_body(fields, file_name, content_type, data)
        request = Request("POST", url, quota=False, repeatable=True)
        attempt = 1
        while True:
            headers = {"Content-Type": kind}
            outcome = await self.exchange(request, headers, body, _unheard)
            if isinstance(outcome, Answer):
                self._observe(_UPLOAD_HOST, request, outcome)
                if 200 <= outcome.status < 300:
                    return outcome
                if outcome.status < 500 and outcome.status not in (408, 429):
                    raise upload_failure(url, outcome)
                outcome = NoAnswer(f"it answered {outcome.status}", True, outcome)
            if attempt >= outcome.tries:
                raise given_up(_UPLOAD_HOST, request, outcome)
            attempt += 1
            await self._wait(_UPLOAD_HOST, request, attempt, outcome)

    async def _budgeted(
        self, request: Request, authorization: str | None, refusal: int
    ) -> Outcome:
        """Exchange once, telling the budget how it went."""
        headers, body = _headers(request, authorization), _encode(request.json)
        budget = self.budget if request.quota else None
        release = await budget.acquire() if budget is not None else None
        outcome: Outcome | None = None

        async def sent() -> None:
            if budget is not None and release is not None:
                await budget.sent(release)

        try:
            outcome = await self.exchange(request, headers, body, sent)
        finally:
            if outcome is None and budget is not None and release is not None:
                await budget.unanswered(release)
        if isinstance(outcome, Answer):
            self._observe(self.service, request, outcome)
            if outcome.status == 429:
                await self._refused(budget, release, outcome, refusal)
                return outcome
        if budget is not None and release is not None:
            await _settle(budget, release, outcome)
        if isinstance(outcome, Answer):
            return unusable(request, outcome) or outcome
        return outcome

    async def _refused(
        self,
        budget: Budget | None,
        release: Release | None,
        answer: Answer,
        refusal: int,
    ) -> None:
        asked = answer.retry_after(self.clock())
        if budget is None:
            await self.sleep(delay_before(refusal + 1, self.random, asked))
            return
        await budget.refused(
            attempt=refusal,
            retry_after=asked,
            named_limit=answer.named_limit(),
            release=release,
        )

    def _accepted(self, request: Request, answer: Answer) -> Answer:
        redirected = request.redirects and "location" in answer.headers
        if 200 <= answer.status < (400 if redirected else 300):
            return answer
        raise failure(
            request.method,
            request.url,
            answer,
            service=self.service,
            credentials_hint=self.credentials_hint,
        )

    def _observe(self, service: str, request: Request, answer: Answer) -> None:
        path = path_of(request.url)
        self.observer(
            RequestSent(service, request.method, path, answer.status, request.quota)
        )

    async def _wait(
        self, service: str, request: Request, attempt: int, failed: NoAnswer
    ) -> None:
        asked = failed.answer.retry_after(self.clock()) if failed.answer else None
        delay = delay_before(attempt, self.random, asked)
        path = path_of(request.url)
        self.observer(
            RequestRetried(service, request.method, path, failed.reason, delay)
        )
        await self.sleep(delay)


async def _unheard() -> None:
    pass


async def _settle(budget: Budget, release: Release, outcome: Outcome) -> None:
    if isinstance(outcome, NoAnswer):
        await budget.unanswered(release)
        return
    await budget.answered(
        remaining=outcome.number("x-ratelimit-remaining"),
        limit=outcome.number("x-ratelimit-limit"),
        release=release,
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
    data = compact(body)
    try:
        data.decode()
    except UnicodeDecodeError:
        # JSON could hold half a character, escaped; but no service could store it.
        return compact(whole_value(body))
    return data
