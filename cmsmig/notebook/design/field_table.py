"""The fields of the content type that notebook 02 looks at, a row each."""

from __future__ import annotations

from functools import partial

from cmsmig.mapping.decisions.design import Encoding, FieldDesign
from cmsmig.notebook.design.design_rows import HEAD, WIDTHS, FieldRow, RowActions
from cmsmig.notebook.kit.widgets import (
    Board,
    Element,
    Field,
    Html,
    grid,
    scrolled,
)
from cmsmig.review.design_edits import DesignEditor
from cmsmig.review.field_changes import label_given
from cmsmig.review.section_changes import section_of, with_field_in_section
from cmsmig.ui.action_queue import Act
from cmsmig.ui.html.html_templates import fragment

_made = partial(fragment, "notebook/design/design_table.html")
UNFILLED = "No item fills it."


class FieldTable:
    """The rows of one content type; used again for each of them."""

    def __init__(
        self,
        board: Board,
        desk: DesignEditor,
        reason: Field[str],
        edited: Act,
        reshaped: Act,
    ) -> None:
        """`reason` says why a field is left out. `edited` follows an edit in a row,
        `reshaped` one after which rows are others."""
        self._desk = desk
        self._place = 0
        self._reason = reason
        self._edited, self._reshaped = edited, reshaped
        longest = max(
            len(each.fields) + len(each.left_out) for each in desk.content_types
        )
        self._rows = [
            FieldRow(board, number, self._acts(number)) for number in range(longest)
        ]

    def element(self) -> Element:
        """Return the table."""
        head = [Html(_made("column_head", text=name)) for name in HEAD]
        rows = grid([head, *(each.cells for each in self._rows)], widths=WIDTHS)
        return scrolled("design-fields", rows)

    def load(self, place: int) -> None:
        """Show the fields of a content type; none is chosen."""
        self._place = place
        content_type = self._desk.content_types[place]
        translated = self._desk.translated(place)
        for number, each in enumerate(self._rows):
            if number >= len(content_type.fields):
                each.visible(False)
                continue
            field = content_type.fields[number]
            choices = self._desk.choices(field)
            each.load(field, choices, content_type.sections, translated)
            self._explain(number)

    def mark(self) -> None:
        """Say what is wrong with a field in its row."""
        for number in range(len(self._fields())):
            wrong = self._desk.field_problems(self._place, number)
            self._rows[number].mark(wrong)

    def picked(self) -> list[str]:
        """Return the keys of the fields that are chosen."""
        pairs = zip(self._fields(), self._rows, strict=False)
        return [field.key for field, each in pairs if each.picked.value]

    def _fields(self) -> tuple[FieldDesign, ...]:
        return self._desk.content_types[self._place].fields

    def _acts(self, number: int) -> RowActions:
        def move(by: int) -> None:
            self._desk.move_field(self._place, number, by)
            self._reshaped()

        def leave() -> None:
            origin = self._fields()[number].origin
            self._desk.leave_out(self._place, (origin,), self._reason.value)
            self._reshaped()

        return RowActions(
            changed=lambda: self._take(number),
            sorted=lambda: self._sort(number),
            up=lambda: move(-1),
            down=lambda: move(1),
            leave=leave,
        )

    def _take(self, number: int) -> None:
        """Take over what a row says; without a difference nothing follows."""
        if number >= len(self._fields()):
            return
        controls, before = self._rows[number], self._fields()[number]
        label = label_given(before.display_name, controls.label.value)
        key = controls.key.value.strip()
        encoding = Encoding(controls.encoding.value)
        required = controls.required.value
        if (label, key, encoding, required) == (
            before.display_name,
            before.key,
            before.encoding,
            before.required,
        ):
            return
        self._desk.edit_field(
            self._place,
            number,
            label=label,
            key=key,
            encoding=encoding,
            required=required,
        )
        self._explain(number)
        self._edited()

    def _sort(self, number: int) -> None:
        """Take over the section that a row says."""
        if number >= len(self._fields()):
            return
        content_type = self._desk.content_types[self._place]
        key, chosen = self._fields()[number].key, self._rows[number].section.value
        found = section_of(content_type, key)
        if chosen != (found.key if found else ""):
            changed = with_field_in_section(content_type, key, chosen)
            self._desk.change(self._place, changed)
            self._reshaped()

    def _explain(self, number: int) -> None:
        """Show a field's sample and why it was proposed like this."""
        content_type = self._desk.content_types[self._place]
        field = content_type.fields[number]
        samples = self._desk.samples(content_type, field, 1)
        told, why = field.note or UNFILLED, "It can be left out."
        if samples:
            told, why = samples[0].telling, field.note
        self._rows[number].explain(_made("why", sample=told, note=why))
