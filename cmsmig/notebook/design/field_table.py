"""The fields of the content type that notebook 02 looks at, a line each that opens, and
the sections that they are in: each a visual group, or a nested component."""

from __future__ import annotations

from functools import partial

from markupsafe import Markup

from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.design import (
    Design,
    Encoding,
    FieldDesign,
    SectionDesign,
)
from cmsmig.notebook.design.design_doc import (
    GONE_OPTION,
    fields_left_out_doc,
    section_name,
)
from cmsmig.notebook.design.design_file import DesignFile
from cmsmig.review.content_type_changes import (
    label_given,
    section_of,
    with_field_in_section,
    with_option_called,
    with_section,
    with_section_called,
    with_section_flat,
    with_section_nested,
    without_section,
)
from cmsmig.ui.controls import bar, form, ident, select, text, tick, words
from cmsmig.ui.form import Field, FormView, Options
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import (
    NOTHING,
    code,
    doc_sheet,
    joined,
    note,
    sheet,
    stacked,
)
from cmsmig.ui.view import View, action

UNFILLED = "No item fills it."
_FIELD_FORM = (
    Field("design-field-label", "Label", "display_name", about="Label of field"),
    Field("design-field-key", "Key", "key", about="Key of field"),
    Field("design-field-encoding", "Encoding", "encoding", about="Encoding of field"),
    Field("design-field-required", "Required", "required"),
    Field("options-datasource", "Datasource", "datasource", about="Source of field"),
)
_NAMED = "its name for editors"
_REASON = "Not needed any more."
_SECTION_FORM = (
    Field("section-label", "Name", "display_name", about="Name of section"),
    Field("section-key", "Key", "key", about="Key of section"),
    Field("section-component", "Block of", "component", about="Component of section"),
)
_SECTION_HEAD = ("section", "fields", "what it is", "change it")
_OPTION_HEAD = ("option at the origin", "label, which is its value too")
_NO_SECTION = (
    "No section yet: tick fields, name the section, and make it with the button above."
)
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
            FormView(_FIELD_FORM, file.field, file.put_field, self._encodings)
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
        change(self._file.field(row).origin)

    @action("design-field-section")
    def sort(self, value: str) -> None:
        """Put a field into another section."""
        row, _, section = value.partition("=")
        key = self._file.field(row).key
        self._file.put(with_field_in_section(self._file.content_type, key, section))

    @action("design-field-up", "↑")
    def up(self, row: str) -> None:
        """Move a field up."""
        self._move(row, -1)

    @action("design-field-down", "↓")
    def down(self, row: str) -> None:
        """Move a field down."""
        self._move(row, 1)

    @action("design-field-leave", "Leave out")
    def leave(self, row: str) -> None:
        """Leave a field out."""
        self._leave((self._file.field(row).origin,), self._reason)

    @action("options-label")
    def label_option(self, sent: str) -> None:
        """Label an option of a field: `field.option=label`."""
        named, _, label = sent.partition("=")
        row, _, at = named.partition(".")
        field = self._file.field(row)
        before = field.options[int(at)][1]
        if (given := label_given(before, label)) != before:
            self._file.put_field(row, with_option_called(field, int(at), given))

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

    @action("design-take", "Restore")
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

    def _encodings(self, attribute: str, row: str) -> Options | None:
        if attribute != "encoding":
            return None
        return [(each, each) for each in self._editor.choices(self._file.field(row))]

    def _move(self, row: str, by: int) -> None:
        self._editor.move_field(self._file.place, int(row), by)
        self._file.keep()

    def _leave(self, origins: tuple[str, ...], reason: str) -> None:
        self._editor.leave_out(self._file.place, origins, reason)
        self._file.keep()

    # What is shown.

    def html(self, *, live: bool) -> Markup:
        """Return the table, what is below it, and what was left out."""
        rows = [self._row(n) for n in range(len(self._file.content_type.fields))]
        unfilled = len(self._editor.unfilled(self._file.place))
        named = text("design-section-name", "New section", self._section, hint=_NAMED)
        why = text("design-leave-reason", "Reason to leave out", self._reason)
        empty = f"Leave out what no item fills ({unfilled})"
        return joined(
            (
                *rows,
                bar(named, self.act("design-section-make")),
                bar(why, self.act("design-leave-empty", empty)),
                doc_sheet(*fields_left_out_doc(self._file.content_type)),
                self._taking(),
            )
        )

    def _taking(self) -> Markup:
        """Return the way back for what was left out."""
        name, again = "design-take-which", self._editor.fields_to_take(self._file.place)
        if not again:
            return NOTHING
        options = [(each, each) for each in again]
        which = select(name, "Left out", options, again[0], sends=False)
        taking = self.act("design-take", source=ident(name), value="origin")
        return bar(which, taking)

    def _row(self, number: int) -> Markup:
        """Return a field: one line, and below it what can be said and done about it."""
        row, name = str(number), f"field {number + 1}"
        content_type, field = self._file.content_type, self._file.field(row)
        samples = self._editor.samples(content_type, field, 1)
        moves = (("up", "Move up"), ("down", "Move down"), ("leave", "Leave out"))
        buttons = (
            self.act(f"design-field-{each}", row=row, about=f"{about}: {name}")
            for each, about in moves
        )
        shown = ["display_name", "key", "encoding"]
        if field.encoding is Encoding.OPTION_DATASOURCE:
            shown.append("datasource")
        controls = (
            *(self._form.field(each, row) for each in shown),
            self._section_of(field, row),
            self._form.field("required", row),
        )
        about = Markup('<span class="unseen">choose {}</span>').format(name)
        return _made(
            "field",
            ident=ident(content_type.collection_slug, field.origin),
            pick=tick(
                "design-field-pick", about, field.origin in self._picked, value=row
            ),
            field=field,
            section=section_name(section_of(content_type, field.key)),
            sample=samples[0].telling if samples else field.note or UNFILLED,
            wrong=self._editor.field_problems(self._file.place, number),
            type=self._type(field),
            note=field.note if samples else "It can be left out.",
            controls=form(*controls),
            options=self._options(field, row),
            buttons=bar(*buttons),
        )

    def _options(self, field: FieldDesign, row: str) -> Markup:
        """Return the options of a field with their labels."""
        if not field.options:
            return NOTHING
        names = self._editor.option_names(self._file.place, field)
        rows = [
            (
                names.get(option_id, GONE_OPTION),
                text(
                    "options-label",
                    "",
                    label,
                    row=f"{row}.{at}",
                    about=f"Label of option {at + 1} of field {int(row) + 1}",
                ),
            )
            for at, (option_id, label) in enumerate(field.options)
        ]
        said = words(_shared(self._editor.design, field))
        return _made("table", head=_OPTION_HEAD, rows=rows) + bar(said)

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
            "Section",
            [("no section", ""), *offered],
            own.key if own else "",
            row=row,
            about=f"Section of field {int(row) + 1}",
        )


