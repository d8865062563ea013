"""Notebook 01: the browser of the site's items, worked as its panel is worked."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import resource
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from PIL import Image

from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.select.selection import publication_state
from cmsmig.notebook.inspect import inspection
from cmsmig.notebook.inspect.explorer import Explorer
from cmsmig.notebook.inspect.item_list import PAGE
from cmsmig.notebook.inspect.site_catalogue import open_catalogue
from cmsmig.notebook.kit.workspace import Workspace, open_workspace
from cmsmig.sandbox.server import SAMPLE
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.survey.catalogue_build import build
from cmsmig.survey.catalogue_filter import FieldTest, Wanted
from cmsmig.survey.census import take_census
from cmsmig.survey.item_browser import ItemBrowser
from cmsmig.survey.thumbnails import Thumbnails
from tests.support.browser.hostile import HOSTILE_NAME, write_hostile_site
from tests.support.notebook.page import Page, worked
from tests.support.processortime import at_most
from tests.support.sites.exact import write_load_site

ITEMS = int(os.environ.get("CMSMIG_ITEMS", "1000"))


@pytest.fixture(scope="session")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project folder with the sample site, its catalogue made."""
    folder = tmp_path_factory.mktemp("explored")
    shutil.copytree(SAMPLE, folder / "raw")
    made(folder)
    return folder


@pytest.fixture
def folder(explored: Path, tmp_path: Path) -> Path:
    """Return a project folder of the test's own; its catalogue is to be made."""
    shutil.copytree(explored / "raw", tmp_path / "raw")
    return tmp_path


def at(folder: Path, *, dry_run: bool = False) -> Workspace:
    """Return the workspace of a folder, a person before it."""
    return open_workspace(str(folder), interactive=True, dry_run=dry_run)


def made(folder: Path) -> ItemBrowser:
    """Return the browser of a pulled site, its catalogue complete."""
    catalogue = open_catalogue(at(folder))
    for _ in build(catalogue):
        pass
    return ItemBrowser(catalogue)


async def opened(folder: Path, *, dry_run: bool = False) -> Page:
    """Return the panel, once nothing goes on in the background any more."""
    workspace = at(folder, dry_run=dry_run)
    explorer = Explorer(workspace, open_catalogue(workspace))
    panel = Page(explorer.element())
    while explorer.busy:
        await worked()
    assert panel.said() == ""
    return panel


def origin_of(folder: Path) -> Origin:
    """Return the site, typed, as everything else reads it."""
    return read_origin(at(folder).project, None)


def names(panel: Page) -> list[str]:
    """Return the names on the page that is shown."""
    return [each.get_text() for each in panel.tags("explore-open")]


def collection_named(browser: ItemBrowser, name: str) -> str:
    """Return the id of a collection."""
    found = browser.catalogue.collections
    return next(each for each, one in found.items() if one.display_name == name)


# The rows.


def test_every_item_is_listed_once_in_its_state(explored: Path) -> None:
    """What the typed site holds, id by id and locale by locale, with its state."""
    origin, browser = origin_of(explored), made(explored)
    wanted = {
        key: publication_state(
            next((i for i in origin.staged[key.collection_id] if i.key == key), None),
            next((i for i in origin.live[key.collection_id] if i.key == key), None),
        )
        for key in origin.every_item()
    }
    listed = browser.page(Wanted(), 0, 10_000).entries
    assert {each.key: each.state for each in listed} == wanted
    assert len(listed) == len(wanted)


def test_both_versions_are_read_again_as_they_are(explored: Path) -> None:
    """An entry leads to the values of either set, by place in the raw file."""
    origin, browser = origin_of(explored), made(explored)
    live = {item.key: item for items in origin.live.values() for item in items}
    staged = {item.key: item for items in origin.staged.values() for item in items}
    for entry in browser.page(Wanted(), 0, 10_000).entries:
        for source, items in ((entry.staged, staged), (entry.live, live)):
            item = items.get(entry.key)
            assert (source and source.read()) == (item and item.data)


