"""The chain of reports: each names the one before and the state that it was made of.

`reports.jsonl` in the project has a line for each report: the SHA-256 of its
`report.json`, which has those of the page and the lists; that of the report before;
those of ledger, decisions and raw cache; and a keyed hash of these with the user's key.
Reports that were kept are compared with it.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from cmsmig.canonical import JsonObject
from cmsmig.derived_file import sealed
from cmsmig.errors import StorageError
from cmsmig.evidence.evidence import DOCUMENT
from cmsmig.ledger.connection import connect_reading, translated
from cmsmig.plain_file import read_plain, require_in_place
from cmsmig.settings import Project
from cmsmig.ui.doc import Mark, Note, Part, Text, applicable, table
from cmsmig.ui.format import moment

FILE_NAME = "reports.jsonl"
_TABLES = ("item", "home", "asset", "made", "loss", "plan", "run")
"""What a ledger records; other tables are of runs in flight."""
_UNLISTED = (
    f"`{FILE_NAME}` lists no such file: it was changed, or another project wrote it."
)
_ELSEWHERE = (
    "Reports of this project were signed on another machine or with another state "
    "folder (`CMSMIG_STATE_DIR`), or their lines were changed: only a machine with "
    "that key can check them."
)


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
    key: str = ""
    """Names the key of that hash; empty in lines of earlier releases."""

    def signed(self, project: Project) -> str:
        """Return the keyed hash that the entry is to have."""
        values = (self.made_at, self.report, *astuple(self.state))
        return sealed(project.root, "report", *values)


_ENTRY = TypeAdapter(Entry)


@dataclass(frozen=True, slots=True)
class Chain:
    """The lines of the chain, and whether they can be relied on."""

    entries: tuple[Entry, ...]
    broken: str
    """The first thing wrong with them, as a sentence; empty if nothing is."""
    unchecked: str
    """Why signatures cannot be checked here, as a sentence; empty if all can."""

    def notes(self) -> Iterator[Part]:
        """Yield what a person should know of it."""
        broken = f"The chain of reports is broken: {self.broken}"
        yield from applicable(
            (self.broken, Note(broken, "bad")),
            (self.unchecked, Note(self.unchecked, "warning")),
        )


@dataclass(frozen=True, slots=True)
class KeptReport:
    """A report that the chain lists, or a file that it does not list."""

    made_at: str
    """ISO 8601 in UTC, as the chain says; empty for what it does not list."""
    file: str
    """Its `report.json`; empty where it is not in the folders."""
    wrong: str = ""
    """What was changed, as a sentence; empty if nothing was."""


@dataclass(frozen=True, slots=True)
class KeptReports:
    """The reports of a project as they are now."""

    reports: tuple[KeptReport, ...]
    chain: Chain

    @property
    def exit_code(self) -> int:
        """Return 4 for a change, 1 for signatures that cannot be checked, else 0."""
        if self.chain.broken or any(each.wrong for each in self.reports):
            return 4
        return int(bool(self.chain.unchecked))

    def as_json(self) -> JsonObject:
        """Return what `reports --json` prints."""
        return {
            "reports": [asdict(each) for each in self.reports],
            "broken": self.chain.broken,
            "unchecked": self.chain.unchecked,
        }

    def doc(self) -> Iterator[Part]:
        """Yield the state of each report."""
        yield from self.chain.notes()
        if not self.reports:
            yield Note("No report was written yet.")
        rows = [
            (moment(each.made_at), each.file, self._state(each), Text(each.wrong))
            for each in self.reports
        ]
        head = ("Made", "Report", "State", "Why")
        yield from table(head, rows, "Reports", shown=len(rows))

    def _state(self, report: KeptReport) -> Mark:
        if report.wrong:
            return Mark("changed", "bad")
        if not report.file:
            return Mark("not here", "warning")
        signed = not self.chain.unchecked
        return Mark("as written", "good") if signed else Mark("as listed", "warning")


def report_state(project: Project, chain: Chain) -> ReportState:
    """Return what a report made now is made of. Reads every file of the raw cache.

    Raises `StorageError` and `LedgerError`.
    """
    return ReportState(
        previous=chain.entries[-1].report if chain.entries else "",
        ledger=_ledger_hash(project.ledger),
        decisions=_hash_of(project.decisions),
        raw=_hash_of(project.raw),
    )


def add_report(
    project: Project, state: ReportState, made_at: str, report: Path
) -> None:
    """Add a written report to the chain. Raises `StorageError`."""
    entry = Entry(made_at, file_hash(report), state)
    signature = {"seal": entry.signed(project), "key": _key_name(project)}
    path = project.state_folder / FILE_NAME
    try:
        require_in_place(path)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(asdict(entry) | signature)}\n")
    except OSError as error:
        raise StorageError(f"{path} cannot be written ({error.strerror}).") from error


def check_reports(project: Project, folders: Iterable[Path]) -> KeptReports:
    """Return whether each report below some folders is as it was written. Reads only.

    Raises `StorageError`, and `OSError` for a file that cannot be read.
    """
    chain = read_chain(project)
    files: dict[str, list[Path]] = defaultdict(list)
    found = {each for folder in folders for each in folder.absolute().rglob(DOCUMENT)}
    for path in sorted(found):
        files[file_hash(path)].append(path)
    reports = []
    for entry in chain.entries:
        reports += [
            KeptReport(entry.made_at, str(path), " ".join(_changed(path)))
            for path in files.pop(entry.report, [])
        ] or [KeptReport(entry.made_at, "")]
    for unlisted in files.values():
        reports += [KeptReport("", str(path), _UNLISTED) for path in unlisted]
    return KeptReports(tuple(reports), chain)


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file in hex. Raises `OSError`."""
    return hashlib.sha256(read_plain(path)).hexdigest()


