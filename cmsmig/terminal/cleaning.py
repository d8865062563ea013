"""The command `clean`, as a terminal sees it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cmsmig.canonical import JsonObject
from cmsmig.mapping.cleaning.change_texts import changed_parts
from cmsmig.mapping.decisions.cleaning import counted_places
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.cleaning_report import (
    OperationCount,
    count_operations,
    read_cleaning,
)
from cmsmig.terminal.target_option import emit_result
from cmsmig.ui.doc import Note, Part, Table


def show_cleaning(
    project: Project, settings: Settings, more: JsonObject, *, as_json: bool
) -> None:
    """Print what each operation changes. `more` is what the command did first."""
    counts = count_operations(*read_cleaning(project, settings))
    listed: JsonObject = {"operations": [each.as_json() for each in counts], **more}
    emit_result(
        project,
        settings,
        lambda: listed,
        lambda: cleaning_doc(counts),
        as_json=as_json,
    )


def cleaning_doc(counts: Sequence[OperationCount]) -> Iterator[Part]:
    """Yield what each operation changes, with samples."""
    if not counts:
        yield Note("decisions/cleaning.yaml has no operation; nothing is cleaned.")
    for each in counts:
        rows = [
            (sample.item.name, sample.edit.field.display_name, old, "→", new)
            for sample in each.samples
            for old, new in [changed_parts(sample.old, sample.new)]
        ]
        said = counted_places(each.places, each.items)
        state = "" if each.state == "accepted" else f" ({each.state})"
        title = f"{each.number}. {each.operation.title}{state}: {said}"
        yield Table((), rows, title) if rows else Note(title)
