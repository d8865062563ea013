"""The option lists of the content type that notebook 02 looks at."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from markupsafe import Markup

from cmsmig.mapping.decisions.design import Design, Encoding, FieldDesign
from cmsmig.notebook.design.design_html import GONE_OPTION
from cmsmig.notebook.kit.live_controls import bar, select, text, words
from cmsmig.notebook.kit.live_panel import Live, LiveBoard
from cmsmig.notebook.kit.widgets import Action, Element
from cmsmig.review.design_edits import DesignEditor
from cmsmig.review.field_changes import (
    label_given,
    with_field,
    with_option_called,
)
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, note, sheet

_made = partial(fragment, "notebook/design/design_parts.html")
_NONE = "No field of this content type has options."
SOURCES = {
    Encoding.OPTION: "options of its own",
    Encoding.OPTION_DATASOURCE: "a datasource",
}
"""Where the values of an option field stand."""


class OptionLists:
    """One list at a time: where its values stand, and their labels."""

    def __init__(self, desk: DesignEditor, edited: Action) -> None:
        self._desk = desk
        self._place = 0
        self._origin = ""
        self._edited = edited
        self._board = LiveBoard()
        controls = {
            "options-field": self._choose,
            "options-source": self._move,
            "options-datasource": self._rename,
            "options-label": self._label,
        }
        # Two, so that one is drawn anew while somebody types in the other.
        names = ("list", "options")
        frame = _made("frame", title="Option lists", names=names)
        self._live = Live(self._board, "Option lists", frame, names, controls)

    @property
    def element(self) -> Element:
        """Return the panel."""
        return self._live

    def load(self, place: int) -> None:
        """Show the lists of a content type; nobody is disturbed who types here."""
        self._place = place
        self._show(calm=True)

    def _show(self, *, calm: bool) -> None:
        field = self._field()
        if field is None:
            none = {"list": NOTHING, "options": sheet(note(_NONE))}
            self._live.show(none, calm=calm)
            return
        names = self._desk.option_names(self._place, field)
        rows = [
            (names.get(option_id, GONE_OPTION), _label(at, label))
            for at, (option_id, label) in enumerate(field.options)
        ]
        head = ("option at the origin", "label, which is its value too")
        table = _made(
            "listed", name="options", label="List of options", head=head, rows=rows
        )
        self._live.show({"list": self._controls(field), "options": table}, calm=calm)

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

    def _choose(self, origin: str) -> None:
        self._origin = origin
        self._show(calm=False)

    def _move(self, encoding: str) -> None:
        self._desk.edit_field(self._place, self._number(), encoding=Encoding(encoding))
        self._edited()
        self._show(calm=False)

    def _rename(self, slug: str) -> None:
        self._put(replace(self._shown(), datasource=slug.strip()))

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
        self._show(calm=False)


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
