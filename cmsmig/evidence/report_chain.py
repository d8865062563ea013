"""The chain of reports: each names the one before and the state that it was made of.

`reports.jsonl` in the project has a line for each report: the SHA-256 of its
`report.json`, which has those of the page and the lists; that of the report before;
those of ledger, decisions and raw cache; and a keyed hash of these with the user's key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from cmsmig.derived_file import sealed
from cmsmig.errors import StorageError
from cmsmig.ledger.connection import connect_reading, translated
from cmsmig.plain_file import read_plain, require_in_place
from cmsmig.settings import Project

FILE_NAME = "reports.jsonl"
_TABLES = ("item", "home", "asset", "made", "loss", "plan", "run")
"""What a ledger records; other tables are of runs in flight."""


@dataclass(frozen=True, slots=True)
class ReportState:
    """What a report is made of, as SHA-256 in hex."""

    previous: str
    """Of the `report.json` before; empty for the first."""
    ledger: str
    """Of its rows: the file differs from one moment to the next."""
    decisions: str
    raw: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the chain."""

    made_at: str
    report: str
    """Of its `report.json`."""
    state: ReportState
    seal: str = ""
    """A keyed hash of the rest; empty where no key can be kept."""

    def signed(self, project: Project) -> str:
        """Return the keyed hash that the entry is to have."""
        values = (self.made_at, self.report, *astuple(self.state))
        return sealed(project.root, "report", *values)


_ENTRY = TypeAdapter(Entry)


def report_state(project: Project) -> tuple[ReportState, str]:
    """Return what a report made now is made of, and what is wrong with the reports
    before; empty if nothing is. Reads every file of the raw cache.

    Raises `StorageError` and `LedgerError`.
    """
    entries, broken = read_chain(project)
    state = ReportState(
        previous=entries[-1].report if entries else "",
        ledger=_ledger_hash(project.ledger),
        decisions=_hash_of(project.decisions),
        raw=_hash_of(project.raw),
    )
    return state, broken


def add_report(
    project: Project, state: ReportState, made_at: str, report: Path
) -> None:
    """Add a written report to the chain. Raises `StorageError`."""
    entry = Entry(made_at, file_hash(report), state)
    line = json.dumps({**asdict(entry), "seal": entry.signed(project)})
    path = project.state_folder / FILE_NAME
    try:
        require_in_place(path)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    except OSError as error:
        raise StorageError(f"{path} cannot be written ({error.strerror}).") from error


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file in hex. Raises `OSError`."""
    return hashlib.sha256(read_plain(path)).hexdigest()


def read_chain(project: Project) -> tuple[list[Entry], str]:
    """Return the lines of the chain, and the first thing wrong with it; empty if
    nothing is. Raises `StorageError`."""
    entries: list[Entry] = []
    broken = ""
    for number, line in enumerate(_lines(project), start=1):
        try:
            entry = _ENTRY.validate_json(line)
        except ValueError:
            return entries, broken or f"Line {number} of {FILE_NAME} is damaged."
        if entry.state.previous != (entries[-1].report if entries else ""):
            broken = broken or (
                f"Line {number} of {FILE_NAME} does not follow the line before."
            )
        elif entry.seal != entry.signed(project):
            broken = broken or (
                f"Line {number} of {FILE_NAME} was changed, or another user wrote it."
            )
        entries.append(entry)
    return entries, broken


def _lines(project: Project) -> list[str]:
    path = project.state_folder / FILE_NAME
    try:
        return read_plain(path).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StorageError(f"{path} cannot be read ({error.strerror}).") from error


def _ledger_hash(path: Path) -> str:
    digest = hashlib.sha256()
    with closing(connect_reading(path)) as db, translated(path):
        for table in _TABLES:
            for row in db.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3"):
                digest.update(repr((table, *row)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _hash_of(folder: Path) -> str:
    """Return one hash of the files in a folder, with their names."""
    digest = hashlib.sha256()
    for path in _files(folder):
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").digest()
        name = str(path.relative_to(folder)).encode("utf-8", "surrogateescape")
        digest.update(name + b"\0" + found)
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder in the order of their names, no hidden ones."""
    for path in sorted(folder.rglob("*")):
        hidden = any(p.startswith(".") for p in path.relative_to(folder).parts)
        if path.is_file() and not path.is_symlink() and not hidden:
            yield path
