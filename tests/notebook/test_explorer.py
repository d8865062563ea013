"""Notebook 01: the browser of the site's items, worked as its panel is worked."""

from __future__ import annotations

import io
import json
import re
import resource
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from PIL import Image

from cmsmig.derived_file import DerivedFile
from cmsmig.item_key import ItemKey
from cmsmig.mapping.select.routes import Routes
from cmsmig.mapping.select.selection import publication_state
from cmsmig.notebook import inspection
from cmsmig.notebook.inspect.explorer import Explorer, site_scan
from cmsmig.notebook.kit.opened_project import Workspace, open_workspace
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.survey.body_census import find_structures, look_through_bodies
from cmsmig.survey.catalogue_build import build
from cmsmig.survey.item_relation import ItemRelation
from cmsmig.survey.references import empty_causes, referring
from cmsmig.survey.thumbnails import Thumbnails
from cmsmig.ui.query import Query
from cmsmig.ui.table import PAGE
from tests.support.cases import cases
from tests.support.notebook.page import Page, worked
from tests.support.notebook.session import Session
from tests.support.scripts import play
from tests.support.sites.exact import write_load_site
from tests.support.sites.localized import write_localized_sample
from tests.support.timelimit import at_most


@pytest.fixture(scope="session")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project folder with the sample site in two languages, its catalogue
    made."""
    folder = tmp_path_factory.mktemp("explored")
    write_localized_sample(folder / "raw")
    made(folder)
    return folder


@cases(__file__, "explorer.yaml")
async def test_items_are_browsed(folder: Path, case: dict[str, Any]) -> None:
    """What is chosen is listed; what is listed can be opened and saved."""
    await play(case["steps"], Session(folder))


@pytest.fixture
def folder(explored: Path, tmp_path: Path) -> Path:
    """Return a project folder of the test's own; its catalogue is to be made."""
    shutil.copytree(explored / "raw", tmp_path / "raw")
    return tmp_path


def at(folder: Path, *, dry_run: bool = False) -> Workspace:
    """Return the workspace of a folder, a person before it."""
    return open_workspace(str(folder), interactive=True, dry_run=dry_run)


def made(folder: Path) -> ItemRelation:
    """Return the items of a pulled site, their catalogue complete."""
    catalogue = site_scan(at(folder)).catalogue
    for _ in build(catalogue):
        pass
    return ItemRelation(catalogue)


async def opened(folder: Path) -> Page:
    """Return the panel, once nothing runs in the background any more."""
    session = Session(folder)
    await session.open_explorer()
    return session.page


def origin_of(folder: Path) -> Origin:
    """Return the site, typed, as everything else reads it."""
    return read_origin(at(folder).project, None)


def names(panel: Page) -> list[str]:
    """Return the names on the page that is shown."""
    return [each.get_text() for each in panel.tags("explore-open")]


def collection_named(listing: ItemRelation, name: str) -> str:
    """Return the id of a collection."""
    found = listing.catalogue.collections
    return next(each for each, one in found.items() if one.display_name == name)


BACK = "explore-back"


def wanted(**filters: str) -> Query:
    """Return a query with filters."""
    return Query(filters=tuple(filters.items()))


# The rows.


def test_every_item_is_listed_once_in_its_state(explored: Path) -> None:
    """What the typed site holds, id by id and locale by locale, with its state."""
    origin, listing = origin_of(explored), made(explored)
    wanted = {
        key: publication_state(
            next((i for i in origin.staged[key.collection_id] if i.key == key), None),
            next((i for i in origin.live[key.collection_id] if i.key == key), None),
        )
        for key in origin.every_item()
    }
    listed = listing.entries(Query(), 0, 10_000)
    assert {each.key: each.state for each in listed} == wanted
    assert len(listed) == len(wanted)


