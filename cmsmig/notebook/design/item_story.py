"""Notebook 02: one item as the story it becomes, beside the table of the design."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from cmsmig.notebook.design.item_story_html import (
    VIEWS,
    chooser_html,
    frame_html,
    item_html,
    steps_html,
    views_html,
)
from cmsmig.notebook.kit.live_controls import search
from cmsmig.notebook.kit.live_panel import Live, LiveBoard
from cmsmig.notebook.kit.widgets import Element
from cmsmig.review.design_edits import DesignEditor
from cmsmig.ui.html.safe_html import joined

if TYPE_CHECKING:
    from cmsmig.notebook.kit.live_panel import Heard
    from cmsmig.origin.schema import Item

_REGIONS = ("search", "steps", "views", "item")
_LABEL = "What one item becomes"


class ItemStory:
    """Shows one item of a content type as the design makes it, each time anew."""

    def __init__(self, desk: DesignEditor) -> None:
        self._desk = desk
        self._place = 0
        self._at = 0
        self._text = ""
        self._view = next(iter(VIEWS))
        self._board = LiveBoard()
        self._live = Live(self._board, _LABEL, frame_html(), _REGIONS, self._heard())
        self._show()

    @property
    def element(self) -> Element:
        """Return the panel."""
        return self._live

    def choose(self, place: int) -> None:
        """Show an item of another content type."""
        self._place, self._at, self._text = place, 0, ""
        self._show()

    def renew(self) -> None:
        """Show the item as the design makes it now."""
        self._live.show({"item": self._item()}, calm=True)

    def _heard(self) -> dict[str, Heard]:
        return {
            "story-search": self._search,
            "story-item": self._go,
            "story-previous": lambda _: self._step(-1),
            "story-next": lambda _: self._step(1),
            "story-view": self._look,
        }

    def _search(self, text: str) -> None:
        self._text = text
        found = self._found()
        if found and self._at not in found:
            self._at = found[0]
        self._show()

    def _go(self, at: str) -> None:
        self._at = int(at)
        self._show()

    def _step(self, by: int) -> None:
        found = self._found()
        if not found:
            self._board.say("No item has this in its name.", "warning")
            return
        place = found.index(self._at) + by if self._at in found else 0
        if place not in range(len(found)):
            self._board.say("This is the last item in this direction.")
            return
        self._at = found[place]
        self._show()

    def _look(self, view: str) -> None:
        if view in VIEWS:
            self._view = view
        self._show()

    def _items(self) -> tuple[Item, ...]:
        return self._desk.items(self._place)

    def _found(self) -> list[int]:
        """Return the places of the items whose name or slug holds what is sought."""
        sought = self._text.casefold().strip()
        return [
            at
            for at, item in enumerate(self._items())
            if sought in item.name.casefold() or sought in item.slug.casefold()
        ]

    def _show(self) -> None:
        found = self._found()
        typed = search(
            "story-search", "Search", self._text, hint="name or slug", key="/"
        )
        chosen = chooser_html(self._items(), found, self._at)
        self._live.show(
            {
                "search": joined((typed, chosen)),
                "steps": steps_html(found, self._at),
                "views": views_html(self._view),
                "item": self._item(),
            }
        )

    def _item(self) -> Markup:
        items = self._items()
        item = items[self._at] if self._at < len(items) else None
        return item_html(self._desk, self._place, item, self._view)
