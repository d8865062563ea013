"""Old addresses of a site without localization, from the pull to the redirects."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from cmsmig.evidence.old_addresses import address_map, imported_addresses
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.redirects.address_map import AddressOutcome, Source
from cmsmig.sandbox.origin.content import read_content
from cmsmig.sandbox.origin.site_pages import SitePages
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.known_addresses import RULES, NewPaths, known_addresses
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from tests.support.sites.usual import make_usual
from tests.support.steps.staged_project import Stage
from tests.support.tiny_site import write_tiny_site

HREFS = {
    "/notes/note-1": "note-1",
    "/notes/note-2": "../notes/note-2#part",
    "/notes/note-3": "https://saltmarsh.example.com/{folder}/note-3",
    "/notes/note-0": "/{folder}/note-0",
}
"""The addresses that bodies get, by those that they have."""


@pytest.mark.parametrize("folder", ["notes", "company/notes"])
def test_pages_are_where_the_template_page_is_published(
    stage: Stage,
    tmp_path: Path,
    folder: str,
) -> None:
    """Links to items, relative ones too, become story links, the old addresses are
    those that the site answers, and the sandbox has its pages there."""
    content = tmp_path / "usual"
    write_tiny_site(content)
    make_usual(content, {"notes": f"/{folder}"})
    for file in (*content.glob("items/*.json"), *content.glob("live/*.json")):
        text = file.read_text()
        for old, new in HREFS.items():
            new = new.format(folder=folder)
            text = text.replace(f'href=\\"{old}\\"', f'href=\\"{new}\\"')
        file.write_text(text)
    staged = stage(content=content)
    planned = staged.plan()
    assert (planned["internal_links"], planned["links_left_by_cause"]) == (4, {})
    staged.done("import")
    staged.verified()
    stories = staged.stories().values()
    old = {f"/{folder}/note-{number}" for number in range(4)} | {"/spots/spot"}
    assert {f"/{each}" for each in staged.stories()} == old
    found = json.dumps([each.content for each in stories])
    assert found.count('"linktype": "story"') == 4
    assert '"anchor": "part"' in found
    known = NewPaths.unchanged(read_origin(Project(staged.folder), None))
    assert {*known.stories.values()} == old
    assert {*known.folders.values()} == {f"/{folder}", "/spots"}
    pages = SitePages(read_content(content, "http://localhost"))
    pages._find_pages()
    assert {*pages.paths.values()} == old


def test_the_sample_site_keeps_its_addresses(
    stage: Stage, content_of: Callable[[str], Path]
) -> None:
    """Every link to an item that has a story is a story link, and redirects lead from
    the pages alone whose slug no story can have, or has yet."""
    staged = stage(content=content_of("sample"))
    planned = staged.plan()
    assert planned["internal_links"] == 49
    left = {"static": 4, "template": 2, "unlisted": 2}
    assert planned["links_left_by_cause"] == left
    staged.done("import")
    staged.verified()
    pages = SitePages(read_content(content_of("sample"), "http://localhost"))
    pages._find_pages()
    project = Project(staged.folder)
    settings = load_settings(project, {}, need_origin=False)
    rules = address_map(project, open_migration(project, settings)).rules
    moved = {each.old for each in rules if each.sources[0] is Source.ITEM}
    lost = {*pages.paths.values()} - {f"/{each}" for each in staged.stories()}
    left_out = {"/journal/a-notice-withdrawn", "/journal/ferry-timetable-2023"}
    assert moved == lost - left_out
    assert moved == {
        "/journal/Notes-From-The-OLD-Quay",
        "/journal/eleven-boats",
        "/letters/לימונים-כבושים",
        "/dispatches/潮だより-三月",
    }


def test_an_address_of_several_items_leads_to_the_first(
    stage: Stage, tmp_path: Path
) -> None:
    """Where links alone name it, whatever the order that the origin lists items in."""
    write_tiny_site(tmp_path / "site")
    for kind in ("items", "live"):
        for path in (tmp_path / "site" / kind).glob("*.json"):
            path.write_text(path.read_text().replace('"note-2"', '"note-1"'))
    project = Project(stage(content=tmp_path / "site").folder)
    origin = read_origin(project, None)
    shared = [k for k, e in origin.every_item().items() if e.slug == "note-1"]
    stories = {key: f"/new/{key.item_id}" for key in shared}
    found = []
    for turned in (origin, replace(origin, live={}), _turned(origin)):
        known = known_addresses(
            project, turned, CollectionsDecision(), NewPaths(stories, {})
        )
        links = [e.to for e in known if (e.source, e.old) == (Source.LINK, _SHARED)]
        found += links
    assert len(shared) == 2
    assert found == [stories[min(shared)]] * 3


_SHARED = "/notes/note-1"


def _turned(origin: Origin) -> Origin:
    """Return an origin whose items are listed the other way round."""
    staged, live = (
        {name: items[::-1] for name, items in sets.items()}
        for sets in (origin.staged, origin.live)
    )
    return replace(origin, staged=staged, live=live)


@pytest.mark.parametrize("own", [False, True])
def test_what_led_to_a_file_leads_to_its_asset(
    stage: Stage, content_of: Callable[[str], Path], own: bool
) -> None:
    """Rules of the origin lead to a file where it is uploaded, and so does its address
    below the site's own."""
    staged = stage(content=content_of("file links"))
    project = Project(staged.folder)
    files = read_origin(project, None).files
    old = next(each for each in files if each.endswith("_sheet.pdf"))
    rules = f"/price.pdf,{old}#page=2\n/again,/price.pdf\n"
    (project.decisions / RULES).write_text(rules)
    settings = load_settings(project, {}, need_origin=False)
    staged.done("import")
    migration = open_migration(project, settings)
    if own:
        site = replace(migration.origin.site, domains=(urlsplit(old).netloc,))
        migration = replace(migration, origin=replace(migration.origin, site=site))
    with Ledger.open_existing(project.ledger) as ledger:
        rows = ledger.items.all()
        found = imported_addresses(project, migration, ledger, rows)
    addresses = {url for (url,) in staged.rows("SELECT content_url FROM asset")}
    (asset,) = (each for each in addresses if each.endswith("/sheet.pdf"))
    moved = {
        each.old: f"{each.new}{each.tail}" for each in found.of(AddressOutcome.MOVED)
    }
    assert (moved["/price.pdf"], moved["/again"]) == (f"{asset}#page=2",) * 2
    assert moved.get(urlsplit(old).path) == (asset if own else None)