def test_both_versions_are_read_again_as_they_are(explored: Path) -> None:
    """An entry leads to the values of either set, by place in the raw file."""
    origin, listing = origin_of(explored), made(explored)
    live = {item.key: item for items in origin.live.values() for item in items}
    staged = {item.key: item for items in origin.staged.values() for item in items}
    for entry in listing.entries(Query(), 0, 10_000):
        for source, items in ((entry.staged, staged), (entry.live, live)):
            item = items.get(entry.key)
            assert (source and source.read()) == (item and item.data)


def test_pages_hold_each_item_once_in_order(explored: Path) -> None:
    """Page after page: nothing twice, nothing left out, sorted either way."""
    listing = made(explored)
    for sort in ("name", "updated", "state", "id"):
        for descending in (False, True):
            wanted = Query(sort=sort, descending=descending)
            whole = listing.entries(wanted, 0, 1000)
            parts = [
                entry.entry_id
                for first in range(0, len(whole), PAGE)
                for entry in listing.entries(wanted, first, PAGE)
            ]
            assert parts == [each.entry_id for each in whole]
            assert len(set(parts)) == len(whole)


def test_a_field_is_empty_where_the_item_holds_nothing(explored: Path) -> None:
    """A field that is chosen lists the items that have no value in it."""
    listing = made(explored)
    posts = wanted(collection=collection_named(listing, "Journal posts"))
    every = listing.entries(posts, 0, 1000)
    for slug in ("main-image", "gallery", "author", "post-body", "featured"):
        held = {e.key: (e.staged or e.live).read().get(slug) for e in every}
        lacking = {key for key, value in held.items() if value in (None, "", [], {})}
        chosen = listing.entries(posts.having("field", slug), 0, 1000)
        assert {each.key for each in chosen} == lacking, slug


def test_facets_count_what_choosing_them_lists(explored: Path) -> None:
    """Each value's number is that of the items listed once it is chosen."""
    listing = made(explored)
    posts = collection_named(listing, "Journal posts")
    facets = {
        each.name.removeprefix("facet:"): each.options
        for each in listing.filters(wanted(collection=posts))
        if each.name.startswith("facet:")
    }
    assert {*facets} >= {"author", "topics", "tone"}
    for slug, options in facets.items():
        for label, value in options[1:5]:
            chosen = wanted(collection=posts, **{f"facet:{slug}": value})
            assert label.endswith(f" ({listing.count(chosen)})")


@pytest.mark.parametrize(
    "query",
    [
        Query(),
        Query("harbour"),
        wanted(state="published"),
        wanted(since="2024-01-01", finding="no-alt"),
    ],
)
def test_findings_count_what_choosing_them_lists(explored: Path, query: Query) -> None:
    """Under the search and all other filters, whatever finding is chosen."""
    listing = made(explored)
    for _ in look_through_bodies(listing.catalogue):
        pass
    (findings,) = [e for e in listing.filters(query) if e.name == "finding"]
    assert len(findings.options) > 15
    for label, finding in findings.options[1:]:
        count = listing.count(query.having("finding", finding))
        assert label.endswith(f" ({count})")


def test_search_finds_words_anywhere_without_case_or_accents(explored: Path) -> None:
    """In names, bodies, addresses and ids; every word has to be there."""
    listing = made(explored)
    entry = next(
        e for e in listing.entries(Query(), 0, 500) if e.name.startswith("Séver")
    )
    for text in ("severine", "SÉVERINE AUBRY", "aubry sev", entry.key.item_id):
        found = listing.entries(Query(text=text), 0, 500)
        assert entry.key in {each.key for each in found}, text
    assert listing.count(Query(text="severine xyzzy")) == 0
    for odd in ("100%", "_", "'", '"', "\\", "\0", "a' OR 1=1 --"):
        listing.page(Query(text=odd), 0, 5, ())


