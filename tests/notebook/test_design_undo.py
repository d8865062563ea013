"""Notebook 02: edits are taken back after a restart, and never over others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cmsmig.mapping.decisions.design import Design
from cmsmig.notebook.design.designing import accept_design, design_table, open_design
from cmsmig.steps.decide.decision_store import decision_in
from tests.support.notebook.designing import by_hand, with_fields
from tests.support.notebook.pulled_site import Controls, pulled_workspace


async def test_undo_goes_on_after_a_restart(tmp_path: Path) -> None:
    """What was edited and accepted is taken back by the next kernel step by step, with
    what the site has more by now; then by the one after that."""
    review = await by_hand(tmp_path)
    project = review.workspace.project
    written = [review.desk.design]
    table = Controls(design_table(review).widget())
    for name, value in (("key", "text"), ("label", "Main text"), ("section", "")):
        await table.enter(f"design-field-{name}", value)
        written.append(review.desk.design)
    await table.enter("design-content-type", "1")
    await table.enter("design-folder", "staff")
    await Controls(accept_design(review, "Ada").widget()).click("design-accept")
    review = await open_design(review.workspace)
    table = Controls(design_table(review).widget())
    assert table.named("design-undo")[0].description == "Undo (3)"
    await table.click("design-undo")
    assert table.named("design-content-type")[0].value == "1"
    assert decision_in(project, Design) == written[2]
    with_fields(review.workspace, {"slug": "new", "displayName": "New"})
    table = Controls(design_table(await open_design(review.workspace)).widget())
    await table.click("design-undo")
    await table.click("design-undo")
    posts = decision_in(project, Design).content_types[0]
    assert [each.key for each in posts.fields] == ["body", "tone", "author", "new"]
    assert posts.fields[0].display_name == "Body"
    await table.click("design-undo")
    assert "no edit to take back" in table.shown()


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "[" * 100_000,
        '{"design": 7}',
        '{"design": "DESIGN", "past": ["content_types: nonsense", 7]}',
        '{"design": "DESIGN", "past": ["content_types: nonsense"]}',
        '{"design": "DESIGN", "past": ["content_types: []"]}',
    ],
)
async def test_a_damaged_undo_file_does_no_harm(tmp_path: Path, damage: str) -> None:
    """The design stays, edits go on, and the next one writes the file anew."""
    review = await by_hand(tmp_path)
    table = Controls(design_table(review).widget())
    await table.enter("design-folder", "journal")
    path = tmp_path / "design_undo.json"
    known = json.loads(path.read_text())["design"]
    path.write_text(damage.replace("DESIGN", known))
    review = await open_design(review.workspace)
    table = Controls(design_table(review).widget())
    await table.click("design-undo")
    assert "taken back" in table.shown() or "no edit to take back" in table.shown()
    assert decision_in(review.workspace.project, Design).content_types[0].folder == (
        "journal"
    )
    await table.enter("design-folder", "diary")
    await table.click("design-undo")
    assert review.desk.content_types[0].folder == "journal"
    assert len(json.loads(path.read_text())["past"]) == 0


async def test_nothing_is_taken_back_over_an_edit_by_hand(tmp_path: Path) -> None:
    """Once the file was edited outside, undo begins anew; a dry run keeps nothing."""
    review = await by_hand(tmp_path)
    project = review.workspace.project
    table = Controls(design_table(review).widget())
    await table.enter("design-folder", "journal")
    path = project.decision("design.yaml")
    path.write_text(path.read_text() + "# Mine\n")
    review = await open_design(review.workspace)
    assert review.desk.undoable == 0
    table = Controls(design_table(review).widget())
    await table.enter("design-folder", "diary")
    await table.click("design-undo")
    assert decision_in(project, Design).content_types[0].folder == "journal"
    await table.enter("design-folder", "diary")
    before = (tmp_path / "design_undo.json").read_bytes()
    dry = await open_design(pulled_workspace(tmp_path, interactive=True, dry_run=True))
    table = Controls(design_table(dry).widget())
    await table.enter("design-folder", "news")
    await table.click("design-undo")
    await table.click("design-undo")
    assert dry.desk.content_types[0].folder == "journal"
    assert (tmp_path / "design_undo.json").read_bytes() == before
    again = await open_design(review.workspace)
    assert again.desk.undoable == 1


async def test_what_undo_keeps_is_bounded(tmp_path: Path) -> None:
    """The oldest edits go first, by number and by size."""
    review = await by_hand(tmp_path)
    desk, path = review.desk, tmp_path / "design_undo.json"
    for number in range(53):
        desk.edit_content_type(0, folder=f"folder-{number}")
        review.file.keep()
    kept = json.loads(path.read_text())["past"]
    assert len(kept) == 50
    assert "folder: folder-51" in kept[-1]
    for number in range(4):
        desk.edit_field(0, 0, label="x" * 900_000 + str(number))
        review.file.keep()
    assert len(json.loads(path.read_text())["past"]) == 2
