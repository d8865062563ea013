"""Lines of the checklist that people tick: kept in the project, told in the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from cmsmig.errors import DecisionsError
from cmsmig.evidence.switch.check import Check, CheckState
from cmsmig.evidence.switch.checklist_file import Tick, read_ticks, with_ticks
from cmsmig.notebook.verify import verifying
from cmsmig.notebook.verify.cutover import open_handover
from tests.support.notebook.front_end import FrontEnd, front_end
from tests.support.notebook.staging import Staged

LINE = "The DNS record's time to live is short"
HOSTILE = "<script>top.ran=1</script> & 300 s: #1"


def _option(page: FrontEnd, line: str) -> int:
    [control] = page.controls("checklist-line")
    return list(control.state["_options_labels"]).index(line)


async def test_a_line_is_ticked_by_name_and_stays_ticked(
    staged: Callable[..., Staged], tmp_path: Path
) -> None:
    """In the panel, in the project's file, in the report, and in the next session;
    not without a name; and the tick can be taken away."""
    stage = staged()
    await stage.imported()
    workspace = stage.workspace(interactive=True)
    file = stage.rehearsal.folder / "checklist.yaml"
    with front_end() as page:
        handover = open_handover(workspace, str(tmp_path / "r"))
        verifying.checklist(handover)._repr_mimebundle_()
        await page.set("checklist-line", index=_option(page, LINE))
        await page.set("checklist-name", value=" ")
        await page.click("checklist-tick")
        assert "Write your name first" in page.html()
        assert not file.exists()
        await page.set("checklist-name", value="Ana Müller")
        await page.set("checklist-note", value=HOSTILE)
        await page.click("checklist-tick")
        assert "✓ ticked" in page.html()
        assert "<script>" not in page.html()
    [kept] = yaml.safe_load(file.read_text())["ticked"]
    assert (kept["what"], kept["by"], kept["note"]) == (LINE, "Ana Müller", HOSTILE)
    with front_end() as page:
        later = open_handover(workspace, str(tmp_path / "r"))
        verifying.checklist(later)._repr_mimebundle_()
        assert "✓ ticked" in page.html()
        [name] = page.controls("checklist-name")
        assert name.state["value"] == "Ana Müller"
        later.write_evidence()
        await page.set("checklist-line", index=_option(page, LINE))
        await page.click("checklist-untick")
        assert "✓ ticked" not in page.html()
    assert read_ticks(workspace.project) == {}
    report = json.loads((tmp_path / "r" / "report.json").read_text())
    [line] = [each for each in report["checklist"] if each["what"] == LINE]
    assert line["state"] == "ticked"
    shown = (tmp_path / "r" / "report.html").read_text()
    assert "Ana Müller, " in shown
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown


@pytest.mark.parametrize("dry_run", [False, True])
async def test_a_dry_run_offers_no_tick(
    staged: Callable[..., Staged], dry_run: bool
) -> None:
    """The lines are there to read, and the form is not in sight."""
    stage = staged()
    await stage.imported()
    with front_end() as page:
        workspace = stage.workspace(interactive=True, dry_run=dry_run)
        verifying.checklist(open_handover(workspace))._repr_mimebundle_()
        assert "Editors have stopped working at the origin" in page.html()
        shown = [each.state.get("display") for each in page.channels]
        assert ("none" in shown) == dry_run


@pytest.mark.parametrize(
    ("state", "found", "now", "told"),
    [
        (CheckState.PERSON, "3 losses", CheckState.TICKED, "Ana"),
        (CheckState.OPEN, "3 losses", CheckState.TICKED, "Ana"),
        (CheckState.PERSON, "4 losses", CheckState.PERSON, "look again"),
        (CheckState.OPEN, "4 losses", CheckState.OPEN, "look again"),
        (CheckState.DONE, "none", CheckState.DONE, "Ana"),
    ],
)
def test_a_tick_holds_for_what_was_found(
    state: CheckState, found: str, now: CheckState, told: str
) -> None:
    """When something else is found, somebody has to look again."""
    made = Tick("Losses", "Ana", "2026-05-03T14:05:09+00:00", "", "3 losses")
    [shown] = with_ticks([Check("Losses", state, found)], {"Losses": made})
    assert shown.state is now
    assert told in shown.said
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
    (stage.rehearsal.folder / "checklist.yaml").write_text(text)
    with pytest.raises(DecisionsError, match=rf"checklist\.yaml.*{said}"):
        read_ticks(stage.workspace().project)