def test_references_lead_both_ways(explored: Path) -> None:
    """What refers to an item is what names it in a reference, in its locale."""
    listing = made(explored)
    catalogue = listing.catalogue
    author = next(
        each
        for each in listing.entries(Query(text="Bram Oakes"), 0, 50)
        if each.name == "Bram Oakes" and referring(catalogue, each, 1)[0]
    )
    count, found = referring(catalogue, author, 100)
    assert count == len({other.entry_id for other, _ in found})
    for other, field in found:
        assert author.key.item_id in json.dumps(other.staged.read()[field])
        assert (field, author.key.item_id) in empty_causes(catalogue, other)


def test_a_changed_raw_file_makes_the_rows_again(folder: Path) -> None:
    """A collection that was read again is listed as it is now; the others stay."""
    before = made(folder)
    places = collection_named(before, "Places")
    rows = before.count(Query())
    path = before.catalogue.cache.item_file(places, live=False)
    records = json.loads(path.read_text())["items"]
    records[0]["fieldData"]["name"] = "Renamed since"
    lines = ",\n".join(json.dumps(each) for each in records)
    path.write_text(f'{{"items": [\n{lines}\n]}}\n')
    after = made(folder)
    assert after.count(Query(text="Renamed since")) == 1
    assert after.count(Query()) == rows
    with closing(sqlite3.connect(folder / "derived.sqlite")) as db:
        (editions,) = db.execute("SELECT count(*) FROM edition").fetchone()
        (entries,) = db.execute("SELECT count(*) FROM entry").fetchone()
    assert (editions, entries) == (len(after.catalogue.editions), rows)


def test_a_file_that_another_program_laid_out_is_read_too(folder: Path) -> None:
    """Raw files as another program writes them: the same rows, the same values."""
    before = {e.key: (e.state, e.name) for e in made(folder).entries(Query(), 0, 999)}
    for path in [*folder.glob("raw/items/*.json"), *folder.glob("raw/live/*.json")]:
        path.write_text(json.dumps(json.loads(path.read_text()), indent=3))
    listing = made(folder)
    entries = listing.entries(Query(), 0, 999)
    assert {e.key: (e.state, e.name) for e in entries} == before
    assert all((e.staged or e.live).read()["name"] == e.name for e in entries[:20])


def test_two_kernels_make_the_rows_together(folder: Path) -> None:
    """Each continues where the other is; no item is there twice."""
    one, two = site_scan(at(folder)).catalogue, site_scan(at(folder)).catalogue
    first, second = build(one), build(two)
    for _ in range(4):
        next(first), next(second)
    for work in (first, second):
        for _ in work:
            pass
    entries = ItemRelation(two).entries(Query(), 0, 1000)
    assert len(entries) == len({each.key for each in entries}) == 287


def test_without_a_place_for_the_rows_they_are_made_elsewhere(folder: Path) -> None:
    """A derived file that is no file of ours is left alone; the list works."""
    (folder / "derived.sqlite").mkdir()
    assert made(folder).count(Query()) == 287


# The panel.


async def test_an_items_page_says_where_its_story_goes(staged: Callable) -> None:
    """With the design decided the path is that of the plan; imported, its state."""
    session = staged()
    panel = await opened(session.folder)
    await panel.click("explore-open")
    assert re.search(
        r"Will be at [\w/-]+; nothing was imported yet", panel.text("explore_item")
    )


