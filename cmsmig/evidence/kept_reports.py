"""Reports that were kept, compared with the chain that lists them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.evidence.evidence import DOCUMENT
from cmsmig.evidence.report_chain import FILE_NAME, file_hash, read_chain
from cmsmig.plain_file import read_plain
from cmsmig.settings import Project
from cmsmig.ui.doc import Mark, Note, Part, Text, table
from cmsmig.ui.format import moment

_UNLISTED = (
    f"`{FILE_NAME}` lists no such file: it was changed, or another project wrote it."
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
    broken: str
    """What is wrong with the chain, as a sentence; empty if nothing is."""

    @property
    def is_whole(self) -> bool:
        """Return whether nothing was changed."""
        return not self.broken and not any(each.wrong for each in self.reports)

    def as_json(self) -> JsonObject:
        """Return what `reports --json` prints."""
        return {
            "reports": [asdict(each) for each in self.reports],
            "broken": self.broken,
        }

    def doc(self) -> Iterator[Part]:
        """Yield the state of each report."""
        if self.broken:
            yield Note(f"The chain of reports is broken: {self.broken}", "bad")
        if not self.reports:
            yield Note("No report was written yet.")
        rows = [
            (moment(each.made_at), each.file, _state(each), Text(each.wrong))
            for each in self.reports
        ]
        head = ("Made", "Report", "State", "Why")
        yield from table(head, rows, "Reports", shown=len(rows))


def check_reports(project: Project, folders: Iterable[Path]) -> KeptReports:
    """Return whether each report below some folders is as it was written. Reads only.

    Raises `StorageError`, and `OSError` for a file that cannot be read.
    """
    entries, broken = read_chain(project)
    files: dict[str, list[Path]] = defaultdict(list)
    found = {each for folder in folders for each in folder.absolute().rglob(DOCUMENT)}
    for path in sorted(found):
        files[file_hash(path)].append(path)
    reports = []
    for entry in entries:
        reports += [
            KeptReport(entry.made_at, str(path), " ".join(_changed(path)))
            for path in files.pop(entry.report, [])
        ] or [KeptReport(entry.made_at, "")]
    for unlisted in files.values():
        reports += [KeptReport("", str(path), _UNLISTED) for path in unlisted]
    return KeptReports(tuple(reports), broken)


def _changed(report: Path) -> Iterator[str]:
    """Yield a sentence for each file of a listed report that is not as it was."""
    for name, known in _files(report).items():
        path = report.parent / name
        if not path.is_file():
            yield f"{name} is not there."
        elif file_hash(path) != known:
            yield f"{name} was changed."


def _files(report: Path) -> dict[str, str]:
    """Return the hashes of the files of a listed report."""
    return dict(json.loads(read_plain(report))["chain"].get("files", {}))


def _state(report: KeptReport) -> Mark:
    if report.wrong:
        return Mark("changed", "bad")
    return Mark("as written", "good") if report.file else Mark("not here", "warning")
