"""What people add to `cleaning.yaml`, and decide about what is in it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from cmsmig.errors import UsageError
from cmsmig.mapping.decisions.cleaning import (
    AltText,
    CleaningDecision,
    CleaningKind,
    Operation,
)
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import change_decision, decision_text


def add_operations(project: Project, found: Iterable[Operation]) -> int:
    """Add operations that the file does not have, refused or not; return how many.

    Writes nothing where there is none.
    """
    wanted = {each.effect: each for each in found}
    added = 0

    def add(now: CleaningDecision) -> CleaningDecision:
        nonlocal added
        known = {each.effect for each in now.operations}
        fresh = [each for effect, each in wanted.items() if effect not in known]
        added = len(fresh)
        return replace(now, operations=(*now.operations, *fresh))

    if wanted:
        change_decision(project, CleaningDecision, add)
    return added


def read_alts(path: Path, reviewed: Reviewed) -> Operation:
    """Return the operation of a list of alternative texts that was filled in: CSV with
    the columns `picture`, `where` and `alt`. Rows without a text are left out.

    Raises `UsageError` for another file.
    """
    text = (decision_text(path) or "").removeprefix("\ufeff")
    head = text.partition("\n")[0]
    delimiter = next((each for each in ";\t" if each in head), ",")
    rows = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    if not {"picture", "alt"} <= {*(rows.fieldnames or ())}:
        raise UsageError(
            f"{path} is no list of alternative texts: its first line needs the columns "
            "picture, where and alt; `cmsmig clean --propose` writes one to fill in."
        )
    alts = tuple(
        AltText(row["picture"], alt, row.get("where") or "")
        for row in rows
        if (alt := (row["alt"] or "").strip())
    )
    if not alts:
        raise UsageError(f"No alternative text is filled in in {path}.")
    return Operation(kind=CleaningKind.ALT_TEXT, alts=alts, reviewed=reviewed)
