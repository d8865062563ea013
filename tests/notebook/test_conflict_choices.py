"""Notebook 04: what both sides changed, or one side lost, is decided in one list."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup, Tag

from cmsmig.notebook.importing import show_changes, show_plan
from cmsmig.notebook.kit import cell, project_news, renewal
from cmsmig.notebook.transfer import plan_panels
from cmsmig.notebook.workspace import overview
from cmsmig.steps.plan.plan import Plan
from tests.support.notebook.page import Page
from tests.support.notebook.staging import Staged
from tests.support.scripts import play
from tests.support.steps.origin_edits import delete_item, edit_items
from tests.support.steps.scenario.reports import evidence

Start = Callable[..., Staged]
Step = dict[str, Any]


def worked(project: Staged, *steps: Step, dry_run: bool = False) -> Plan:
    """Work notebook 04 before a person; return the plan that it showed."""

    async def work() -> Plan:
        workspace = project.workspace(interactive=True, dry_run=dry_run)
        changes = await show_changes(workspace)
        panel = await show_plan(workspace, recreate=False)
        await play(steps, Page(changes, panel))
        return panel.shown.plan

    return asyncio.run(work())


@pytest.fixture
def project(staged: Start) -> Staged:
    """Return an imported project; one story's name was changed on both sides, another
    story is gone there, a third item at the origin."""
    project = staged()
    project.done("import")
    one, two, three = sorted(project.stories())[:3]
    slug = one.rpartition("/")[2]
    body = {"story": {"name": "<b>Theirs</b>"}}
    project.api("PUT", f"/stories/{project.stories()[one].story_id}", body)

    def renamed(item: dict) -> dict:
        data = item["fieldData"]
        name = "Ours" if data["slug"] == slug else data["name"]
        return {**item, "fieldData": {**data, "name": name}}

    edit_items(project, renamed)
    project.delete(two)
    delete_item(project, three.rpartition("/")[2])
    return project


def names(project: Staged) -> list[str]:
    return [str(each.body["name"]) for each in project.stories().values()]


def decided(project: Staged) -> str:
    return (project.folder / "decisions" / "conflicts.yaml").read_text()


def test_what_both_sides_changed_is_one_row_with_both_values_whole(
    staged: Start,
) -> None:
    """Before a plan and after it, however long the values are and wherever they differ;
    a slug that only the origin changed, which a plan asks about, is one row, too."""
    project = staged()
    project.done("import")
    long = "A very long name of a record that begins as all others do, " * 5
    first, second = sorted(project.stories())[:2]
    body = {"story": {"name": f"{long}theirs"}}
    project.api("PUT", f"/stories/{project.stories()[first].story_id}", body)

    def changed(item: dict) -> dict:
        data = dict(item["fieldData"])
        if data["slug"] == first.rpartition("/")[2]:
            data["name"] = f"{long}ours"
        if data["slug"] == second.rpartition("/")[2]:
            data["slug"] = "moved"
        return {**item, "fieldData": data}

    edit_items(project, changed)
    both = ("shows", ["changes_list", f"{long}ours", f"{long}theirs"])
    rows = ({"set": ["changes-search", "record"]}, {"counts": ["changes-open", 2]})
    found = shown(project, dict([both]), {"counts": ["changes-decide", 4]}, *rows)
    assert not found.get("edits")
    plan = worked(project, dict([both]), {"counts": ["changes-decide", 4]}, *rows)
    assert sorted(each.field for each in plan.edit_conflicts) == ["name", "slug"]
    document = project.done("changes", "--json").document
    [conflict] = document["both"]
    assert (conflict["new"], conflict["ours"]) == (f"{long}theirs", f"{long}ours")
    assert [each["field"] for each in document["origin"]] == ["slug"]
    assert document["destination"] == []


def test_a_comparison_and_a_plan_count_the_same_conflicts(staged: Start) -> None:
    """A page that moves and one that is no longer live are among them. Only a plan
    finds a publication that an editor's work holds back, so its count is the whole."""
    project = staged()
    path = project.folder / "decisions" / "collections.yaml"
    text = path.read_text()
    path.write_text(text.replace("publish: nothing", "publish: what_is_live"))
    project.done("import")
    for number in (1, 6):
        body = {"story": {"name": "Theirs"}}
        story = project.story_at(f"records/record-{number}")
        project.api("PUT", f"/stories/{story}", body)

    def changed(item: dict) -> dict:
        new = {
            "record-1": {"name": "Ours"},
            "record-4": {"slug": "moved"},
            "record-6": {"position": 4711},
        }.get(item["fieldData"]["slug"], {})
        return {**item, "fieldData": {**item["fieldData"], **new}}

    edit_items(project, changed)
    edit_items(
        project,
        lambda item: None if item["fieldData"]["slug"] == "record-5" else item,
        ("live",),
    )

    async def planned() -> Plan:
        workspace = project.workspace(interactive=True)
        page = Page(overview(workspace, "04"), await show_changes(workspace))
        await page.sees("At least 3 conflicts wait for a decision; the plan")
        panel = await show_plan(workspace)
        Page(panel)
        await page.sees(". 4 conflicts wait for a decision.")
        return panel.shown.plan

    asked = sorted(each.field for each in asyncio.run(planned()).edit_conflicts)
    assert asked == ["name", "published", "published", "slug"]


