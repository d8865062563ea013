"""Notebooks by plain papermill and `jupyter execute`, and out of order.

Neither tool knows the commands, and both start in a folder that has nothing to do
with the project. By `make soak KIND=notebooks` the notebooks of each make one whole
migration.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cmsmig.run.locations import find_notebooks, notebooks_folder
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.settings import Project
from cmsmig.steps.verify.accounting import read_status
from tests.support.plaintools import plain_execute, plain_papermill
from tests.support.rehearsal import Rehearsal, run_here
from tests.support.sandbox.observed import SandboxHandle, running_sandbox

NOTEBOOKS = [each.path for each in find_notebooks(notebooks_folder())]
WAYS = ("papermill", "execute")
_SOAK = pytest.mark.soak
BY_EACH = [
    pytest.param(way, each, id=f"{way}-{each.stem[:2]}", marks=_SOAK if late else ())
    for way in WAYS
    for late, each in ((number > 1, each) for number, each in enumerate(NOTEBOOKS))
]
"""The tools, and the notebooks that each runs: what they do besides running cells, to
begin and to hand over parameters, is the same in all. `cmsmig run` runs them all."""
_PLAIN = {"text/html", "text/plain", "image/png", "image/svg+xml"}


@dataclass(frozen=True)
class Walk:
    """A migration that one tool makes, notebook by notebook."""

    way: str
    rehearsal: Rehearsal
    elsewhere: Path
    """Where the tool starts and leaves the executed notebooks."""
    ended: dict[Path, subprocess.CompletedProcess[str]] = field(default_factory=dict)
    """How the tool ended at each notebook, in order."""

    def through(self, notebook: Path) -> subprocess.CompletedProcess[str]:
        """Run the notebooks up to this one that did not run yet, each of them once.

        Return how the tool ended at this one.
        """
        for each in NOTEBOOKS[: NOTEBOOKS.index(notebook) + 1]:
            if each not in self.ended:
                self.ended[each] = self._run(each)
        return self.ended[notebook]

    @property
    def said(self) -> str:
        """Return everything that the tool said."""
        return "".join(each.stdout + each.stderr for each in self.ended.values())

    def _run(self, notebook: Path) -> subprocess.CompletedProcess[str]:
        if notebook.name.startswith("02"):
            accepting = ("--accept-proposals", "--reviewer", "a tester")
            self.rehearsal.done("decide", *accepting)
        output = self.elsewhere / notebook.name
        project = str(self.rehearsal.folder)
        environ = {**os.environ, "CMSMIG_STATE_DIR": str(self.rehearsal.state)}
        if self.way == "papermill":
            # It hands over `false` as text.
            given = ("-p", "project", project, "-p", "dry_run", "false")
            return plain_papermill(notebook, output, *given, environ=environ)
        # It writes next to its input alone.
        shutil.copy(notebook, output)
        environ["CMSMIG_PROJECT"] = project
        return plain_execute(output, environ=environ)


@pytest.fixture(scope="session")
def walks(
    tmp_path_factory: pytest.TempPathFactory, small_site: Path
) -> Iterator[dict[str, Walk]]:
    """Return a walk for each tool, all with a project on a sandbox of its own."""
    options = SandboxOptions(content=small_site, rate=500, origin_rate=60_000)
    with running_sandbox(options) as first, running_sandbox(options) as second:
        yield {
            way: _walk(way, tmp_path_factory.mktemp(way), handle)
            for way, handle in zip(WAYS, (first, second), strict=True)
        }


def _walk(way: str, folder: Path, handle: SandboxHandle) -> Walk:
    rehearsal = Rehearsal.start(handle, folder / "project", 500, folder / "state")
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    return Walk(way, rehearsal, elsewhere)


@pytest.mark.parametrize(
    ("way", "notebook"),
    BY_EACH,
)
def test_each_notebook_runs_with_plain_tools(
    walks: dict[str, Walk], way: str, notebook: Path
) -> None:
    """Every cell ran, none raised, and what is shown needs no kernel to look at."""
    walk = walks[way]
    ended = walk.through(notebook)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    document = json.loads((walk.elsewhere / notebook.name).read_text("utf-8"))
    assert "widgets" not in document["metadata"]
    code = [each for each in document["cells"] if each["cell_type"] == "code"]
    assert all(each["execution_count"] for each in code)
    outputs = [each for cell in code for each in cell["outputs"]]
    assert {each["output_type"] for each in outputs} <= {
        "display_data",
        "execute_result",
    }
    assert {kind for each in outputs for kind in each["data"]} <= _PLAIN


@pytest.mark.parametrize(
    ("way", "last"),
    [
        ("papermill", 1),
        ("execute", 1),
        *(pytest.param(way, 7, marks=_SOAK) for way in WAYS),
    ],
)
def test_plain_tools_leave_no_token_and_no_other_file(
    walks: dict[str, Walk], way: str, last: int
) -> None:
    """Neither notebook, output, report, ledger nor budget holds one; `.env` does. A
    whole migration is accounted for."""
    walk = walks[way]
    walk.through(NOTEBOOKS[last])
    assert walk.rehearsal.handle.state.recorder.violations == []
    names = {path.name for path in walk.elsewhere.iterdir()}
    assert names == {each.name for each in walk.ended}
    announced = walk.rehearsal.handle.announcement
    tokens = [announced[f"{side}_token"].encode() for side in ("origin", "destination")]
    folders = (walk.elsewhere, walk.rehearsal.folder, walk.rehearsal.state)
    files = [path for each in folders for path in each.rglob("*") if path.is_file()]
    holding = {p for p in files for token in tokens if token in p.read_bytes()}
    assert holding == {walk.rehearsal.folder / ".env"}
    assert not [token for token in tokens if token.decode() in walk.said]
    assert {path.suffix for path in files} >= {".ipynb", ".json", ".sqlite"}
    if last == 7:
        accounting, _ = read_status(Project(walk.rehearsal.folder))
        assert str(accounting).startswith("in 48 = created 47 ")
        assert (accounting.failed, accounting.open) == (0, 0)


def read_in_part(rehearsal: Rehearsal) -> None:
    """Leave a pull that has not come to its end."""
    rehearsal.decided()
    min((rehearsal.folder / "raw" / "live").glob("*.json")).unlink()


BEGUN: dict[str, Callable[[Rehearsal], object]] = {
    "nothing": lambda rehearsal: None,
    "pulled": lambda rehearsal: rehearsal.done("pull"),
    "read in part": read_in_part,
    "decided": Rehearsal.decided,
}
OUT_OF_ORDER = (
    ("04", "read in part", 2, "is missing; read the origin"),
    ("03", "pulled", 3, "collections.yaml is missing"),
)
ALIKE = (
    ("02", "nothing", 2, "Nothing is read yet"),
    ("07", "nothing", 2, "Nothing is read yet"),
    ("05", "decided", 2, "in notebook 04 first"),
    ("06", "decided", 2, "in notebook 05 first"),
    ("03", "nothing", 2, "Nothing is read yet"),
    ("04", "nothing", 2, "Nothing is read yet"),
    ("05", "nothing", 2, "Nothing is read yet"),
    ("06", "nothing", 2, "Nothing is read yet"),
    ("02", "pulled", 3, "design.yaml is missing"),
    ("07", "decided", 2, "Nothing was imported yet"),
)


@pytest.mark.parametrize(
    ("number", "state", "code", "said"),
    [*OUT_OF_ORDER, *(pytest.param(*each, marks=_SOAK) for each in ALIKE)],
)
def test_a_notebook_out_of_order_says_what_is_missing(
    rehearse: Callable[..., Rehearsal],
    tmp_path: Path,
    number: str,
    state: str,
    code: int,
    said: str,
) -> None:
    """One sentence names it, the code is that of the mistake, nothing is written."""
    rehearsal = rehearse()
    BEGUN[state](rehearsal)
    before = rehearsal.handle.state.recorder.summary()["routes"]
    reports = ("--reports", str(tmp_path / "reports"))
    ended = rehearsal.run("run", "--only", number, *reports)
    assert ended.code == code, ended.err
    (line,) = [each for each in ended.err.splitlines() if "stopped in cell" in each]
    assert said in line
    assert "Traceback" not in ended.err
    after = rehearsal.handle.state.recorder.summary()["routes"]
    changed = {name for name in after if after[name] != before.get(name)}
    assert not changed & {"create story", "update story", "sign upload"}, changed


def test_a_project_that_is_not_there_is_said(tmp_path: Path) -> None:
    """Without settings the first notebook names them and how to begin."""
    options = ("--only", "00", "--reports", str(tmp_path / "reports"))
    ended = run_here("--project", str(tmp_path / "none"), "run", *options)
    assert ended.code == 2
    assert "Traceback" not in ended.err
