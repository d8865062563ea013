"""Sessions that never wait, over scripted answers or real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from io import BytesIO
from typing import Any, TypeAlias

import httpx

from cmsmig.events import Event
from cmsmig.wire.download import Fetched
from cmsmig.wire.session import Session

URL = "https://api.test/v2/things?signature=hush"
TOKEN = "b3f9-Xk27aa_0c4d9e1f-hush"


def impatient(service: str = "destination", **more: Any) -> Session:
    """Return a session without a budget that never waits."""

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    values: dict[str, Any] = {
        "authorization": f"Bearer {TOKEN}",
        "budget": None,
        "in_flight": 4,
        "sleep": sleep,
    }
    return Session(service, **(values | more))


async def fetch(session: Session, url: str, **more: Any) -> tuple[Fetched, bytes]:
    """Download a file of at most 10,000 bytes; return what is known of it, and it."""
    got = BytesIO()
    values: dict[str, Any] = {"max_bytes": 10_000, "allow_private": True, "into": got}
    return await session.fetch(url, **(values | more)), got.getvalue()


Answer: TypeAlias = (
    httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]
)


class Service:
    """Answers requests one after the other; the last answer stays."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.slept: list[float] = []
        self.events: list[Event] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Keep a request, and give the next answer."""
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            return answer(request)
        return httpx.Response(
            answer.status_code, headers=answer.headers, content=answer.content
        )

    async def sleep(self, seconds: float) -> None:
        """Take note of a pause."""
        self.slept.append(seconds)

    def session(self, **more: Any) -> Session:
        """Return a session with this service."""
        values: dict[str, Any] = {
            "transport": httpx.MockTransport(self),
            "sleep": self.sleep,
            "random": lambda: 0.5,
            "observer": self.events.append,
        }
        return impatient(**(values | more))


def written(json: object = None, fails: str = "", **answer: Any) -> Any:
    """Return an answer as a case file has it.

    `fails` names an exception of the HTTP library; `json` is a body, `text` one too.
    """
    if fails:
        return getattr(httpx, fails)(answer.get("text", "down"))
    return httpx.Response(
        answer.get("status", 200),
        headers=answer.get("headers"),
        content=answer.get("text"),
        json=json,
    )
