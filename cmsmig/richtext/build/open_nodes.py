"""The nodes that are open while a document is built, and places in them.

Every piece takes the shortest way to a place that accepts it: wrappers are opened,
nodes are left. The official converter's parser (ProseMirror's) does the same; this
is no copy of its code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from cmsmig.canonical import JsonObject
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.html.dom import Element, Node
from cmsmig.richtext.schema.content_model import (
    BLOCKS,
    CONTENT,
    DIRECTED,
    INLINES,
    default_attributes,
    wrapping,
)
from cmsmig.richtext.schema.nodes import Mark, MarkSet, Open, added

_SOLID_PENALTY = 2

Frame: TypeAlias = "tuple[Element, Iterator[Node], MarkSet, Open | None, bool, bool]"
"""An element that is being walked, what is left in it and the marks there; then
what comes behind it: the node to return to, whether that is its own and is left too,
and whether blanks were kept outside."""


Runs: TypeAlias = "Sequence[tuple[str, MarkSet]]"
"""Pieces of one text, each with its marks."""


class Listener:
    """Methods that the builder calls as it goes; some may change what it does. These
    do nothing."""

    def entered(self, element: Element) -> None:
        """Hear of an element, before anything in it."""

    def left(self, element: Element) -> None:
        """Hear of an element, after everything in it."""

    def joined(self, mark: Mark, marks: MarkSet) -> MarkSet:
        """Return the marks for what is in an element that is a mark."""
        return added(mark, marks)

    def placed(self, text: str, marks: MarkSet) -> Runs:
        """Return what to write in the place of a text."""
        return ((text, marks),)

    def filled(self, element: Element, marks: MarkSet) -> None:
        """Hear of a finished block with something in it, before it is placed."""

    def marked(self, marks: MarkSet) -> None:
        """Hear of the marks of an emoji."""

    def coded(self, marks: MarkSet) -> None:
        """Hear of a text in a code block, and of the marks that it loses there."""

    def cut(self, element: Element) -> None:
        """Hear of a picture or block between two texts that are on one line of a
        page."""

    def renumbered(self, item: Element) -> None:
        """Hear of an item of a list that has another number than it had."""

    def unplaced(self, element: Element) -> None:
        """Hear of a leaf that found no place."""

    def finished(self, node: Open) -> None:
        """Hear of a node that is complete."""

    def left_out(self, node: Open) -> None:
        """Hear of a node that shows nothing, and is left out."""

    def deviates(self, name: Deviation) -> None:
        """Hear of a deviation from the official converter."""


class Places:
    """A stack of open nodes."""

    def __init__(self, to: Listener) -> None:
        self._listener = to
        self._deviates = to.deviates
        self._nodes = [Open("doc", {}, Element("body"), True, False)]
        self._open = 0
        self._verbatim = False
        self._kept = -1
        """Everything open down from there keeps its blanks."""
        self._continued: list[Open | None] = []
        """What continues behind a block in it, for each node that is walked."""
        self._frames: list[Frame] = []

    def _find_place(self, kind: str, *, cautious: bool) -> bool:
        """Make the innermost node that takes `kind` with least wrapping the top."""
        held = self._continued[-1] if self._continued else None
        if held is not None and held.kind == "ordered_list":
            if kind == "list_item":
                return self._continue_list(held)
            self._leave_numbers(held)
        top = self._nodes[self._open]
        if kind in top.model[top.state][0]:
            return True
        best: tuple[str, ...] | None = None
        at, penalty = 0, 0
        for depth in range(self._open, -1, -1):
            node = self._nodes[depth]
            way = wrapping(node.kind, node.state, kind)
            if way is None and self._may_begin_item(node, kind):
                way = ()
            if way is not None and (best is None or len(best) > len(way) + penalty):
                best, at = way, depth
                if not way:
                    break
            if node.solid:
                if cautious:
                    break
                penalty += _SOLID_PENALTY
            if best is not None and penalty >= len(best):
                break  # nothing further out can be nearer
        if best is None:
            return False
        self._move_to(at, kind)
        for index, name in enumerate(best):
            self._open_wrapper(name, [*best, kind][index + 1])
        return True

    def _continue_list(self, numbered: Open) -> bool:
        """Make the list of an item the top; one that was left before its first item
        begins here."""
        if not self._is_open(numbered):
            self._deviates(Deviation.LIST_NUMBERS)
            if not self._find_place("ordered_list", cautious=False):
                return False
            self._enter(
                "ordered_list", numbered.attributes, numbered.source, solid=False
            )
            self._continued[-1] = self._nodes[self._open]
        elif self._open != numbered.depth:
            self._deviates(Deviation.LIST_NUMBERS)
            self._move_to(numbered.depth, "list_item")
        return True

    def _leave_numbers(self, numbered: Open) -> None:
        """Put what is between the items of a list into the item before, and what is
        before the first one before the list: neither has a number."""
        if self._nodes[self._open] is numbered:
            self._deviates(Deviation.LIST_NUMBERS)
            self._open += 1 if len(self._nodes) - 1 > self._open else -1

    def _is_open(self, node: Open) -> bool:
        return node.depth <= self._open and self._nodes[node.depth] is node

    def _move_to(self, depth: int, kind: str) -> None:
        if kind not in INLINES:
            for node in self._nodes[depth + 1 : self._open + 1]:
                node.left = node.left or node.takes_text
        if self._verbatim:
            self._keep(depth)
        self._open = depth
        node = self._nodes[depth]
        if self._may_begin_item(node, kind) and not wrapping(node.kind, 0, kind):
            self._deviates(Deviation.BLOCKS_INSIDE)

    def _may_begin_item(self, node: Open, kind: str) -> bool:
        return (
            node.kind == "list_item"
            and not node.state
            and kind in BLOCKS
            and kind != "paragraph"
        )

    def _open_wrapper(self, name: str, inner: str) -> None:
        interrupted = self._continued[-1] if self._continued else None
        around = self._frames[-1][0]
        if name == "paragraph" and interrupted is not None:
            kind = interrupted.kind
            top = self._nodes[self._open]
            if kind in top.model[top.state][0] and inner in CONTENT[kind][0][0]:
                self._deviates(Deviation.BLOCKS_INSIDE)
                self._enter(kind, dict(interrupted.attributes), around, solid=False)
                return
        attributes = default_attributes(name)
        if name == "paragraph" and (direction := self._direction_around()):
            self._deviates(Deviation.DIRECTION)
            attributes = {**attributes, "dir": direction}
        self._enter(name, attributes, around, solid=False)

    def _direction_around(self) -> str:
        """Return the direction of a text that no node around it has."""
        element, _, _, to, is_own, _ = self._frames[-1]
        held = is_own and to is not None and to.kind in DIRECTED
        return "" if held else element.direction

    def _part(self, node: Open) -> None:
        """Leave a heading in which a block has ended: what follows is another."""
        if node.takes_text and node.content and not node.verbatim:
            self._deviates(Deviation.BLOCKS_INSIDE)
            self._open -= 1

    def _end_continued(self, *, code: bool) -> None:
        """Leave what continued behind a block in an element that ends now.

        `code`: continued code has ended, too; else it has a new line.
        """
        top = self._nodes[self._open]
        if not top.takes_text or top.solid:
            return
        self._deviates(Deviation.BLOCKS_INSIDE)
        if top.verbatim and not code:
            top.parted = True
        else:
            self._open -= 1
            self._kept = min(self._kept, self._open)

    def _enter(
        self, kind: str, attributes: JsonObject, source: Element, *, solid: bool
    ) -> None:
        top = self._take(kind)
        verbatim = kind == "code_block" or top.verbatim
        self._open += 1
        node = Open(kind, attributes, source, solid, verbatim, self._open)
        node.keeps = verbatim or top.keeps
        self._nodes.append(node)

    def _take(self, kind: str) -> Open:
        """Close what is no longer needed and step the top's automaton."""
        if len(self._nodes) - 1 > self._open:
            self._close_extra()
        top = self._nodes[self._open]
        # An item begins with a paragraph, though one that shows nothing was left out.
        top.state = top.model[top.state][0].get(kind, 1)
        return top

    def _close_extra(self) -> None:
        while len(self._nodes) - 1 > self._open:
            node = self._nodes.pop()
            parent = self._nodes[-1]
            if not node.shows_nothing():
                self._listener.finished(node)
                parent.content.append(node.finish())
                continue
            if node.left and not node.content:
                self._deviates(Deviation.BLOCKS_INSIDE)
            self._listener.left_out(node)
            parent.state = 1 if parent.content else 0

    def _sync(self, to: Open) -> bool:
        if not self._is_open(to):
            if self._verbatim:
                self._keep(self._kept)
                self._kept = self._open
            return False
        if self._verbatim:
            self._keep(to.depth)
        self._open = to.depth
        return True

    def _keep(self, outside: int) -> None:
        """Let the blanks stay in what is left here, where blanks are kept."""
        for node in self._nodes[outside + 1 : self._open + 1]:
            node.keeps = True