def test_pages_hold_each_item_once_in_order(explored: Path) -> None:
    """Page after page: nothing twice, nothing left out, sorted either way."""
    browser = made(explored)
    for sort in ("name", "updated", "state", "id"):
        for descending in (False, True):
            wanted = Wanted(sort=sort, descending=descending)
            whole = browser.page(wanted, 0, 1000)
            parts = [
                entry.entry_id
                for first in range(0, whole.count, PAGE)
                for entry in browser.page(wanted, first, PAGE).entries
            ]
            assert parts == [each.entry_id for each in whole.entries]
            assert len(set(parts)) == whole.count


def test_what_is_empty_and_what_is_filled_is_all(explored: Path) -> None:
    """A field is empty exactly where the item holds nothing in it."""
    browser = made(explored)
    posts = collection_named(browser, "Journal posts")
    for slug in ("main-image", "gallery", "author", "post-body", "featured"):
        wanted = Wanted(collection=posts, field=slug)
        empty = browser.page(wanted, 0, 1000).entries
        filled = browser.page(
            Wanted(collection=posts, field=slug, test=FieldTest.FILLED), 0, 1000
        ).entries
        assert len(empty) + len(filled) == 71
        for entry in empty:
            assert entry.staged or entry.live
            held = (entry.staged or entry.live).read().get(slug)
            assert held in (None, "", [], {}) or not str(held).strip()
        assert all((e.staged or e.live).read().get(slug) for e in filled) or (
            slug == "featured"
        )


def test_facets_count_what_choosing_them_lists(explored: Path) -> None:
    """Each value's number is that of the items listed once it is chosen."""
    browser = made(explored)
    posts = collection_named(browser, "Journal posts")
    facets = browser.facets(Wanted(collection=posts))
    assert {each.field.slug for each in facets} >= {"author", "topics", "tone"}
    for facet in facets:
        for value in facet.values[:4]:
            chosen = ((facet.field.slug, value.value),)
            page = browser.page(Wanted(collection=posts, facets=chosen), 0, 1)
            assert page.count == value.items


def test_search_finds_words_anywhere_without_case_or_accents(explored: Path) -> None:
    """In names, bodies, addresses and ids; every word has to be there."""
    browser = made(explored)
    entry = next(
        e for e in browser.page(Wanted(), 0, 500).entries if e.name.startswith("Séver")
    )
    for text in ("severine", "SÉVERINE AUBRY", "aubry sev", entry.key.item_id):
        found = browser.page(Wanted(text=text), 0, 500).entries
        assert entry.key in {each.key for each in found}, text
    assert browser.page(Wanted(text="severine xyzzy"), 0, 5).count == 0
    for odd in ("100%", "_", "'", '"', "\\", "\0", "a' OR 1=1 --"):
        browser.page(Wanted(text=odd), 0, 5)


def test_references_lead_both_ways(explored: Path) -> None:
    """What refers to an item is what names it in a reference, in its locale."""
    browser = made(explored)
    author = next(
        each
        for each in browser.page(Wanted(text="Bram Oakes"), 0, 50).entries
        if each.name == "Bram Oakes" and browser.referring(each, 1)[0]
    )
    count, referring = browser.referring(author, 100)
    assert count == len({each.entry.entry_id for each in referring})
    for each in referring:
        assert author.key.item_id in json.dumps(each.entry.staged.read()[each.field])
        back = [one.item_id for one in browser.references(each.entry)]
        assert author.key.item_id in back


def test_a_changed_raw_file_makes_the_rows_anew(folder: Path) -> None:
    """A collection that was read again is listed as it is now; the others stay."""
    before = made(folder)
    places = collection_named(before, "Places")
    rows = before.page(Wanted(), 0, 1000).count
    path = before.catalogue.cache.item_file(places, live=False)
    records = json.loads(path.read_text())["items"]
    records[0]["fieldData"]["name"] = "Renamed since"
    lines = ",\n".join(json.dumps(each) for each in records)
    path.write_text(f'{{"items": [\n{lines}\n]}}\n')
    after = made(folder)
    assert after.page(Wanted(text="Renamed since"), 0, 5).count == 1
    assert after.page(Wanted(), 0, 1000).count == rows
    with closing(sqlite3.connect(folder / "derived.sqlite")) as db:
        (editions,) = db.execute("SELECT count(*) FROM edition").fetchone()
        (entries,) = db.execute("SELECT count(*) FROM entry").fetchone()
    assert (editions, entries) == (len(after.catalogue.editions), rows)