def test_a_change_without_values_leaves_no_cell_empty(project: Staged) -> None:
    """What happened takes the columns of the values."""

    async def rows() -> list[Tag]:
        workspace = project.workspace(interactive=True)
        page = Page(await show_changes(workspace))
        return BeautifulSoup(page.html("changes_list"), "html.parser").select("tr")

    head, *listed = asyncio.run(rows())
    columns = len(head.select("th"))
    spans = []
    for row in listed:
        cells = row.select("td")
        assert all(cell.get_text(strip=True) for cell in cells)
        spans.append([int(cell.get("colspan", 1)) for cell in cells])
        assert sum(spans[-1]) == columns
    assert sorted(max(each) for each in spans) == [1, 4, 4]


def test_what_is_gone_is_decided_by_a_button(project: Staged) -> None:
    """Left out there, deleted for the origin; a decision is undone, and in a dry run
    none can be taken."""
    before, kept = len(project.stories()), decided(project)
    worked(project, {"counts": ["changes-decide", 0]}, dry_run=True)
    assert decided(project) == kept
    worked(
        project,
        {"pick": ["changes-decide", "make it again"]},
        {"pick": ["changes-decide", "undo"]},
    )
    assert yaml.safe_load(decided(project))["gone"] == []
    worked(
        project,
        {"pick": ["changes-decide", "leave it out"]},
        {"pick": ["changes-decide", "delete it"]},
        {"pick": ["changes-decide", "keep theirs"]},
    )
    project.done("import")
    assert len(project.stories()) == before - 1
    assert "<b>Theirs</b>" in names(project)


def test_a_decision_is_confirmed_below_the_list(project: Staged) -> None:
    """A sentence above the rows would move them under the mouse."""

    async def work() -> str:
        page = Page(await show_changes(project.workspace(interactive=True)))
        step = {"pick": ["changes-decide", "make it again"]}
        await play((step, {"sees": "1 decision written to"}), page)
        return page.html()

    html = asyncio.run(work())
    assert html.index('data-region="changes_list"') < html.index("1 decision written")


def test_undo_restores_the_decision_before(project: Staged) -> None:
    """Step by step, as far as notebooks wrote them, also before a restart; also of one
    that was in the file before."""
    worked(
        project,
        {"pick": ["changes-decide", "make it again"]},
        {"pick": ["changes-decide", "leave it out"]},
        {"pick": ["changes-decide", "undo"]},
        {"shows": ["changes_list", "✓ make it again"]},
    )
    [gone] = yaml.safe_load(decided(project))["gone"]
    assert gone["action"] == "recreate"
    worked(
        project,
        {"pick": ["changes-decide", "leave it out"]},
        {"pick": ["changes-decide", "make it again"]},
    )
    worked(
        project,
        {"pick": ["changes-decide", "undo"]},
        {"shows": ["changes_list", "✓ leave it out"]},
        {"pick": ["changes-decide", "undo"]},
        {"shows": ["changes_list", "✓ make it again"]},
    )
    worked(project, {"pick": ["changes-decide", "undo"]})
    assert yaml.safe_load(decided(project))["gone"] == []


