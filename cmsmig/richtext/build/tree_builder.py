"""Fits a tree of elements into the content model.

Marks are passed down, and every piece finds a place, as in the official
converter's parser (ProseMirror's); this is no copy of its code. Each repair
corrects one fault of that parser. The walk has its own stack, so any depth works.
"""

from __future__ import annotations

import re

from cmsmig.canonical import JsonObject
from cmsmig.richtext.build.element_rules import (
    IGNORED_TAGS,
    LINE_ENDS,
    RULES,
    Rule,
)
from cmsmig.richtext.build.open_nodes import Listener, Places
from cmsmig.richtext.build.style_marks import is_light, styled_marks
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.html.dom import (
    BLOCK_TAGS,
    MORE_BLOCK_TAGS,
    Element,
    Text,
    has_items,
    is_numbered,
    nest_lists,
)
from cmsmig.richtext.html.inline_style import looks
from cmsmig.richtext.html.numbers import integer
from cmsmig.richtext.html.visibility import INVISIBLE
from cmsmig.richtext.schema.content_model import (
    DIRECTED,
    INLINES,
    LEAVES,
    TEXTBLOCKS,
    wrapping,
)
from cmsmig.richtext.schema.nodes import Mark, MarkSet, Open, Run

_BLANKS = re.compile(r"[ \t\r\n\f]+")
_NEWLINE = re.compile(r"\r?\n|\r")
_BLANK = " \t\r\n\f"
_EACH_BLANK = tuple(_BLANK)

_SECTIONS = frozenset(("thead", "tbody"))
_PARTED = TEXTBLOCKS | {"ordered_list"}


