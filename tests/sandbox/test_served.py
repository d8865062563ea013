"""What only a served sandbox shows: its start and end, connections, and HEAD."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from cmsmig.errors import CacheError, SettingsError
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text, serve
from cmsmig.sandbox.services import Sandbox
from tests.sandbox.conftest import Served
from tests.support.sandbox.fault_rules import Fault, PlannedFault
from tests.support.sandbox.observed import running_sandbox


async def test_serve_announces_once_and_ends_when_stopped(content: Path) -> None:
    """The announcement has its seven keys, and both services answer."""
    said: list[Sandbox] = []
    stop = asyncio.Event()
    options = SandboxOptions(content=content)
    task = asyncio.create_task(serve(options, announce=said.append, stop=stop))
    while not said:
        await asyncio.sleep(0.01)
    one = said[0].announcement
    assert sorted(one) == [
        "asset_base",
        "base_url",
        "destination_token",
        "origin_api_url",
        "origin_token",
        "space_id",
        "user_token",
    ]
    async with httpx.AsyncClient() as client:
        headers = {"Authorization": f"Bearer {one['origin_token']}"}
        sites = await client.get(f"{one['origin_api_url']}/v2/sites", headers=headers)
        headers = {"Authorization": one["destination_token"]}
        path = f"{one['base_url']}/spaces/{one['space_id']}"
        space = await client.get(path, headers=headers)
        headers = {"Authorization": one["user_token"]}
        path = f"{one['base_url']}/tokens/validate"
        user = (await client.get(path, headers=headers)).json()
    assert (sites.status_code, space.status_code) == (200, 200)
    assert (user["user_permission"], "scopes" in user) == (True, False)
    stop.set()
    await task
    assert len(said) == 1


def test_the_environment_file_has_every_setting(served: Served) -> None:
    said = served.handle.announcement
    settings = dict(
        line.split("=", 1) for line in environment_file_text(said, 60).splitlines()
    )
    assert settings == {
        "CMSMIG_ORIGIN_API_URL": said["origin_api_url"],
        "CMSMIG_ORIGIN_TOKEN": said["origin_token"],
        "CMSMIG_DESTINATION_BASE_URL": said["base_url"],
        "CMSMIG_DESTINATION_TOKEN": said["destination_token"],
        "CMSMIG_SPACE_ID": said["space_id"],
        "CMSMIG_DESTINATION_RATE": "60",
    }


def test_a_taken_port_and_a_damaged_folder_are_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        options = SandboxOptions(destination_port=port)
        with pytest.raises(SettingsError, match=str(port)), running_sandbox(options):
            pass
    options = SandboxOptions(content=tmp_path)
    with pytest.raises(CacheError, match=r"sites\.json"), running_sandbox(options):
        pass


def test_the_defaults_are_the_services_own() -> None:
    options = SandboxOptions()
    assert (options.rate, options.origin_rate, options.in_flight) == (6, 60, 30)
    assert (options.delivery_lag, options.minimum_cache) == (0, 0)


def test_head_is_a_get_without_a_body(served: Served) -> None:
    """The status and headers of the GET, on both services and both file hosts."""
    shown, head = served.ask("GET", "/stories"), served.ask("HEAD", "/stories")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Total"] == shown.headers["Total"]
    assert served.ask("HEAD", "/stories/5").status_code == 404
    assert served.ask("HEAD", f"{served.origin}/v2/sites").status_code == 200
    file = served.ask("HEAD", f"{served.origin}/files/a_b.txt")
    assert (file.content, int(file.headers["Content-Length"]) > 0) == (b"", True)


def test_an_upload_without_a_length_is_refused(served: Served) -> None:
    """A chunked form is answered 411, as the storage host does."""
    reply = served.ask("POST", f"{served.root}/upload", content=iter([b"x"]))
    assert reply.status_code == 411


@pytest.mark.parametrize(
    ("fault", "error", "applied"),
    [
        ("drop_before", httpx.RemoteProtocolError, False),
        ("drop_after", httpx.RemoteProtocolError, True),
        ("truncated", httpx.RemoteProtocolError, True),
        ("malformed", json.JSONDecodeError, True),
    ],
)
def test_an_answer_breaks_off_or_cannot_be_read(
    served: Served, fault: str, error: type[Exception], applied: bool
) -> None:
    """Whether it was applied is what the fault's name says; the next one is whole."""
    planned = PlannedFault(Fault(fault), item=fault, method="POST")
    served.handle.state.injector.set((planned,))
    body = {"story": {"name": fault, "slug": fault, "is_folder": True}}
    with pytest.raises(error) as broken:
        served.ask("POST", "/stories", json=body).json()
    assert ("complete message" in str(broken.value)) is (fault == "truncated")
    rows = served.ask("GET", f"/stories?with_slug={fault}").json()["stories"]
    assert bool(rows) is applied


async def test_too_many_at_once_are_refused(serving: Callable[..., Served]) -> None:
    """Beyond the cap of concurrent requests the service answers 429."""
    slow = serving(latency=0.4, in_flight=3)
    headers = {"Authorization": slow.handle.announcement["destination_token"]}
    async with httpx.AsyncClient(headers=headers) as client:
        replies = await asyncio.gather(*(client.get(slow.space) for _ in range(6)))
    assert sorted(reply.status_code for reply in replies) == [200] * 3 + [429] * 3
    assert slow.handle.state.api.in_flight.now == 0