@pytest.mark.parametrize(
    ("option", "status"),
    [
        ("use theirs as it is", "reused"),
        ("leave theirs, import nothing there", "skipped"),
    ],
)
def test_a_story_at_our_place_is_used_or_left_by_a_button(
    staged: Start, option: str, status: str
) -> None:
    """It stays as it is, and the next import goes by the choice; before the first
    import, too."""
    project = staged()
    folder = {"name": "Records", "slug": "records", "is_folder": True}
    made = project.api("POST", "/stories", {"story": folder})["story"]["id"]
    theirs = {"name": "Theirs", "slug": "record-5", "parent_id": made}
    theirs["content"] = {"component": "page"}
    project.api("POST", "/stories", {"story": theirs})
    worked(project, {"pick": ["changes-decide", option]}, {"sees": "1 decision"})
    project.done("import")
    assert project.outcome("records/record-5")[0] == status
    assert "Theirs" in names(project)
    assert all(each.action for each in worked(project).conflicts)


def shown(project: Staged, *steps: Step) -> dict[str, Any]:
    """Work the list of changes alone; return what is decided."""

    async def work() -> None:
        workspace = project.workspace(interactive=True)
        await play(steps, Page(await show_changes(workspace)))

    asyncio.run(work())
    return yaml.safe_load(decided(project))


def test_all_changes_that_are_listed_are_decided_together(
    project: Staged,
) -> None:
    """Each is written with its date, and shown as decided from then on; what the search
    leaves out is left."""
    before = len(project.stories())
    taken = shown(
        project,
        {"set": ["changes-search", "no such story"]},
        {"counts": ["changes-all", 0]},
        {"click": "changes-clear"},
        {"pick": ["changes-all", "write ours"]},
        {"pick": ["changes-all", "make it again"]},
        {"sees": "1 decision written to decisions/conflicts.yaml"},
        {"set": ["changes-state", "decided"]},
        {"shows": ["changes_list", "✓ write ours", "✓ make it again"]},
    )
    assert [each["take"] for each in taken["edits"]] == ["ours"]
    notes = [each["note"] for each in (*taken["edits"], *taken["gone"])]
    assert notes
    assert all(each.endswith(", in bulk") for each in notes)
    taken_by = evidence(project).decided
    assert ("2 decisions about what changed", "in bulk") in [
        (what, found.how) for what, found in taken_by
    ]
    project.done("import")
    assert "Ours" in names(project)
    assert len(project.stories()) == before + 1


def test_deleting_all_that_are_listed_is_apart_and_has_their_number(
    project: Staged,
) -> None:
    """No other button for all deletes; what the search leaves out is not counted."""
    delete_item(project, "record-4")
    taken = shown(
        project,
        {"sees": "All that are listed: write ours: 1 keep theirs: 1 unpublish it: 2"},
        {"sees": "leave it as it is: 2 make it again: 1 leave it out: 1"},
        {"sees": "Delete 2 stories Save as CSV"},
        {"set": ["changes-search", "record 4"]},
        {"pick": ["changes-ask", "Delete 1 story"]},
        {"pick": ["changes-ask", "No"]},
        {"pick": ["changes-ask", "Delete 1 story"]},
        {"pick": ["changes-all", "Yes: Delete 1 story"]},
        {"sees": "1 decision written to decisions/conflicts.yaml"},
    )
    assert [(each["what"], each["action"]) for each in taken["gone"]] == [
        ("records/record-4", "delete")
    ]


def test_a_decision_about_all_that_is_gone_is_shown_in_each_row(
    project: Staged,
) -> None:
    """None of them waits then; one of its own goes before it."""
    delete_item(project, "record-4")
    project.decide_about("gone", **{"from": "origin", "what": "*", "action": "keep"})
    shown(
        project,
        {"set": ["changes-search", "record 4"]},
        {"sees": "✓ leave it as it is"},
        {"pick": ["changes-decide", "delete it"]},
        {"sees": "✓ delete it"},
        {"hides": "✓ leave it as it is"},
        {"click": "changes-clear"},
        {"sees": "✓ leave it as it is"},
    )


def test_one_button_for_all_leaves_what_is_decided(project: Staged) -> None:
    """A decision that was taken by hand stays until it is undone."""
    delete_item(project, "record-4")
    taken = shown(
        project,
        {"set": ["changes-search", "record 4"]},
        {"pick": ["changes-decide", "delete it"]},
        {"click": "changes-clear"},
        {"pick": ["changes-all", "leave it as it is"]},
        {"sees": "undo: 2"},
    )
    assert sorted(each["action"] for each in taken["gone"]) == ["delete", "keep"]


