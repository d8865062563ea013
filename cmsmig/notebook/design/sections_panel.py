"""The sections of the content type that notebook 02 looks at: each a visual group, or
a nested component."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from markupsafe import Markup

from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.design import ContentTypeDesign, SectionDesign
from cmsmig.review.design_edits import DesignEditor
from cmsmig.review.section_changes import (
    with_section_called,
    with_section_flat,
    with_section_nested,
    without_section,
)
from cmsmig.ui.action_queue import Act
from cmsmig.ui.controls import button, text, words
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import code, joined, note, sheet, stacked
from cmsmig.ui.view import View, action

_made = partial(fragment, "notebook/design/design_parts.html")
_HEAD = ("section", "fields", "what it is", "change it")
_NONE = (
    "No section yet: choose fields in the table, name the section, and make it with "
    "the button above."
)


class SectionsPanel(View):
    """The sections, each with what can be done with it."""

    label = "Sections"

    def __init__(self, desk: DesignEditor, edited: Act) -> None:
        super().__init__()
        self._desk = desk
        self._place = 0
        self._edited = edited

    def load(self, place: int) -> None:
        """Show the sections of a content type; nobody is disturbed who types here."""
        self._place = place
        self.show(calm=True)

    def html(self, *, live: bool) -> Markup:
        """Return the sections with their controls."""
        rows = [self._row(at, each) for at, each in enumerate(self._sections)]
        shown = sheet(note(_NONE))
        if rows:
            shown = _made("listed", label="List of sections", head=_HEAD, rows=rows)
        return self.panel("Sections and nested components", sections=shown)

    @property
    def _sections(self) -> tuple[SectionDesign, ...]:
        return self._desk.content_types[self._place].sections

    def _row(self, at: int, section: SectionDesign) -> tuple[Markup, ...]:
        return (
            joined(_names(at, section)),
            stacked(code(key) for key in section.fields),
            _kind(at, section),
            joined(_buttons(at, section)),
        )

    @action("section-label")
    def _named(self, told: str) -> None:
        at, name = self._told(told)
        self._put(at, replace(self._sections[at], display_name=name.strip()))

    @action("section-key")
    def _keyed(self, told: str) -> None:
        at, key = self._told(told)
        self._put(at, replace(self._sections[at], key=key.strip()))

    @action("section-component")
    def _component(self, told: str) -> None:
        at, component = self._told(told)
        self._put(at, replace(self._sections[at], component=component.strip()))

    def _put(self, at: int, section: SectionDesign) -> None:
        content_type = self._desk.content_types[self._place]
        self._change(with_section_called(content_type, at, section))

    @action("section-nest")
    def _nest(self, at: str) -> None:
        content_type = self._desk.content_types[self._place]
        nested, left = with_section_nested(
            self._desk.design,
            content_type,
            self._told(at)[0],
            self._desk.components_in_space,
        )
        self._change(nested)
        if left:
            names = ", ".join(f"`{each.key}`" for each in left)
            self.say(
                f"Left at the root of the story: {names}. Relations and links are "
                "filled in there alone.",
                "warning",
            )

    @action("section-flatten")
    def _flatten(self, at: str) -> None:
        content_type = self._desk.content_types[self._place]
        self._change(with_section_flat(content_type, self._told(at)[0]))

    @action("section-dissolve")
    def _dissolve(self, at: str) -> None:
        content_type = self._desk.content_types[self._place]
        self._change(without_section(content_type, self._told(at)[0]))

    def _told(self, told: str) -> tuple[int, str]:
        """Return the place of a section and what was entered for it."""
        at, _, value = told.partition("=")
        if int(at) not in range(len(self._sections)):
            # Pressed twice, before what the first press brought was drawn.
            raise DecisionsError("This section is gone already.")
        return int(at), value

    def _change(self, content_type: ContentTypeDesign) -> None:
        self._desk.change(self._place, content_type)
        self._edited()
        self.show()


def _names(at: int, section: SectionDesign) -> Iterator[Markup]:
    name, which = section.display_name, f"section {at + 1}"
    yield text("section-label", "Name", name, row=str(at), about=f"Name of {which}")
    yield text("section-key", "Key", section.key, row=str(at), about=f"Key of {which}")


def _kind(at: int, section: SectionDesign) -> Markup:
    if not section.component:
        return words("a group in the form; values stay as they are")
    about = f"Component of section {at + 1}"
    return text(
        "section-component", "Block of", section.component, row=str(at), about=about
    )


def _buttons(at: int, section: SectionDesign) -> Iterator[Markup]:
    row = str(at)
    if section.component:
        yield button("section-flatten", "Make it a group again", row=row)
    else:
        yield button("section-nest", "Make it a nested component", row=row)
    yield button("section-dissolve", "Dissolve it", row=row)
