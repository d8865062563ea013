"""The panel of notebook 02: the content types with their state, one of them opened, and
the button that accepts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from markupsafe import Markup

from cmsmig.mapping.decisions.design import BlockDesign, ContentTypeDesign, Design
from cmsmig.mapping.propose.field_types import Shown, types_shown
from cmsmig.mapping.select.named_places import NAMING_TYPES, TAG_TYPES
from cmsmig.notebook.design.design_doc import places_text, problems
from cmsmig.notebook.design.design_file import DesignFile
from cmsmig.notebook.design.field_table import FieldTable, SectionsPanel
from cmsmig.notebook.design.item_story import ItemStory
from cmsmig.ui.controls import bar, button, form, text
from cmsmig.ui.form import Field, FormView, Options
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import doc_sheet, note, paragraph, sheet
from cmsmig.ui.view import View, action

_made = partial(fragment, "notebook/design/design_table.html")
_FORM = (
    Field("design-component", "Component", "component"),
    Field("design-component-label", "Its name for editors", "display_name"),
    Field("design-folder", "Folder", "folder"),
    Field("design-folder-name", "Folder's name", "folder_name"),
    Field("design-folder-by", "Folders by field", "folder_by"),
    Field("design-start-page", "Start page (slug)", "start_page", hint="none"),
    Field("design-tags-by", "Tags by field", "tags_by"),
    Field("design-date-field", "Date by field", "date_field"),
    Field("design-order-field", "Order by field", "order_field"),
    Field("design-nestable", "is_nestable: a block too", "universal"),
)
_ALL_FORM = (
    Field(
        "design-asset-folder", "Asset folder of all uploads", "asset_folder", "the root"
    ),
)
_BLOCK_FORM = (Field("design-block", "", "component", about="Component of block"),)
_CHOICES = {
    "folder_by": (NAMING_TYPES, "none"),
    "tags_by": (TAG_TYPES, "none"),
    "date_field": (types_shown(Shown.DATE), "creation"),
    "order_field": (types_shown(Shown.NUMBER), "as at the origin"),
}
"""By the attribute: the types of fields that fit, and what none of them is called."""


class DesignTable(View):
    """The content type that is looked at; every edit is checked and written at once."""

    prefix = "design"
    label = "Design"

    def __init__(self, file: DesignFile, reviewer: str) -> None:
        super().__init__()
        self._file, self._editor = file, file.editor
        self._acceptance = self.part(DesignAcceptance(file, reviewer))
        self._type = self.part(
            FormView(_FORM, lambda row: file.content_type, self._shape, self._offered)
        )
        self._all = self.part(
            FormView(_ALL_FORM, lambda row: self._editor.design, self._change_all)
        )
        self._blocks = self.part(FormView(_BLOCK_FORM, self._block, self._change_block))
        self._fields = self.part(FieldTable(file))
        self._sections = self.part(SectionsPanel(file))
        self._story = self.part(ItemStory(file))

    def opened(self) -> None:
        """Follow what is written and accepted."""
        self._file.follow(self.show)

    @action("design-content-type")
    def choose(self, place: str) -> None:
        """Look at another content type."""
        if int(place) != self._file.place:
            self._file.place = int(place)
            self._fields.choose()
            self._story.choose()
        self.show()

    @action("design-undo")
    def undo(self, _: str) -> None:
        """Undo the last edit."""
        if not self._editor.undoable:
            self.say("There is no edit to undo.")
            return
        place = self._editor.undo()
        if place is not None:
            self.choose(str(place))
        self._file.keep()

    def _shape(self, _: str, content_type: ContentTypeDesign) -> None:
        self._file.put(replace(content_type, folder=content_type.folder.strip(" /")))

    def _change_all(self, _: str, design: Design) -> None:
        self._editor.edit(design)
        self._file.keep()

    def _block(self, row: str) -> BlockDesign:
        return self._editor.design.blocks[int(row)]

    def _change_block(self, row: str, block: BlockDesign) -> None:
        self._editor.change_block(int(row), block)
        self._file.keep()

    def _offered(self, attribute: str, _: str) -> Options | None:
        """Return the fields that fit; what is in the file is offered even where it
        cannot work."""
        if attribute not in _CHOICES:
            return None
        kinds, none = _CHOICES[attribute]
        fields = self._editor.eligible(self._file.place, kinds)
        value = getattr(self._file.content_type, attribute)
        known = value in ("", *(slug for _, slug in fields))
        unfit = [] if known else [(f"{value} (does not fit)", value)]
        return [(none, ""), *fields, *unfit]

    def html(self, *, live: bool) -> Markup:
        """Return the content types, the one that is looked at, and one item of it."""
        content_type, count = self._file.content_type, self._editor.undoable
        places = places_text(content_type, self._editor.locale_folders)
        undo = self.act("design-undo", f"Undo ({count})" if count else "Undo")
        listed = [self._listed(at) for at in range(len(self._editor.content_types))]
        return self.panel(
            acceptance=self._acceptance.html(live=live),
            table=_made(
                "panel",
                wrong=doc_sheet(*problems(self._editor)),
                listed=listed,
                title=content_type.display_name,
                undo=undo,
                form=self._type.html(live=live) + sheet(paragraph(places)),
                fields=self._fields.html(live=live),
                count=len(content_type.sections),
                sections=self._sections.html(live=live),
                story=self._story.html(live=live),
                all=self._all_html(live=live),
            ),
        )

    def _listed(self, place: int) -> tuple[Markup, ContentTypeDesign, str, bool]:
        content_type = self._editor.content_types[place]
        shown = place == self._file.place
        # Tab stops at the one that is shown; keys lead to those next to it.
        key = {-1: "[", 1: "]"}.get(place - self._file.place, "")
        opens = button(
            "design-content-type",
            content_type.display_name,
            row=str(place),
            plain=True,
            tabbed=shown,
            key=key,
        )
        return opens, content_type, self._file.state_of(place), shown

    def _all_html(self, *, live: bool) -> Markup:
        blocks = (
            self._blocks.field("component", str(number), block.display_name)
            for number, block in enumerate(self._editor.design.blocks)
        )
        return form(*blocks) + self._all.html(live=live)


class DesignAcceptance(View):
    """Whether the design is accepted, the button that accepts, and who does."""

    label = "Acceptance"
    prefix = "accept"

    def __init__(self, file: DesignFile, reviewer: str) -> None:
        super().__init__()
        self._file = file
        self._reviewer = reviewer

    def opened(self) -> None:
        """Follow what is written."""
        self._file.follow(self.show)

    @action("design-reviewer")
    def name_reviewer(self, name: str) -> None:
        """Name who accepts."""
        self._reviewer = name

    @action("design-accept", "Accept this design", key="a")
    def accept(self, _: str) -> None:
        """Sign the design."""
        self.say(self._file.accept(self._reviewer), "good")

    def html(self, *, live: bool) -> Markup:
        """Return whether the design is accepted, and by whom it may be."""
        state = sheet(note(*self._file.state))
        if self._file.is_accepted:
            return self.panel(state=state)
        name = text("design-reviewer", "Reviewed by", self._reviewer, hint="your name")
        accept = self.act("design-accept", main=True)
        return self.panel(state=state, reviewer=bar(name, accept))
