"""The known addresses of the old site are read once, politely."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from cmsmig.errors import InterruptedRunError
from cmsmig.events import Event, StepAdvanced
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.settings import Project, load_settings
from cmsmig.steps.baseline.baseline import take_baseline
from cmsmig.steps.baseline.page_table import PageRecord, PageTable, open_pages
from cmsmig.steps.worker_pool import StopSignal
from tests.support.rehearsal import Rehearsal
from tests.support.web_site import Served, led_to, web_site

SAMPLE = SandboxOptions(rate=500, origin_rate=60_000)
FAST = ("--rate", "900")


def _site_calls(rehearsal: Rehearsal) -> Counter[tuple[str, int]]:
    entries = rehearsal.handle.state.recorder.entries
    return Counter((e.path, e.status) for e in entries if e.service == "site")


def _live_items(folder: Path) -> int:
    texts = (path.read_text() for path in (folder / "raw" / "live").glob("*.json"))
    return sum(len(json.loads(text)["items"]) for text in texts)


def test_the_sample_site_is_read_once(
    rehearse: Callable[..., Rehearsal],
) -> None:
    """Every address once; robots.txt is obeyed; what no item has is listed. A second
    run asks for nothing that is known, `--refresh` for everything."""
    made = rehearse(SAMPLE)
    made.done("pull")
    found = made.done("baseline", *FAST, "--json").document
    assert found["unread"] == []
    assert found["forbidden"] == [f"{found['site']}/search"]
    assert found["sources"]["item"] == _live_items(made.folder) == 203
    assert found["statuses"] == {"200": 206, "404": 18, "unread": 1}
    paths = [each["url"].removeprefix(found["site"]) for each in found["without_item"]]
    assert paths == ["/", "/about", "/imprint"]
    calls = _site_calls(made)
    assert ("/search", 200) not in calls
    assert calls.pop(("/", 200)) == 2
    assert set(calls.values()) == {1}
    again = made.done("baseline", *FAST, "--json").document
    assert again["statuses"] == found["statuses"]
    assert (_site_calls(made) - calls).keys() == {
        ("/", 200), ("/robots.txt", 200), ("/sitemap.xml", 200)
    }  # fmt: skip
    made.done("baseline", *FAST, "--refresh")
    assert {n for (p, _), n in _site_calls(made).items() if p in paths[1:]} == {2}
    made.done("decide", "--accept-proposals", "--reviewer", "Ada")
    decided = (made.folder / "decisions" / "redirects.yaml").read_text()
    assert [each for each in paths if f"- old: {each}\n" not in decided] == []
    pages = _pages(made.folder)
    assert Counter(str(page.status or "unread") for page in pages) == Counter(
        found["statuses"]
    )


async def test_a_stopped_reading_continues(
    rehearse: Callable[..., Rehearsal],
) -> None:
    """No page that came is asked for again; an unfinished baseline is none."""
    made, stop = rehearse(SAMPLE), StopSignal()
    await asyncio.to_thread(made.done, "pull")
    project = Project(made.folder)
    settings = load_settings(project, os.environ, need_destination=False)
    came: list[str] = []

    def observe(event: Event) -> None:
        if isinstance(event, StepAdvanced) and event.step == "pages":
            came.append(event.what)
            if len(came) == 50:
                stop.set()

    take = partial(take_baseline, project, settings, rate=900, observer=observe)
    with pytest.raises(InterruptedRunError):
        await take(stop=stop)
    assert _pages(made.folder) == []
    report = await take(stop=StopSignal())
    assert report.addresses == 225
    calls = _site_calls(made)
    for path in ("/", "/robots.txt", "/sitemap.xml"):
        del calls[path, 200]
    assert set(calls.values()) == {1}


def test_a_page_that_fails_later_keeps_what_it_showed(
    rehearse: Callable[..., Rehearsal], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a refresh an error of the server is no answer; the next run asks again."""
    monkeypatch.setattr("cmsmig.wire.download.delay_before", lambda *_: 0.0)
    made = rehearse()
    made.done("pull")
    rules = made.folder / "decisions" / "redirects.csv"
    rules.parent.mkdir()
    rules.write_text("Old path,Redirect path\n/rule?a=1,/x\n")
    pages = {"/": Served("<title>First</title>"), "/rule?a=1": led_to("/")}
    with web_site(pages) as site:
        made.done("baseline", *FAST, "--site", site.url)
        site.pages["/"] = Served("Down", 503)
        ended = made.run("baseline", *FAST, "--site", site.url, "--refresh")
        assert (ended.code, "answers 503" in ended.out) == (1, True)
        assert _titles(made) == ["First"]
        assert site.asked.count("/rule?a=1") == 2
        site.pages["/"] = Served("<title>Second</title>")
        made.done("baseline", *FAST, "--site", site.url)
    assert _titles(made) == ["Second"]


def _titles(made: Rehearsal) -> list[str]:
    return [page.title for page in _pages(made.folder) if page.title]


def _pages(folder: Path) -> list[PageRecord]:
    with open_pages(Project(folder).baseline) as db:
        table = PageTable(db)
        return [*table.pages()] if table.finished else []


def test_a_hostile_site(rehearse: Callable[..., Rehearsal]) -> None:
    """Other hosts are not asked, whatever names them; what cannot be read is listed and
    ends with 1; rules of robots.txt with wildcards and an entity in a sitemap hold."""
    made = rehearse()
    made.done("pull")
    with web_site({}) as other, web_site({}) as site:
        site.pages |= {
            "/": Served(f"<a href='{other.url}/x'>b</a>"),
            "/robots.txt": Served(
                "User-agent: *\nDisallow: /*/1$\nCrawl-delay: 0.02\n"
                f"Sitemap: {{base}}/maps.xml\nSitemap: {other.url}/maps.xml"
            ),
            "/maps.xml": Served(
                "<sitemapindex><sitemap><loc>{base}/map.xml</loc></sitemap>"
                f"<sitemap><loc>{other.url}/map.xml</loc></sitemap></sitemapindex>"
            ),
            "/map.xml": Served(
                '<!DOCTYPE urlset [<!ENTITY e SYSTEM "file:///etc/hostname">]><urlset>'
                f"<url><loc>{{base}}/mapped</loc></url><url><loc>{other.url}/y</loc></url>"
                "<url><loc>{base}/&e;</loc></url><url><loc>{base}/private/1</loc></url>"
                "<url><loc>{base}/deep#y</loc></url><url><loc>//[</loc></url></urlset>"
            ),
            "/deep": led_to("/moved"),
            "/moved": led_to(f"{other.url}/away"),
            "/mapped": Served("x" * 6_000_000),
        }
        ended = made.run("baseline", *FAST, "--site", site.url, "--json")
    found = ended.document
    assert other.asked == []
    assert ended.code == 1
    assert [each["url"] for each in found["unread"]] == [f"{site.url}/mapped"]
    assert found["forbidden"] == [f"{site.url}/private/1"]
    assert {"/deep", "/moved"} <= set(site.asked)
    assert not [path for path in site.asked if "private" in path or "?" in path]
    assert len(found["without_page"]) == found["sources"]["item"]
    pages = {page.url: page for page in _pages(made.folder)}
    assert pages[f"{site.url}/moved"].location == f"{other.url}/away"
