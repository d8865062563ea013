"""Runs of several notebooks: what is kept, said, stopped and counted."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cmsmig.errors import UsageError
from cmsmig.masking import masked
from cmsmig.run.outcome import balance_of, meaning_of
from cmsmig.run.unattended import named_once
from cmsmig.settings import Project, read_tokens
from tests.support.rehearsal import Rehearsal
from tests.support.run.small_notebooks import (
    PARAMETERS,
    run_notebooks,
    start_apart,
    write_notebook,
)
from tests.support.small_disk import small_disk
from tests.support.timelimit import patience
from tests.support.token_encodings import reveals


def test_a_failure_keeps_what_there_is_and_ends_the_run(tmp_path: Path) -> None:
    """The cell is named in one sentence, its notebook and page kept, no later one."""
    notebooks = tmp_path / "notebooks"
    write_notebook(notebooks, "00_first", "print(project, limit, dry_run, sep='|')")
    write_notebook(
        notebooks,
        "01_second",
        "print('as far as this')",
        "from cmsmig.errors import UndecidedError\nraise UndecidedError('Decide.')",
    )
    write_notebook(notebooks, "02_third", "1")
    finished, _ = run_notebooks(tmp_path, "limit=5", dry_run=True)
    folder = tmp_path / "reports" / "run"
    assert finished.exit_code == 3
    assert finished.run.complaint == (
        "01_second stopped in cell [4] `raise UndecidedError('Decide.')`: Decide (see "
        f"{folder / '01_second.html'}; 02_third not run; --from 01 continues here)."
    )
    assert sorted(each.name for each in folder.iterdir()) == [
        "00_first.html",
        "00_first.ipynb",
        "01_second.html",
        "01_second.ipynb",
        "log.jsonl",
    ]
    shown = (folder / "00_first.html").read_text("utf-8")
    assert f"{tmp_path / 'project'}|5|True" in shown
    assert "as far as this" in (folder / "01_second.ipynb").read_text("utf-8")


def test_a_dry_run_is_refused_by_notebooks_that_know_none(tmp_path: Path) -> None:
    """A notebook that cannot be asked to write nothing is not run at all."""
    write_notebook(
        tmp_path / "notebooks", "00_first", "1", parameters="limit: int = 3  # many"
    )
    with pytest.raises(UsageError, match="a parameter dry_run"):
        run_notebooks(tmp_path, dry_run=True)
    assert not (tmp_path / "reports").exists()


def test_the_project_is_named_once(tmp_path: Path) -> None:
    """`-p project` is `--project`; two different ones are refused."""
    given = [f"project={tmp_path}"]
    assert named_once("project", "", given) == str(tmp_path)
    assert named_once("project", str(tmp_path), given) == str(tmp_path)
    assert named_once("project", str(tmp_path), ["limit=3"]) == str(tmp_path)
    with pytest.raises(UsageError, match="contradict"):
        named_once("project", str(tmp_path), ["project=elsewhere"])


def test_the_projects_own_notebook_is_run_where_there_is_one(tmp_path: Path) -> None:
    """Its cells and its values; -p overrides a value, the others are the package's."""
    shown = "print('ours', limit, rate, sep='|')"
    for name in ("00_first", "01_second"):
        write_notebook(tmp_path / "notebooks", name, shown)
    write_notebook(
        tmp_path / "project" / "notebooks",
        "01_second",
        "print('mine', limit, rate, sep='|')",
        parameters=PARAMETERS.replace("limit: int = 3", "limit: int = 5"),
    )
    finished, _ = run_notebooks(tmp_path, "rate=7")
    assert finished.exit_code == 0
    folder = tmp_path / "reports" / "run"
    assert "ours|3|7.0" in (folder / "00_first.ipynb").read_text("utf-8")
    assert "mine|5|7.0" in (folder / "01_second.ipynb").read_text("utf-8")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_reaches_the_running_cell(tmp_path: Path, number: int) -> None:
    """The cell gets to end its work, what it showed is kept, the code is 5."""
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    source = (
        f"import asyncio\nfrom pathlib import Path\nprint('seen')\n"
        f"Path({str(begun)!r}).write_text('now')\nawait asyncio.sleep(60)"
    )
    write_notebook(tmp_path / "notebooks", "00_first", source)
    write_notebook(tmp_path / "notebooks", "01_second", "1")
    process = start_apart(tmp_path)
    assert begun.read_text("utf-8") == "now"
    process.send_signal(number)
    out, err = process.communicate(timeout=patience())
    assert process.returncode == 5
    assert "00_first stopped" in out
    assert "it was stopped" in out
    assert "01_second not run" in out
    assert err == ""
    kept = tmp_path / "reports" / "stopped" / "00_first.ipynb"
    assert "seen" in kept.read_text("utf-8")