def test_a_file_that_somebody_else_laid_out_is_read_too(folder: Path) -> None:
    """Raw files as another program writes them: the same rows, the same values."""
    before = {
        e.key: (e.state, e.name) for e in made(folder).page(Wanted(), 0, 999).entries
    }
    for path in [*folder.glob("raw/items/*.json"), *folder.glob("raw/live/*.json")]:
        path.write_text(json.dumps(json.loads(path.read_text()), indent=3))
    browser = made(folder)
    entries = browser.page(Wanted(), 0, 999).entries
    assert {e.key: (e.state, e.name) for e in entries} == before
    assert all((e.staged or e.live).read()["name"] == e.name for e in entries[:20])


def test_two_kernels_make_the_rows_together(folder: Path) -> None:
    """Each goes on where the other is; no item stands twice."""
    one, two = open_catalogue(at(folder)), open_catalogue(at(folder))
    first, second = build(one), build(two)
    for _ in range(4):
        next(first), next(second)
    for work in (first, second):
        for _ in work:
            pass
    page = ItemBrowser(two).page(Wanted(), 0, 1000)
    assert page.count == len({each.key for each in page.entries}) == 278


def test_without_a_place_for_the_rows_they_are_made_elsewhere(folder: Path) -> None:
    """A derived file that is no file of ours is left alone; the list works."""
    (folder / "derived.sqlite").mkdir()
    assert made(folder).page(Wanted(), 0, 5).count == 278


# The panel.


async def test_the_list_is_narrowed_and_cleared(explored: Path) -> None:
    """Collection, state, finding, a field's value, a day; then everything again."""
    panel = await opened(explored)
    assert "1 to 25 of 278 items" in panel.text("list")
    posts = panel.options("explore-collection")[1]
    await panel.set("explore-collection", posts)
    assert "of 71 items" in panel.text("list")
    await panel.set("explore-state", "changes_in_draft")
    some = panel.text("list")
    await panel.set("explore-since", "2024-01-01")
    assert panel.said() == ""
    await panel.click("explore-clear")
    assert "1 to 25 of 278 items" in panel.text("list")
    assert some != panel.text("list")
    await panel.set("explore-collection", posts)
    await panel.set("explore-field", "main-image")
    empty = panel.text("list").split()[0]
    await panel.set("explore-test", "filled")
    assert "items" in panel.text("list")
    assert panel.text("list").split()[0] != empty
    await panel.set("explore-test", "holds")
    await panel.set("explore-value", "no such text")
    assert "No item passes" in panel.text("list")


async def test_a_day_that_is_none_is_refused_in_a_sentence(explored: Path) -> None:
    panel = await opened(explored)
    await panel.set("explore-since", "yesterday")
    assert "'yesterday' is no day" in panel.said()
    assert "278 items" in panel.text("list")


async def test_pages_are_turned_and_items_stepped_through(explored: Path) -> None:
    """The next page begins behind the last item; a step over its end turns it."""
    panel = await opened(explored)
    first = names(panel)
    await panel.click("explore-on")
    second = names(panel)
    assert "26 to 50 of 278" in panel.text("list")
    assert not set(panel.ids("explore-open")) & set(first)
    await panel.click("explore-back")
    assert names(panel) == first
    for _ in range(PAGE + 1):
        await panel.click("explore-down")
    assert names(panel) == second
    await panel.click("explore-last")
    assert "276 to 278 of 278" in panel.text("list")
    await panel.click("explore-first")
    assert names(panel) == first


async def test_columns_are_chosen_and_sorted(explored: Path) -> None:
    panel = await opened(explored)
    posts = panel.options("explore-collection")[1]
    await panel.set("explore-collection", posts)
    await panel.set("explore-column", "field:sort-order=1")
    heads = [each.get_text() for each in panel.tags("explore-sort")]
    assert heads[-1] == "Sort order"
    await panel.set("explore-sort", "field:sort-order")
    column = numbers(panel)
    assert column == sorted(column) != []
    await panel.set("explore-sort", "field:sort-order")
    assert numbers(panel) == sorted(numbers(panel), reverse=True)
    await panel.set("explore-column", "field:sort-order=0")
    assert "Sort order" not in [e.get_text() for e in panel.tags("explore-sort")]


