"""Notebook 02: one item as the story it becomes, next to the table of the design."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from cmsmig.mapping.propose.field_facts import is_blank
from cmsmig.notebook.design.design_file import DesignFile
from cmsmig.notebook.design.item_story_html import (
    VIEWS,
    chooser_html,
    item_html,
    panel_html,
    steps_html,
    views_html,
)
from cmsmig.ui.controls import search
from cmsmig.ui.html.safe_html import joined
from cmsmig.ui.query import folded
from cmsmig.ui.view import View, action

if TYPE_CHECKING:
    from cmsmig.origin.schema import Item


class ItemStory(View):
    """Shows one item of a content type as the design makes it."""

    prefix = "story"

    def __init__(self, file: DesignFile) -> None:
        super().__init__()
        self._file = file
        self._at = self._fullest()
        self._text = ""
        self._view = next(iter(VIEWS))

    def choose(self) -> None:
        """Show an item of another content type."""
        self._at, self._text = self._fullest(), ""

    @action("search")
    def search(self, text: str) -> None:
        """List the items whose name or slug holds all words."""
        self._text = text
        found = self._found()
        if found and self._at not in found:
            self._at = found[0]
        self.show()

    @action("item")
    def open(self, at: str) -> None:
        """Show another item."""
        self._at = int(at)
        self.show()

    @action("previous", "Previous", key="p")
    def previous(self, _: str) -> None:
        """Show the item before."""
        self._step(-1)

    @action("next", "Next", key="n")
    def next(self, _: str) -> None:
        """Show the next item."""
        self._step(1)

    def _step(self, by: int) -> None:
        found = self._found()
        if not found:
            self.say("No item has this in its name.", "warning")
            return
        place = found.index(self._at) + by if self._at in found else 0
        if place not in range(len(found)):
            self.say("This is the last item in this direction.")
            return
        self._at = found[place]
        self.show()

    @action("view")
    def look(self, view: str) -> None:
        """Show the form, the story or its component."""
        if view in VIEWS:
            self._view = view
        self.show()

    def _items(self) -> tuple[Item, ...]:
        return self._file.editor.items(self._file.place)

    def _fullest(self) -> int:
        """Return the place of the first item that fills the most fields."""
        filled = [
            sum(not is_blank(value) for value in each.data.values())
            for each in self._items()
        ]
        return max(range(len(filled)), key=filled.__getitem__, default=0)

    def _found(self) -> list[int]:
        """Return the places of the items whose name or slug holds what is sought."""
        words = folded(self._text).split()
        names = (folded(f"{each.name} {each.slug}") for each in self._items())
        return [at for at, name in enumerate(names) if all(w in name for w in words)]

    def html(self, *, live: bool) -> Markup:
        """Return the item with the controls that choose it."""
        found = self._found()
        typed = search(
            "story-search", "Search", self._text, hint="name or slug", key="/"
        )
        return panel_html(
            chooser=joined((typed, chooser_html(self._items(), found, self._at))),
            steps=steps_html(self, found, self._at),
            views=views_html(self._view),
            messages=self.messages(),
            item=self._item(),
        )

    def _item(self) -> Markup:
        items = self._items()
        item = items[self._at] if self._at < len(items) else None
        return item_html(self._file.editor, self._file.place, item, self._view)
