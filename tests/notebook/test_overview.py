"""How every notebook opens: where the migration is, and the step that comes next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cmsmig.evidence.project_state import read_state
from cmsmig.notebook.importing import run_step, show_plan
from cmsmig.notebook.kit.finding_table import FindingRows, FindingTable, FindingWords
from cmsmig.notebook.workspace import open_workspace, overview
from cmsmig.ui.documents.findings import Finding
from cmsmig.ui.relation import Nouns, Source
from tests.support.notebook.page import Page
from tests.support.notebook.staging import Staged

Start = Callable[..., Staged]


def test_nothing_is_read_at_first(tmp_path: Path) -> None:
    """Any notebook reports it, and leads to 01."""
    workspace = open_workspace(str(tmp_path), interactive=False)
    html = overview(workspace, "05").html()
    assert "The origin is not read yet." in html
    assert "Go on to 01: Read the origin" in html


async def test_each_step_leads_to_the_next(staged: Start) -> None:
    """From what is planned and carried out; the sentence has the ledger's numbers."""
    stage = staged()
    project = stage.workspace().project
    assert read_state(project).next_step.panel == "plan"
    seen = []
    for step in ("prepare", "create", "link", "publish"):
        shown = await show_plan(stage.workspace())
        state = read_state(project)
        seen.append((state.next_step.notebook, state.next_step.panel))
        await run_step(stage.workspace(), step, shown)
    assert seen[:3] == [("04", "prepare"), ("05", "create"), ("06", "link")]
    state = read_state(project)
    assert state.next_step.notebook == "07"
    assert "12 stories are in the space" in state.sentence
    assert "planned" not in state.sentence


async def test_an_item_of_the_live_set_alone_counts(staged: Start) -> None:
    """It was deleted for editors since the last publish, and is read all the same."""
    project = staged().workspace().project
    before = read_state(project).items
    path = max(project.raw.glob("items/*.json"), key=lambda each: each.stat().st_size)
    head, _, *others = path.read_text().split("\n")
    path.write_text("\n".join((head, *others)))
    assert read_state(project).items == before


async def test_an_open_decision_comes_before_the_import(staged: Start) -> None:
    """It is counted, and its notebook is the next one."""
    stage = staged()
    (stage.folder / "decisions" / "design.yaml").unlink()
    state = read_state(stage.workspace().project)
    assert "1 decision is open." in state.sentence
    assert (state.next_step.notebook, state.next_step.panel) == ("02", "design")


async def test_a_panel_shows_what_another_one_changed(staged: Start) -> None:
    """By itself, once the other's action is over."""
    stage = staged()
    workspace = stage.workspace(interactive=True)
    shown = await show_plan(workspace)
    page = Page(overview(workspace, "04"), await run_step(workspace, "prepare", shown))
    await page.sees("Prepare the destination")
    await page.run("prepare-start")
    await page.sees("Go on to 05: Create the stories")


def findings(tmp_path: Path) -> Page:
    """Return a list of 40 blanks and one lost text, before a person."""
    nouns = Nouns("finding", "findings", "None.")
    rows = FindingRows(nouns, "findings")
    blank = ("", "Text", "", "It shows nothing.", "", "layout")
    rows.keep(0, (Finding("Spacer", f"Item {n}", *blank) for n in range(40)))
    lost = Finding("Text", "Item 9", "", "Text", "Words", "Lost.", "Look.", "content")
    rows.keep(0, [lost])
    view = FindingTable(FindingWords("found", "", nouns), Source(rows, tmp_path), rows)
    return Page(view.element())


async def test_equal_findings_are_one_row_with_their_number(tmp_path: Path) -> None:
    """Content first, what is about the look folded; a group lists its items, and the
    way back leads to the groups."""
    page = findings(tmp_path)
    await page.shows("found_list", "41 findings, 2 kinds.", "Text", "Spacer", "40")
    html = page.html("found_list")
    assert html.index(">Text<") < html.index("<details>") < html.index(">Spacer<")
    await page.pick("found-group", "Spacer")
    await page.shows("found_list", "1 to 25 of 40 findings.", "Item 0")
    await page.click("found-back")
    await page.shows("found_list", "41 findings, 2 kinds.")
