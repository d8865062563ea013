"""A form: fields that are declared once; what is entered makes another state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from markupsafe import Markup

from cmsmig.ui.controls import form, select, text, tick
from cmsmig.ui.view import Action, View

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")
Options: TypeAlias = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form: a control, and what of the state it shows and changes."""

    name: str
    """The control's name."""
    label: str
    attribute: str
    """What it changes: a text, a choice, or yes and no."""
    hint: str = ""
    about: str = ""
    """Its name for those who do not see where it is; the number of the row follows."""
    key: str = ""


class FormView(View, Generic[S]):
    """Shows fields of a state, or of many in rows; each change goes to one action,
    which shows what followed."""

    def __init__(
        self,
        fields: Sequence[Field],
        state: Callable[[str], S],
        change: Callable[[str, S], object],
        options: Callable[[str, str], Options | None] = lambda name, row: None,
    ) -> None:
        """`state` returns what is shown in a row, `change` takes over what was made of
        it; `options` are those of a choice, by the attribute and the row."""
        super().__init__()
        self._fields = {each.attribute: each for each in fields}
        self._state, self._change, self._options = state, change, options
        for each in fields:
            action = Action(each.name, each.label, each.key, "", False)
            self.actions[each.name] = (action, partial(self._take, each))

    def html(self, *, live: bool) -> Markup:
        """Return all fields of the one row."""
        return form(*map(self.field, self._fields))

    def field(self, attribute: str, row: str = "0", label: str = "") -> Markup:
        """Return the control of one field of a row; `label` is its own in this row."""
        field = self._fields[attribute]
        value = getattr(self._state(row), attribute)
        if isinstance(value, bool):
            return tick(field.name, label or field.label, value, value=row)
        given: dict[str, object] = {"row": row, "key": field.key}
        if field.about:
            given["about"] = f"{field.about} {int(row) + 1}"
        options = self._options(attribute, row)
        if options is None:
            return text(
                field.name, label or field.label, value, hint=field.hint, **given
            )
        return select(field.name, label or field.label, options, value, **given)

    def _take(self, field: Field, sent: str) -> None:
        row, _, value = sent.partition("=")
        state = self._state(row)
        before = getattr(state, field.attribute)
        given: Any = value == "1"
        if not isinstance(before, bool):
            # What the origin begins or ends with blanks may stay so.
            same = value.strip() == before.strip()
            given = before if same else type(before)(value.strip())
        if given != before:
            self._change(row, replace(state, **{field.attribute: given}))
