"""`cmsmig run`: from the options to the run, its exit code, its log and its hooks."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.errors import UsageError
from cmsmig.event_log import FILE_NAME, EventLog, fan_out
from cmsmig.events import Noticed, Observer
from cmsmig.run.execution import Assignment, NotebookRun, assign, run_notebooks
from cmsmig.run.locations import Notebook, make_run_folder
from cmsmig.run.outcome import (
    FIRST_THAT_WRITES,
    Balance,
    balance_of,
    code_of,
    meaning_of,
    notify,
)
from cmsmig.run.parameters import Value, read_assignments
from cmsmig.run.project_notebooks import read_copies
from cmsmig.settings import Project, Settings, load_settings
from cmsmig.steps.verify.accounting import accounting_json

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
            f"outcome: {self.exit_code}, {meaning_of(self.exit_code)}",
            f"differences: {'not compared' if compared is None else compared}",
            f"report: {self.report}",
        ]


@dataclass(frozen=True, slots=True)
class UnattendedRun:
    """A run whose parameters fit and whose folder is there."""

    project: Project
    settings: Settings
    environ: Mapping[str, str]
    assignments: tuple[Assignment, ...]
    folder: Path
    began: float
    """Seconds since the epoch."""
    notices: tuple[Noticed, ...] = ()
    """What differs in the project's own notebooks."""

    @property
    def log(self) -> Path:
        """Return the file of its events."""
        return self.folder / FILE_NAME

    def perform(self, observer: Observer) -> Finished:
        """Run the notebooks, draw the balance, call the hooks.

        Raises what ends the run before its notebooks do; the hooks were called by then.
        """
        log = EventLog(self.log, quotes_notices=True)
        logged = fan_out(observer, log)
        log.write(step="run", outcome=f"started, {len(self.assignments)} notebooks")
        for notice in self.notices:
            logged(notice)
        try:
            finished = self._finished(logged)
        except BaseException as error:
            self._close(code_of(error), None, log, logged)
            raise
        self._close(finished.exit_code, finished, log, logged)
        return finished

    def _finished(self, observer: Observer) -> Finished:
        run = run_notebooks(
            self.assignments, self.folder, observer=observer, log=self.log
        )
        writes = any(
            each.notebook.number >= FIRST_THAT_WRITES and not each.values.get("dry_run")
            for each in self.assignments
        )
        since = self.began - _ROUNDED
        balance = balance_of(self.project, self.folder, since) if writes else None
        return Finished(run, balance, self.began, time.time(), self.project.target)

    def _close(
        self, code: int, finished: Finished | None, log: EventLog, observer: Observer
    ) -> None:
        level = "error" if code else "info"
        log.write(level, step="run", outcome=f"exit {code}: {meaning_of(code)}")
        message = self._message(code, finished)
        for failed in notify(self.settings, self.project.root, self.environ, message):
            observer(Noticed("notify", failed))

    def _message(self, code: int, finished: Finished | None) -> JsonObject:
        balance = finished.balance if finished is not None else None
        accounting = balance.accounting if balance is not None else None
        counts = accounting_json(accounting) if accounting is not None else None
        target = self.project.target
        return {
            **({"target": target} if target else {}),
            "exit_code": code,
            "outcome": meaning_of(code),
            "run": self.folder.name,
            "project": str(self.project.root),
            "began": _moment(self.began),
            "ended": _moment(time.time()),
            "counts": counts,
            "differences": finished.differences if finished is not None else None,
            "failed_files": balance.failed_files if balance is not None else None,
            "report": str(finished.report if finished is not None else self.folder),
            "log": str(self.log),
        }


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
    refresh: bool = False,
    observer: Observer,
) -> Finished:
    """Check parameters and settings, make the run's folder, run, draw the balance.

    `assignments` are the operator's `name=value` texts. Raises `UsageError` and
    `SettingsError` before anything is written, and what `make_run_folder` raises.
    """
    environ = dict(os.environ)
    settings = load_settings(
        project, environ, need_origin=False, need_destination=False
    )
    given = _given(assignments, dry_run=dry_run, refresh=refresh)
    supplied: dict[str, Value] = {
        "project": str(project.root),
        "target": project.target,
        "reports": "",
    }
    copies = read_copies(project, notebooks)
    checked = assign(notebooks, given, supplied, copies.values)
    began = time.time()
    folder = make_run_folder(reports, project, datetime.now(UTC), run_id)
    for each in checked:
        if "reports" in each.values and "reports" not in given:
            each.values["reports"] = str(folder)
    prepared = UnattendedRun(
        project,
        settings,
        environ,
        checked,
        folder,
        began,
        tuple(copies.notices(given)),
    )
    return prepared.perform(observer)


def target_of(assignments: Sequence[str], named: str) -> str:
    """Return the target that `--target` or `-p target=` names, or nothing.

    Raises `UsageError` when the two name different ones.
    """
    given = read_assignments(assignments).get("target", "")
    if given and named and given != named:
        raise UsageError(
            f"--target names {named} and -p target names {given}; give one of them."
        )
    return given or named


def _given(
    assignments: Sequence[str], *, dry_run: bool, refresh: bool
) -> dict[str, str]:
    given = read_assignments(assignments)
    given.pop("project", None)
    given.pop("target", None)
    _switch_on(given, "dry_run", dry_run)
    _switch_on(given, "refresh", refresh)
    return given


def _switch_on(given: dict[str, str], name: str, wanted: bool) -> None:
    if not wanted:
        return
    if given.get(name, "true") != "true":
        option = name.replace("_", "-")
        raise UsageError(f"--{option} and -p {name} contradict each other; give one.")
    given[name] = "true"


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
