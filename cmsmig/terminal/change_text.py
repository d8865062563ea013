"""What moved since the last import, for a person and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from cmsmig.canonical import Json, JsonObject
from cmsmig.counting import and_more
from cmsmig.printable import printable
from cmsmig.reconcile.field_diff import shown_value
from cmsmig.steps.changes.changes import Change, Where
from cmsmig.steps.changes.target_comparison import TargetComparison

_SHOWN = 20
_TITLES = {
    Where.ORIGIN: "at the origin",
    Where.DECISIONS: "in the decisions",
    Where.DESTINATION: "at the destination",
}


def changes_json(found: Sequence[Change]) -> JsonObject:
    """Return the document that `changes --json` prints."""
    listed: dict[str, Json] = {
        str(where): [each.as_json() for each in found if each.where is where]
        for where in Where
    }
    return listed


def change_lines(found: Sequence[Change]) -> list[str]:
    """Return the changes by where they happened; the first of each, and how many."""
    lines: list[str] = []
    for where, title in _TITLES.items():
        listed = [each for each in found if each.where is where]
        lines.append(f"{title}: {len(listed) or 'nothing moved'}")
        lines += [f"  {_line(each)}" for each in listed[:_SHOWN]]
        if more := and_more(len(listed), _SHOWN, "  ... and ", "; --json lists all"):
            lines.append(more)
    return lines


def comparison_lines(found: TargetComparison) -> list[str]:
    """Return how a target differs from the one that was rehearsed in."""
    parts = (
        (f"since the import into {found.rehearsed}", found.since),
        (f"changed in {found.rehearsed} alone", found.only_rehearsed),
        (f"changed in {found.target} alone", found.only_here),
    )
    lines: list[str] = []
    for title, listed in parts:
        lines.append(f"{title}: {len(listed) or 'nothing'}")
        lines += [f"  {_line(each)}" for each in listed[:_SHOWN]]
        if more := and_more(len(listed), _SHOWN, "  ... and ", "; --json lists all"):
            lines.append(more)
    return lines


def _line(change: Change) -> str:
    if change.text:
        return printable(f"{change.what} {change.text}")
    values = f"{shown_value(change.old)} -> {shown_value(change.new)}"
    return printable(f"{change.what}: {change.field}: {values}")
