"""Notebook 04: the plan as a page, and what an editor should know, one by one."""

from __future__ import annotations

import asyncio
import csv
import re
from collections.abc import Callable

import pytest

from cmsmig.notebook import verifying
from cmsmig.notebook.handover import open_handover
from cmsmig.notebook.importing import PlanPanel, show_findings, show_plan
from cmsmig.notebook.inspection import not_migratable, reference_report
from cmsmig.ui.html.safe_html import site_link
from tests.support.notebook.page import Page, words_of
from tests.support.notebook.staging import Staged
from tests.support.steps.origin_edits import delete_item, edit_items, mark

Start = Callable[..., Staged]
LOSSY = "<p>See <a href='/about'>the page</a>.</p><marquee>moving</marquee>"


async def test_a_plan_becomes_a_page_for_a_client(staged: Start) -> None:
    """Without the numbers of calls; it asks no host for anything. Not in a dry run."""
    stage = staged()
    path = stage.folder / "reports" / "plan.html"
    page = Page(await show_plan(stage.workspace(interactive=True, dry_run=True)))
    await page.click("plan-save")
    await page.sees("This is a dry run: the page is not written.")
    assert not path.exists()
    page = Page(await show_plan(stage.workspace(interactive=True)))
    await page.click("plan-save")
    await page.sees("it can be sent as it is")
    html = path.read_text("utf-8")
    assert "Plan for the migration of" in html
    words = words_of(html)
    assert re.search(r"Changes: \d+ to create\. 12 items become new stories", words)
    assert re.search(r"Plan [0-9a-f]{16}$", words)
    assert "records/record-2" in html
    assert "Calls:" not in html
    assert "default-src 'none'" in html
    assert "src=" not in html


async def test_a_dry_run_writes_no_list(staged: Start) -> None:
    """The findings are shown."""
    stage = staged()
    workspace = stage.workspace(dry_run=True)
    shown = await show_plan(workspace)
    assert "Everything arrives" in show_findings(workspace, shown).html()
    assert not (stage.folder / "lists").exists()


@pytest.fixture
def project(staged: Start) -> Staged:
    """Return a project of which two texts lose something."""
    project = staged()

    def lossy(item: dict) -> dict:
        data = item["fieldData"]
        if data["slug"] in ("record-2", "record-4"):
            data = {**data, "text": LOSSY}
        return {**item, "fieldData": data}

    edit_items(project, lossy)
    project.done("pull")
    return project


async def test_findings_of_a_plan_are_searched_sorted_and_saved(
    project: Staged,
) -> None:
    """Unattended in one table and as CSV; by hand found in the background, each with
    its page as a link; a new plan renews the list."""
    stage = project
    workspace = stage.workspace()
    shown = await show_plan(workspace)
    html = show_findings(workspace, shown).html()
    path = project.folder / "lists" / "plan-findings.csv"
    with path.open(encoding="utf-8-sig", newline="") as opened:
        listed = [*csv.DictReader(opened)]
    kinds = {each["Kind"] for each in listed}
    assert {"Link to a static page"} < kinds
    assert {each["Page at the origin"] for each in listed} == {
        "/records/record-2",
        "/records/record-4",
    }
    assert all(each["Why"] and each["What to do"] for each in listed)
    assert all(kind in html for kind in kinds)
    path.unlink()
    workspace = stage.workspace(interactive=True)
    shown = await show_plan(workspace)
    page = Page(show_findings(workspace, shown))
    await page.sees(f"{len(listed)} findings.")
    assert 'href="https://' in page.html("foreseen_list")
    assert 'rel="noopener noreferrer"' in page.html("foreseen_list")
    await page.set("foreseen-search", "RECORD 4")
    await page.lacks("foreseen_list", "Record 2")
    await page.set("foreseen-kind", "Link to a static page")
    await page.shows("foreseen_list", "Link to a static page: ")
    await page.click("foreseen-save")
    await page.shows("foreseen_said", "1 line written")
    assert len(path.read_text("utf-8").splitlines()) == 2
    await page.set("foreseen-search", "")
    await page.set("foreseen-kind", "")
    edit_items(project, _plain)
    await asyncio.to_thread(project.done, "pull")
    fresh = await show_plan(workspace)
    shown.shown.show(fresh.shown.plan)
    await page.sees("Everything arrives, and nothing of it is lost.")