def test_what_a_plan_asked_stays_where_it_was_decided(staged: Start) -> None:
    """Among the conflicts, with its undo, also once the next plan asks no more."""
    project = staged()
    project.done("import")
    slug = sorted(project.stories())[0].rpartition("/")[2]

    def moved(item: dict) -> dict:
        data = item["fieldData"]
        name = "moved" if data["slug"] == slug else data["slug"]
        return {**item, "fieldData": {**data, "slug": name}}

    edit_items(project, moved)
    plan = worked(
        project,
        {"set": ["changes-group", "conflicts"]},
        {"pick": ["changes-decide", "keep theirs"]},
        {"click": "plan-again"},
        {"sees": "This is the plan as of now"},
        {"shows": ["changes_list", "✓ keep theirs"]},
    )
    assert not plan.edit_conflicts


def test_one_button_for_all_decides_what_offers_it(project: Staged) -> None:
    """What is decided about publication decides no edit of the same story."""
    row = project.stories()[sorted(project.stories())[0]]
    project.api("GET", f"/stories/{row.story_id}/publish")
    taken = shown(
        project,
        {"set": ["changes-search", "published"]},
        {"pick": ["changes-all", "unpublish it"]},
        {"sees": "1 decision written to decisions/conflicts.yaml"},
    )
    found = [(each["field"], each["take"]) for each in taken["edits"]]
    assert found == [("published", "ours")]
    assert not taken.get("gone")


def test_a_change_is_read_whole_and_decided_where_it_is_open(
    project: Staged,
) -> None:
    """A row opens; its buttons are there too, and what is gone at the origin has them
    before any plan was made."""
    taken = shown(
        project,
        {"set": ["changes-search", "no longer part"]},
        {"click": "changes-open"},
        {"shows": ["changes_item", "is no longer part of what is imported"]},
        {"pick": ["changes-decide", "unpublish it"]},
        {"shows": ["changes_item", "✓ unpublish it"]},
    )
    assert [(each["from"], each["action"]) for each in taken["gone"]] == [
        ("origin", "unpublish")
    ]


def test_what_moved_is_listed_before_the_plan(project: Staged) -> None:
    """By story and field, with both values, whichever side it was; nothing runs."""
    workspace = project.workspace()
    panel = asyncio.run(show_changes(workspace))
    html = str(panel.html())
    assert panel.text == (
        "changed: 1 at origin, 0 at decisions, 1 at destination, 1 on both sides"
    )
    assert "Conflicts: changed on both sides since the last import (1)" in html
    assert "Ours" in html
    assert "&lt;b&gt;Theirs&lt;/b&gt;" in html
    assert "<b>Theirs</b>" not in html
    assert "is gone from the stories of the space" in html


def test_before_an_import_nothing_is_asked(staged: Start) -> None:
    """There is nothing to compare with; a decision that lacks is named, and no report
    says that nothing changed."""
    project = staged()
    mark = project.mark()
    panel = asyncio.run(show_changes(project.workspace()))
    assert "Nothing was imported yet" in str(panel.html())
    assert project.since(mark) == []
    project.done("import")
    (project.folder / "decisions" / "collections.yaml").unlink()
    workspace = project.workspace()
    panel = asyncio.run(show_changes(workspace))
    assert "cannot be shown yet" in str(panel.html())
    assert workspace.changes_shown[-1].found is None


@pytest.fixture
def imported(staged: Start) -> Staged:
    """Return an imported project, nothing of which changed since."""
    project = staged()
    project.done("import")
    return project


