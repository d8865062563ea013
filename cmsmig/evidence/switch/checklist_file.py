"""The lines of the checklist that people ticked, kept in the project.

A tick holds for what was found when it was made: when that changes, somebody has to
look again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.errors import UsageError
from cmsmig.evidence.evidence import gather
from cmsmig.evidence.switch.check import Check, CheckState
from cmsmig.evidence.switch.checklist import checklist
from cmsmig.mapping.decisions.decision_records import read_record, record_body
from cmsmig.mapping.decisions.yaml_documents import read_document, write_document
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.decision_store import decision_text, replace_file, writing
from cmsmig.steps.decide.migration import open_migration
from cmsmig.ui.format import moment

FILE_NAME = "checklist.yaml"
"""In the project folder, or in the target's."""
_HEADER = (
    "Lines of the checklist before the DNS switch that were ticked in notebook 07.\n"
    "A tick holds as long as `found` is what the checklist finds."
)


@dataclass(frozen=True, slots=True)
class Tick:
    """That somebody saw to a line of the checklist."""

    what: str
    """The line's text."""
    by: str
    at: str
    """ISO 8601 in UTC."""
    note: str = ""
    found: str = ""
    """What the line said when it was ticked."""


@dataclass(frozen=True, slots=True)
class _Ticks:
    ticked: tuple[Tick, ...] = ()


def checklist_path(project: Project) -> Path:
    """Return the file of what was ticked; it need not exist."""
    return project.state_folder / FILE_NAME


def read_ticks(project: Project) -> dict[str, Tick]:
    """Return what was ticked, by the line's text. Reads only.

    Raises `DecisionsError` naming the file and the line for what is malformed.
    """
    path = checklist_path(project)
    text = decision_text(path)
    if text is None:
        return {}
    found = read_record(_Ticks, read_document(text, str(path)), str(path))
    return {each.what: each for each in found.ticked}


def tick(project: Project, check: Check, by: str, note: str = "") -> None:
    """Write that somebody saw to a line, in place of an earlier tick of it.

    Raises `UsageError` without a name, `StorageError` when the file cannot be
    written, `DecisionsError` when it is malformed.
    """
    if not by.strip():
        raise UsageError("Write your name first: a tick says who saw to the line.")
    at = datetime.now(UTC).isoformat(timespec="seconds")
    made = Tick(check.what, by.strip(), at, note.strip(), check.found)
    with writing(project):
        _write(project, {**read_ticks(project), check.what: made})


def untick(project: Project, what: str) -> None:
    """Take a tick away, if there is one. Raises as `tick`."""
    with writing(project):
        ticks = read_ticks(project)
        if ticks.pop(what, None) is not None:
            _write(project, ticks)


def with_ticks(checks: Iterable[Check], ticks: Mapping[str, Tick]) -> tuple[Check, ...]:
    """Return the checklist with what people said of its lines. Pure."""
    return tuple(
        _ticked(check, ticks[check.what]) if check.what in ticks else check
        for check in checks
    )


def open_checklist(project: Project, settings: Settings) -> tuple[Check, ...]:
    """Return a project's checklist with its ticks, by what is kept: nothing counts as
    read back. Asks no service. Raises as `gather`."""
    migration = open_migration(project, settings)
    evidence = gather(project, migration, settings.space_id, None)
    return with_ticks(checklist(evidence), read_ticks(project))


def _ticked(check: Check, made: Tick) -> Check:
    note = f": {made.note}" if made.note else ""
    said = f"{made.by}, {moment(made.at)}{note}"
    if check.state is CheckState.DONE:
        return replace(check, said=said)
    if made.found != check.found:
        return replace(check, said=f"{said} (before this was found: look again)")
    return replace(check, said=said, state=CheckState.TICKED)


def _write(project: Project, ticks: Mapping[str, Tick]) -> None:
    body = record_body(_Ticks(tuple(ticks.values())))
    replace_file(checklist_path(project), write_document(body, _HEADER))
