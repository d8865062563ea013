"""The command `clean`, as a terminal sees it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.cli.target_option import emit_result
from cmsmig.errors import UsageError
from cmsmig.mapping.decisions.body_reviews import IN_BULK
from cmsmig.mapping.decisions.cleaning import counted_places
from cmsmig.origin.schema import objects_in
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.cleaning import (
    OperationCount,
    add_operations,
    count_operations,
    read_alts,
    read_cleaning,
)
from cmsmig.steps.decide.decision_store import stamp_review
from cmsmig.ui.doc import Facts, Note, Part, Table, table


def take_alts(project: Project, path: Path, reviewer: str) -> None:
    """Add the alternative texts of a list that a person filled in. Raises
    `UsageError` without their name."""
    if not reviewer.strip():
        raise UsageError(
            "Decisions name who took them; give --reviewer with your name."
        )
    reviewed = stamp_review(reviewer.strip(), IN_BULK)
    add_operations(project, [read_alts(path, reviewed)])


def show_cleaning(
    project: Project, settings: Settings, more: JsonObject, *, as_json: bool
) -> None:
    """Print what each operation changes. `more` is what the command did first."""
    counts = count_operations(*read_cleaning(project, settings))
    emit_result(
        project,
        settings,
        lambda: {"operations": [each.as_json() for each in counts], **more},
        lambda: (*_done(more), *cleaning_doc(counts)),
        as_json=as_json,
    )


def _done(more: JsonObject) -> Iterator[Part]:
    dead = more.get("dead_links")
    yield Facts([(n.replace("_", " "), str(e)) for n, e in more.items() if e != dead])
    rows = [[str(e) for e in each.values()] for each in objects_in(dead or [])]
    yield from table(("Address", "Why", "Items"), rows, "Dead links")


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
        title = (
            f"{each.number}. {each.operation.title} ({each.operation.state}): {said}"
        )
        yield Table((), rows, title) if rows else Note(title)
