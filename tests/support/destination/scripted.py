"""A destination that answers from a script and keeps every request's bytes."""

from __future__ import annotations

import json

import httpx

from cmsmig.canonical import Json
from cmsmig.destination.assumed import STANDARD, Assumed
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.space_connection import authorization
from tests.support.wire.sessions import Service

BASE = "http://destination.test/v1"


class Script(Service):
    """Answers requests in order; the last answer serves all that follow."""

    def says(self, body: Json = None, status: int = 200, **headers: str) -> Script:
        """Add a JSON answer."""
        self.answers.append(httpx.Response(status, headers=headers, json=body))
        return self

    def client(
        self, assumed: Assumed = STANDARD, *, space_id: str = "7", base: str = BASE
    ) -> DestinationClient:
        """Return a client that talks to this script."""
        token = authorization("secret-token", assumed)
        session = self.session(authorization=token)
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
