"""Opens the API clients that the settings describe, each with its budget and token."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from cmsmig.configuration.regions import delivery_base, region_mismatch
from cmsmig.destination.assumed import STANDARD
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.delivery import LISTS_A_SECOND, DeliveryClient
from cmsmig.destination.space_connection import authorization
from cmsmig.destination.typed_records import Space
from cmsmig.errors import SettingsError
from cmsmig.events import Event, Observer, RequestSent
from cmsmig.origin.client import CREDENTIALS_HINT
from cmsmig.settings import Settings
from cmsmig.wire.budget import Budget
from cmsmig.wire.session import Session

ORIGIN_IN_FLIGHT = 4
_WINDOW = 60.0
_UNKNOWN_RATE = 60
"""Requests per minute of the smallest plan; the service then names its own."""
SPACE_IN_FLIGHT = 28
"""Requests of all processes in flight at a time; the service takes 30 of a space.
Source: destination, rate limits."""


@asynccontextmanager
async def open_destination(
    settings: Settings, observer: Observer
) -> AsyncIterator[DestinationClient]:
    """Give a client of the space, with the budget that all processes share.

    Raises `SettingsError` when the space cannot be behind the base address: no
    token goes to a region that it is not meant for.
    """
    if misplaced := region_mismatch(settings.space_id, settings.destination_base_url):
        raise SettingsError(misplaced)
    assumed = STANDARD.overridden(settings.assumed)
    async with Session(
        "destination",
        authorization=authorization(
            settings.destination_token.get_secret_value(), assumed
        ),
        budget=destination_budget(settings, observer),
        in_flight=settings.in_flight,
        observer=observer,
        away_seconds=settings.away_seconds,
    ) as session:
        yield DestinationClient(
            session,
            settings.destination_base_url,
            settings.space_id,
            assumed,
            observer,
        )


@asynccontextmanager
async def open_delivery(
    settings: Settings, space: Space, observer: Observer
) -> AsyncIterator[DeliveryClient]:
    """Give a client of the delivery side, with a budget of its own."""
    address = delivery_base(settings.destination_base_url)
    budget = Budget(
        f"delivery {address} {settings.space_id}",
        limit=LISTS_A_SECOND,
        window=1.0,
        spaced=True,
        folder=settings.state_dir,
        observer=observer,
        service="delivery",
    )
    async with Session(
        "delivery",
        authorization=None,
        budget=budget,
        in_flight=settings.in_flight,
        observer=observer,
        away_seconds=settings.away_seconds,
    ) as session:
        yield DeliveryClient(session, address, space.preview_token)


def destination_budget(settings: Settings, observer: Observer) -> Budget:
    """Return the budget of the token, or of the space: its rate, evenly spaced.

    Spec: Budget rules. Source: destination, rate limits.
    """
    rate = settings.destination_rate
    whole = rate >= 1 and rate == int(rate)
    space = f"destination {settings.destination_base_url} {settings.space_id}"
    per_token = STANDARD.overridden(settings.assumed).rate_limit_scope == "token"
    hashed = _hashed(settings.destination_token.get_secret_value())
    return Budget(
        f"destination {settings.destination_base_url} token {hashed}"
        if per_token
        else space,
        limit=int(rate) if whole else 1,
        window=1.0 if whole else 1.0 / rate,
        spaced=True,
        folder=settings.state_dir,
        in_flight=SPACE_IN_FLIGHT,
        observer=observer,
        service="destination",
    )


def open_origin(settings: Settings, observer: Observer) -> Session:
    """Return a session for the origin's API, with the budget of its key."""
    token = settings.origin_token.get_secret_value()
    budget = Budget(
        f"origin {settings.origin_api_url} {_hashed(token)}",
        limit=settings.origin_rate or _UNKNOWN_RATE,
        window=_WINDOW,
        spaced=False,
        folder=settings.state_dir,
        observer=observer,
        service="origin",
        adopt=settings.origin_rate is None,
    )
    return Session(
        "origin",
        authorization=f"Bearer {token}",
        budget=budget,
        in_flight=ORIGIN_IN_FLIGHT,
        observer=observer,
        away_seconds=settings.away_seconds,
        credentials_hint=CREDENTIALS_HINT,
    )


def _hashed(token: str) -> str:
    """Return what takes the place of a token in a key: nothing reveals the token."""
    return hashlib.sha256(token.encode()).hexdigest()


_READING = ("GET", "HEAD")


class WriteCounter:
    """An observer that counts writes and hands every event on."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self.writes = 0
        self.quota_calls = 0

    def __call__(self, event: Event) -> None:
        """Count the event if it is a request to the destination."""
        if isinstance(event, RequestSent) and event.service == "destination":
            publishing = event.path.endswith(("/publish", "/unpublish"))
            self.writes += event.method not in _READING or publishing
            self.quota_calls += event.quota
        self._observer(event)
