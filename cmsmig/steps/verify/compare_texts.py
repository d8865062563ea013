"""Names of folders and alternative texts of files, compared. Reads nothing."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.mapping.decisions.conflicts import ConflictKind, Side
from cmsmig.steps.plan.edits.asset_texts import ALT, AssetText, texts_of
from cmsmig.steps.plan.edits.edit_conflicts import decision_for, seen_of, shown_value
from cmsmig.steps.plan.folder_state import NAME, FolderState
from cmsmig.steps.verify.differences import Difference, DifferenceCode, Verification
from cmsmig.steps.write.folders import states_of
from cmsmig.steps.write.import_job import ImportJob


def compare_texts(job: ImportJob, found: Verification) -> None:
    """Add the names and texts that are not as decided; an edit that was decided to
    stay is no difference."""
    for state in states_of(job):
        found.differences.extend(_folder(state))
    for text in texts_of(job.migration, job.ledger, job.survey):
        found.differences.extend(_file(text))


def _folder(state: FolderState) -> Iterator[Difference]:
    row, wanted = state.row, state.plan
    if row is None or not state.written or state.side is Side.THEIRS:
        return
    if row.name != wanted.name:
        code = DifferenceCode.FOLDER_NAME
        seen = seen_of(row.name)
        decision = decision_for(ConflictKind.FOLDER, wanted.path, NAME, seen)
        text = _say(row.name, wanted.name, decision, written=state.is_renamed)
        yield Difference(code, wanted.path, NAME, text)


def _file(text: AssetText) -> Iterator[Difference]:
    if text.ours != text.theirs and not text.is_accepted:
        name, there = text.upload.name, text.there.alt
        decision = decision_for(ConflictKind.ASSET, name, ALT, seen_of(there))
        said = _say(there, text.upload.alt, decision, written=text.is_written)
        yield Difference(DifferenceCode.ASSET_TEXT, name, ALT, said)


def _say(there: str, wanted: str, decision: str, *, written: bool) -> str:
    mended = "run `cmsmig import`" if written else f"it stays until {decision}"
    return (
        f"There it is {shown_value(there)}, wanted is {shown_value(wanted)}; {mended}."
    )
