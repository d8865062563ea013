"""The controls of notebook 02 for a content type: its names, its stories' places."""

from __future__ import annotations

from collections.abc import Sequence

from cmsmig.mapping.decisions.design import ContentTypeDesign
from cmsmig.mapping.select.named_places import NAMING_TYPES, TAG_TYPES
from cmsmig.notebook.design.design_html import told_place
from cmsmig.notebook.kit.widgets import (
    Board,
    Choice,
    Element,
    Field,
    Html,
    column,
    row,
)
from cmsmig.review.design_edits import DesignEditor, Shape
from cmsmig.review.field_changes import label_given
from cmsmig.ui.action_queue import Act
from cmsmig.ui.html.safe_html import paragraph, sheet

_NONE = ("none", "")


class ContentTypeControls:
    """What is said of a content type as a whole; used again for each of them."""

    def __init__(self, board: Board, desk: DesignEditor, changed: Act) -> None:
        self._desk = desk
        self._place = 0
        self._told = Html()

        def text(name: str, label: str, hint: str = "") -> None:
            self._texts[name] = board.text(
                f"design-{name}", label, hint=hint, whole=True, changed=changed
            )

        def choice(name: str, label: str) -> Choice:
            return board.choice(f"design-{name}", label, [_NONE], "", changed=changed)

        self._texts: dict[str, Field[str]] = {}
        text("component", "Component")
        text("component-label", "Its name for editors")
        text("folder", "Folder")
        text("folder-name", "Folder's name")
        self._folder_by = choice("folder-by", "Folders by field")
        text("start-page", "Start page (slug)", "none")
        self._tags_by = choice("tags-by", "Tags by field")
        self._date = choice("date-field", "Date by field")
        self._order = choice("order-field", "Order by field")
        self._nestable = board.tick(
            "design-nestable", "is_nestable: a block too", False, changed=changed
        )
        text("asset-folder", "Asset folder of all uploads", "the root")

    def element(self) -> Element:
        """Return the controls."""
        texts = self._texts
        return column(
            row(texts["component"], texts["component-label"], self._nestable),
            row(texts["folder"], texts["folder-name"], self._folder_by),
            row(texts["start-page"], self._tags_by, self._date, self._order),
            row(texts["asset-folder"]),
            self._told,
        )

    def load(self, place: int) -> None:
        """Show a content type."""
        self._place = place
        content_type = self._desk.content_types[place]
        shown = {
            "component": content_type.component,
            "component-label": content_type.display_name,
            "folder": content_type.folder,
            "folder-name": content_type.folder_name,
            "start-page": content_type.start_page,
            "asset-folder": self._desk.design.asset_folder,
        }
        for name, value in shown.items():
            self._texts[name].value = value
        self._nestable.value = content_type.universal
        for control, kinds, value, none in self._choices(content_type):
            fields = self._desk.eligible(place, kinds)
            # What is written in the file is shown, even where it cannot work.
            known = () if value in ("", *(slug for _, slug in fields)) else (value,)
            unfit = [(f"{each} (does not fit)", each) for each in known]
            control.offer([(none, ""), *fields, *unfit], value)
        self.tell()

    def tell(self) -> None:
        """Say where the stories go as it is decided now."""
        content_type = self._desk.content_types[self._place]
        told = told_place(content_type, self._desk.locale_folders)
        self._told.show(sheet(paragraph(told)))

    def take(self) -> None:
        """Take over what the controls say."""
        texts = {name: each.value for name, each in self._texts.items()}
        before = self._desk.content_types[self._place].display_name
        self._desk.edit_content_type(
            self._place,
            component=texts["component"],
            label=label_given(before, texts["component-label"]),
            folder=texts["folder"],
            folder_name=texts["folder-name"],
            shape=Shape(
                folder_by=self._folder_by.value,
                start_page=texts["start-page"].strip(),
                tags_by=self._tags_by.value,
                date_field=self._date.value,
                order_field=self._order.value,
                universal=self._nestable.value,
            ),
        )
        self._desk.name_asset_folder(texts["asset-folder"])

    def _choices(
        self, content_type: ContentTypeDesign
    ) -> Sequence[tuple[Choice, Sequence[str], str, str]]:
        return (
            (self._folder_by, NAMING_TYPES, content_type.folder_by, "none"),
            (self._tags_by, TAG_TYPES, content_type.tags_by, "none"),
            (self._date, ("DateTime",), content_type.date_field, "creation"),
            (self._order, ("Number",), content_type.order_field, "as at the origin"),
        )
