"""Each fault of a switch is found, and a clean switch has none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cmsmig.sandbox.options import SandboxOptions
from tests.support.rehearsal import Rehearsal
from tests.support.sandbox.observed import running_sandbox
from tests.support.web_site import Served, WebSite, led_to, web_site

FAST = ("--rate", "900", "--json")
PATHS = ("/", "/notes/one", "/notes/two", "/about")
PAGE = """<html lang="en"><head><title>{name} | Site</title>
<meta name="description" content="All about {name}">
<link rel="canonical" href="{base}{path}">
</head><body><h1>{name}</h1></body></html>"""
UNFOUND = Served(
    "<title>Oh</title><main><p>There is nothing at all here</p></main>", 404
)


def page(path: str, new: str = "") -> Served:
    """Return the page of an old path, at its new one."""
    name = f"page {PATHS.index(path)}"
    return Served(PAGE.replace("{name}", name).replace("{path}", new or path))


def sitemap(*paths: str) -> Served:
    rows = "".join(f"<url><loc>{{base}}{path}</loc></url>" for path in paths)
    return Served(f"<urlset>{rows}</urlset>", headers={"Content-Type": "text/xml"})


OLD = {path: page(path) for path in PATHS} | {
    "/sitemap.xml": sitemap(*PATHS, "/members"),
    "/old-rule": led_to("/about"),
    "/members": Served("Who are you?", 401),
}
MOVED = {"/notes/one": "/stories/one", "/about": "/company/about"}
"""Where pages are in the new site; the others stay."""
NEW = {
    **{MOVED.get(path, path): page(path, MOVED.get(path, "")) for path in PATHS},
    **{old: led_to(new) for old, new in MOVED.items()},
    "/old-rule": led_to("/company/about"),
    "/members": Served("Who are you?", 403),
    "/robots.txt": Served("User-agent: *\nDisallow: /search\n"),
}
ONE, TWO = "/stories/one", "/notes/two"


def edit(path: str, part: str, instead: str = "") -> dict[str, Served]:
    return {path: NEW[path].without(part, instead)}


CANONICAL = f'<link rel="canonical" href="{{base}}{TWO}">'
SOFT = replace(UNFOUND, status=200)
HIDDEN = replace(NEW[TWO], headers={"X-Robots-Tag": "noindex, nofollow"})
BETWEEN = {"/between": led_to("/company/about")}
FAULTS: dict[str, tuple[dict[str, Served], str]] = {
    "status: no page": ({"/about": UNFOUND}, "/about"),
    "status: a redirect to no page": ({"/about": led_to("/nowhere")}, "/about"),
    "status: a sign-in": ({TWO: Served("Who are you?", 401)}, TWO),
    "redirect: two": ({"/about": led_to("/between")} | BETWEEN, "/about"),
    "redirect: a circle": ({"/about": led_to("/b"), "/b": led_to("/about")}, "/about"),
    "redirect: temporary": ({"/about": led_to("/company/about", 302)}, "/about"),
    "redirect: another site": ({"/about": led_to("https://x.example.com/")}, "/about"),
    "redirect: the start page": ({"/about": led_to("/")}, "/about"),
    "title": (edit(TWO, "<title>page 2 | Site</title>"), TWO),
    "title: of nothing": ({TWO: replace(NEW[TWO].without("page 2 | Site", "Oh"))}, TWO),
    "description": (edit(TWO, "All about page 2", "Other"), TWO),
    "unlocked": (
        {"/members": replace(SOFT, body="<p>All our secrets</p>")},
        "/members",
    ),
    "canonical: lost": (edit(TWO, CANONICAL), TWO),
    "canonical: the old host": (
        edit(TWO, CANONICAL, CANONICAL.replace("base", "old")),
        TWO,
    ),
    "canonical: another page": (
        edit(TWO, CANONICAL, CANONICAL.replace(TWO, "/")),
        TWO,
    ),
    "robots": ({TWO: HIDDEN}, TWO),
    "robots: robots.txt": (
        {"/robots.txt": Served("User-agent: *\nDisallow: /notes/two")},
        TWO,
    ),
}
"""By the kind of the only difference that is found: answers of the new site that differ
from a clean switch, and the old path."""


LINES = {
    "status: no page": "Every old address leads to its new page",
    "title": "Pages keep their titles and descriptions",
    "canonical: lost": "Canonical addresses name the new pages",
    "robots": "Search engines may read every page",
    "unlocked": "Locked pages stay locked",
}
"""Lines of the checklist, by a fault that opens each."""


class Sites:
    """An old site whose baseline is taken, and a new one."""

    def __init__(self, made: Rehearsal, old: WebSite, new: WebSite) -> None:
        self.made, self.old, self.new = made, old, new

    def compare(
        self, changed: dict[str, Served], *options: str
    ) -> list[tuple[str, str]]:
        """Return kind and old address of each difference; the exit code fits."""
        self.new.pages = {
            path: replace(each, body=each.body.replace("{old}", self.old.url))
            for path, each in (NEW | changed).items()
        }
        ended = self.made.run("baseline", "--compare", self.new.url, *FAST, *options)
        found = ended.document
        assert ended.code == (4 if found["faults"] else 0), ended.err
        assert found["unread"] == []
        return [(each["kind"], each["url"]) for each in found["faults"]]

    def checklist(self) -> list[dict[str, str]]:
        """Return the lines of the checklist."""
        return self.made.run("checklist", "--json").document["checklist"]


@pytest.fixture(scope="module")
def sites(
    tmp_path_factory: pytest.TempPathFactory, small_site: Path
) -> Iterator[Sites]:
    """Take the baseline of the old site once."""
    folder = tmp_path_factory.mktemp("switch")
    options = SandboxOptions(content=small_site, rate=500, origin_rate=60_000)
    with web_site(OLD) as old, web_site({}) as new:
        with running_sandbox(options) as handle:
            made = Rehearsal.start(handle, folder / "project", 500, folder / "state")
            made.done("pull")
            made.done("decide", "--accept-proposals", "--reviewer", "R")
            made.done("plan")
            made.done("baseline", "--site", old.url, *FAST)
        yield Sites(made, old, new)


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_the_only_difference(sites: Sites, name: str) -> None:
    """One fault in the new site is one difference, with its kind and old address."""
    changed, path = FAULTS[name]
    kind = name.split(":")[0]
    assert sites.compare(changed) == [(kind, f"{sites.old.url}{path}")]


def test_a_clean_switch_has_no_difference(sites: Sites) -> None:
    """Moved pages with one redirect each, and an old rule that was updated; the lines
    of the checklist about the site are done."""
    assert sites.compare({}) == []
    states = {each["what"]: each["state"] for each in sites.checklist()}
    assert {states[what] for what in LINES.values()} == {"done"}


@pytest.mark.parametrize("name", LINES)
def test_a_fault_opens_its_line_of_the_checklist(sites: Sites, name: str) -> None:
    """The line says which page it is and what to do, until the next comparison."""
    changed, path = FAULTS[name]
    sites.compare(changed)
    about = [each for each in sites.checklist() if each["what"] in LINES.values()]
    (line,) = [each for each in about if each["state"] == "open"]
    assert line["what"] == LINES[name]
    assert f"{sites.old.url}{path}" in line["found"]
    assert "--compare" in line["todo"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Served("", 410), ""),
        (UNFOUND, ""),
        (page("/about"), "status"),
        (led_to("/company/about"), "status"),
    ],
)
def test_an_address_that_was_decided_to_be_gone(
    sites: Sites, answer: Served, kind: str
) -> None:
    """Without a page it is as decided; with one, or a redirect to one, it differs."""
    decided = sites.made.folder / "decisions" / "redirects.yaml"
    decided.write_text("addresses:\n- {old: /about, action: gone}\n")
    try:
        found = sites.compare({"/about": answer})
    finally:
        decided.unlink()
    assert found == ([(kind, f"{sites.old.url}/about")] if kind else [])


def test_a_preview_names_the_host_that_it_gets(sites: Sites) -> None:
    """Redirects and canonical addresses that name it are the preview's own; nothing is
    asked there."""
    final = "https://www.example.com"
    pages = {
        path: replace(
            each,
            body=each.body.replace("{base}", final),
            headers={n: v.replace("/", f"{final}/", 1) for n, v in each.headers.items()}
            if each.status == 301
            else each.headers,
        )
        for path, each in NEW.items()
    }
    assert sites.compare(pages, "--host", "example.com") == []
    assert {kind for kind, _ in sites.compare(pages)} >= {"redirect", "canonical"}


def test_a_new_page_that_cannot_be_read_is_no_difference(sites: Sites) -> None:
    """It is listed, and the command ends with 1."""
    sites.new.pages = NEW | {TWO: Served("x" * 6_000_000)}
    ended = sites.made.run("baseline", "--compare", sites.new.url, *FAST)
    assert (ended.code, ended.document["faults"]) == (1, [])
    assert [each["url"] for each in ended.document["unread"]] == [
        f"{sites.new.url}{TWO}"
    ]
