"""Notebook 04: what both sides changed, and what one side lost, is decided there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import pytest
import yaml

from cmsmig.notebook.importing import show_changes, show_plan
from cmsmig.steps.plan.plan import Plan
from tests.support.notebook.front_end import front_end
from tests.support.notebook.live_panel import LivePanel, worked
from tests.support.notebook.staging import Staged
from tests.support.steps.origin_edits import delete_item, edit_items
from tests.support.steps.staged_project import StagedProject

Start = Callable[..., Staged]


@dataclass(frozen=True)
class Shown:
    """The choices after they were worked, and the plan that they are about."""

    html: str
    text: str
    said: str
    plan: Plan


def chosen(
    desk: StagedProject, *choices: tuple[str, int, str], dry_run: bool = False
) -> Shown:
    """Open notebook 04, make choices, and return what is shown then."""

    async def work() -> Shown:
        workspace = Staged(desk.rehearsal).workspace(interactive=True, dry_run=dry_run)
        panel = await show_plan(workspace, recreate=False)
        assert panel.shown is not None
        with front_end():
            board = LivePanel(panel.widget())
            for name, row, value in choices:
                await board.work(name, value, row)
            await worked()
            return Shown(board.html(), board.text(), board.said(), panel.shown.plan)

    return asyncio.run(work())


@pytest.fixture
def desk(staged: Start) -> StagedProject:
    """Return an imported project; one story's name was changed on both sides, another
    story is gone there, a third item at the origin."""
    desk = StagedProject(staged().rehearsal)
    desk.done("import")
    one, two, three = sorted(desk.stories())[:3]
    slug = one.rpartition("/")[2]
    body = {"story": {"name": "<b>Theirs</b>"}}
    desk.api("PUT", f"/stories/{desk.stories()[one].story_id}", body)

    def renamed(item: dict) -> dict:
        data = item["fieldData"]
        name = "Ours" if data["slug"] == slug else data["name"]
        return {**item, "fieldData": {**data, "name": name}}

    edit_items(desk, renamed)
    desk.delete(two)
    delete_item(desk, three.rpartition("/")[2])
    return desk


def names(desk: StagedProject) -> list[str]:
    return [str(each.body["name"]) for each in desk.stories().values()]


def decided(desk: StagedProject) -> str:
    return (desk.folder / "decisions" / "conflicts.yaml").read_text()


def test_whose_value_stands_is_decided_by_a_choice(desk: StagedProject) -> None:
    """Both values are shown as text; the import goes by the choice."""
    before = chosen(desk)
    assert "Theirs" in before.text
    assert "Ours" in before.text
    assert "<b>" not in before.html
    [conflict] = before.plan.edit_conflicts
    shown = chosen(desk, ("conflict-take", 0, "ours"), ("gone-take", 0, "recreate"))
    assert "Written to decisions/conflicts.yaml" in shown.text
    assert conflict.seen in decided(desk)
    desk.done("import")
    assert "Ours" in names(desk)
    assert desk.plan()["edit_conflicts"] == []
    assert chosen(desk).plan.gone.undecided.things == ()


def test_what_is_gone_is_decided_by_a_choice(desk: StagedProject) -> None:
    """Left out there, deleted for the origin; a choice is taken back by the first."""
    before = len(desk.stories())
    chosen(desk, ("gone-take", 0, "recreate"), ("gone-take", 0, ""))
    assert yaml.safe_load(decided(desk))["gone"] == []
    chosen(
        desk,
        ("gone-take", 0, "leave_out"),
        ("gone-take", 1, "delete"),
        ("conflict-take", 0, "theirs"),
    )
    desk.done("import")
    assert len(desk.stories()) == before - 1
    assert "<b>Theirs</b>" in names(desk)


def test_a_dry_run_writes_no_decision(desk: StagedProject) -> None:
    """It says so, in the panel."""
    before = decided(desk)
    shown = chosen(desk, ("conflict-take", 0, "ours"), dry_run=True)
    assert "dry run" in shown.said
    assert decided(desk) == before


def test_without_conflicts_there_is_nothing_to_choose(staged: Start) -> None:
    """An empty panel."""
    assert chosen(StagedProject(staged().rehearsal)).text == ""


def test_what_moved_is_listed_before_the_plan(desk: StagedProject) -> None:
    """By story and field, with both values, whichever side it was; nothing runs."""
    workspace = Staged(desk.rehearsal).workspace()
    panel = asyncio.run(show_changes(workspace))
    html = str(panel.html())
    assert panel.text == "moved: 2 at origin, 0 at decisions, 2 at destination"
    assert ">name</td>" in html
    assert "Ours" in html
    assert "&lt;b&gt;Theirs&lt;/b&gt;" in html
    assert "<b>Theirs</b>" not in html
    assert "is gone from the stories of the space" in html


def test_before_an_import_nothing_is_asked(staged: Start) -> None:
    """There is nothing to compare with; a decision that lacks is named."""
    desk = StagedProject(staged().rehearsal)
    mark = desk.mark()
    panel = asyncio.run(show_changes(Staged(desk.rehearsal).workspace()))
    assert "Nothing was imported yet" in str(panel.html())
    assert desk.since(mark) == []
    desk.done("import")
    (desk.folder / "decisions" / "collections.yaml").unlink()
    panel = asyncio.run(show_changes(Staged(desk.rehearsal).workspace()))
    assert "cannot be told yet" in str(panel.html())
