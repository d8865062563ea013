"""The old site's pages are read once, politely, and compared with the items."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.errors import InterruptedRunError
from cmsmig.events import Event, StepAdvanced
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.origin.site_pages import TEMPLATE_TEXT
from cmsmig.settings import Project, load_settings
from cmsmig.steps.baseline.baseline import BaselineOptions, take_baseline
from cmsmig.steps.baseline.page_record import PageRecord
from cmsmig.steps.baseline.page_store import OLD, PageStore, open_pages
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


def test_the_sample_site_is_read_once_and_compared(
    rehearse: Callable[..., Rehearsal],
) -> None:
    """Every address once; robots.txt is obeyed; what no item has is listed. A second
    run asks for nothing that is known, `--refresh` for what changed only."""
    made = rehearse(SAMPLE)
    made.done("pull")
    found = made.done("baseline", *FAST, "--json").document
    assert found["unread"] == []
    assert found["forbidden"] == [f"{found['site']}/search"]
    assert found["sources"]["item"] == _live_items(made.folder) == 203
    assert found["statuses"] == {"200": 212, "404": 6, "unread": 1}
    paths = [each["url"].removeprefix(found["site"]) for each in found["without_item"]]
    assert paths == ["/", "/about", "/imprint"]
    assert [each["text"] for each in found["on_pages_only"]] == [TEMPLATE_TEXT]
    assert found["on_pages_only"][0]["pages"] == 203
    assert [each["field"] for each in found["in_items_only"]] == ["Post body"]
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
    assert sum(n for (_, s), n in _site_calls(made).items() if s == 304) == 207
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

    options = BaselineOptions(rate=900)
    with pytest.raises(InterruptedRunError):
        await take_baseline(project, settings, options, observer=observe, stop=stop)
    assert _pages(made.folder) == []
    report = await take_baseline(
        project, settings, options, observer=observe, stop=StopSignal()
    )
    assert report.addresses == 219
    calls = _site_calls(made)
    for path in ("/", "/robots.txt", "/sitemap.xml"):
        del calls[path, 200]
    assert set(calls.values()) == {1}


def test_a_page_that_fails_later_keeps_what_it_showed(
    rehearse: Callable[..., Rehearsal], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a refresh an error of the server is no answer; the next run asks again. An
    address that a file named once stays known."""
    monkeypatch.setattr("cmsmig.wire.download.delay_before", lambda *_: 0.0)
    made = rehearse()
    made.done("pull")
    (listed := made.folder / "rules.csv").write_text("old,new\n/rule?a=1,/x\n")
    pages = {"/": Served("<title>First</title>"), "/rule?a=1": led_to("/")}
    with web_site(pages) as site:
        made.done("baseline", *FAST, "--site", site.url, "--addresses", str(listed))
        site.pages["/"] = Served("Down", 503)
        ended = made.run("baseline", *FAST, "--site", site.url, "--refresh")
        assert (ended.code, "answers 503" in ended.out) == (1, True)
        assert _titles(made) == ["First"]
        assert site.asked.count("/rule?a=1") == 2
        site.pages["/"] = Served("<title>Second</title>")
        made.done("baseline", *FAST, "--site", site.url)
    assert _titles(made) == ["Second"]


def _titles(made: Rehearsal) -> list[str]:
    return [page.content.title for page in _pages(made.folder) if page.content]


def _pages(folder: Path) -> list[PageRecord]:
    with open_pages(Project(folder).baseline) as db:
        store = PageStore(db, OLD)
        return [*store.pages()] if store.finished else []


def test_a_hostile_site(rehearse: Callable[..., Rehearsal]) -> None:
    """Other hosts are not asked, whatever names them; what cannot be read is listed and
    ends with 1; rules of robots.txt with wildcards and an entity in a sitemap hold."""
    made = rehearse()
    made.done("pull")
    with web_site({}) as other, web_site({}) as site:
        links = (
            f'<a href="/deep?x=1#y">a</a><a href="{other.url}/x">b</a><a href="//[">'
        )
        site.pages |= {
            "/": Served(f"<main>{links}<a href='/private/1'>c</a></main>"),
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
                "<url><loc>{base}/&e;</loc></url></urlset>"
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
