"""The fields of the content type that notebook 02 looks at, a row of a form each."""

from __future__ import annotations

from functools import partial

from markupsafe import Markup

from cmsmig.mapping.decisions.design import FieldDesign
from cmsmig.notebook.design.design_file import DesignFile
from cmsmig.notebook.design.design_html import section_name
from cmsmig.review.section_changes import (
    section_of,
    with_field_in_section,
    with_section,
)
from cmsmig.ui.controls import bar, select, text, tick
from cmsmig.ui.form import Field, FormView, Options
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import joined
from cmsmig.ui.view import View, action

UNFILLED = "No item fills it."
_FORM = (
    Field("design-field-label", "", "display_name", "label", "Label of field"),
    Field("design-field-key", "", "key", "key", "Key of field"),
    Field("design-field-encoding", "", "encoding", about="Encoding of field"),
    Field("design-field-required", "required", "required"),
)
_HEAD = (
    "origin field",
    "label, key",
    "encoding, section",
    "sample, and why",
    "order, out",
)
_REASON = "Not needed any more."
_made = partial(fragment, "notebook/design/design_table.html")


class FieldTable(View):
    """The rows of fields, and what is done with fields that are chosen or left out."""

    def __init__(self, file: DesignFile) -> None:
        super().__init__()
        self._file, self._editor = file, file.editor
        self._reason = _REASON
        self._section = ""
        self._picked: set[str] = set()
        """The origins of the fields that are chosen."""
        self._form = self.part(
            FormView(_FORM, self._field, self._change, self._encodings)
        )

    def choose(self) -> None:
        """Begin with another content type."""
        self._picked.clear()

    # What people ask for.

    @action("design-field-pick")
    def pick(self, value: str) -> None:
        """Choose a field, or not."""
        row, _, picked = value.partition("=")
        change = self._picked.add if picked == "1" else self._picked.discard
        change(self._field(row).origin)

    @action("design-field-section")
    def sort(self, value: str) -> None:
        """Put a field into another section."""
        row, _, section = value.partition("=")
        key = self._field(row).key
        self._file.put(with_field_in_section(self._file.content_type, key, section))

    @action("design-field-up", "↑")
    def up(self, row: str) -> None:
        """Move a field up."""
        self._move(row, -1)

    @action("design-field-down", "↓")
    def down(self, row: str) -> None:
        """Move a field down."""
        self._move(row, 1)

    @action("design-field-leave", "×")
    def leave(self, row: str) -> None:
        """Leave a field out."""
        self._leave((self._field(row).origin,), self._reason)

    @action("design-leave-reason")
    def name_reason(self, reason: str) -> None:
        """Say why fields are left out from now on."""
        self._reason = reason

    @action("design-leave-empty")
    def leave_empty(self, _: str) -> None:
        """Leave out what no item fills."""
        if origins := self._editor.unfilled(self._file.place):
            self._leave(origins, UNFILLED)
        else:
            self.say("Every field is filled by some item.")

    @action("design-take")
    def take(self, origin: str) -> None:
        """Propose a field for what was left out."""
        self._editor.take_again(self._file.place, origin.rpartition("=")[2])
        self._file.keep()

    @action("design-section-name")
    def name_section(self, name: str) -> None:
        """Name the next section."""
        self._section = name

    @action("design-section-make", "Make a section of the chosen fields")
    def make_section(self, _: str) -> None:
        """Make a section of the fields that are chosen."""
        content_type = self._file.content_type
        fields = content_type.fields
        keys = [each.key for each in fields if each.origin in self._picked]
        made = with_section(content_type, keys, self._section)
        self._section = ""
        self._picked.clear()
        self._file.put(made)

    # How it is done.

    def _field(self, row: str) -> FieldDesign:
        return self._file.content_type.fields[int(row)]

    def _change(self, row: str, field: FieldDesign) -> None:
        self._editor.change_field(self._file.place, int(row), field)
        self._file.keep()

    def _encodings(self, attribute: str, row: str) -> Options | None:
        if attribute != "encoding":
            return None
        return [(each, each) for each in self._editor.choices(self._field(row))]

    def _move(self, row: str, by: int) -> None:
        self._editor.move_field(self._file.place, int(row), by)
        self._file.keep()

    def _leave(self, origins: tuple[str, ...], reason: str) -> None:
        self._editor.leave_out(self._file.place, origins, reason)
        self._file.keep()

    # What is shown.

    def html(self, *, live: bool) -> Markup:
        """Return the table, and what is below it."""
        rows = [self._row(n) for n in range(len(self._file.content_type.fields))]
        unfilled = len(self._editor.unfilled(self._file.place))
        return joined(
            (
                _made("listed", label="Fields", head=_HEAD, rows=rows),
                bar(
                    text(
                        "design-section-name",
                        "New section",
                        self._section,
                        hint="its name for editors",
                    ),
                    self.act("design-section-make"),
                ),
                bar(
                    text("design-leave-reason", "Reason to leave out", self._reason),
                    self.act(
                        "design-leave-empty",
                        f"Leave out what no item fills ({unfilled})",
                    ),
                ),
            )
        )

    def _row(self, number: int) -> tuple[Markup, ...]:
        field, row = self._file.content_type.fields[number], str(number)
        name = f"field {number + 1}"
        moves = (("up", "Move up"), ("down", "Move down"), ("leave", "Leave out"))
        buttons = (
            self.act(f"design-field-{each}", row=row, about=f"{about}: {name}")
            for each, about in moves
        )
        pick = tick(
            "design-field-pick",
            f"choose {name}",
            field.origin in self._picked,
            value=row,
        )
        control = partial(self._form.field, row=row)
        return (
            _made("origin", name=field.origin, type=self._type(field)) + pick,
            control("display_name") + control("key"),
            control("encoding") + self._section_of(field, row),
            self._why(number),
            joined(buttons) + control("required"),
        )

    def _type(self, field: FieldDesign) -> str:
        translated = self._editor.translated(self._file.place)
        if translated is None:
            return field.origin_type
        said = "translated" if field.origin in translated else "not translated"
        return f"{field.origin_type}, {said}"

    def _section_of(self, field: FieldDesign, row: str) -> Markup:
        content_type = self._file.content_type
        offered = [(section_name(each), each.key) for each in content_type.sections]
        own = section_of(content_type, field.key)
        return select(
            "design-field-section",
            "",
            [("no section", ""), *offered],
            own.key if own else "",
            row=row,
            about=f"Section of field {int(row) + 1}",
        )

    def _why(self, number: int) -> Markup:
        """Return what is wrong with a field, its sample, and why it was proposed."""
        content_type, place = self._file.content_type, self._file.place
        field = content_type.fields[number]
        samples = self._editor.samples(content_type, field, 1)
        said, why = field.note or UNFILLED, "It can be left out."
        if samples:
            said, why = samples[0].telling, field.note
        wrong = self._editor.field_problems(place, number)
        return _made("why", wrong=wrong, sample=said, note=why)