def numbers(panel: Page) -> list[float]:
    """Return the numbers in the last column of the list."""
    rows = BeautifulSoup(panel.html("list"), "html.parser").select("tbody tr")
    cells = [row.select("td")[-1].get_text() for row in rows]
    return [float(each) for each in cells if each]


async def test_an_item_shows_what_its_fields_are(explored: Path) -> None:
    """Dates in words, a colour, an option's label, references that open, the body
    framed beside its HTML; the way back leads where one came from."""
    panel = await opened(explored)
    posts = panel.options("explore-collection")[1]
    await panel.set("explore-collection", posts)
    await panel.set("explore-search", "gose at four")
    await panel.click("explore-open")
    shown, html = panel.text("item"), panel.html("item")
    assert re.search(r"\d{1,2} [A-Z][a-z]+ 20\d\d, \d\d:\d\d \(", shown)
    assert 'sandbox=""' in html
    assert "&lt;p" in html
    first = panel.text("item")
    target = next(each for each in panel.tags("explore-open") if "-to-" in each["id"])
    await panel.set("explore-open", target["data-value"])
    assert panel.text("item") != first
    assert "Referred to by" in panel.text("item")
    await panel.click("explore-return")
    assert panel.text("item") == first
    await panel.click("explore-return")
    assert panel.text("item") == ""
    assert "gose at four" in panel.text("list")


async def test_versions_stand_side_by_side(explored: Path) -> None:
    """What is live and changed since: both values, the words that differ marked."""
    panel = await opened(explored)
    await panel.set("explore-finding", "changed")
    assert "9 items" in panel.text("list")
    for entry in panel.ids("explore-open"):
        await panel.set("explore-open", entry)
        html = panel.html("item")
        assert "Visitors see (live)" in html
        assert 'class="differs"' in html
        await panel.click("explore-return")


async def test_an_items_page_says_where_its_story_goes(staged: Callable) -> None:
    """With the design decided the path is that of the plan; imported, its state."""
    desk = staged()
    panel = await opened(desk.rehearsal.folder)
    await panel.click("explore-open")
    assert re.search(
        r"Will be at [\w/-]+; nothing was imported yet", panel.text("item")
    )


async def test_pictures_are_drawn_from_the_local_copies(
    explored: Path, tmp_path: Path
) -> None:
    """A raster picture small; a drawing only when nothing in it could run or load; no
    drawing of a bomb, of rubbish, or of what is not there."""
    (tmp_path / "raw").mkdir()
    catalogue = open_catalogue(at(explored))
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


async def test_lists_are_written_as_csv(folder: Path) -> None:
    """A line for each finding, formulas made inert; in a dry run nothing is."""
    panel = await opened(folder, dry_run=True)
    await panel.click("explore-save")
    assert "dry run" in panel.text("said")
    assert not (folder / "lists").exists()
    panel = await opened(folder)
    await panel.set("explore-finding", "no-alt")
    await panel.click("explore-save")
    path = folder / "lists" / "items-no-alt.csv"
    assert str(path) in panel.text("said").replace(" ", "")
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
    assert len(rows) > 20
    assert all(row["Found"] and row["Id"] for row in rows)
    await panel.click("explore-clear")
    await panel.click("explore-save")
    rows = list(csv.reader(io.StringIO((folder / "lists/items.csv").read_text())))
    assert len(rows) == 279
    for row in rows:
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)


async def test_what_bodies_are_made_of_narrows_the_list(folder: Path) -> None:
    """Each structure lists as many items as the census finds it in, each kind of loss
    those that lose it; the file says in which field, how often, and the first one."""
    panel = await opened(folder)
    offered = panel.options("explore-finding")
    found = take_census(origin_of(folder)).findings
    for each in found:
        items = {one.item.key for one in each.sightings}
        await panel.set("explore-finding", f"structure:{each.structure.name}")
        noun = "item" if len(items) == 1 else "items"
        assert f"{len(items)} {noun}" in panel.text("list"), each.structure.name
    assert {f"structure:{each.structure.name}" for each in found} == {
        each for each in offered if each.startswith("structure:")
    }
    await panel.set("explore-finding", "structure:table")
    await panel.click("explore-save")
    path = folder / "lists" / "items-structure-table.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
    assert rows
    assert all(row["Found in field"] and row["Found"] for row in rows)
    (script,) = (each for each in offered if each == "loss:Script")
    await panel.set("explore-finding", script)
    assert "script (a loss)" in panel.text("list")
    assert names(panel)


