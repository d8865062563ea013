"""Links to other sites, asked politely and on demand."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import httpx
import pytest

from cmsmig.events import unobserved
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline import external_links
from cmsmig.steps.baseline.external_links import find_dead_links
from cmsmig.wire.session import Session

LINKS = (
    '<p><a href="https://b.example/gone#part">1</a> <a href="https://a.example/2">2</a>'
    '<a href="https://b.example/gone">3</a> <a href="/inside">4</a> '
    '<a href="mailto:a@b.example">5</a> <a href="https://a.example/slow">6</a> '
    '<a href="http://127.0.0.1/admin">7</a> <a href="https://c.example/forbidden">8</a>'
    '<a href="https://www.saltmarsh.example.com/own">9</a></p><pre><a href="https://d.x/">'
)


@pytest.mark.asyncio
async def test_dead_links_are_found_one_after_the_other(
    tmp_path: Path, small_site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each address once, by HEAD, at most so many; inward ones are never asked, and
    what only refuses programs is no dead link."""
    monkeypatch.setattr(external_links, "_PAUSE", 0.0)
    monkeypatch.setattr("cmsmig.wire.failures._FIRST_DELAY", 0.001)
    shutil.copytree(small_site, tmp_path / "raw")
    for path in (tmp_path / "raw" / "items").iterdir():
        items = json.loads(path.read_text())["items"]
        if "text" in items[0]["fieldData"]:
            items[0]["fieldData"]["text"] = LINKS
            path.write_text(json.dumps({"items": items}))
    asked: list[tuple[str, str]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append((request.method, str(request.url)))
        if request.url.path == "/slow":
            raise httpx.ConnectError("no route")
        return httpx.Response(
            {"/gone": 404, "/forbidden": 403}.get(request.url.path, 200)
        )

    asking = partial(Session, transport=httpx.MockTransport(answer))
    monkeypatch.setattr(external_links, "Session", asking)
    project, settings = Project(tmp_path), Settings()
    found = await find_dead_links(project, settings, 100, unobserved)
    few = await find_dead_links(project, settings, 2, unobserved)
    dead = {each["address"]: each["why"] for each in found["dead_links"]}
    assert dead.keys() == {
        "http://127.0.0.1/admin", "https://a.example/slow", "https://b.example/gone"
    }  # fmt: skip
    assert dead["https://b.example/gone"] == "It answers 404."
    assert "private network" in dead["http://127.0.0.1/admin"]
    assert (found["links_asked"], found["links_left"]) == (5, 0)
    assert (few["links_asked"], few["links_left"]) == (2, 3)
    assert {method for method, _ in asked} == {"HEAD"}
    hosts = [httpx.URL(url).host for _, url in asked if "slow" not in url]
    assert hosts[:3] == sorted(hosts[:3])
    assert "127.0.0.1" not in hosts
