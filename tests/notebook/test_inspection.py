"""Notebook 01: what the origin holds, and the choice of item sets."""

from __future__ import annotations

import asyncio
import csv
import io
import itertools
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup
from lxml.html import fromstring

from cmsmig.errors import UnreadError, UsageError
from cmsmig.events import unobserved
from cmsmig.mapping.convert.item_draft import ItemDraft
from cmsmig.mapping.select.reference_targets import classify
from cmsmig.notebook import inspection
from cmsmig.notebook.inspect.explorer import Explorer, site_scan
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.opened_project import Workspace, open_workspace
from cmsmig.origin.cache import RawCache
from cmsmig.origin.unread import keep_unread
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import SAMPLE
from cmsmig.steps.decide.accept_proposals import accept_proposals
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.survey.not_migratable import KINDS, find_obstacles
from cmsmig.survey.references import reference_graph
from cmsmig.ui.documents.findings import Finding
from cmsmig.ui.html.charts import Link, lane_graph
from cmsmig.ui.query import Query
from cmsmig.ui.table import TableView
from tests.support.notebook.front_end import FrontEnd, front_end
from tests.support.notebook.page import Page, words_of
from tests.support.notebook.pulled_site import pulled_workspace
from tests.support.rehearsal import Rehearsal

PANELS = (
    inspection.collections_table,
    inspection.explore_items,
    inspection.reference_report,
    inspection.richtext_census,
    inspection.not_migratable,
    inspection.static_pages,
    inspection.choose_item_sets,
)


def at(folder: Path, *, interactive: bool = False, dry_run: bool = False) -> Workspace:
    """Return the workspace of a folder."""
    return open_workspace(str(folder), interactive=interactive, dry_run=dry_run)


def html(panel: Panel) -> str:
    """Return what an unattended run leaves."""
    return panel._repr_mimebundle_()["text/html"]


def chosen(folder: Path) -> dict:
    """Return the decision file."""
    return yaml.safe_load((folder / "decisions" / "collections.yaml").read_text())


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project folder that holds the sample site, as pulled."""
    folder = tmp_path_factory.mktemp("sample")
    shutil.copytree(SAMPLE, folder / "raw")
    return folder


@pytest.fixture
def origin(sample: Path) -> Origin:
    """Return the sample site, typed."""
    return read_origin(at(sample).project, None)


@pytest.mark.parametrize("panel", PANELS)
def test_unattended_every_panel_is_static(sample: Path, panel) -> None:
    """Each leaves HTML that runs nothing, and makes no widget."""
    with front_end() as page:
        shown = html(panel(at(sample)))
    assert page.channels == []
    assert "cmsmig-sheet" in shown
    assert "<script" not in shown
    assert not re.search(r"<[^>]*\son[a-z]+=", shown)


@pytest.mark.parametrize("panel", PANELS)
def test_before_the_pull_every_panel_names_the_pull(tmp_path: Path, panel) -> None:
    """Unattended it is an error of use; by hand a sentence in the panel."""
    with pytest.raises(UsageError, match="pull"):
        panel(at(tmp_path))
    by_hand = panel(at(tmp_path, interactive=True)).html()
    assert "Nothing is read yet: press <code>Read the origin" in by_hand


def obstacles(sample: Path, kind: str) -> list[Finding]:
    """Return what of a kind cannot be migrated, all bodies scanned."""
    scan = site_scan(at(sample))
    scan.finish()
    return [e for e in find_obstacles(scan.catalogue) if e.kind == KINDS[kind]]


def test_hostile_content_is_listed_as_text(sample: Path) -> None:
    """A script in a body is an obstacle, shown escaped."""
    assert any("<script>" in each.what for each in obstacles(sample, "script"))
    shown = html(inspection.not_migratable(at(sample))).replace("<wbr>", "")
    assert "&lt;script&gt;" in shown


@pytest.mark.parametrize(
    "lost",
    [
        *("members", "forms", "orders", "site search", "custom code", "passwords"),
        *("collection templates", "static pages", "pictures that differ by language"),
    ],
)
def test_what_no_site_can_migrate_is_listed_with_what_to_do(
    sample: Path, lost: str
) -> None:
    """One line each: what it is, why it stays behind, and what to do."""
    page = fromstring(html(inspection.not_migratable(at(sample))))
    rows = [
        [cell.text_content() for cell in row.iter("td")]
        for row in next(page.iter("table")).iter("tr")
    ]
    [line] = [row for row in rows if row and lost in row[0].lower()][:1]
    assert len(line) == 3
    assert all(line)


@pytest.mark.parametrize(
    ("kind", "slug", "title"),
    [
        ("empty-code", "tide-clock", "Code blocks without code"),
        ("empty-embed", "nothing-to-see", "Custom embeds without code"),
    ],
)
def test_what_arrives_empty_is_named_and_counted(
    sample: Path, kind: str, slug: str, title: str
) -> None:
    """It is found in the items that hold it; the census counts as many bodies."""
    found = obstacles(sample, kind)
    assert slug in {each.page.rpartition("/")[2] for each in found}
    rows = fromstring(html(inspection.richtext_census(at(sample)))).iter("tr")
    counts = {row[0].text_content(): row[2].text_content() for row in rows}
    assert counts[title] == str(len(found))


def test_dangling_references_are_those_of_the_import(tmp_path: Path) -> None:
    """Inspection and import find the same references without a target, and why."""
    shutil.copytree(SAMPLE, tmp_path / "raw")
    workspace = at(tmp_path)
    settings = workspace.local_settings
    accepting = accept_proposals(
        workspace.project, settings, reviewer="Ada", observer=unobserved
    )
    asyncio.run(accepting)
    migration = open_migration(workspace.project, settings)
    context = migration.context({}, migration.files.missing)
    wanted = Counter(
        (each.source, each.origin_field, each.target, each.cause)
        for key, draft in migration.item_drafts(context)
        if isinstance(draft, ItemDraft)
        for each in classify(key, draft.relations, migration.known)
    )
    decided = migration.decisions.collections
    found = reference_graph(migration.origin, decided).dangling
    assert wanted
    assert wanted == Counter(
        (each.item.key, each.field, each.target, each.cause) for each in found
    )


def test_collections_have_their_counts_and_fields(tmp_path: Path) -> None:
    """A row each, with its items by state; below, a row for each field."""
    panel = inspection.collections_table(pulled_workspace(tmp_path))
    seen = BeautifulSoup(html(panel), "lxml")
    rows = [[each.text for each in row.select("td")] for row in seen.select("tr")]
    assert ["Posts", "posts", "5", "5", "4", "1"] in rows
    assert ["Tone", "tone", "Option", "", "Report, Essay", ""] in rows


def test_examples_of_structures_lead_to_their_pages(sample: Path) -> None:
    """At the site's own address."""
    seen = fromstring(html(inspection.richtext_census(at(sample))))
    links = {each.get("href") for each in seen.iter("a")}
    assert links
    assert all(re.match(r"https://[a-z.-]+/[\w/-]+$", each) for each in links)


