"""Notebook 07: the checklist, whose lines a person ticks."""

from __future__ import annotations

from cmsmig.evidence.report import checklist_doc
from cmsmig.evidence.switch.check import Check, CheckState
from cmsmig.evidence.switch.checklist_file import tick, untick
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.reviewer import known_reviewer, remember_reviewer
from cmsmig.notebook.verify.cutover import Handover
from cmsmig.settings import Project
from cmsmig.ui.doc_html import doc_sheet


def checklist_board(handover: Handover) -> widgets.Element:
    """Return the checklist with what ticks its lines."""
    return _ChecklistBoard(handover).element


class _ChecklistBoard:
    """The lines, and a form for one of them."""

    def __init__(self, handover: Handover) -> None:
        self._handover = handover
        board = self._board = widgets.Board()
        self._lines = widgets.Html(doc_sheet(*checklist_doc(handover.checks())))
        lines = _open_lines(handover.checks())
        self._line = board.choice("checklist-line", "Line", lines, lines[0][1])
        self._name = board.text(
            "checklist-name",
            "Name",
            known_reviewer(handover.workspace),
            hint="your name",
        )
        self._note = board.text("checklist-note", "Note", hint="optional")
        form = widgets.column(
            self._line,
            widgets.row(
                self._name,
                self._note,
                board.button("checklist-tick", "Tick", self._tick, look="primary"),
                board.button("checklist-untick", "Take the tick away", self._untick),
            ),
        )
        form.visible(not handover.workspace.dry_run)
        handover.on_checked(self._again)
        again = board.button("checklist-again", "Look again", self._again)
        self.element = widgets.column(
            self._lines, form, widgets.row(again), board.messages
        )

    def _again(self) -> None:
        self._lines.show(doc_sheet(*checklist_doc(self._handover.checks())))
        lines = _open_lines(self._handover.checks())
        values = [value for _, value in lines]
        now = self._line.value
        self._line.offer(lines, now if now in values else values[0])

    def _tick(self) -> None:
        wanted = self._line.value
        for check in self._handover.checks():
            if check.what == wanted:
                tick(self._project, check, self._name.value, self._note.value)
        remember_reviewer(self._handover.workspace, self._name.value)
        self._note.value = ""
        self._again()
        self._board.say(f"Ticked: {wanted}.", "good")

    def _untick(self) -> None:
        untick(self._project, self._line.value)
        self._again()
        self._board.say("")

    @property
    def _project(self) -> Project:
        return self._handover.workspace.project


def _open_lines(checks: tuple[Check, ...]) -> list[tuple[str, str]]:
    """Return the lines that a person can tick, as options: what is computed as done
    needs no tick."""
    return [
        (each.what, each.what) for each in checks if each.state is not CheckState.DONE
    ]
