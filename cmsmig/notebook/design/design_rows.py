"""The controls of one field in the table of notebook 02."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from cmsmig.mapping.decisions.design import Encoding, FieldDesign, SectionDesign
from cmsmig.notebook.design.design_html import section_name
from cmsmig.notebook.kit.widgets import (
    Board,
    Choice,
    Element,
    Field,
    Html,
    column,
    row,
)
from cmsmig.ui.action_queue import Act
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, note, sheet

_made = partial(fragment, "notebook/design/design_table.html")
WIDTHS = (
    "minmax(9.5em,1fr) minmax(9em,1.2fr) minmax(10em,1.3fr) minmax(9em,2fr) max-content"
)
HEAD = (
    "origin field",
    "label, key",
    "encoding, section",
    "sample, and why",
    "order, out",
)
_NO_SECTION = ("no section", "")


@dataclass(frozen=True, slots=True)
class RowActions:
    """What the controls of a row do."""

    changed: Act
    sorted: Act
    """Follows the choice of a section."""
    up: Act
    down: Act
    leave: Act


class FieldRow:
    """The controls of one field; rows are used again for every content type."""

    def __init__(self, board: Board, number: int, acts: RowActions) -> None:
        self._origin = Html()
        field = f"field {number + 1}"
        # Descriptions are for those who don't see the column's head; hidden by style.
        self.label: Field[str] = board.text(
            "design-field-label",
            f"Label of {field}",
            hint="label",
            whole=True,
            changed=acts.changed,
        )
        self.key: Field[str] = board.text(
            "design-field-key",
            f"Key of {field}",
            hint="key",
            whole=True,
            changed=acts.changed,
        )
        self.encoding: Choice = board.choice(
            "design-field-encoding",
            f"Encoding of {field}",
            [(str(Encoding.TEXT), str(Encoding.TEXT))],
            Encoding.TEXT,
            changed=acts.changed,
        )
        self.required: Field[bool] = board.tick(
            "design-field-required", "required", False, changed=acts.changed
        )
        self.section: Choice = board.choice(
            "design-field-section",
            f"Section of {field}",
            [_NO_SECTION],
            "",
            changed=acts.sorted,
        )
        self.picked: Field[bool] = board.tick(
            "design-field-pick", f"choose {field}", False
        )
        self._why = Html()
        moves = row(
            board.button("design-field-up", "↑", acts.up, tip=f"Move {field} up"),
            board.button("design-field-down", "↓", acts.down, tip=f"Move {field} down"),
            board.button(
                "design-field-leave", "×", acts.leave, tip=f"Leave out {field}"
            ),
        )
        self.cells: tuple[Element, ...] = (
            column(self._origin, self.picked),
            column(self.label, self.key),
            column(self.encoding, self.section),
            self._why,
            column(moves, self.required),
        )
        self._told = NOTHING
        self._wrong: tuple[str, ...] = ()

    def visible(self, shown: bool) -> None:
        """Show the row, or take it away without a gap."""
        for each in self.cells:
            each.visible(shown)

    def load(
        self,
        field: FieldDesign,
        choices: tuple[Encoding, ...],
        sections: tuple[SectionDesign, ...],
        translated: frozenset[str] | None,
    ) -> None:
        """Show a field; what the controls say afterwards is what it is. `translated`
        are the origin's fields that are, None where none can be."""
        self.visible(True)
        told = "" if translated is None else "not translated"
        if translated is not None and field.origin in translated:
            told = "translated"
        kind = ", ".join(filter(None, (field.origin_type, told)))
        self._origin.show(_made("origin", name=field.origin, type=kind))
        self.label.value = field.display_name
        self.key.value = field.key
        self.encoding.offer(
            [(str(each), str(each)) for each in choices], field.encoding
        )
        self.required.value = field.required
        self.picked.value = False
        own = (each.key for each in sections if field.key in each.fields)
        offered = [(section_name(each), each.key) for each in sections]
        self.section.offer([_NO_SECTION, *offered], next(own, ""))

    def explain(self, told: Markup) -> None:
        """Show a sample of the field and why it was proposed like this."""
        self._told = told
        self._show()

    def mark(self, wrong: tuple[str, ...]) -> None:
        """Say in the row what is wrong with its field; nothing takes that away."""
        if wrong != self._wrong:
            self._wrong = wrong
            self._show()

    def _show(self) -> None:
        notes = [note(f"This field: {each}", "bad") for each in self._wrong]
        self._why.show(sheet(*notes, self._told) if notes else self._told)
