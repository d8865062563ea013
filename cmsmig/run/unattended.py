"""`cmsmig run`: from the options to the run and its exit code."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.errors import UsageError
from cmsmig.events import Observer
from cmsmig.run.accounting import FIRST_THAT_WRITES, Balance, balance_of
from cmsmig.run.execution import NotebookRun, assign, run_notebooks
from cmsmig.run.folders import make_run_folder
from cmsmig.run.locate import Notebook
from cmsmig.run.parameters import Value, read_assignments
from cmsmig.settings import Project


@dataclass(frozen=True, slots=True)
class Finished:
    """A run of notebooks and what it amounts to."""

    run: NotebookRun
    balance: Balance | None
    """None when none of the notebooks that write was run."""

    @property
    def exit_code(self) -> int:
        """Return the code of the error that ended it, else the balance's."""
        failed = self.run.failed
        if failed is not None and failed.failure is not None:
            return failed.failure.exit_code
        return self.balance.exit_code if self.balance is not None else 0

    @property
    def lines(self) -> list[str]:
        """Return what is printed at the end; the accounting is the last line."""
        balance = self.balance.lines if self.balance is not None else []
        return [f"notebooks: {self.run.folder}", *balance]


def project_named(folder: Path | None, assignments: Sequence[str]) -> Path | None:
    """Return the project folder that `--project` or `-p project=` names.

    Raises `UsageError` when the two name different ones.
    """
    given = read_assignments(assignments).get("project", "")
    if not given:
        return folder
    named = Path(given)
    if folder is not None and folder.absolute() != named.absolute():
        raise UsageError(
            f"--project names {folder} and -p project names {named}; give one of them."
        )
    return named


def run_unattended(
    project: Project,
    notebooks: Sequence[Notebook],
    assignments: Sequence[str],
    *,
    reports: Path,
    run_id: str | None = None,
    dry_run: bool = False,
    observer: Observer,
) -> Finished:
    """Check the parameters, make the run's folder, run, and draw the balance.

    `assignments` are the operator's `name=value` texts. Raises `UsageError`
    before anything is written, and what `make_run_folder` raises.
    """
    given = read_assignments(assignments)
    given.pop("project", None)
    if dry_run and given.get("dry_run", "true") != "true":
        raise UsageError("--dry-run and -p dry_run contradict each other; give one.")
    supplied: dict[str, Value] = {"project": str(project.root), "reports": ""}
    if dry_run:
        given["dry_run"] = "true"
    checked = assign(notebooks, given, supplied)
    began = time.time()
    folder = make_run_folder(reports, project, datetime.now(UTC), run_id)
    supplied["reports"] = str(folder)
    run = run_notebooks(assign(notebooks, given, supplied), folder, observer=observer)
    writes = any(
        each.notebook.number >= FIRST_THAT_WRITES and not each.values.get("dry_run")
        for each in checked
    )
    if not writes:
        return Finished(run, None)
    return Finished(run, balance_of(project, folder, began - 1))