class SectionsPanel(View):
    """The sections, each with what can be done with it."""

    def __init__(self, file: DesignFile) -> None:
        super().__init__()
        self._file = file
        self._form = self.part(FormView(_SECTION_FORM, self._section, self._put))

    def html(self, *, live: bool) -> Markup:
        """Return the sections with their controls."""
        shown = sheet(note(_NO_SECTION))
        if sections := self._file.content_type.sections:
            rows = [self._row(str(at), each) for at, each in enumerate(sections)]
            shown = _made("table", head=_SECTION_HEAD, rows=rows)
        return self.panel(sections=shown)

    def _place(self, row: str) -> int:
        if int(row) not in range(len(self._file.content_type.sections)):
            # Pressed twice, before what the first press brought was drawn.
            raise DecisionsError("This section does not exist any more.")
        return int(row)

    def _section(self, row: str) -> SectionDesign:
        return self._file.content_type.sections[self._place(row)]

    def _put(self, row: str, section: SectionDesign) -> None:
        self._file.put(with_section_called(self._file.content_type, int(row), section))

    def _row(self, row: str, section: SectionDesign) -> tuple[Markup, ...]:
        field, flat = partial(self._form.field, row=row), not section.component
        kind = words("a group in the form; values stay as they are")
        change = self.act("section-nest" if flat else "section-flatten", row=row)
        return (
            field("display_name") + field("key"),
            stacked(code(key) for key in section.fields),
            kind if flat else field("component"),
            change + self.act("section-dissolve", row=row),
        )

    @action("section-nest", "Make it a nested component")
    def _nest(self, row: str) -> None:
        place, editor = self._place(row), self._file.editor
        nested, left = with_section_nested(
            editor.design, self._file.content_type, place, editor.space_components
        )
        self._file.put(nested)
        if left:
            names = ", ".join(f"`{each.key}`" for each in left)
            self.say(
                f"Left at the root of the story: {names}. Relations and links are "
                "filled in there alone.",
                "warning",
            )

    @action("section-flatten", "Make it a group again")
    def _flatten(self, row: str) -> None:
        self._file.put(with_section_flat(self._file.content_type, self._place(row)))

    @action("section-dissolve", "Dissolve it")
    def _dissolve(self, row: str) -> None:
        self._file.put(without_section(self._file.content_type, self._place(row)))


def _shared(design: Design, field: FieldDesign) -> str:
    """Return what the values of an option field have to do with other fields."""
    if field.encoding is Encoding.OPTION:
        return ""
    if field.encoding is not Encoding.OPTION_DATASOURCE:
        return f"It becomes {field.encoding}, which has no list at the destination."
    others = [
        f"{each.key} of {content_type.display_name}"
        for content_type in design.content_types
        for each in content_type.fields
        if each is not field
        and each.encoding is Encoding.OPTION_DATASOURCE
        and each.datasource == field.datasource
    ]
    return f"The datasource is shared with {', '.join(others)}." if others else ""