def test_a_cell_that_ignores_a_stop_is_ended(tmp_path: Path) -> None:
    """After ten seconds; no kernel is left."""
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    source = (
        "import os, signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        f"open({str(begun)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    )
    write_notebook(tmp_path / "notebooks", "00_first", source)
    process = start_apart(tmp_path)
    kernel = int(begun.read_text("utf-8"))
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=patience())
    assert process.returncode == 5
    assert "it was stopped" in out
    with pytest.raises(ProcessLookupError):
        os.kill(kernel, 0)


def test_a_stop_as_the_last_cell_ends_is_a_stop(tmp_path: Path) -> None:
    """Nothing is begun after it, and the run does not count as done."""
    source = "import os, signal\nos.kill(os.getppid(), signal.SIGTERM)"
    write_notebook(tmp_path / "notebooks", "00_first", source)
    write_notebook(tmp_path / "notebooks", "01_second", "1")
    process = start_apart(tmp_path)
    try:
        said, _ = process.communicate(timeout=patience())
    finally:
        process.kill()
    assert process.returncode == 5
    assert "it was stopped" in said
    assert "01_second not run" in said
    assert not (tmp_path / "reports" / "stopped" / "01_second.ipynb").exists()


def test_a_full_disk_for_the_output_is_one_sentence(tmp_path: Path) -> None:
    """The run ends with its outcome, and what is cut off is not read as a notebook."""
    write_notebook(tmp_path / "notebooks", "00_first", "1", "print('x' * 50_000)")
    write_notebook(tmp_path / "notebooks", "01_second", "1")
    with small_disk(20_000):
        finished, _ = run_notebooks(tmp_path)
    assert "File too large" in finished.run.complaint
    assert finished.run.not_run == ("01_second",)
    assert f"outcome: 1, {meaning_of(1)}" in finished.lines


def test_a_full_disk_for_the_page_is_a_notice(tmp_path: Path) -> None:
    """The executed notebook is there; the next one is run."""
    write_notebook(tmp_path / "notebooks", "00_first", "1")
    with small_disk(20_000):
        finished, noticed = run_notebooks(tmp_path)
    assert (finished.exit_code, finished.run.complaint) == (0, "")
    assert "no HTML page could be made" in noticed[0]
    assert not (finished.run.folder / "00_first.html").exists()
    assert finished.report == finished.run.folder / "00_first.ipynb"


def test_the_ledger_and_the_report_decide_the_code(
    rehearse: Callable[..., Rehearsal], tmp_path: Path
) -> None:
    """Nothing yet and all well: 0; a failed item: 1; a fresh difference: 4."""
    rehearsal = rehearse()
    project = Project(rehearsal.folder)
    assert balance_of(project, tmp_path, 0).exit_code == 0
    rehearsal.decided().done("prepare")
    rehearsal.done("create")
    whole = balance_of(project, tmp_path, 0)
    assert (whole.exit_code, len(whole.lines)) == (0, 1)
    assert whole.lines[-1].startswith("in 48 = created 47 ")
    with closing(sqlite3.connect(project.ledger)) as db, db:
        first = "(SELECT min(item_id) FROM item)"
        db.execute(f"UPDATE item SET status = 'failed' WHERE item_id = {first}")
    assert balance_of(project, tmp_path, 0).exit_code == 1
    report = tmp_path / "report.json"
    report.write_text('{"verification": {"differences": [{"code": "story_gone"}]}}')
    assert balance_of(project, tmp_path, 0).exit_code == 4
    assert balance_of(project, tmp_path, time.time() + 60).exit_code == 1
    report.write_text('{"verification": {"differences": [], "public_unread": "No."}}')
    assert balance_of(project, tmp_path, 0).exit_code == 4
    for damaged in ("[]", "{", '{"verification": null}'):
        report.write_text(damaged)
        assert balance_of(project, tmp_path, 0).exit_code == 1


def test_no_output_of_a_notebook_tells_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a cell does with it: streams, values, pages, errors, the sentence."""
    tokens = {
        "CMSMIG_ORIGIN_TOKEN": "environment-token-3f9c2b",
        "CMSMIG_DESTINATION_TOKEN": "token-of-the-file-77a0e1",
    }
    monkeypatch.setenv("CMSMIG_ORIGIN_TOKEN", tokens["CMSMIG_ORIGIN_TOKEN"])
    project = tmp_path / "project"
    project.mkdir()
    (project / ".env").write_text(
        f"CMSMIG_DESTINATION_TOKEN={tokens['CMSMIG_DESTINATION_TOKEN']}\n"
    )
    write_notebook(
        tmp_path / "notebooks",
        "00_first",
        "import os\nprint(os.environ['CMSMIG_ORIGIN_TOKEN'])",
        "from pathlib import Path\nread = (Path(project) / '.env').read_text()\nread",
        "os.environ['CMSMIG_ORIGIN_TOKEN'].encode().hex()",
        "from IPython.display import HTML\nHTML(f'<b>{read}</b>')",
        "os.system('echo $CMSMIG_ORIGIN_TOKEN')",
        "raise RuntimeError(f'refused: {os.environ[\"CMSMIG_ORIGIN_TOKEN\"]} {read}')",
    )
    read_tokens(Project(project), dict(os.environ))
    finished, _ = run_notebooks(tmp_path)
    assert finished.exit_code == 1
    assert "refused: (hidden)" in masked(finished.run.complaint)
    kept = [path for path in (tmp_path / "reports").rglob("*") if path.is_file()]
    assert {path.suffix for path in kept} >= {".ipynb", ".html"}
    for path in kept:
        for token in tokens.values():
            assert not reveals(path.read_bytes(), token), path
            assert not reveals(masked(finished.run.complaint).encode(), token)