async def test_pictures_are_drawn_from_the_local_copies(
    explored: Path, tmp_path: Path
) -> None:
    """A raster picture small; a drawing only when nothing in it could run or load; no
    drawing of a bomb, of rubbish, or of what is not there."""
    (tmp_path / "raw").mkdir()
    catalogue = site_scan(at(explored)).catalogue
    drawn = Thumbnails(catalogue.files, DerivedFile(tmp_path / "derived.sqlite"))
    folder = explored / "files"
    folder.mkdir(exist_ok=True)

    def shown(body: bytes) -> str:
        name = f"{abs(hash(body)):064x}"
        (folder / name).write_bytes(body)
        return drawn.draw(name)

    picture = io.BytesIO()
    Image.new("RGB", (900, 600), "red").save(picture, "JPEG")
    assert shown(picture.getvalue()).startswith("data:image/jpeg;base64,")
    bomb = io.BytesIO()
    Image.new("1", (9000, 9000)).save(bomb, "PNG")
    assert shown(bomb.getvalue()) == ""
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>'
    assert shown(svg.format('<path d="M0 0h9v9z"/>').encode()).startswith(
        "data:image/svg"
    )
    for inside in (
        "<script>1</script>",
        '<g onload="1"/>',
        '<image href="https://abroad.example/1.png"/>',
        '<use xlink:href="#a"/>',
        "<foreignObject/>",
        '<rect fill="url(https://abroad.example/)"/>',
    ):
        assert shown(svg.format(inside).encode()) == "", inside
    assert shown(b"<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>") == ""
    assert shown(b"rubbish") == ""
    assert drawn.draw("0" * 64) == ""


async def test_what_bodies_are_made_of_narrows_the_list(explored: Path) -> None:
    """Each structure lists as many items as its bodies are in."""
    panel = await opened(explored)
    origin = origin_of(explored)
    routes = Routes(origin.site, origin.collections, {}, {})
    held: dict[str, set[ItemKey]] = {}
    fields = {
        (each.collection_id, field.slug)
        for each in origin.collections
        for field in each.fields
        if field.type == "RichText"
    }
    for item in origin.every_item().values():
        for slug, value in item.data.items():
            is_body = (item.key.collection_id, slug) in fields
            for name in find_structures(str(value), routes) if is_body else ():
                held.setdefault(f"structure:{name}", set()).add(item.key)
    offered = panel.options("explore-finding")
    assert {*held} == {each for each in offered if each.startswith("structure:")}
    for name, items in held.items():
        await panel.set("explore-finding", name)
        noun = "item" if len(items) == 1 else "items"
        await panel.shows("explore_list", f"{len(items)} {noun}")


def test_unattended_the_first_page_is_plain(explored: Path) -> None:
    """A table of the first page, no control, and how many more there are."""
    workspace = open_workspace(str(explored), interactive=False)
    html = inspection.explore_items(workspace)._repr_mimebundle_()["text/html"]
    page = BeautifulSoup(html, "html.parser")
    assert len(page.select("tbody tr")) == PAGE
    assert page.select("button, input, select, script") == []
    assert "262 items more" in page.get_text()


@pytest.mark.soak
async def test_a_large_site_never_makes_one_wait(tmp_path: Path) -> None:
    """The first page is there while most items are not listed yet; once they are, a
    search, the next page, a facet and an opened item take a second at most."""
    write_load_site(tmp_path / "raw", items=20_000, images=40)
    workspace = at(tmp_path)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.process_time()
    with at_most(1):
        explorer = Explorer(workspace)
        panel = Page(explorer.element())
        await worked()
        spent = {"first page": round(1000 * (time.process_time() - began))}
        assert "so far" in panel.text("explore_progress")
        assert len(names(panel)) == PAGE
    while explorer.queue.busy:
        await worked()
    pressed = ("explore-clear", "explore-turn", "explore-open", "explore-next", BACK)
    for work in (
        ("explore-search", "record 19"),
        ("explore-clear",),
        ("explore-turn", 2),
        ("explore-open",),
        ("explore-next",),
        (BACK,),
        ("explore-collection", panel.options("explore-collection")[1]),
        ("explore-sort", "field:next"),
        ("explore-field", "cover"),
        ("explore-turn", 3),
    ):
        began = time.process_time()
        with at_most(1):
            await (panel.click if work[0] in pressed else panel.set)(*work)
        spent[" ".join(map(str, work))] = round(1000 * (time.process_time() - began))
        assert panel.said() == ""
    print("milliseconds of work:", spent)
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"memory at most: {largest:.0f} MB, {largest - held:.0f} of it since the start"
    )
