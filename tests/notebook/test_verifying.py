"""Notebook 07: read-back, redirects, checklist, report, and how it ends."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from markupsafe import escape

from cmsmig.errors import DifferencesError, UsageError
from cmsmig.events import unobserved
from cmsmig.notebook import verifying
from cmsmig.notebook.handover import Handover, open_handover
from cmsmig.notebook.kit import project_news
from cmsmig.steps.changes.changes import changes_of
from cmsmig.steps.verify.differences import Verification
from cmsmig.steps.worker_pool import StopSignal
from tests.support.cases import part
from tests.support.notebook.front_end import front_end
from tests.support.notebook.page import Page, worked
from tests.support.notebook.staging import Staged
from tests.support.steps.origin_edits import edit_items

Start = Callable[..., Staged]


async def _handed_over(stage: Staged, reports: Path) -> Handover:
    """Do what notebook 07 does, unattended, up to its last cell."""
    handover = open_handover(stage.workspace(), str(reports))
    await verifying.verify(handover)
    await verifying.show_changes(handover.workspace)
    verifying.redirects(handover)
    verifying.checklist(handover)
    verifying.evidence(handover)
    return handover


def _report(reports: Path) -> dict:
    return json.loads((reports / "report.json").read_text())


def _listed(reports: Path, name: str) -> list[dict]:
    with (reports / "lists" / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


async def test_a_whole_import_ends_well_and_its_report_adds_up(
    staged: Start, tmp_path: Path
) -> None:
    """No difference; in = created + reused + skipped + failed, in parts and in all. No
    file holds a token."""
    stage = staged()
    await stage.imported()
    handover = await _handed_over(stage, tmp_path / "r")
    ending = verifying.conclude(handover).html()
    report = _report(tmp_path / "r")
    wanted = {
        "headline": {"kind": "warning"},
        "decided": [
            {"what": "Which items are imported, and what is published"},
            {"what": "Content types, fields and folders"},
        ],
        "verification": {"differences": []},
        "exit_code": 0,
        "files": {"in": 4, "uploaded": 4, "failed": 0, "not_downloaded": 0, "open": 0},
        "plan": {"calls": {"create_stories": 0}},
        "accounting": {"in": 12},
    }
    found = part(report, wanted)
    assert found | {"decided": found["decided"][:2]} == wanted
    assert "12 items of this import arrived" in ending
    assert "not published yet, as was decided" in ending
    assert "everything read back is as it was written" not in ending
    for each in report["publication"]:
        parts = ("published", "held_by_decision", "still_to_publish")
        assert each["stories"] == each["not_live_at_origin"] + sum(map(each.get, parts))
    page = (tmp_path / "r" / "report.html").read_text()
    for machine in (report["made_at"], report["plan"]["hash"][:8], "in 12 ="):
        assert machine not in page
    assert report["decided"][0]["by"] in page
    parts = [*report["collections"], report["accounting"]]
    for each in parts:
        ended = ("created", "reused", "skipped", "failed", "open")
        assert each["in"] == sum(each[name] for name in ended)
    assert sum(each["in"] for each in parts[:-1]) == report["accounting"]["in"] == 12
    announced = stage.handle.announcement
    files = [each for each in (tmp_path / "r").rglob("*") if each.is_file()]
    texts = [each.read_text() for each in files]
    assert len(files) == 11
    for side in ("origin", "destination"):
        assert not [text for text in texts if announced[f"{side}_token"] in text]


async def test_what_an_editor_changed_is_listed_as_kept(
    staged: Start, tmp_path: Path
) -> None:
    """Item and field are in table and report, and the report is written before; it has
    the change in the words of `cmsmig changes`."""
    stage = staged()
    await stage.imported()
    where = f"/stories/{stage.story_at('records/record-3')}"
    story = stage.api("GET", where)["story"]
    content = {**story["content"], "position": "99"}
    stage.api("PUT", where, {"story": {"content": content}})
    handover = await _handed_over(stage, tmp_path / "r")
    assert "1 edit by editors is kept" in verifying.conclude(handover).html()
    report = _report(tmp_path / "r")
    assert (report["exit_code"], report["headline"]["kind"]) == (0, "warning")
    assert report["verification"]["differences"] == []
    [kept] = report["verification"]["kept"]
    workspace = handover.workspace
    [change] = await changes_of(
        workspace.project, workspace.settings, observer=unobserved, stop=StopSignal()
    )
    assert report["changes"] == [change.in_words()]
    page = (tmp_path / "r" / "report.html").read_text()
    assert (
        "In the space, since it was written: kept, nothing to do (1)</summary>" in page
    )
    assert escape(change.lines[0]) in page.replace("<wbr>", "")
    shown = (await verifying.verify(handover)).html().replace("<wbr>", "")
    assert (kept["code"], kept["where"]) == ("field_value", "position")
    assert "field value" in shown
    assert ">Record 3</td>" in shown
    assert kept["subject"] not in shown


async def test_an_item_that_failed_ends_with_4_after_all_the_work(
    staged: Start, tmp_path: Path
) -> None:
    """A taken place fails one item; the others arrive; the report says what to do."""
    stage = staged()
    folder = stage.api("POST", "/stories", _story("records", is_folder=True))["story"]
    taken = _story("record-5", parent_id=folder["id"])
    stage.api("POST", "/stories", taken)
    await stage.imported()
    handover = await _handed_over(stage, tmp_path / "r")
    with pytest.raises(
        DifferencesError, match=r"The destination differs.* 1 failed"
    ) as ended:
        verifying.conclude(handover)
    report = _report(tmp_path / "r")
    [failure] = report["failures"]
    wanted = {
        "exit_code": ended.value.exit_code,
        "accounting": {"created": 11},
        "failures": [
            {
                "kind": "item",
                "step": "create",
                "reason": "conflict",
                "name": "Record 5",
                "next_action": "… notebook 04 …",
            }
        ],
    }
    assert part(report, wanted) == wanted
    assert report["exit_code"] == 4
    open_lines = [e["what"] for e in report["checklist"] if e["state"] == "open"]
    assert "Every item is accounted for" in open_lines
    assert "/records/record-5" in [
        each["old"] for each in report["redirects"]["without_a_new_page"]
    ]
    [failed] = _listed(tmp_path / "r", "failed-items")
    assert (
        failed
        | {
            "Kind": "Conflict",
            "Item": "Record 5",
            "Page at the origin": "/records/record-5",
            "What to do": failure["next_action"],
        }
        == failed
    )
    empty = _listed(tmp_path / "r", "references-that-stay-empty")
    kind = "The target could not become a story"
    assert {(e["What"], e["Kind"], e["Field"]) for e in empty} == {
        ("Record 5", kind, "Next"),
        ("Record 5", kind, "Related"),
    }
    page = (tmp_path / "r" / "report.html").read_text()
    assert failure["subject"] not in page
    unattended = verifying.findings(handover).html()
    assert failure["next_action"].partition("`")[0] in unattended
    assert "lists/failed-items.csv" not in unattended
    await _is_listed_by_hand(stage, tmp_path / "r")


async def _is_listed_by_hand(stage: Staged, reports: Path) -> None:
    """The panel lists what the report's files do; what is saved is what is listed."""
    handover = open_handover(stage.workspace(interactive=True), str(reports))
    panel = Page(verifying.findings(handover))
    while panel.text("findings_progress"):
        await worked()
    for each in handover.evidence().findings:
        name = each.name
        await panel.set("findings-list", each.title)
        path = reports / "lists" / f"{name}.csv"
        if not path.exists():
            assert "No finding passes" in panel.text("findings_list"), name
            continue
        await panel.click("findings-save")
        kept = stage.folder / "lists" / path.name
        assert kept.read_text() == path.read_text(), name
    await panel.set("findings-list", "")
    await panel.set("findings-search", "record-5")
    assert "1 finding." in panel.text("findings_list")
    assert "<code>cmsmig import</code>" in panel.html("findings_list")
    handover.checked(Verification())
    await worked()
    while panel.text("findings_progress"):
        await worked()
    assert "1 finding." in panel.text("findings_list")


