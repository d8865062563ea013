from __future__ import annotations

import asyncio
import socket
from dataclasses import replace

import httpx
import pytest

from cmsmig.errors import CacheError, SettingsError
from cmsmig.sandbox.destination.space import Unknowns
from cmsmig.sandbox.http.asgi import Reply
from cmsmig.sandbox.server import (
    SandboxOptions,
    environment_file_text,
    running_sandbox,
    serve,
)


async def test_serve_announces_once_and_ends_when_told(content):
    """The announcement has its six keys, both services answer, stop ends it."""
    said, stop = [], asyncio.Event()

    def announce(announcement):
        said.append(announcement)

    options = SandboxOptions(content=content)
    task = asyncio.create_task(serve(options, announce=announce, stop=stop))
    while not said:
        await asyncio.sleep(0.01)
    one = said[0]
    assert set(one) == {
        "origin_api_url",
        "origin_token",
        "base_url",
        "destination_token",
        "space_id",
        "asset_base",
    }
    assert not one["origin_api_url"].endswith("/v2")
    assert one["base_url"].endswith("/v1")
    async with httpx.AsyncClient() as client:
        headers = {"Authorization": f"Bearer {one['origin_token']}"}
        sites = await client.get(f"{one['origin_api_url']}/v2/sites", headers=headers)
        headers = {"Authorization": one["destination_token"]}
        path = f"{one['base_url']}/spaces/{one['space_id']}"
        space = await client.get(path, headers=headers)
    assert (sites.status_code, space.status_code) == (200, 200)
    assert str(space.json()["space"]["id"]) == one["space_id"]
    stop.set()
    await task
    assert len(said) == 1


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "[::2]",
        "localhost@evil.example",
        "",
    ],
)
def test_only_loopback_names_are_answered(desk, host):
    """A page of elsewhere, whose name leads to this machine, reads nothing."""
    said = desk.handle.announcement
    base = said["base_url"].removesuffix("/v1")
    for address in (f"{base}/_sandbox/state", f"{said['origin_api_url']}/v2/sites"):
        refused = httpx.get(address, headers={"Host": host}, trust_env=False)
        assert refused.status_code == 421
        assert refused.json() == {"error": "The sandbox answers loopback names only."}
    for name in ("localhost", "LOCALHOST:8080", "[::1]:1"):
        state = httpx.get(f"{base}/_sandbox/state", headers={"Host": name})
        assert state.status_code == 200


def test_the_environment_file_has_every_setting(desk):
    """Each line is a setting that points at this sandbox."""
    said = desk.handle.announcement
    lines = environment_file_text(said, 60).splitlines()
    settings = dict(line.split("=", 1) for line in lines)
    assert settings == {
        "CMSMIG_ORIGIN_API_URL": said["origin_api_url"],
        "CMSMIG_ORIGIN_TOKEN": said["origin_token"],
        "CMSMIG_DESTINATION_BASE_URL": said["base_url"],
        "CMSMIG_DESTINATION_TOKEN": said["destination_token"],
        "CMSMIG_SPACE_ID": said["space_id"],
        "CMSMIG_DESTINATION_RATE": "60",
    }


def test_a_taken_port_is_one_sentence(content):
    """A port that is in use is refused by name, and both ports are free again."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        options = SandboxOptions(content=content, destination_port=port)
        with pytest.raises(SettingsError, match=str(port)), running_sandbox(options):
            pass


def test_a_damaged_content_folder_is_named(tmp_path):
    """A folder without the site list is refused with the file's name."""
    options = SandboxOptions(content=tmp_path)
    with pytest.raises(CacheError, match=r"sites\.json"), running_sandbox(options):
        pass


def test_history_names_each_request_and_no_token(desk):
    """The history tells service, route, status and item, and nothing secret."""
    desk.folder("historic")
    history = desk.public.get("/_sandbox/history")
    last = history.json()["history"][-1]
    assert last["service"] == "destination"
    assert (last["route"], last["status"]) == ("create story", 201)
    assert (last["item"], last["quota"]) == ("historic", True)
    said = desk.handle.announcement
    pages = ("history", "violations", "summary", "state")
    for page in pages:
        shown = desk.public.get(f"/_sandbox/{page}").text
        assert said["destination_token"] not in shown
        assert said["origin_token"] not in shown
    assert desk.public.get("/_sandbox/else").status_code == 404


def test_the_summary_counts(desks, clock):
    """The summary counts by service, route, status and kind of violation."""
    with desks(rate=2, clock=clock) as desk:
        desk.story("counted", {"component": "none", "_uid": "1"})
        desk.space.get("/stories")
        desk.space.get("/stories")
        summary = desk.public.get("/_sandbox/summary").json()
        assert summary["requests"] == summary["quota"] == 3
        assert summary["refused_for_rate"] == 1
        assert summary["fullest_second"] == 3
        assert summary["most_in_flight"] == 1
        assert summary["routes"] == {"create story": 1, "stories": 1}
        assert summary["violations"] == {"unknown_component": 1}
        listed = desk.public.get("/_sandbox/violations").json()["violations"]
        assert [one["number"] for one in listed] == [1]


