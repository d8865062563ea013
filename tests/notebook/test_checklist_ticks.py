"""Lines of the checklist that people tick: kept in the project, shown in the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from cmsmig.errors import DecisionsError
from cmsmig.evidence.checklist import Tick, read_ticks, with_ticks
from cmsmig.evidence.checks import Check, CheckState
from cmsmig.notebook import verifying
from cmsmig.notebook.handover import open_handover
from tests.support.notebook.page import Page
from tests.support.notebook.staging import Staged

LINE = "The DNS record's time to live is short"
HOSTILE = "<script>top.ran=1</script> & 300 s: #1"


def _row(page: Page, line: str) -> str:
    """Return what the control sends that ticks a line, or takes its tick away."""
    [tag] = [each for each in page.tags("checklist-tick") if line in each["title"]] or [
        each for each in page.tags("checklist-untick") if line in each["title"]
    ]
    return tag["data-value"]


async def test_a_line_is_ticked_by_name_and_stays_ticked(
    staged: Callable[..., Staged], tmp_path: Path
) -> None:
    """In the panel, which says what to do, in the project's file, in the report, and in
    the next session; not without a name; and the tick can be taken away."""
    stage = staged()
    await stage.imported()
    workspace = stage.workspace(interactive=True)
    file = stage.folder / "checklist.yaml"
    handover = open_handover(workspace, str(tmp_path / "r"))
    page = Page(verifying.checklist(handover))
    row = _row(page, LINE)
    await page.sees("Lower it a day before the switch")
    await page.set("checklist-name", " ")
    await page.set("checklist-tick", row)
    await page.sees("Write your name first")
    assert not file.exists()
    await page.set("checklist-name", "Ana Müller")
    notes = [each["data-row"] for each in page.tags("checklist-note")]
    await page.set("checklist-note", HOSTILE, notes.index(row))
    await page.set("checklist-tick", row)
    await page.sees("✓ ticked")
    await page.nothing_runs("<script>")
    [kept] = yaml.safe_load(file.read_text())["ticked"]
    assert (kept["what"], kept["by"], kept["note"]) == (LINE, "Ana Müller", HOSTILE)
    later = open_handover(workspace, str(tmp_path / "r"))
    page = Page(verifying.checklist(later))
    await page.sees("✓ ticked")
    assert page.tags("checklist-name")[0]["value"] == "Ana Müller"
    later.write_evidence()
    await page.set("checklist-untick", _row(page, LINE))
    await page.hides("✓ ticked")
    assert read_ticks(workspace.project) == {}
    report = json.loads((tmp_path / "r" / "report.json").read_text())
    [line] = [each for each in report["checklist"] if each["what"] == LINE]
    assert line["state"] == "ticked"
    shown = (tmp_path / "r" / "report.html").read_text()
    assert "Ana Müller, " in shown
    assert "&lt;script&gt;" in shown.replace("<wbr>", "")
    assert "<script>" not in shown


@pytest.mark.parametrize("dry_run", [False, True])
async def test_a_dry_run_offers_no_tick(
    staged: Callable[..., Staged], dry_run: bool
) -> None:
    """The lines are there to read, without a control."""
    stage = staged()
    await stage.imported()
    workspace = stage.workspace(interactive=True, dry_run=dry_run)
    page = Page(verifying.checklist(open_handover(workspace)))
    await page.sees("Editors have stopped working at the origin")
    assert bool(page.tags("checklist-tick")) != dry_run


@pytest.mark.parametrize(
    ("state", "found", "now", "said"),
    [
        (CheckState.PERSON, "3 losses", CheckState.TICKED, "Ana"),
        (CheckState.OPEN, "3 losses", CheckState.TICKED, "Ana"),
        (CheckState.PERSON, "4 losses", CheckState.PERSON, "look again"),
        (CheckState.OPEN, "4 losses", CheckState.OPEN, "look again"),
        (CheckState.DONE, "none", CheckState.DONE, "Ana"),
    ],
)
def test_a_tick_holds_for_what_was_found(
    state: CheckState, found: str, now: CheckState, said: str
) -> None:
    """When something else is found, a person has to look again."""
    made = Tick("Losses", "Ana", "2026-05-03T14:05:09+00:00", "", "3 losses")
    [shown] = with_ticks([Check("Losses", state, found)], {"Losses": made})
    assert shown.state is now
    assert said in shown.said
    assert "3 May 2026" in shown.said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ticked:\n  - what: a\n    by: b\n", "line 2 .*lacks the key `at`"),
        ("ticked: !!python/object/apply:os.mkdir [x]\n", "line 1"),
        ("ticked: [", "not valid YAML"),
    ],
)
def test_a_damaged_file_is_named_with_its_line(
    staged: Callable[..., Staged], text: str, said: str
) -> None:
    """Nothing in it runs, and nothing is taken for a tick."""
    stage = staged()
    (stage.folder / "checklist.yaml").write_text(text)
    with pytest.raises(DecisionsError, match=rf"checklist\.yaml.*{said}"):
        read_ticks(stage.workspace().project)
