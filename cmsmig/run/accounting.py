"""What a finished run of notebooks amounts to, for the exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cmsmig.canonical import Json, JsonObject
from cmsmig.ledger.rows import Accounting
from cmsmig.plain_file import read_plain
from cmsmig.settings import Project
from cmsmig.steps.verify.accounting import read_status

FIRST_THAT_WRITES = 4
"""Number of the first notebook that changes the destination."""
_REPORT = "report.json"


@dataclass(frozen=True, slots=True)
class Balance:
    """The ledger's accounting and what the verification found."""

    accounting: Accounting | None
    """None before the first plan."""
    failed_files: int
    differences: int | None
    """None where nothing was read back."""
    gone_undone: int = 0
    """Stories of items that are gone at the origin, about which something else was
    decided than was done."""
    is_unread: bool = False
    """Whether what visitors get could not be compared."""

    @property
    def exit_code(self) -> int:
        """Return 4 for differences and for what could not be compared, 1 for something
        that failed, else 0."""
        if self.differences or self.is_unread:
            return 4
        failed = self.accounting.failed if self.accounting else 0
        return 1 if failed or self.failed_files or self.gone_undone else 0

    @property
    def lines(self) -> list[str]:
        """Return what is told at the end of a run; the accounting is the last."""
        lines = []
        if self.failed_files:
            lines.append(f"files failed: {self.failed_files}")
        return [*lines, *self.accounting.lines] if self.accounting else lines


def balance_of(project: Project, folder: Path, since: float) -> Balance:
    """Return the balance of a project after a run. Reads only.

    `folder` is the run's; a report in it that is older than `since` (seconds
    since the epoch) is another run's. Raises `LedgerError` for a damaged ledger.
    """
    verification = _verification(folder / _REPORT, since)
    listed = verification.get("differences")
    differences = len(listed) if isinstance(listed, list) else None
    is_unread = bool(verification.get("public_unread"))
    if not project.ledger.exists():
        return Balance(None, 0, differences, is_unread=is_unread)
    accounting, document = read_status(project)
    failed = document["failed_assets"]
    gone = document["gone_at_origin"]
    return Balance(
        accounting,
        len(failed) if isinstance(failed, list) else 0,
        differences,
        len(list(_undone(gone))),
        is_unread,
    )


def _undone(gone: Json) -> Iterator[Json]:
    for each in gone if isinstance(gone, list) else []:
        if isinstance(each, dict) and each["note"]:
            yield each


def _verification(report: Path, since: float) -> JsonObject:
    """Return the verification in the report of a run; empty where there is none."""
    try:
        if report.stat().st_mtime < since:
            return {}
        document = json.loads(read_plain(report))
    except (OSError, ValueError, RecursionError):
        return {}
    found = document.get("verification") if isinstance(document, dict) else None
    return found if isinstance(found, dict) else {}