def read_chain(project: Project) -> Chain:
    """Return the chain. Raises `StorageError`."""
    entries: list[Entry] = []
    broken = ""
    for number, line in enumerate(_lines(project), start=1):
        try:
            entry = _ENTRY.validate_json(line)
        except ValueError:
            broken = broken or f"Line {number} of {FILE_NAME} is damaged."
            break
        if entry.state.previous != (entries[-1].report if entries else ""):
            broken = broken or (
                f"Line {number} of {FILE_NAME} does not follow the line before."
            )
        entries.append(entry)
    unsigned = [each for each in entries if each.seal != each.signed(project)]
    # A line of an earlier release does not name its key: that it is another one is
    # likely where no line at all fits ours.
    ours = {_key_name(project)} | ({""} if len(unsigned) < len(entries) else set())
    if changed := [each for each in unsigned if each.key in ours]:
        number = entries.index(changed[0]) + 1
        broken = f"Line {number} of {FILE_NAME} was changed."
    elsewhere = len(changed) < len(unsigned)
    return Chain(tuple(entries), broken, _ELSEWHERE if elsewhere else "")


def _key_name(project: Project) -> str:
    return sealed(project.root, "key of reports")


def _lines(project: Project) -> list[str]:
    path = project.state_folder / FILE_NAME
    try:
        return read_plain(path).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StorageError(f"{path} cannot be read ({error.strerror}).") from error


def _changed(report: Path) -> Iterator[str]:
    """Yield a sentence for each file of a listed report that is not as it was."""
    listed = json.loads(read_plain(report))["chain"].get("files", {})
    for name, known in listed.items():
        path = report.parent / name
        if not path.is_file():
            yield f"{name} is not there."
        elif file_hash(path) != known:
            yield f"{name} was changed."


def _ledger_hash(path: Path) -> str:
    digest = hashlib.sha256()
    with closing(connect_reading(path)) as db, translated(path):
        for table_name in _TABLES:
            for row in db.execute(f"SELECT * FROM {table_name} ORDER BY 1, 2, 3"):
                values = repr((table_name, *row))
                digest.update(values.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _hash_of(folder: Path) -> str:
    """Return one hash of the files in a folder, with their names; no hidden ones."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        hidden = any(p.startswith(".") for p in path.relative_to(folder).parts)
        if path.is_file() and not path.is_symlink() and not hidden:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").digest()
            name = str(path.relative_to(folder)).encode("utf-8", "surrogateescape")
            digest.update(name + b"\0" + found)
    return digest.hexdigest()
