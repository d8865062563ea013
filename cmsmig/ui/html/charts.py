"""Plots as HTML and SVG in the theme's colours: they need no script and no picture.

A graph stays readable at any number of nodes. They are in a column. Each link has a row
of its own next to its node and runs into the lane of the node that it leads to: lines
cross at right angles alone, and no text is on another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from cmsmig.printable import printable
from cmsmig.ui.html.html_templates import fragment

_made = partial(fragment, "ui/html/charts.html")


_ROW = 26
"""Pixels of height per link."""
_GAP = 8
"""Pixels between two nodes."""
_EDGE = 217
"""Where nodes end."""
_LANES = 540
"""Where the first lane is."""
_LANE = 13
_COLOURS = 4
_NAME = 30
"""Characters of a name in its node."""
_TEXT = 24
"""Characters of a name next to a line."""


@dataclass(frozen=True, slots=True)
class Link:
    """What leads from one node to another, or to itself."""

    source: str
    target: str
    count: int
    missing: int
    """How many of them lead nowhere."""
    about: str
    """A sentence, shown when pointed at."""


def lane_graph(nodes: Mapping[str, str], links: Sequence[Link], about: str) -> Markup:
    """Return a drawing of the nodes that have links, by key and name.

    `about` is its alternative text.
    """
    return _Drawing(nodes, links).html(about)


class _Drawing:
    """Where everything is drawn."""

    def __init__(self, nodes: Mapping[str, str], links: Sequence[Link]) -> None:
        self._links = links
        linked = dict.fromkeys(
            key for each in links for key in (each.source, each.target)
        )
        self._names = {
            key: printable(name) for key, name in nodes.items() if key in linked
        }
        self._places: dict[str, tuple[int, int]] = {}
        """Top and height of each node."""
        self._inward: dict[str, int] = {}
        """The row at which links into a node end."""
        self._outward: dict[int, int] = {}
        """The row of each link, by its place in the list."""
        self._height = self._place()
        self._lanes = self._share()

    def html(self, about: str) -> Markup:
        lanes = max(self._lanes.values(), default=0) + 1
        return fragment(
            "ui/html/charts.html",
            "graph",
            about=about,
            width=_LANES + lanes * _LANE + 6,
            height=self._height,
            nodes=[
                (_short(self._names[key], _NAME), self._names[key], top, tall)
                for key, (top, tall) in self._places.items()
            ],
            lanes=[
                (self._colour(key), self._at(key), *self._span(key))
                for key in self._inward
            ],
            wires=[*self._wires()],
        )

    def _place(self) -> int:
        """Give each node its place and each link its row; return the height."""
        y = 1
        targets = {each.target for each in self._links}
        for key in self._names:
            top, row = y, y + _ROW * 3 // 4
            if key in targets:
                self._inward[key] = row
                row += _ROW
            for number, each in enumerate(self._links):
                if each.source == key:
                    self._outward[number] = row
                    row += _ROW
            y = row - _ROW * 3 // 4
            self._places[key] = (top, y - top)
            y += _GAP
        return y

    def _share(self) -> dict[str, int]:
        """Give each target a lane; short ones come first, and share one where they
        do not meet."""
        taken: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        lanes = {}
        for key in sorted(self._inward, key=lambda key: self._length(key)):
            top, bottom = self._span(key)
            number = 0
            while any(top <= end and start <= bottom for start, end in taken[number]):
                number += 1
            taken[number].append((top, bottom))
            lanes[key] = number
        return lanes

    def _span(self, target: str) -> tuple[int, int]:
        rows = [
            self._outward[number]
            for number, each in enumerate(self._links)
            if each.target == target
        ]
        rows.append(self._inward[target])
        return min(rows), max(rows)

    def _length(self, target: str) -> int:
        top, bottom = self._span(target)
        return bottom - top

    def _at(self, target: str) -> int:
        return _LANES + self._lanes[target] * _LANE

    def _colour(self, target: str) -> int:
        return list(self._inward).index(target) % _COLOURS

    def _wires(self) -> Iterator[tuple[str, int, int, int, int, str, str, str, str]]:
        for key, y in self._inward.items():
            count = sum(each.count for each in self._links if each.target == key)
            place = (self._colour(key), _EDGE, self._at(key), y)
            about = f"{self._names[key]}: referred to {count:,} times"
            yield "in", *place, f"{count:,}", "lead here", "", about
        for number, each in enumerate(self._links):
            place = (
                self._colour(each.target),
                _EDGE,
                self._at(each.target),
                self._outward[number],
            )
            text = f"to {_short(self._names[each.target], _TEXT)}"
            missing = f"({each.missing:,} empty)" if each.missing else ""
            yield "out", *place, f"{each.count:,}", text, missing, each.about


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
