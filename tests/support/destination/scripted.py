"""A destination that answers from a script and keeps every request's bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

from cmsmig.canonical import Json
from cmsmig.destination.assumed import STANDARD, Assumed
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.connection import authorization
from cmsmig.events import Event
from cmsmig.wire.session import Session

BASE = "http://destination.test/v1"


@dataclass
class Script:
    """Answers requests in order; the last answer serves all that follow."""

    answers: list[httpx.Response | Callable[[httpx.Request], httpx.Response]] = field(
        default_factory=list
    )
    requests: list[httpx.Request] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Keep a request and give the next answer."""
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            return answer(request)
        return httpx.Response(
            answer.status_code, headers=answer.headers, content=answer.content
        )

    def says(self, body: Json = None, status: int = 200, **headers: str) -> Script:
        """Add a JSON answer."""
        self.answers.append(httpx.Response(status, headers=headers, json=body))
        return self

    def client(
        self, assumed: Assumed = STANDARD, *, space_id: str = "7", base: str = BASE
    ) -> DestinationClient:
        """Return a client that talks to this script."""
        session = Session(
            "destination",
            authorization=authorization("secret-token", assumed),
            budget=None,
            in_flight=4,
            sleep=_at_once,
            transport=httpx.MockTransport(self),
        )
        return DestinationClient(session, base, space_id, assumed, self.events.append)

    @property
    def lines(self) -> list[str]:
        """Return method and address of each request, below the space."""
        return [
            f"{request.method} {str(request.url).removeprefix(f'{BASE}/spaces/7')}"
            for request in self.requests
        ]

    @property
    def sent(self) -> Json:
        """Return the JSON body of the last request."""
        content = self.requests[-1].content
        return json.loads(content) if content else None


async def _at_once(seconds: float) -> None:
    del seconds