def test_collections_have_the_states_of_their_items(sample: Path) -> None:
    """A row per collection; the states add up to its items."""
    seen = BeautifulSoup(html(inspection.collections_table(at(sample))), "lxml")
    (table,) = seen.select("table.items")
    head = [each.text for each in table.select("thead th")]
    rows = [
        dict(zip(head, (each.text for each in row.select("td")), strict=True))
        for row in table.select("tbody tr")
    ]
    posts = next(each for each in rows if each["Collection"] == "Journal posts")
    states = [int(value) for name, value in posts.items() if name not in _ABOUT_ITEMS]
    assert int(posts["Items"]) == 50 == sum(states)
    assert int(posts["Published"]) == 40
    assert len(rows) == 14


_ABOUT_ITEMS = ("Collection", "Slug", "Fields, with name and slug", "Items")


def test_references_are_drawn(sample: Path) -> None:
    """Each collection once; each line says how many references it is and where it ends
    in the lane of its target; no two texts overlap."""
    seen = BeautifulSoup(html(inspection.reference_report(at(sample))), "lxml")
    (drawn,) = seen.select("svg[role=img][aria-label]")
    nodes = [each.text for each in drawn.select("text.name")]
    assert nodes.count("Journal posts") == 1
    titles = [each.text for each in drawn.select("title")]
    assert "Journal posts to Topics: 33 references in Topics" in titles
    assert "Topics: referred to 39 times" in titles
    lines = [(each["x"], each["y"]) for each in drawn.select("text")]
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize("count", [2, 30])
def test_a_drawing_stays_readable_at_any_size(count: int) -> None:
    """No two lanes meet, nothing is beyond the edge, at 2 and at 30 collections."""
    nodes = {str(each): f"Collection {each}" for each in range(count)}
    links = [
        Link(str(one), str(other), one + other, other % 2, "")
        for one in range(count)
        for other in {(one * 7 + step) % count for step in (0, 1, 5)}
    ]
    drawn = BeautifulSoup(lane_graph(nodes, links, "about"), "lxml").svg
    width, height = int(drawn["width"]), int(drawn["height"])
    assert width <= 1000
    spans: dict[int, list[tuple[int, int]]] = {}
    for lane in drawn.select("path.lane"):
        if found := re.fullmatch(r"M(\d+) (\d+)V(\d+)", lane["d"]):
            x, top, bottom = map(int, found.groups())
            assert x < width
            assert bottom < height
            spans.setdefault(x, []).append((top, bottom))
    for lanes in spans.values():
        ordered = sorted(lanes)
        assert all(one[1] < other[0] for one, other in itertools.pairwise(ordered))