async def test_the_changes_and_the_plan_follow_a_pull(imported: Staged) -> None:
    """Both show what was pulled by themselves, once an action is over."""
    workspace = imported.workspace(interactive=True)
    changes = Page(await show_changes(workspace))
    panel = await show_plan(workspace, recreate=False)
    page = Page(panel)
    before = panel.shown.plan.plan_hash

    def renamed(item: dict) -> dict:
        data = item["fieldData"]
        return {**item, "fieldData": {**data, "name": f"{data['name']}, renamed"}}

    edit_items(imported, renamed)
    await asyncio.to_thread(imported.done, "pull")
    workspace.news.look(workspace.project)
    await page.sees("This is the plan as of now.")
    assert panel.shown.plan.plan_hash != before
    await changes.sees(", renamed")


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let panels look at the project more often than a person needs it."""
    monkeypatch.setattr(project_news, "_EVERY", 0.02)
    monkeypatch.setattr(renewal, "_SOON", 0.02)


async def imported_elsewhere(project: Staged) -> None:
    """Import in a terminal."""
    with project.process("import") as child:
        await asyncio.to_thread(child.communicate)
    assert child.returncode == 0


async def test_the_changes_and_the_plan_follow_an_import_elsewhere(
    project: Staged, often: None
) -> None:
    """In a terminal or another notebook, without a click; a decision, too, in both
    lists."""
    workspace = project.workspace(interactive=True)
    changes = Page(await show_changes(workspace))
    panel = await show_plan(workspace, recreate=False)
    page, before = Page(panel), panel.shown.plan.plan_hash
    await changes.shows("changes_list", "Theirs")
    other = project.workspace(interactive=True)
    deciding = Page(await show_changes(other), await show_plan(other, recreate=False))
    for each in ("leave it out", "keep theirs", "delete it"):
        await deciding.pick("changes-decide", each)
    await changes.sees("✓ delete it")
    await page.hides(before)
    assert len(project.stories()) == 11
    await imported_elsewhere(project)
    assert len(project.stories()) == 10
    await changes.hides("delete it", "keep theirs")


async def test_what_is_decided_while_a_plan_is_made_is_planned_too(
    project: Staged, often: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan that is shown in the end has every decision."""
    workspace = project.workspace(interactive=True)
    changes = Page(await show_changes(workspace))
    panel = await show_plan(workspace, recreate=False)
    page = Page(panel)
    plan_now, choices = plan_panels.plan_now, ["leave it out", "keep theirs"]

    async def deciding(*given: Any, **more: Any) -> Plan:
        made = await plan_now(*given, **more)
        if choices:
            await changes.pick("changes-decide", choices.pop(0))
        return made

    monkeypatch.setattr(plan_panels, "plan_now", deciding)
    await changes.pick("changes-decide", "delete it")
    await changes.sees("✓ delete it", "✓ leave it out", "✓ keep theirs")
    made = await asyncio.to_thread(project.done, "plan", "--json")
    await page.sees(str(made.document["hash"])[:16])


async def test_what_takes_long_waits_for_a_button(
    project: Staged, often: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what changed since, and how many decisions."""
    workspace = project.workspace(interactive=True)
    monkeypatch.setattr(renewal, "QUICK", 0)
    changes = Page(await show_changes(workspace))
    panel = await show_plan(workspace, recreate=False)
    page = Page(panel)
    before = panel.shown.plan
    await changes.pick("changes-decide", "delete it")
    await changes.pick("changes-decide", "leave it out")
    await changes.pick("changes-decide", "keep theirs")
    await page.sees("3 decisions changed since this plan was made.")
    assert panel.shown.plan is before
    await page.click("plan-again")
    await page.sees("This is the plan as of now.")
    await page.hides("since this plan was made")
    assert panel.shown.plan is not before
    await imported_elsewhere(project)
    await changes.sees("An import ended since this comparison.")
    await changes.click("changes-again")
    await changes.hides("since this comparison", "keep theirs")


async def test_conflicts_count_where_no_plan_is_made(project: Staged) -> None:
    """In 01 and 07, too, the opening sentence says how many wait, and leads there."""
    workspace = project.workspace(interactive=True)
    page = Page(overview(workspace, "07"), await show_changes(workspace))
    await page.sees("At least 3 conflicts wait for a decision; the plan in notebook 04")
    await page.sees("Go on to 04")
    await page.pick("changes-decide", "keep theirs")
    await page.sees("At least 2 conflicts wait for a decision")


async def test_only_the_last_run_of_a_notebook_follows(
    project: Staged, often: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Panels of an earlier run in the same kernel, which no one sees, ask nothing."""
    workspace = project.workspace(interactive=True)
    earlier = await show_plan(workspace, recreate=False)
    Page(earlier)
    kernel = SimpleNamespace(user_ns={"workspace": workspace})
    monkeypatch.setattr(cell, "_shell", lambda: kernel)
    workspace = project.workspace(interactive=True)
    monkeypatch.undo()
    monkeypatch.setattr(project_news, "_EVERY", 0.02)
    monkeypatch.setattr(renewal, "_SOON", 0.02)
    panel = await show_plan(workspace, recreate=False)
    plans = [earlier.shown.plan, panel.shown.plan]
    page = Page(await show_changes(workspace), panel)
    await page.pick("changes-decide", "delete it")
    await page.hides(plans[1].plan_hash)
    await asyncio.sleep(0.3)
    assert earlier.shown.plan is plans[0]