def _story(slug: str, **more: object) -> dict:
    content = {} if more.get("is_folder") else {"content": {"component": "page"}}
    return {"story": {"name": slug, "slug": slug, **content, **more}}


async def test_before_any_import_the_notebooks_that_come_first_are_named(
    staged: Start, tmp_path: Path
) -> None:
    """Exit code 2; in a dry run every panel reports it instead, and no file is made."""
    stage = staged()
    with pytest.raises(UsageError, match="04, 05 and 06"):
        open_handover(stage.workspace())
    handover = open_handover(stage.workspace(dry_run=True), str(tmp_path / "r"))
    panels = [
        await verifying.verify(handover),
        verifying.checklist(handover),
        verifying.findings(handover),
        verifying.evidence(handover),
        verifying.conclude(handover),
    ]
    planned = verifying.redirects(handover).html()
    assert all("04, 05 and 06" in each.html() for each in panels)
    assert "As planned" in planned
    assert not (tmp_path / "r").exists()


async def test_by_hand_every_file_waits_for_its_button(
    staged: Start, tmp_path: Path
) -> None:
    """Nothing is read back or written until asked; then all panels follow."""
    stage = staged()
    await stage.imported()
    with front_end() as page:
        handover = open_handover(stage.workspace(interactive=True), str(tmp_path / "r"))
        for panel in (
            await verifying.verify(handover),
            verifying.redirects(handover),
            verifying.checklist(handover),
            verifying.evidence(handover),
            verifying.conclude(handover),
        ):
            panel._repr_mimebundle_()
        assert "nothing was read back in this run" in page.html()
        assert not (tmp_path / "r").exists()
        await page.click("verify-start")
        await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
        assert "nothing was read back in this run" not in page.html()
        for button in ("redirects-write", "checklist-again", "report-write"):
            await page.click(button)
    assert _report(tmp_path / "r")["verification"]["compared"]["stories"] == 12
    assert (tmp_path / "r" / "redirects" / "redirects.csv").is_file()


async def test_a_stopped_read_back_counts_as_none(staged: Start) -> None:
    """Half a comparison proves nothing, so nothing of it is kept."""
    stage = staged(rate=60, settings="in_flight = 2")
    await stage.imported()
    with front_end() as page:
        handover = open_handover(stage.workspace(interactive=True))
        (await verifying.verify(handover))._repr_mimebundle_()
        await page.click("verify-start")
        await page.click("verify-stop")
        await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
        assert "counts only when it is whole" in page.html()
    assert handover.found is None


async def test_an_import_elsewhere_ends_what_was_read_back(
    staged: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every panel of notebook 07 follows an import without a click."""
    monkeypatch.setattr(project_news, "_EVERY", 0.02)
    stage = staged()
    await stage.imported()
    handover = open_handover(stage.workspace(interactive=True))
    page = Page(await verifying.verify(handover), verifying.conclude(handover))
    await page.run("verify-start")
    await page.hides("Nothing was read back since", "nothing was read back")
    edit_items(stage, _renamed)
    await stage.imported()
    await page.sees("Nothing was read back since the last import.")
    await page.sees("nothing was read back in this run")


def _renamed(item: dict) -> dict:
    data = item["fieldData"]
    return {**item, "fieldData": {**data, "name": f"{data['name']}, renamed"}}
