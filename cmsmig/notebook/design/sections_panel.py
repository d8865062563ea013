"""The sections of the content type that notebook 02 looks at: each a visual group, or
a nested component."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from markupsafe import Markup

from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.design import SectionDesign
from cmsmig.notebook.design.design_file import DesignFile
from cmsmig.review.section_changes import (
    with_section_called,
    with_section_flat,
    with_section_nested,
    without_section,
)
from cmsmig.ui.controls import button, words
from cmsmig.ui.form import Field, FormView
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import code, joined, note, sheet, stacked
from cmsmig.ui.view import View, action

_made = partial(fragment, "notebook/design/design_table.html")
_FORM = (
    Field("section-label", "Name", "display_name", about="Name of section"),
    Field("section-key", "Key", "key", about="Key of section"),
    Field("section-component", "Block of", "component", about="Component of section"),
)
_HEAD = ("section", "fields", "what it is", "change it")
_NONE = (
    "No section yet: choose fields in the table, name the section, and make it with "
    "the button above."
)


class SectionsPanel(View):
    """The sections, each with what can be done with it."""

    def __init__(self, file: DesignFile) -> None:
        super().__init__()
        self._file = file
        self._form = self.part(FormView(_FORM, self._section, self._put))

    def html(self, *, live: bool) -> Markup:
        """Return the sections with their controls."""
        rows = [self._row(at, each) for at, each in enumerate(self._sections)]
        shown = sheet(note(_NONE))
        if rows:
            shown = _made("listed", label="List of sections", head=_HEAD, rows=rows)
        return self.panel("Sections and nested components", sections=shown)

    @property
    def _sections(self) -> tuple[SectionDesign, ...]:
        return self._file.content_type.sections

    def _section(self, row: str) -> SectionDesign:
        if int(row) not in range(len(self._sections)):
            # Pressed twice, before what the first press brought was drawn.
            raise DecisionsError("This section is gone already.")
        return self._sections[int(row)]

    def _put(self, row: str, section: SectionDesign) -> None:
        self._file.put(with_section_called(self._file.content_type, int(row), section))

    def _row(self, at: int, section: SectionDesign) -> tuple[Markup, ...]:
        field = partial(self._form.field, row=str(at))
        kind = words("a group in the form; values stay as they are")
        return (
            field("display_name") + field("key"),
            stacked(code(key) for key in section.fields),
            field("component") if section.component else kind,
            joined(_buttons(at, section)),
        )

    @action("section-nest")
    def _nest(self, row: str) -> None:
        self._section(row)
        editor = self._file.editor
        nested, left = with_section_nested(
            editor.design, self._file.content_type, int(row), editor.components_in_space
        )
        self._file.put(nested)
        if left:
            names = ", ".join(f"`{each.key}`" for each in left)
            self.say(
                f"Left at the root of the story: {names}. Relations and links are "
                "filled in there alone.",
                "warning",
            )

    @action("section-flatten")
    def _flatten(self, row: str) -> None:
        self._section(row)
        self._file.put(with_section_flat(self._file.content_type, int(row)))

    @action("section-dissolve")
    def _dissolve(self, row: str) -> None:
        self._section(row)
        self._file.put(without_section(self._file.content_type, int(row)))


def _buttons(at: int, section: SectionDesign) -> Iterator[Markup]:
    row = str(at)
    if section.component:
        yield button("section-flatten", "Make it a group again", row=row)
    else:
        yield button("section-nest", "Make it a nested component", row=row)
    yield button("section-dissolve", "Dissolve it", row=row)