async def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    """Names, slugs, options, half characters and ids that try to be HTML."""
    write_hostile_site(tmp_path / "raw")
    for path in tmp_path.glob("raw/collections/*.json"):
        schema = json.loads(path.read_text())
        schema["fields"][0]["displayName"] = "<img src=x onerror=steal()>"
        path.write_text(json.dumps(schema))
    for path in tmp_path.glob("raw/items/*.json"):
        records = json.loads(path.read_text())["items"]
        records[0]["fieldData"] |= {"name": "Half \ud83d", "slug": '"><script>'}
        lines = ",\n".join(json.dumps(each) for each in records)
        path.write_text(f'{{"items": [\n{lines}\n]}}\n')
    panel = await opened(tmp_path)
    assert HOSTILE_NAME in names(panel) or "<img" in panel.text("list")
    while True:
        shown = [panel.html()]
        for entry in panel.ids("explore-open")[:12]:
            await panel.set("explore-open", entry)
            assert panel.said() == ""
            shown.append(panel.html())
            await panel.click("explore-return")
        for html in shown:
            page = BeautifulSoup(html, "html.parser")
            assert page.find("script") is None
            assert not any(
                name.startswith("on")
                for tag in page.find_all(True)
                for name in tag.attrs
            )
            assert not page.select("a[href^='javascript:'], iframe:not([sandbox=''])")
        if panel.tags("explore-on")[0].get("aria-disabled"):
            break
        await panel.click("explore-last")
    assert "Half \ufffd" in panel.html() or await found(panel, "Half")


async def found(panel: Page, text: str) -> bool:
    """Return whether a search finds something."""
    await panel.set("explore-search", text)
    return "No item passes" not in panel.text("list")


def test_unattended_the_first_page_is_plain(explored: Path) -> None:
    """A table of the first page, no control, and how many more there are."""
    workspace = open_workspace(str(explored), interactive=False)
    html = inspection.explore_items(workspace)._repr_mimebundle_()["text/html"]
    page = BeautifulSoup(html, "html.parser")
    assert len(page.select("tbody tr")) == PAGE
    assert page.select("button, input, select, script") == []
    assert "253 items more" in page.get_text()


async def test_a_large_site_never_makes_one_wait(tmp_path: Path) -> None:
    """The first page is there while most items are not listed yet; once they are, a
    search, the next page, a facet and an opened item take a second at most.

    1,000 items, so that this ends soon; 20,000 by `make soak KIND=many-items`.
    """
    write_load_site(tmp_path / "raw", items=ITEMS, images=40)
    workspace = at(tmp_path)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.process_time()
    with at_most(1):
        explorer = Explorer(workspace, open_catalogue(workspace))
        panel = Page(explorer.element())
        await worked()
        spent = {"first page": round(1000 * (time.process_time() - began))}
        assert "so far" in panel.text("progress")
        assert len(names(panel)) == PAGE
    while explorer.busy:
        await worked()
    for work in (
        ("explore-search", "record 19"),
        ("explore-clear",),
        ("explore-on",),
        ("explore-open",),
        ("explore-down",),
        ("explore-return",),
        ("explore-collection", panel.options("explore-collection")[1]),
        ("explore-sort", "field:next"),
        ("explore-field", "cover"),
        ("explore-last",),
    ):
        began = time.process_time()
        with at_most(1):
            await (panel.set(*work) if work[1:] else panel.click(*work))
        spent[" ".join(work)] = round(1000 * (time.process_time() - began))
        assert panel.said() == ""
    print("milliseconds of work:", spent)
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"memory at most: {largest:.0f} MB, {largest - held:.0f} of it since the start"
    )
