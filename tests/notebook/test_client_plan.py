"""Notebook 04: the plan for a client, and what an editor should know, one by one."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.evidence.client_plan import Showing, plan_collections
from cmsmig.notebook.importing import (
    pilot_of,
    show_client_plan,
    show_findings,
    show_plan,
)
from cmsmig.notebook.kit.workspace import open_workspace
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import running_sandbox
from cmsmig.ui.html.safe_html import site_link
from tests.support.notebook.page import Page, words_of
from tests.support.notebook.staging import Staged
from tests.support.rehearsal import Rehearsal
from tests.support.sites.exact import write_small_site
from tests.support.steps.origin_edits import edit_items, mark

Start = Callable[..., Staged]
LOSSY = "<p>See <a href='/about'>the page</a>.</p><marquee>moving</marquee>"


async def test_the_plan_for_a_client_accounts_for_every_item(tmp_path: Path) -> None:
    """By collection; what it adds up to is what the plan counts. The page that can be
    sent says the same and asks no host for anything."""
    write_small_site(tmp_path / "site")
    options = SandboxOptions(tmp_path / "site", rate=500, origin_rate=60_000)
    with running_sandbox(options) as handle:
        made = Rehearsal.start(handle, tmp_path / "project", 500, tmp_path / "state")
        await asyncio.to_thread(made.decided)
        workspace = open_workspace(str(made.folder), interactive=False)
        panel = await show_plan(workspace)
        html = show_client_plan(workspace, panel).html()
    assert panel.shown is not None
    plan, found = panel.shown.plan, plan_collections(panel.shown.details)
    assert {each.name for each in found} == {"Notes", "Spots"}
    assert sum(each.items for each in found) == plan.items["in"]
    stories = sum(each.stories.total() for each in found)
    assert stories == plan.items["to_create"] > 0
    assert sum(each.left.total() for each in found) == plan.items["skipped"] == 1
    published = sum(each.stories[Showing.PUBLISHED] for each in found)
    assert published == len(plan.publications)
    assert {*found[0].languages} == {"English", "French (France)"}
    assert sum(each.files.files for each in found) >= plan.calls["sign_uploads"] > 0
    assert "plan.html; the page can be sent" in words_of(html)
    page = (made.folder / "reports" / "plan.html").read_text("utf-8")
    for each in found:
        assert f">{each.name}</td>" in page
        assert all(why in page for why in each.left)
    assert "default-src 'none'" in page
    assert "src=" not in page
    assert "there already" not in page


async def test_a_pilot_counts_what_the_plan_counts(staged: Start) -> None:
    """Also an item with a story that was archived since; a pilot takes none away."""
    project = staged()
    await project.imported()
    mark(project, "record-2", isArchived=True)
    pilot = pilot_of("records", "", "", 0)
    panel = await show_plan(project.workspace(), pilot=pilot)
    assert panel.shown is not None
    items, found = panel.shown.plan.items, plan_collections(panel.shown.details)
    stories = items["to_create"] + items["already_there"]
    assert stories == sum(each.stories.total() for each in found) > 0
    assert items["in"] == sum(each.items for each in found)


async def test_a_dry_run_writes_no_page_and_no_list(staged: Start) -> None:
    """The plan reports it."""
    stage = staged()
    workspace = stage.workspace(dry_run=True)
    shown = await show_plan(workspace)
    assert "plan.html is not written" in words_of(
        show_client_plan(workspace, shown).html()
    )
    assert "Everything arrives" in show_findings(workspace, shown).html()
    assert not (stage.folder / "reports").exists()
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
