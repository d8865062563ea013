"""What moved since the last import, as the first table of notebooks 01 and 04."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cmsmig.errors import CmsmigError
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.reconcile.field_diff import short_value
from cmsmig.steps.changes.changes import Change, Where, changes_of
from cmsmig.steps.changes.target_comparison import was_imported
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.ui.html.safe_html import Cell, joined, more, note, sheet, table

_SHOWN = 30
_HEAD = ("What", "Field", "Before", "Now")
_TITLES = {
    Where.ORIGIN: "At the origin, since the last import",
    Where.DECISIONS: "In the decisions, since the last plan",
    Where.DESTINATION: "At the destination, since it was written",
}


async def show_changes(workspace: Workspace) -> Panel:
    """Return what moved since the last import: at the origin as it was read last, in
    the decisions, and at the destination. Writes nothing.

    Before the first import nothing is asked. What keeps it from being told (a missing
    decision, a service that does not answer) stands in the place of the tables.
    """
    try:
        if not was_imported(workspace.project):
            text = "Nothing was imported yet, so there is nothing to compare with."
            return workspace.panel(sheet(note(text)), text=text)
        found = await changes_of(
            workspace.project,
            workspace.settings,
            observer=workspace.observer,
            stop=StopSignal(),
        )
    except CmsmigError as error:
        text = f"What moved cannot be told yet: {error}"
        return workspace.panel(sheet(note(text, "warning")), text=text)
    return workspace.panel(sheet(_tables(found)), text=_line(found))


def _line(found: Sequence[Change]) -> str:
    counts = (sum(each.where is where for each in found) for where in _TITLES)
    told = zip(_TITLES, counts, strict=True)
    return "moved: " + ", ".join(f"{count} at {where}" for where, count in told)


def _tables(found: Sequence[Change]) -> Markup:
    if not found:
        return note("Nothing moved since the last import.", "good")
    parts: list[Markup] = []
    for where, title in _TITLES.items():
        listed = [each for each in found if each.where is where]
        if listed:
            rows = map(_row, listed[:_SHOWN])
            parts += [
                table(_HEAD, rows, caption=f"{title} ({len(listed):,})"),
                more(len(listed), _SHOWN, "; `cmsmig changes --json` lists all"),
            ]
    return joined(parts)


def _row(change: Change) -> tuple[Cell, ...]:
    if change.text:
        return change.what, change.field, "", change.text
    return change.what, change.field, short_value(change.old), short_value(change.new)