async def test_unattended_a_refresh_reads_everything_again(rehearse) -> None:
    """A delta run: with the parameter the site is read again, without it is not."""
    rehearsal = rehearse()
    entries = rehearsal.handle.state.recorder.entries
    shown = html(await inspection.pull_origin(at(rehearsal.folder)))
    assert "files are here" in shown
    assert RawCache(rehearsal.folder / "raw").complete()
    once = len(entries)
    await inspection.pull_origin(at(rehearsal.folder))
    found = len(entries)
    await inspection.pull_origin(at(rehearsal.folder), refresh=True)
    lists = [each.path for each in entries[:once] if "/items" in each.path]
    again = [each.path for each in entries[found:] if "/items" in each.path]
    assert lists
    assert sorted(again) == sorted(lists)


async def test_static_pages_are_listed_where_the_token_may(
    rehearse, small_site: Path, tmp_path: Path
) -> None:
    """All of them but templates, page by page, as CSV too; without the scope one
    sentence says which one is missing."""
    content = tmp_path / "content"
    shutil.copytree(small_site, content)
    pages = [
        {"title": f"Page {number}", "slug": f"page-{number}", "draft": number == 7}
        for number in range(130)
    ]
    pages.append({"title": "Template", "slug": "one", "collectionId": "1" * 24})
    (content / "pages.json").write_text(json.dumps({"pages": pages}))
    seen = []
    for folder in (small_site, content):
        rehearsal = rehearse(SandboxOptions(folder, rate=500, origin_rate=60_000))
        await inspection.pull_origin(at(rehearsal.folder))
        with front_end() as page:
            workspace = at(rehearsal.folder, interactive=True)
            inspection.static_pages(workspace)._repr_mimebundle_()
            await page.click("static-pages-read")
            await until(page, "of 130 static pages" if seen else "pages:read in the")
            seen.append(page.html())
            if len(seen) == 2:
                await page.click("static-pages-save")
                await until(page, "written to")
    path = rehearsal.folder / "lists" / "static-pages.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    assert [row["Path"] for row in rows] == [f"/page-{n}" for n in range(130)]
    assert [row["Title"] for row in rows if row["State"] == "draft"] == ["Page 7"]


async def test_a_dry_run_reads_nothing(rehearse) -> None:
    """Unattended and dry, an unread site is an error that names the remedy."""
    rehearsal = rehearse()
    with pytest.raises(UnreadError, match="dry"):
        await inspection.pull_origin(at(rehearsal.folder, dry_run=True))
    assert not (rehearsal.folder / "raw").exists()


async def test_a_dry_run_by_hand_writes_no_decision(
    sample: Path,
) -> None:
    """The button says that nothing was written, and nothing was."""
    workspace = at(sample, interactive=True, dry_run=True)
    page = Page(inspection.choose_item_sets(workspace, reviewer="Ada"))
    assert page.tags("item-set") == []
    await page.click("item-set-accept")
    await page.sees("This is a dry run")
    assert not (sample / "decisions").exists()


@pytest.fixture
def small(rehearse, small_site: Path) -> Path:
    """Return a project folder with the small site, pulled."""
    rehearsal: Rehearsal = rehearse(
        SandboxOptions(small_site, rate=500, origin_rate=60_000)
    )
    rehearsal.done("pull")
    return rehearsal.folder


async def test_a_set_is_chosen_for_all_collections_then_in_the_row_of_one(
    small: Path,
) -> None:
    """Each choice is in the file at once; a person accepts what is proposed."""
    page = Page(inspection.choose_item_sets(at(small, interactive=True), "Ada"))
    await page.set("item-set-all", "live")
    assert "reviewed" not in chosen(small)
    await page.set("item-set", "not migrated")
    first, *others = chosen(small)["collections"]
    assert first["migrate"] is False
    assert {each["items"] for each in others} == {"live"}
    await page.click("item-set-accept")
    assert chosen(small)["reviewed"]["by"] == "Ada"
    await page.click("item-set-open", 1)
    await page.set("item-set-publish", "what_is_live")
    publish = [each["publish"] for each in chosen(small)["collections"]]
    assert publish == ["nothing", "what_is_live"]
    assert chosen(small)["reviewed"]["by"] == "Ada"


