"""A number that is shown in several places is one number: in plan, notebooks, terminal
and report, and in the space itself."""

from __future__ import annotations

import asyncio
import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cmsmig.notebook import verifying
from cmsmig.notebook.handover import open_handover
from cmsmig.notebook.importing import run_step, show_plan
from cmsmig.reconcile.rules.publication import Showing
from tests.support.notebook.page import words_of
from tests.support.notebook.staging import Staged
from tests.support.steps.origin_edits import edit_items

Start = Callable[..., Staged]


@dataclass(frozen=True)
class Day:
    """What every place says after a day of edits."""

    project: Staged
    reports: Path
    plan: Any
    step: str
    shown: str
    """Notebook 07."""

    @property
    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.reports / "report.json").read_text())
        return found

    @property
    def page(self) -> str:
        return words_of((self.reports / "report.html").read_text())


@pytest.fixture
def day(staged: Start, tmp_path: Path) -> Day:
    """Two edits, a page that an editor unpublished, one that was deleted and left out,
    one that moves, an item that is no longer live, an update that waits."""
    project, reports = staged(), tmp_path / "reports"
    decided = project.folder / "decisions" / "collections.yaml"
    text = decided.read_text()
    decided.write_text(text.replace("publish: nothing", "publish: what_is_live"))
    project.done("import")
    at = {n: project.story_at(f"records/record-{n}") for n in range(1, 7)}
    project.api("PUT", f"/stories/{at[1]}", {"story": {"name": "Theirs"}})
    project.api("GET", f"/stories/{at[1]}/publish")
    project.api("GET", f"/stories/{at[2]}/unpublish")
    project.api("DELETE", f"/stories/{at[3]}")
    left_out = {"from": "destination", "what": "records/record-3"}
    project.decide_about("gone", **left_out, action="leave_out")
    moved = {"kind": "story", "what": "records/record-4", "field": "slug", "seen": ""}
    project.decide_about("edits", **moved, take="ours")
    content = {**project.stories()["records/record-6"].content, "position": "4711"}
    project.api("PUT", f"/stories/{at[6]}", {"story": {"content": content}})

    def renamed(item: dict[str, Any]) -> dict[str, Any]:
        data = item["fieldData"]
        new = {
            "record-4": {"slug": "fourth"},
            "record-6": {"name": "Record six"},
        }.get(data["slug"], {})
        return {**item, "fieldData": {**data, **new}}

    edit_items(project, renamed)
    edit_items(
        project,
        lambda item: None if item["fieldData"]["slug"] == "record-5" else item,
        ("live",),
    )
    return asyncio.run(_work(project, reports))


async def _work(project: Staged, reports: Path) -> Day:
    """Import and hand over, as the notebooks do unattended."""
    workspace = project.workspace()
    for step in ("prepare", "create", "link", "publish"):
        workspace = project.workspace()
        shown = await run_step(workspace, step, await show_plan(workspace))
    plan = await show_plan(workspace)
    handover = open_handover(project.workspace(), str(reports))
    panels = [
        await verifying.verify(handover),
        await verifying.show_changes(handover.workspace),
        verifying.redirects(handover),
        verifying.checklist(handover),
        verifying.evidence(handover),
    ]
    html = " ".join(words_of(each.html()) for each in panels)
    assert plan.shown is not None
    step = words_of(shown.html())
    return Day(project, reports, plan.shown, step, html)


def test_a_number_that_is_shown_twice_is_one_number(day: Day) -> None:
    """On a day with edits, a move, what editors hid and what was left out."""
    stories_that_are_published_are_those_of_the_space(day)
    items_and_stories_are_counted_once(day)
    addresses_that_move_are_counted_once(day)
    edits_and_differences_are_counted_once(day)


def stories_that_are_published_are_those_of_the_space(day: Day) -> None:
    """One that an editor unpublished has a column of its own; what counts nothing has
    none."""
    public = [e for e in day.project.stories().values() if e.published_content]
    counts = day.report["publication"]
    assert sum(each["published"] for each in counts) == len(public) == 10
    assert sum(each["unpublished_by_editors"] for each in counts) == 1
    assert sum(each["stories"] for each in counts) == 11
    showing = [*day.plan.details.showing.values()]
    assert showing.count(Showing.PUBLISHED) == len(public)
    assert showing.count(Showing.WITHDRAWN) == 1
    for shown in (day.page, day.shown):
        assert "10 of 11 stories are published" in shown or shown is day.shown
        assert "Unpublished by editors" in shown
        assert {*re.findall(r"(\d+) published stor", shown)} <= {"10"}
    assert "Unpublished by editors: 1 story" in day.step
    assert "Held back by decision" not in day.page
    assert "Already there" not in day.page


def items_and_stories_are_counted_once(day: Day) -> None:
    """In plan, status, import and report."""
    items = day.plan.plan.items
    stories = items["to_create"] + items["already_there"]
    assert stories == 11
    assert items["in"] == 12
    assert items["skipped"] == sum(day.plan.plan.skipped.values()) == 1
    accounting = day.report["accounting"]
    assert accounting == day.project.status()["accounting"]
    for name in accounting:
        each = [count[name] for count in day.report["collections"]]
        assert sum(each) == accounting[name]
    line = "in 12 = created 11 + reused 0 + skipped 1 + failed 0"
    assert day.project.done("import").out.strip().endswith(line)
    assert "11 stories created, 1 item left out, 0 failed" in day.step


def addresses_that_move_are_counted_once(day: Day) -> None:
    """In the list, the checklist, the report and the map."""
    redirects = day.report["redirects"]
    moved = redirects["moved"]
    with (day.reports / "redirects" / "address-map.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    named = [each for row in rows for each in row.values() if each == "moved"]
    assert moved == len(named) == 1
    assert sum(e.get("moved", 0) for e in redirects["addresses"].values()) == moved
    for shown in (day.page, day.shown):
        assert {*re.findall(r"(\d+) address(?:es)? moves?", shown)} == {str(moved)}


def edits_and_differences_are_counted_once(day: Day) -> None:
    """In terminal, JSON, notebook and report: edits that are kept are no differences,
    publications that wait for a person are."""
    ended = day.project.run("verify", "--json")
    found, report = ended.document, day.report["verification"]
    assert (found["kept"], found["differences"]) == (
        report["kept"],
        report["differences"],
    )
    assert ended.code == day.report["exit_code"] == 4
    assert [each["where"] for each in found["differences"]] == ["published"] * 2
    kept = len(found["kept"])
    assert kept == 3
    printed = day.project.run("verify").out
    for shown in (printed, day.page, day.shown):
        assert f"Kept as editors changed it ({kept})" in shown
        assert {*re.findall(r"(\d+) differences? between", shown)} == {"2"}
        assert {*re.findall(r"(\d+) edits by editors", shown)} == {str(kept)}
    waits = [e.what for e in day.plan.plan.edit_conflicts if e.field == "published"]
    assert waits == ["records/record-5", "records/record-6"]
    assert "an editor has unpublished changes" in day.step
    assert "not done yet" not in day.step
