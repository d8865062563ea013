"""Items that name addresses inside: no one there is asked, and each is listed."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cmsmig.data_address import file_key
from cmsmig.steps.pull.file_downloads import FilesReport
from cmsmig.steps.pull.pull import pull
from cmsmig.wire.session import Session
from tests.support.inward import (
    Listener,
    addresses,
    listening,
    onward,
    refused,
    resolve_inward,
)
from tests.support.steps.pull_origin import FakeOrigin, item, project, session, settings

Resolve = Callable[[str, int], Awaitable[tuple[str, ...]]]
FIELDS = [
    {"id": "f1", "slug": "photo", "type": "Image", "displayName": "Photo"},
    {"id": "f2", "slug": "body", "type": "RichText", "displayName": "Body"},
]
OUTSIDE: list[Any] = []
"""Addresses outside this machine to which code tried to connect."""
_GUARDING: list[bool] = []
REBINDING, PUBLIC = "rebinding.test", "93.184.216.34"


def _guard(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and _GUARDING:
        place = arguments[1]
        if isinstance(place, tuple) and not str(place[0]).startswith(("127.", "::1")):
            OUTSIDE.append(place)
            raise OSError(f"a test connects to no other machine: {place}")


sys.addaudithook(_guard)


@pytest.fixture(autouse=True)
def only_this_machine() -> Iterator[None]:
    """Let no connection leave this machine, whatever the code does."""
    OUTSIDE.clear()
    _GUARDING.append(True)
    yield
    _GUARDING.clear()


async def _pulled(
    folder: Path, own: Listener, named: list[str], resolve: Resolve = resolve_inward
) -> FilesReport:
    items = [
        item(
            number,
            photo={"fileId": "x", "url": each, "alt": None},
            body=f'<p>Text</p><figure><div><img src="{each}"></div></figure>',
        )
        for number, each in enumerate(named)
    ]
    origin = FakeOrigin(staged={"posts": items}, fields=FIELDS)

    async def at_once(seconds: float) -> None:
        pass

    async with (
        session(origin) as api,
        Session(
            "files",
            authorization=None,
            budget=None,
            in_flight=8,
            sleep=at_once,
            resolve=resolve,
        ) as downloads,
    ):
        report = await pull(
            settings(folder, origin_api_url=f"http://127.0.0.1:{own.port}"),
            project(folder),
            origin=api,
            files=downloads,
        )
    return report.files


async def test_no_address_of_an_item_leads_inward(tmp_path: Path) -> None:
    """In whatever way it is written: no connection, and a row with the reason."""
    async with listening(refused) as own, listening(refused) as other:
        inward = list(addresses(other.port))
        mine = f"http://127.0.0.1:{own.port}/mine.png"
        report = await _pulled(tmp_path, own, [*inward, mine])
    assert len(inward) >= 95
    assert other.connections == 0
    assert OUTSIDE == []
    assert own.asked == ["/mine.png"]
    assert {row.address for row in report.failed} == set(map(file_key, inward))
    assert all(row.error and row.detail for row in report.failed)


async def test_a_name_that_leads_inward_later(tmp_path: Path) -> None:
    """It has a public address when it is checked first; that one alone is asked."""
    resolved = iter([(PUBLIC,)])

    async def resolve(host: str, port: int) -> tuple[str, ...]:
        if host != REBINDING:
            return await resolve_inward(host, port)
        return next(resolved, ("127.0.0.1",))

    async with listening(refused) as own, listening(refused) as other:
        named = f"http://{REBINDING}:{other.port}/x.png"
        report = await _pulled(tmp_path, own, [named], resolve)
    assert other.connections == 0
    assert {place[0] for place in OUTSIDE} == {PUBLIC}
    assert [row.address for row in report.failed] == [named]


async def test_no_redirect_leads_inward(tmp_path: Path) -> None:
    """A host that may be asked cannot send the kit on to one that may not."""
    places: list[str] = []

    def sends_on(path: str) -> bytes:
        place = places[int(path.rpartition("/")[2])]
        head = f"HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n"
        return head.encode()

    async with listening(sends_on) as own, listening(refused) as other:
        places.extend(onward(other.port))
        named = [f"http://127.0.0.1:{own.port}/{n}" for n in range(len(places))]
        report = await _pulled(tmp_path, own, named)
    assert len(own.asked) == len(places)
    assert other.connections == 0
    assert OUTSIDE == []
    assert {row.error for row in report.failed} <= {"private_address", "not_http"}
    assert len(report.failed) == len(places)


async def test_an_origin_lends_its_own_port_alone(tmp_path: Path) -> None:
    """Another name of this machine is the origin's too, another port is not."""
    async with listening(refused) as own, listening(refused) as other:
        named = [
            f"http://{host}:{place.port}/{host}.png"
            for host in ("127.0.0.1", "localhost")
            for place in (own, other)
        ]
        report = await _pulled(tmp_path, own, named)
    assert sorted(own.asked) == ["/127.0.0.1.png", "/localhost.png"]
    assert other.connections == 0
    assert [row.error for row in report.failed] == ["private_address"] * 2
