"""The ways in which a site is served and worked through."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from unittest import mock

from hypothesis import strategies as st

from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from cmsmig.steps import connect, worker_pool
from cmsmig.steps.pull import file_downloads
from cmsmig.steps.pull import pull as pulling
from tests.support.same_content.sites import PLAIN_ORDERS, Orders, Shown, orders

STOP = "stop"
"""A person asks to stop: what is in flight is brought to its end."""
CANCEL = "cancel"
"""The task is cancelled at once, answers in flight are lost."""
REFUSED = "refused"
"""From this request on, the service refuses the credentials."""
LAST = "last"
"""The same, but the request was applied, and its answer never comes."""


@dataclass(frozen=True)
class Break:
    """One interruption of one command; it is run again after it."""

    during: str
    how: str
    at: int
    """Which request, from 1, in an import which write. Beyond the last one: no
    interruption."""

    def counts(self, method: str) -> bool:
        """Return whether a request is one of those that are counted.

        A publication is none: one that is broken off before it arrives waits for a
        person.
        """
        return self.during != "import" or method != "GET"


@dataclass(frozen=True, repr=False)
class Arrangement(Shown):
    """How a site is served and worked through; the defaults are the plain way."""

    orders: Orders = PLAIN_ORDERS
    origin_page: int = 100
    """The most items that the origin puts into an answer."""
    listing_page: int = 100
    """The most rows that the destination does."""
    reading: int = 4
    """Origin requests, and downloads, at once."""
    in_flight: int = 12
    batch: int = 20
    """Intents committed together."""
    delays: int = 0
    """0: answers come as they are made; else another order of them for each."""
    breaks: tuple[Break, ...] = ()


PLAIN = Arrangement()


def arrangements() -> st.SearchStrategy[Arrangement]:
    """Return ways to serve and work through a site other than the plain one."""
    breaks = st.builds(
        Break,
        during=st.sampled_from(("import", "import", "pull", "decide")),
        how=st.sampled_from((STOP, CANCEL, REFUSED, LAST)),
        at=st.integers(1, 40),
    )
    pages = st.just(100) | st.integers(1, 7)
    return st.builds(
        Arrangement,
        orders=orders(),
        origin_page=pages,
        listing_page=pages,
        reading=st.just(4) | st.integers(1, 12),
        in_flight=st.just(12) | st.integers(1, 12),
        batch=st.sampled_from((20, 1, 3)),
        delays=st.just(0) | st.integers(1, 20),
        breaks=st.lists(breaks, max_size=3).map(tuple),
    ).filter(lambda way: way != PLAIN)


@dataclass
class Reception:
    """The sandbox's middleware: pages, delays, and the end of a run."""

    way: Arrangement
    ending: Break | None = None
    arrived: int = 0
    over: bool = False

    def begin(self, ending: Break | None) -> None:
        """Count from here on, and end where the break says."""
        self.ending, self.arrived, self.over = ending, 0, False

    async def __call__(self, call: Call, answer: Next) -> Reply:
        if not call.path.startswith(("/v1/", "/v2/")):
            await self._delay(call, "file")
            return await answer(call)
        self.arrived += self.ending is not None and self.ending.counts(call.method)
        if self.over or self._ends(REFUSED):
            self.over = True
            return json_reply(401, {"error": "Unauthorized"})
        applied_last = self._ends(LAST)
        self.over = self.over or applied_last
        await self._delay(call, "before")
        reply = await answer(self._paged(call))
        await self._delay(call, "after")
        return json_reply(401, {"error": "Unauthorized"}) if applied_last else reply

    def _ends(self, how: str) -> bool:
        ending = self.ending
        return ending is not None and (ending.how, ending.at) == (how, self.arrived)

    def _paged(self, call: Call) -> Call:
        most = {"limit": self.way.origin_page, "per_page": self.way.listing_page}
        query = tuple(
            (name, str(min(int(value), most[name])) if name in most else value)
            for name, value in call.query
        )
        return replace(call, query=query)

    async def _delay(self, call: Call, when: str) -> None:
        """Hold an answer back for some thousandths of a second, by what it is to."""
        if self.way.delays:
            body = hashlib.sha256(call.body).hexdigest()
            about = f"{self.way.delays} {when} {call.method} {call.raw_path} {body}"
            await asyncio.sleep(Random(f"{about} {call.query}").random() / 100)


@contextmanager
def sized(way: Arrangement) -> Iterator[None]:
    """Read and work with as many at once, and in batches, as the way says."""
    with (
        mock.patch.object(connect, "ORIGIN_IN_FLIGHT", way.reading),
        mock.patch.object(pulling, "WORKERS", way.reading),
        mock.patch.object(file_downloads, "WORKERS", way.reading),
        mock.patch.object(worker_pool, "BATCH", way.batch),
    ):
        yield
