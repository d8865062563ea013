"""The option lists of the content type that notebook 02 looks at."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from markupsafe import Markup

from cmsmig.mapping.decisions.design import Design, Encoding, FieldDesign
from cmsmig.notebook.design.design_doc import GONE_OPTION
from cmsmig.notebook.design.design_file import DesignFile
from cmsmig.review.content_type_changes import label_given, with_option_called
from cmsmig.ui.controls import bar, select, text, words
from cmsmig.ui.form import Field, FormView, Options
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, note, sheet
from cmsmig.ui.view import View, action

_made = partial(fragment, "notebook/design/design_table.html")
_NONE = "No field of this content type has options."
SOURCES = {
    Encoding.OPTION: "options of its own",
    Encoding.OPTION_DATASOURCE: "a datasource",
}
"""Where the values of an option field come from."""
_CHOICES: Mapping[str, Options] = {
    "encoding": [(label, each) for each, label in SOURCES.items()]
}
_FORM = (
    Field("options-source", "Values", "encoding"),
    Field("options-datasource", "Datasource", "datasource"),
)


class OptionLists(View):
    """One list at a time: where its values are, and their labels."""

    def __init__(self, file: DesignFile) -> None:
        super().__init__()
        self._file = file
        self._origin = ""
        self._form = self.part(
            FormView(
                _FORM, file.field, file.put_field, lambda name, _: _CHOICES.get(name)
            )
        )

    def html(self, *, live: bool) -> Markup:
        """Return the list that is chosen, with its controls."""
        field, title = self._field(), "Option lists"
        if field is None:
            return self.panel(title, list=NOTHING, options=sheet(note(_NONE)))
        names = self._file.editor.option_names(self._file.place, field)
        given = partial(text, "options-label", "")
        rows = [
            (
                names.get(option_id, GONE_OPTION),
                given(label, row=str(at), about=f"Label of option {at + 1}"),
            )
            for at, (option_id, label) in enumerate(field.options)
        ]
        head = ("option at the origin", "label, which is its value too")
        table = _made("listed", label="List of options", head=head, rows=rows)
        return self.panel(title, list=self._controls(field), options=table)

    def _lists(self) -> list[FieldDesign]:
        return [each for each in self._file.content_type.fields if each.options]

    def _field(self) -> FieldDesign | None:
        lists = self._lists()
        chosen = (each for each in lists if each.origin == self._origin)
        return next(chosen, next(iter(lists), None))

    def _controls(self, field: FieldDesign) -> Markup:
        fields = [(each.display_name, each.origin) for each in self._lists()]
        chosen = select("options-field", "Field", fields, field.origin)
        if field.encoding not in SOURCES:
            said = f"becomes {field.encoding}, which has no list at the destination"
            return bar(chosen, words(said))
        row = str(self._file.content_type.fields.index(field))
        parts = [chosen, self._form.field("encoding", row)]
        if field.encoding is Encoding.OPTION_DATASOURCE:
            parts.append(self._form.field("datasource", row))
            if others := _sharing(self._file.editor.design, field):
                parts.append(words(f"shared with {', '.join(others)}"))
        return bar(*parts)

    @action("options-field")
    def _choose(self, origin: str) -> None:
        self._origin = origin
        self.show()

    @action("options-label")
    def _label(self, sent: str) -> None:
        at, _, label = sent.partition("=")
        field = self._field()
        if field is None:
            return
        before = field.options[int(at)][1]
        if (given := label_given(before, label)) != before:
            row = str(self._file.content_type.fields.index(field))
            self._file.put_field(row, with_option_called(field, int(at), given))


def _sharing(design: Design, field: FieldDesign) -> list[str]:
    """Return the other fields that draw from the datasource of one."""
    return [
        f"{each.key} of {content_type.display_name}"
        for content_type in design.content_types
        for each in content_type.fields
        if each is not field
        and each.encoding is Encoding.OPTION_DATASOURCE
        and each.datasource == field.datasource
    ]