class Context(Places):
    """Builds one document."""

    def __init__(self, to: Listener) -> None:
        super().__init__(to)
        self._said = False
        """Whether a text is right before, on the same line of a page."""
        self._cutting: Element | None = None
        """The element between that text and the next."""

    def build(self, root: Element, marks: MarkSet = ()) -> JsonObject:
        """Return the document of what is below `root`. Call once."""
        frames = self._frames
        self._descend(root, marks, None, outer=False)
        while frames:
            frame = frames[-1]
            element, children, marks, to, leave, outer = frame
            after_break = False
            for node in children:
                if isinstance(node, Text):
                    self._text(node.value, marks, after_break)
                    after_break = False
                    continue
                self._element(node, marks)
                if frames[-1] is not frame:
                    break
                self._listener.left(node)
                after_break = node.tag == "br"
            else:
                frames.pop()
                self._leave(to, leave, outer)
                self._listener.left(element)
        self._open = 0
        self._close_extra()
        return self._nodes[0].finish()

    def _descend(
        self,
        element: Element,
        marks: MarkSet,
        to: Open | None,
        *,
        outer: bool,
        leave: bool = False,
    ) -> None:
        """Walk what is in `element` next. `leave`: `to` is its own node."""
        self._frames.append((element, iter(element.children), marks, to, leave, outer))

    def _leave(self, to: Open | None, leave: bool, outer: bool) -> None:
        if leave:
            held = self._continued.pop()
            to = held if held is not None else to
        if to is not None:
            self._new_line()
            self._return(to, leave)
        self._verbatim = outer

    def _return(self, to: Open, leave: bool) -> None:
        if not self._sync(to):
            self._end_continued(code=leave)
            return
        to.parted = True
        if not leave:
            self._part(to)
            return
        self._open -= 1

    def _new_line(self) -> None:
        self._said, self._cutting = False, None

    def _speak(self) -> None:
        """Note that a text is here now."""
        if self._cutting is not None:
            self._listener.cut(self._cutting)
        self._said, self._cutting = True, None

    def _text(self, value: str, marks: MarkSet, after_break: bool) -> None:
        top = self._nodes[self._open]
        if top.verbatim:
            self._insert_text(value.replace("\r\n", "\n").replace("\r", "\n"), marks)
            return
        if not top.takes_text and not value.strip(_BLANK):
            return
        if self._verbatim or top.keeps:
            if self._continues_code(top):
                self._insert_text(_NEWLINE.sub("\n", value), marks)
            else:
                self._lines(value, marks)
            return
        if _is_uneven(value):
            value = _BLANKS.sub(" ", value)
        if value.startswith(" ") and self._swallows_blank(top, after_break):
            value = value[1:]
        if value:
            self._insert_text(value, marks)

    def _swallows_blank(self, top: Open, after_break: bool) -> bool:
        if self._open != len(self._nodes) - 1:
            return self._drops_blank(top)
        if not top.content or after_break:
            return True
        before = top.content[-1]
        if isinstance(before, Run):
            return before.text.endswith(_EACH_BLANK)
        return self._drops_blank(top)

    def _drops_blank(self, top: Open) -> bool:
        if not top.takes_text:
            self._deviates(Deviation.BLANKS)
        return not top.takes_text

    def _continues_code(self, top: Open) -> bool:
        """Return whether a block has split the code that continues here."""
        held = self._continued[-1] if self._continued else None
        continues = held is not None and held.kind == "code_block"
        if continues and not top.takes_text:
            self._deviates(Deviation.BLOCKS_INSIDE)
        return continues and not top.takes_text

    def _lines(self, value: str, marks: MarkSet) -> None:
        top = self._nodes[self._open]
        if wrapping(top.kind, top.state, "hard_break") is None:
            self._insert_text(_NEWLINE.sub(" ", value), marks)
            return
        for index, line in enumerate(_NEWLINE.split(value)):
            if index:
                self._insert_leaf("hard_break", {}, marks, cautious=True)
            if line:
                self._insert_text(line, marks)

    def _insert_text(self, text: str, marks: MarkSet) -> None:
        if not text:
            return
        if not self._nodes[self._open].takes_text:
            cautious = not text.strip()
            if not self._find_place("text", cautious=cautious):
                return
        top = self._take("text")
        if text.strip(INVISIBLE):
            self._speak()
        if top.kind == "code_block":
            line = top.on_its_line(text)
            if line != text:
                self._deviates(Deviation.BLOCKS_INSIDE)
            top.content.append(Run(line, ()))
            if text.strip():
                self._listener.coded(marks)
        else:
            for piece, held in self._listener.placed(text, marks):
                top.content.append(Run(piece, held))

    def _element(self, element: Element, marks: MarkSet) -> None:
        tag = element.tag
        outer = self._verbatim
        style = element.attributes.get("style", "")
        if tag == "pre" or (
            style and "pre" in style and "pre" in looks(style).get("white-space", "")
        ):
            self._verbatim = True
        self._listener.entered(element)
        if tag in MORE_BLOCK_TAGS or tag in LINE_ENDS:
            self._new_line()
        if tag in ("ul", "ol"):
            nest_lists(element)
        rules = RULES.get(tag, ())
        if rules or tag not in IGNORED_TAGS:
            for rule in rules:
                read = rule.read(element)
                if read is None:
                    continue
                if style:
                    marks = self._styled(style, marks)
                if not rule.mark:
                    self._node(element, rule, read, marks, outer)
                    return
                marks = self._listener.joined(Mark(rule.name, read, element), marks)
                if rule.consuming:
                    self._descend(element, marks, None, outer=outer)
                    return
            self._transparent(element, marks, style, outer)
            return
        self._verbatim = outer

    def _styled(self, style: str, marks: MarkSet) -> MarkSet:
        if marks and is_light(style):
            self._deviates(Deviation.UNDONE_MARKS)
        return styled_marks(style, marks)

    def _transparent(
        self, element: Element, marks: MarkSet, style: str, outer: bool
    ) -> None:
        to: Open | None = None
        if element.tag in MORE_BLOCK_TAGS:
            top = self._nodes[self._open]
            if element.tag not in BLOCK_TAGS | _SECTIONS:
                self._deviates(Deviation.BLOCKS_APART)
            if top.kind == "code_block":
                self._deviates(Deviation.BLOCKS_INSIDE)
                top.parted = True
            elif top.takes_text and top.content and self._open:
                self._open -= 1
            to = self._nodes[self._open]
        elif not element.children:
            self._verbatim = outer
            return
        if style:
            marks = self._styled(style, marks)
        self._descend(element, marks, to, outer=outer)

    def _node(
        self,
        element: Element,
        rule: Rule,
        read: JsonObject,
        marks: MarkSet,
        outer: bool,
    ) -> None:
        if rule.name in LEAVES:
            if element.payload is not None:
                self._listener.filled(element, marks)
            cautious = element.tag == "br"
            if self._said and rule.name in ("image", "blok"):
                self._said, self._cutting = False, element
            if cautious and self._continues_code(self._nodes[self._open]):
                self._insert_text("\n", marks)
            elif not self._insert_leaf(rule.name, read, marks, cautious=cautious):
                if cautious and self._nodes[self._open].takes_text:
                    self._text("\n", marks, False)
                else:
                    self._listener.unplaced(element)
            self._verbatim = outer
            return
        if not self._find_place(rule.name, cautious=False):
            self._descend(element, marks, None, outer=outer)
            return
        if element.direction and rule.name in DIRECTED:
            self._deviates(Deviation.DIRECTION)
            read["dir"] = element.direction
        self._enter(rule.name, read, element, solid=True)
        top = self._nodes[self._open]
        continued = rule.name in _PARTED and (
            rule.name != "ordered_list" or has_items(element)
        )
        self._continued.append(top if continued else None)
        if rule.name == "list_item" and is_numbered(element):
            self._number(element)
        self._descend(element, marks, top, outer=outer, leave=True)

    def _number(self, item: Element) -> None:
        """Let a list begin with the number of its first item; others count on."""
        listed = self._nodes[self._open - 1]
        if listed.kind != "ordered_list":
            return
        number, before = integer(item.attributes["value"]), len(listed.content)
        self._deviates(Deviation.LIST_NUMBERS)
        if not before:
            listed.attributes["order"] = number
        order = listed.attributes["order"]
        if number is not None and order != number - before:
            self._listener.renumbered(item)

    def _insert_leaf(
        self, kind: str, attributes: JsonObject, marks: MarkSet, *, cautious: bool
    ) -> bool:
        if not self._find_place(kind, cautious=cautious):
            return False
        top = self._take(kind)
        node: JsonObject = {"type": kind}
        if attributes:
            node["attrs"] = attributes
        if kind in INLINES and marks and top.kind != "code_block":
            node["marks"] = [mark.as_json() for mark in marks]
        top.content.append(node)
        if kind == "emoji":
            self._listener.marked(marks)
            self._speak()
        return True


def _is_uneven(text: str) -> bool:
    """Return whether a text has blanks that a browser does not show as they are.

    Few have, and looking is quicker than replacing each blank by itself.
    """
    return "  " in text or "\n" in text or "\t" in text or "\r" in text or "\f" in text
