"""Notebook 04: the plan as a page, and what an editor should know, one by one."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Callable

import pytest

from cmsmig.notebook.importing import show_findings, show_plan
from cmsmig.ui.html.safe_html import site_link
from tests.support.notebook.page import Page
from tests.support.notebook.staging import Staged
from tests.support.steps.origin_edits import edit_items

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
    assert "12 items become new stories" in html
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
