"""The option lists of the content type that notebook 02 looks at."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from markupsafe import Markup

from cmsmig.mapping.decisions.design import Design, Encoding, FieldDesign
from cmsmig.notebook.design.design_html import GONE_OPTION
from cmsmig.review.design_edits import DesignEditor
from cmsmig.review.field_changes import (
    label_given,
    with_field,
    with_option_called,
)
from cmsmig.ui.action_queue import Act
from cmsmig.ui.controls import bar, select, text, words
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, note, sheet
from cmsmig.ui.view import View, action

_made = partial(fragment, "notebook/design/design_parts.html")
_NONE = "No field of this content type has options."
SOURCES = {
    Encoding.OPTION: "options of its own",
    Encoding.OPTION_DATASOURCE: "a datasource",
}
"""Where the values of an option field stand."""


class OptionLists(View):
    """One list at a time: where its values are, and their labels."""

    label = "Option lists"

    def __init__(self, desk: DesignEditor, edited: Act) -> None:
        super().__init__()
        self._desk = desk
        self._place = 0
        self._origin = ""
        self._edited = edited

    def load(self, place: int) -> None:
        """Show the lists of a content type; nobody is disturbed who types here."""
        self._place = place
        self.show(calm=True)

    def html(self, *, live: bool) -> Markup:
        """Return the list that is chosen, with its controls."""
        field, title = self._field(), "Option lists"
        if field is None:
            return self.panel(title, list=NOTHING, options=sheet(note(_NONE)))
        names = self._desk.option_names(self._place, field)
        rows = [
            (names.get(option_id, GONE_OPTION), _label(at, label))
            for at, (option_id, label) in enumerate(field.options)
        ]
        head = ("option at the origin", "label, which is its value too")
        table = _made("listed", label="List of options", head=head, rows=rows)
        return self.panel(title, list=self._controls(field), options=table)

    def _lists(self) -> list[FieldDesign]:
        content_type = self._desk.content_types[self._place]
        return [each for each in content_type.fields if each.options]

    def _field(self) -> FieldDesign | None:
        lists = self._lists()
        chosen = (each for each in lists if each.origin == self._origin)
        return next(chosen, next(iter(lists), None))

    def _controls(self, field: FieldDesign) -> Markup:
        fields = [(each.display_name, each.origin) for each in self._lists()]
        chosen = select("options-field", "Field", fields, field.origin)
        if field.encoding not in SOURCES:
            told = f"becomes {field.encoding}, which has no list at the destination"
            return bar(chosen, words(told))
        sources = [(label, str(each)) for each, label in SOURCES.items()]
        parts = [chosen, select("options-source", "Values", sources, field.encoding)]
        if field.encoding is Encoding.OPTION_DATASOURCE:
            parts.append(text("options-datasource", "Datasource", field.datasource))
            if others := _sharing(self._desk.design, field):
                parts.append(words(f"shared with {', '.join(others)}"))
        return bar(*parts)

    @action("options-field")
    def _choose(self, origin: str) -> None:
        self._origin = origin
        self.show()

    @action("options-source")
    def _move(self, encoding: str) -> None:
        self._desk.edit_field(self._place, self._number(), encoding=Encoding(encoding))
        self._edited()
        self.show()

    @action("options-datasource")
    def _rename(self, slug: str) -> None:
        self._put(replace(self._shown(), datasource=slug.strip()))

    @action("options-label")
    def _label(self, told: str) -> None:
        at, _, label = told.partition("=")
        field = self._shown()
        before = field.options[int(at)][1]
        if (given := label_given(before, label)) != before:
            self._put(with_option_called(field, int(at), given))

    def _shown(self) -> FieldDesign:
        return self._desk.content_types[self._place].fields[self._number()]

    def _number(self) -> int:
        fields = self._desk.content_types[self._place].fields
        field = self._field()
        return next(at for at, each in enumerate(fields) if each is field)

    def _put(self, field: FieldDesign) -> None:
        content_type = self._desk.content_types[self._place]
        self._desk.change(self._place, with_field(content_type, self._number(), field))
        self._edited()
        self.show()


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


def _label(at: int, label: str) -> Markup:
    about = f"Label of option {at + 1}"
    return text("options-label", "", label, row=str(at), about=about)