async def test_the_last_choice_is_undone_whole(small: Path) -> None:
    """One for all collections at once leaves each as it was; there is no older one."""
    page = Page(inspection.choose_item_sets(at(small, interactive=True), "Ada"))
    await page.set("item-set", "not migrated")
    await page.set("item-set-all", "live")
    await page.click("item-set-undo")
    first, *others = chosen(small)["collections"]
    assert first["migrate"] is False
    assert {each["items"] for each in (first, *others)} == {"staged"}
    assert page.tags("item-set-undo") == []


async def test_one_item_is_decided_in_its_row(small: Path) -> None:
    """Once item sets are decided; choosing its collection's set takes it back."""
    workspace = at(small, interactive=True)
    explorer = Explorer(workspace)
    items = Page(explorer.element())
    await items.until(lambda: not explorer.queue.busy, "items are still listed")
    assert items.tags("explore-take") == []
    page = Page(inspection.choose_item_sets(workspace, "Ada"))
    await page.click("item-set-accept")
    workspace.news.look(workspace.project)
    explorer.narrow(Query("note 1"))
    await items.set("explore-take", "skip")
    await items.sees("leave out. Written to")
    (apart,) = [e["apart"] for e in chosen(small)["collections"] if "apart" in e]
    assert [each["take"] for each in apart] == ["skip"]
    await items.set("explore-take", "")
    assert not any("apart" in each for each in chosen(small)["collections"])
    assert chosen(small)["reviewed"]["by"] == "Ada"
    (small / "reviewer.txt").unlink()
    await items.set("explore-take", "draft")
    assert "reviewed" not in chosen(small), "no one signed this"


def test_unattended_without_a_set_nothing_is_written(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proposal is shown as one, every collection of it, and the run continues."""
    monkeypatch.setattr(TableView, "still_rows", 1)
    shown = html(inspection.choose_item_sets(at(sample), reviewer="Ada"))
    assert "This is not decided yet" in shown
    names = [each.display_name for each in RawCache(sample / "raw").collections()]
    assert len(names) > 1
    assert all(name in words_of(shown) for name in names)
    assert "more: open this notebook" not in shown
    assert not (sample / "decisions").exists()


def test_unattended_a_set_is_written_once(rehearse) -> None:
    """The parameter decides for all collections, in bulk; again changes nothing."""
    rehearsal: Rehearsal = rehearse()
    rehearsal.done("pull")
    workspace = at(rehearsal.folder)
    inspection.choose_item_sets(workspace, reviewer="Ada", item_set="live")
    before = (rehearsal.folder / "decisions" / "collections.yaml").read_bytes()
    written = chosen(rehearsal.folder)
    assert {each["items"] for each in written["collections"]} == {"live"}
    assert written["reviewed"]["how"] == "in bulk"
    inspection.choose_item_sets(workspace, reviewer="Bea", item_set="live")
    after = (rehearsal.folder / "decisions" / "collections.yaml").read_bytes()
    assert before == after


@pytest.mark.parametrize(
    ("reviewer", "item_set", "named"),
    [
        pytest.param("", "live", "reviewer", id="no-reviewer"),
        pytest.param("Ada", "everything", "staged_published_only", id="no-such-set"),
    ],
)
def test_unattended_a_choice_that_cannot_be_taken_is_refused(
    sample: Path, reviewer: str, item_set: str, named: str
) -> None:
    """The error says what is missing or which sets there are; no file is made."""
    with pytest.raises(UsageError, match=named):
        inspection.choose_item_sets(at(sample), reviewer, item_set)
    assert not (sample / "decisions").exists()


async def until(page: FrontEnd, words: str) -> None:
    """Wait until the page shows these words; the test's time limit ends it."""
    while words not in page.html():
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("panel", PANELS, ids=lambda each: each.__name__)
def test_a_collection_that_could_not_be_read_can_be_left_out(
    sample: Path, tmp_path: Path, panel: Callable[[Workspace], Panel]
) -> None:
    """Every panel shows the others; the choice of item sets has it, too."""
    folder = tmp_path / "project"
    shutil.copytree(sample, folder)
    cache = RawCache(folder / "raw")
    name, identifier = next(
        (each.display_name, each.collection_id) for each in cache.collections()
    )
    cache.reopen(identifier)
    cache.before(identifier).unlink()
    keep_unread(cache, {identifier: "missing ecommerce:read"})
    shown = html(panel(at(folder)))
    if panel is inspection.choose_item_sets:
        assert name in shown
