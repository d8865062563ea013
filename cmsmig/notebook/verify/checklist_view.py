"""Notebook 07: the checklist, whose lines a person ticks."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup

from cmsmig.evidence.checklist import tick, untick
from cmsmig.evidence.checks import Check, CheckState
from cmsmig.evidence.report import LINE, TICKED, checklist_doc
from cmsmig.notebook.handover import Handover
from cmsmig.notebook.kit.decision_files import known_reviewer, remember_reviewer
from cmsmig.ui.controls import bar, text
from cmsmig.ui.doc import Table
from cmsmig.ui.html.safe_html import doc_sheet, escape, stacked
from cmsmig.ui.view import View, action


class ChecklistView(View):
    """The lines; what is not done has a note and a tick."""

    prefix = "checklist"
    label = "Checklist before the DNS switch"

    def __init__(self, handover: Handover) -> None:
        super().__init__()
        self._handover = handover
        self._name = known_reviewer(handover.workspace)
        self._notes: dict[str, str] = {}
        """By the line's number: notes that no tick has taken yet."""
        self._checks = handover.checks()
        handover.on_checked(self.renew)

    def renew(self) -> None:
        """Show the lines as they are now."""
        self._checks = self._handover.checks()
        self.show(calm=True)

    @action("name")
    def name(self, value: str) -> None:
        """Take the name of who ticks."""
        self._name = value

    @action("note")
    def note(self, sent: str) -> None:
        """Keep a note for the tick of its line."""
        row, _, self._notes[row] = sent.partition("=")

    @action("tick", "Tick")
    def tick(self, row: str) -> None:
        """Tick a line."""
        check, workspace = self._checks[int(row)], self._handover.workspace
        tick(workspace.project, check, self._name, self._notes.pop(row, ""))
        remember_reviewer(workspace, self._name)
        self.renew()
        self.say(f"Ticked: {check.what}.", "good")

    @action("untick", "Take the tick away")
    def untick(self, row: str) -> None:
        """Take the tick of a line away."""
        untick(self._handover.workspace.project, self._checks[int(row)].what)
        self.renew()

    @action("again", "Look again")
    def again(self, _: str) -> None:
        """Look at everything again."""
        self.renew()

    def html(self, *, live: bool) -> Markup:
        """Return the lines; live, with what ticks them."""
        lines, *rest = checklist_doc(self._checks)
        if not live or self._handover.workspace.dry_run:
            return doc_sheet(lines, *rest)
        assert isinstance(lines, Table)
        rows = [
            (*cells[: len(LINE)], self._ticking(str(number), check))
            for number, (cells, check) in enumerate(
                zip(lines.rows, self._checks, strict=True)
            )
        ]
        name = text(self.named("name"), "Name", self._name, hint="your name")
        return self.panel(
            name=bar(name, self.act("again")),
            checklist=doc_sheet(replace(lines, head=(*LINE, TICKED), rows=rows), *rest),
        )

    def _ticking(self, row: str, check: Check) -> Markup:
        """Return who ticked a line, and what ticks it."""
        if check.state is CheckState.DONE:
            return escape(check.said)
        about = f"Take the tick away: {check.what}"
        said = [escape(check.said), self.act("untick", row=row, about=about)]
        if check.state is CheckState.TICKED:
            return stacked(said)
        about, kept = f"Note: {check.what}", self._notes.get(row, "")
        note = text(self.named("note"), "", kept, row=row, about=about, hint="note")
        ticks = bar(note, self.act("tick", row=row, about=f"Tick: {check.what}"))
        return stacked((*said, ticks)) if check.said else ticks
