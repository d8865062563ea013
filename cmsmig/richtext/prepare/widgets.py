"""Elements without a text that show something: at an address, or by their class."""

from __future__ import annotations

from collections.abc import Sequence

from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.html.dom import Element, tag_set, walk
from cmsmig.richtext.html.visibility import (
    HIDDEN,
    LEFT_OUT,
    SHOWN,
    carried,
    is_widget,
    mount_of,
    sign_of,
)
from cmsmig.richtext.prepare.embeds import Embeds, Found, addressed

_CODES = frozenset(("pre", "code"))
_CELLS = frozenset(("td", "th"))
_SHOWN = SHOWN | HIDDEN | LEFT_OUT
_NO_SIGNS = _SHOWN | tag_set("area base br col link meta param source track wbr")
_EMPTY_CELL = (
    "The page draws a sign here by this, and the cell shows nothing now; write it as "
    "a text."
)

_FILLED = "A script shows something in this element, which is left out here."


class Widgets:
    """Finds them in one body."""

    def __init__(self, embeds: Embeds) -> None:
        self._embeds = embeds
        self._showing = embeds.losses.showing
        self._passed: set[int] = set()
        """Where the elements begin that are in code or in a sign."""
        self._blank: set[int] = set()
        """Where those begin that are in a cell that shows nothing."""
        self.links: set[int] = set()
        """Where the links begin that are around a sign."""

    def block(self, element: Element) -> Sequence[Element] | None:
        """Return what takes the place of an element that shows something at an
        address, or None for others."""
        if not element.attributes or element.tag in _SHOWN:
            return None
        if not is_widget(element) or self._showing.shows(element):
            return None
        self._embeds.losses.deviates(Deviation.EMBED)
        address = next(filter(addressed, carried(element)), "")
        kind = "video" if element.tag == "oembed" and address else "embed"
        html = self._embeds.html_of(element)
        return self._embeds.node(Found(kind, element, address, html))

    def note_sign(self, element: Element, link: Element | None) -> None:
        """Record a sign that an element draws; `link` is the one around it, if it has
        not ended."""
        tag, start = element.tag, element.start
        if tag in _CODES:
            _note(element, self._passed)
        elif tag in _CELLS and not self._showing.shows(element):
            _note(element, self._blank)
        if start in self._passed or element.reopened or tag in _NO_SIGNS:
            return
        if "data-emoji" in element.attributes:
            return
        sign = sign_of(element)
        name = sign or mount_of(element)
        if not name or self._showing.shows(element):
            return
        _note(element, self._passed)
        value = element.attributes.pop(name, None)
        what = f'{name}="{value}"' if value is not None else self._start_tag(element)
        why = _EMPTY_CELL if start in self._blank else ""
        if sign:
            self._embeds.losses.lose("icon", what, element, why=why)
        else:
            self._embeds.losses.lose("widget", what, element, why=_FILLED)
        if tag == "a":
            self.links.add(start)
        elif link is not None and start < link.end:
            self.links.add(link.start)

    def _start_tag(self, element: Element) -> str:
        """Return the start tag of an element, and take what it says out of it."""
        name = element.attributes.get("id")
        element.attributes = {} if name is None else {"id": name}
        end = element.inner_start or element.end
        return self._embeds.source[element.start : end]


def _note(element: Element, starts: set[int]) -> None:
    """Add where an element and those in it begin, once for all in one another."""
    if element.start not in starts:
        starts.update(each.start for each in (element, *walk(element)))
