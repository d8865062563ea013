"""The command `clean`, as a terminal sees it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import UsageError
from cmsmig.mapping.decisions.body_reviews import IN_BULK
from cmsmig.mapping.decisions.cleaning import counted_places
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.external_links import find_dead_links
from cmsmig.steps.decide.cleaning_file import add_operations, read_alts
from cmsmig.steps.decide.cleaning_report import (
    OperationCount,
    count_operations,
    read_cleaning,
)
from cmsmig.steps.decide.decision_store import stamp_review
from cmsmig.terminal.console import emit_lines
from cmsmig.terminal.progress import Progress
from cmsmig.terminal.target_option import emit_result
from cmsmig.ui.doc import Note, Part, Table
from cmsmig.wire.session import Session


def take_alts(project: Project, path: Path, reviewer: str) -> None:
    """Add the alternative texts of a list that a person filled in. Raises
    `UsageError` without their name."""
    if not reviewer.strip():
        raise UsageError(
            "Decisions name who took them; give --reviewer with your name."
        )
    reviewed = stamp_review(reviewer.strip(), IN_BULK)
    add_operations(project, [read_alts(path, reviewed)])


def ask_other_sites(project: Project, settings: Settings, most: int) -> JsonObject:
    """Return the links to other sites that are dead, of at most so many."""

    async def ask() -> JsonObject:
        observer = Progress(sys.stderr)
        async with Session(
            "site", authorization=None, budget=None, in_flight=1, observer=observer
        ) as session:
            return await find_dead_links(project, settings, session, most)

    return asyncio.run(ask())


def show_cleaning(
    project: Project, settings: Settings, more: JsonObject, *, as_json: bool
) -> None:
    """Print what each operation changes. `more` is what the command did first."""
    counts = count_operations(*read_cleaning(project, settings))
    if more and not as_json:
        emit_lines(f"{name}: {value}" for name, value in _lines(more))
    listed: JsonObject = {"operations": [each.as_json() for each in counts], **more}
    emit_result(
        project,
        settings,
        lambda: listed,
        lambda: cleaning_doc(counts),
        as_json=as_json,
    )


def _lines(more: JsonObject) -> Iterator[tuple[str, Json]]:
    for name, value in more.items():
        for each in value if isinstance(value, list) else ():
            if isinstance(each, dict):
                yield f"dead link {each['address']}", each["why"]
        if not isinstance(value, list):
            yield name.replace("_", " "), value


def cleaning_doc(counts: Sequence[OperationCount]) -> Iterator[Part]:
    """Yield what each operation changes, with samples."""
    if not counts:
        yield Note("decisions/cleaning.yaml has no operation; nothing is cleaned.")
    for each in counts:
        rows = [
            (name, edit.field.display_name, old, "→", new)
            for name, edit, old, new in each.samples()
        ]
        said = counted_places(each.places, len(each.items))
        word = each.operation.state
        state = "" if word == "accepted" else f" ({word})"
        title = f"{each.number}. {each.operation.title}{state}: {said}"
        yield Table((), rows, title) if rows else Note(title)
