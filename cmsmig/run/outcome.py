"""How a run ended: each notebook, the balance, the exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.errors import CmsmigError, InterruptedRunError
from cmsmig.ledger.rows import Accounting
from cmsmig.ledger.store import Ledger
from cmsmig.settings import Project

_STOPPED = frozenset({"KeyboardInterrupt", "CancelledError", "InterruptedRunError"})
FIRST_THAT_WRITES = 4
"""Number of the first notebook that changes the destination."""
_REPORT = "report.json"
_MEANINGS = {
    0: "done",
    1: "done, but something failed, is open or drifted",
    2: "wrong usage or settings",
    3: "decisions are missing",
    4: "the space differs from what was decided",
    5: "interrupted; the same command continues from there",
    6: "another run holds the ledger",
    7: "a service refused the credentials",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a notebook did not run to its end."""

    where: str
    why: str
    exit_code: int


def exit_code_of(name: str) -> int:
    """Return the exit code of the error class with this name; 1 if it is foreign."""
    if name in _STOPPED:
        return InterruptedRunError.exit_code
    codes = {each.__name__: each.exit_code for each in _tree(CmsmigError)}
    return codes.get(name, 1)


def meaning_of(code: int) -> str:
    """Return what an exit code says, in words."""
    return _MEANINGS.get(code, "ended differently")


def failure_of(name: str, text: str, where: str) -> Failure:
    """Return what an exception of this name and text means for a notebook."""
    if name == "SystemExit":
        why = "it called sys.exit, which leaves the rest of the notebook undone"
    elif name in _STOPPED:
        why = text.strip() if name == "InterruptedRunError" else "it was stopped"
    elif name in {each.__name__ for each in _tree(CmsmigError)}:
        why = text
    else:
        why = f"{name}: {text}" if text else name
    return Failure(where, " ".join(why.split()).rstrip("."), exit_code_of(name))


def _tree(root: type[CmsmigError]) -> Iterator[type[CmsmigError]]:
    yield root
    for each in root.__subclasses__():
        yield from _tree(each)


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
    def meaning(self) -> str:
        """Return what the exit code says here, with the number of differences."""
        if self.differences:
            return f"{counted(self.differences, 'difference')} found"
        return "not everything could be compared" if self.is_unread else ""

    @property
    def lines(self) -> list[str]:
        """Return what is printed at the end of a run; the accounting is the last."""
        failed = [f"files failed: {self.failed_files}"] if self.failed_files else []
        return [*failed, *(self.accounting.lines if self.accounting else ())]


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
    with Ledger.open_existing(project.ledger) as ledger:
        return Balance(
            ledger.items.accounting(),
            sum(each.has_failed for each in ledger.inventory.assets().values()),
            differences,
            sum(bool(row.gone and row.gone.note) for row in ledger.gone.rows()),
            is_unread,
        )


def _verification(report: Path, since: float) -> JsonObject:
    """Return the verification in the report of a run; empty where there is none."""
    try:
        if report.stat().st_mtime < since:
            return {}
        document = json.loads(report.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    found = document.get("verification") if isinstance(document, dict) else None
    return found if isinstance(found, dict) else {}