def _plain(item: dict) -> dict:
    return {**item, "fieldData": {**item["fieldData"], "text": "<p>Plain.</p>"}}


def test_a_link_never_leads_to_another_host() -> None:
    """Whatever a slug holds; where no address is known it is a text."""
    site = "https://old.example.com/"
    for path in ("//evil.example.com/x", "/@evil.example.com", '/"onx=1', "/a b?c#d"):
        made = str(site_link(site, path))
        assert 'href="https://old.example.com/' in made
        assert "onx=1" not in made.replace("&#34;onx=1", "").replace("%22onx=1", "")
    assert "<a" not in site_link("", "/posts/one")
    assert "<a" not in site_link("javascript:alert(1)", "/posts/one")


async def test_a_later_day_begins_with_what_is_new(project: Staged) -> None:
    """New are the items that changed since the last import and those that it does not
    have; after the next import they are what that brought, until the origin is read
    once more. On the first day there is no such choice."""
    await project.imported()
    workspace = project.workspace(interactive=True)
    page = Page(show_findings(workspace, await show_plan(workspace)))
    await page.sees("4 findings.")
    assert "Hidden" not in page.text()
    assert "foreseen-filter" in page.html()
    assert "new since" not in page.text()

    def also_lossy(item: dict) -> dict:
        data = item["fieldData"]
        text = LOSSY if data["slug"] == "record-3" else data["text"]
        return {**item, "fieldData": {**data, "text": text}}

    edit_items(project, also_lossy)
    page = Page(show_findings(workspace, await show_plan(workspace)))
    await page.sees("2 findings. Hidden: 4 from before the import of")
    await page.shows("foreseen_list", "Record 3")
    await page.lacks("foreseen_list", "Record 2")
    await page.set("foreseen-since", "")
    await page.sees("6 findings.")
    await page.hides("Hidden")

    await project.imported()
    handover = open_handover(workspace)
    page = Page(verifying.findings(handover))
    await page.sees("2 findings. Hidden: 4 from before the import of")
    edit_items(project, lambda item: item)
    await page.click("findings-clear")
    page = Page(verifying.findings(handover))
    await page.sees("Nothing is new since the last import. Hidden: 6 from before")


async def test_obstacles_of_new_items_come_first(staged: Start) -> None:
    """From the second day on, in notebook 01 too."""
    stage = staged()

    def scripted(*slugs: str) -> None:
        def change(item: dict) -> dict:
            data = item["fieldData"]
            if data["slug"] in slugs:
                data = {**data, "text": "<p>Here.</p><script>1</script>"}
            return {**item, "fieldData": data}

        edit_items(stage, change)

    scripted("record-2")
    await stage.imported()
    scripted("record-2", "record-3")
    page = Page(not_migratable(stage.workspace(interactive=True)))
    await page.sees("1 obstacle. Hidden: 1 from before", "Record 3")
    await page.click("obstacles-clear")
    await page.sees("2 obstacles.", "Record 2")


async def test_what_is_left_out_is_said_in_words(staged: Start) -> None:
    """In the plan and in its findings; so are the calls that are not made."""
    stage = staged()
    mark(stage, "record-2", isArchived=True)
    await stage.imported()
    workspace = stage.workspace()
    shown = await show_plan(workspace)
    html = shown.html()
    assert "archived, its page still online: 1" in html
    assert "No call is needed for: 11 stories that phase two need not write" in html
    assert "Archived, its page still online" in show_findings(workspace, shown).html()


async def test_a_deleted_target_has_a_name_and_no_id(staged: Start) -> None:
    """That which the ledger has of it; one that was never imported is a deleted item.
    Each list of references says it."""
    stage = staged()
    record, *_ = delete_item(stage, "record-7")
    unknown = shown_references(stage, await show_plan(stage.workspace()))
    assert "a deleted item" in unknown
    assert record["id"] not in unknown
    stage = staged()
    await stage.imported()
    record, *_ = delete_item(stage, "record-7")
    known = shown_references(stage, await show_plan(stage.workspace()))
    assert "a deleted item" not in known
    assert record["id"] not in known
    assert known.count("Record 7") >= 2


def shown_references(stage: Staged, plan: PlanPanel) -> str:
    """Return the words of the references that stay empty, in notebooks 01 and 04."""
    workspace = stage.workspace()
    panels = reference_report(workspace), show_findings(workspace, plan)
    return " ".join(words_of(each.html()) for each in panels)