async def teapot(call, answer):
    """Turn every third request away after it was applied."""
    reply = await answer(call)
    broken = Reply(502, b"<html>Bad gateway</html>", "text/html")
    return replace(reply, **fields(broken)) if call.number % 3 == 0 else reply


def fields(reply):
    return {"status": reply.status, "body": reply.body, "headers": ()}


def test_middleware_sees_numbered_requests_and_whole_answers(desks):
    """A layer can replace the answer of a request that was applied."""
    with desks(middleware=(teapot,)) as desk:
        statuses = [
            desk.story(f"s-{n}", {"component": "none", "_uid": "1"}).status_code
            for n in range(3)
        ]
        assert statuses == [201, 201, 502]
        assert len(desk.handle.state.space.stories) == 3


def test_the_space_shows_its_plan_and_on_request_its_limits(desks):
    """The limits are a free map: empty, or with undocumented keys."""
    with desks(rate=3) as desk:
        space = desk.space.get("").json()["space"]
        assert (space["plan"], space["plan_level"]) == ("starter", 0)
        assert (space["limits"], space["feature_limits"]) == ({}, None)
        assert space["feature_limit_exceeded_flags"] == {}
        assert space["custom_upload_limit_in_mb"] is None
        assert space["required_assest_fields"] is None
        assert space["first_token"] == desk.handle.state.space.preview_token
    unknowns = Unknowns(fills_limits=True)
    with desks(
        unknowns=unknowns, upload_limit_mb=80, required_asset_fields=["alt"]
    ) as desk:
        space = desk.space.get("").json()["space"]
        limits = space["limits"]
        found = [limits[key] for key in ("components", "stories", "folders")]
        assert found == [600, 25_000, 1_000]
        assert space["custom_upload_limit_in_mb"] == 80
        assert space["org"]["custom_upload_limit_in_mb"] == 80
        assert space["required_assest_fields"] == ["alt"]


def test_what_nobody_documents_can_be_switched(desks, clock):
    """Texts, headers and merging follow the chosen reading."""
    unknowns = Unknowns(
        missing_text="Not here",
        retry_after=True,
        merges_content=True,
        requires_default_root=True,
        publish_overwrites_first=True,
        shows_trash=True,
        largest_body=1000,
    )
    with desks(unknowns=unknowns, rate=8, clock=clock) as desk:
        assert desk.space.get("/stories/1").json() == ["Not here"]
        made = desk.story("m", {"component": "n", "_uid": "1", "a": "b"})
        path = f"/stories/{made.json()['story']['id']}"
        change = {"content": {"component": "n", "c": "d"}, "first_published_at": "2000"}
        put = desk.space.put(path, json={"story": change, "publish": 1})
        story = put.json()["story"]
        assert story["content"] == {"component": "n", "_uid": "1", "a": "b", "c": "d"}
        assert story["first_published_at"] == story["published_at"]
        desk.space.delete(path)
        assert desk.space.get(path).json()["story"]["deleted_at"]
        assert desk.space.get("/stories").json() == {"stories": []}
        folder = {"name": "f", "slug": "f", "is_folder": True}
        refused = desk.space.post("/stories", json={"story": folder})
        assert refused.json() == {"default_root": ["can't be blank"]}
        long = desk.story("long", {"component": "n", "a": "x" * 1000})
        assert (long.status_code, long.text[:6]) == (413, "<html>")
        for _ in range(4):
            last = desk.space.get("")
        assert (last.status_code, last.headers["Retry-After"]) == (429, "1")


@pytest.mark.parametrize("body", [b"{", b"\xff", b'["a"]', b'"x"', b"null", b"1e999"])
def test_hostile_bodies_get_an_answer(desk, body):
    """Whatever is sent as a body, the answer is a refusal and never a crash."""
    for method, path in (
        ("POST", "/stories"),
        ("POST", "/components"),
        ("POST", "/assets"),
        ("POST", "/asset_folders"),
        ("POST", "/datasources"),
    ):
        reply = desk.space.request(method, path, content=body)
        assert reply.status_code in {400, 422}


@pytest.mark.parametrize("renews", [False, True])
def test_whether_a_publication_renews_the_change_date(desks, clock, renews):
    """Publishing and unpublishing do, or neither does."""
    unknowns = Unknowns(publication_changes_date=renews)
    with desks(unknowns=unknowns, clock=clock) as desk:
        made = desk.story("m", {"component": "n", "_uid": "1"}).json()["story"]
        dates = {made["updated_at"]}
        for done in ("publish", "unpublish"):
            clock.now += 10
            story = desk.space.get(f"/stories/{made['id']}/{done}").json()["story"]
            dates.add(story["updated_at"])
        assert len(dates) == (3 if renews else 1)
