"""`cmsmig run`: from the options to the run, its exit code and its log."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.errors import DifferencesError, UsageError
from cmsmig.event_log import FILE_NAME, EventLog, fan_out
from cmsmig.events import Observer
from cmsmig.run.execution import NotebookRun, assign, run_notebooks
from cmsmig.run.locations import Notebook, make_run_folder, own_notebooks
from cmsmig.run.outcome import FIRST_THAT_WRITES, Balance, balance_of, meaning_of
from cmsmig.run.parameters import Value, read_assignments
from cmsmig.settings import Project, load_settings

_PAGE = "report.html"
_ROUNDED = 1.0
"""Seconds by which file systems round the times of files."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A run of notebooks and what it amounts to."""

    run: NotebookRun
    balance: Balance | None
    """None when none of the notebooks that write was run."""
    began: float
    """Seconds since the epoch."""
    ended: float
    target: str = ""

    @property
    def exit_code(self) -> int:
        """Return the code of the error that ended it, else the balance's."""
        failed = self.run.failed
        if failed is not None and failed.failure is not None:
            return failed.failure.exit_code
        return self.balance.exit_code if self.balance is not None else 0

    @property
    def report(self) -> Path:
        """Return the page to look at: the report, else the last notebook's, else the
        folder."""
        page = self.run.folder / _PAGE
        if page.is_file() and page.stat().st_mtime >= self.began - _ROUNDED:
            return page
        pages = [each.page or each.notebook for each in self.run.ran]
        return pages[-1] if pages else self.run.folder

    @property
    def differences(self) -> int | None:
        """Return what the verification found; None where nothing was compared."""
        return self.balance.differences if self.balance is not None else None

    @property
    def meaning(self) -> str:
        """Return what the exit code says of this run."""
        found = self.balance.meaning if self.balance is not None else ""
        own = found if self.exit_code == DifferencesError.exit_code else ""
        return own or meaning_of(self.exit_code)

    @property
    def lines(self) -> list[str]:
        """Return what is printed at the end: outcome, differences, report last."""
        balance = self.balance.lines if self.balance is not None else []
        compared = self.differences
        return [
            *([f"target: {self.target}"] if self.target else []),
            f"notebooks: {self.run.folder}",
            *balance,
            f"began: {_moment(self.began)}",
            f"ended: {_moment(self.ended)}",
            f"outcome: {self.exit_code}, {self.meaning}",
            f"differences: {'not compared' if compared is None else compared}",
            f"report: {self.report}",
        ]


def named_once(name: str, option: str, assignments: Sequence[str]) -> str:
    """Return what the option of this name or `-p NAME=` says, or nothing.

    Raises `UsageError` when the two differ.
    """
    given = read_assignments(assignments).get(name, "")
    if given and option and given != option:
        written = name.replace("_", "-")
        raise UsageError(
            f"--{written} and -p {name} contradict each other ({option}, {given}); "
            "give one of them."
        )
    return given or option


def run_unattended(
    project: Project,
    notebooks: Sequence[Notebook],
    assignments: Sequence[str],
    *,
    reports: Path,
    run_id: str | None = None,
    dry_run: bool = False,
    refresh: bool = False,
    observer: Observer,
) -> Finished:
    """Check parameters and settings, make the run's folder, run, draw the balance.

    `assignments` are the operator's `name=value` texts. Raises `UsageError` and
    `SettingsError` before anything is written, and what `make_run_folder` raises.
    """
    # Tokens are masked from here on.
    load_settings(project, os.environ, need_origin=False, need_destination=False)
    given = read_assignments(assignments)
    for name, is_on in (("dry_run", dry_run), ("refresh", refresh)):
        if is_on:
            given[name] = named_once(name, "true", assignments)
    supplied: dict[str, Value] = {
        "project": str(project.root),
        "target": project.target,
        "reports": "",
    }
    own = {name: given[name] for name in given if name not in {"project", "target"}}
    checked = assign(own_notebooks(project, notebooks), own, supplied)
    began = time.time()
    folder = make_run_folder(reports, project, datetime.now(UTC), run_id)
    for each in checked:
        if "reports" in each.values and "reports" not in given:
            each.values["reports"] = str(folder)
    log = EventLog(folder / FILE_NAME)
    log.write(step="run", outcome=f"started, {len(checked)} notebooks")
    run = run_notebooks(checked, folder, folder / FILE_NAME, fan_out(observer, log))
    writes = any(
        each.notebook.number >= FIRST_THAT_WRITES and not each.values.get("dry_run")
        for each in checked
    )
    balance = balance_of(project, folder, began - _ROUNDED) if writes else None
    finished = Finished(run, balance, began, time.time(), project.target)
    code = finished.exit_code
    level = "error" if code else "info"
    log.write(level, step="run", outcome=f"exit {code}: {finished.meaning}")
    return finished


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
