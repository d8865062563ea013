"""Leaves out what shows nothing: between blocks, and between the items of lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from cmsmig.richtext.build.element_rules import IGNORED_TAGS, RULES, SPACER
from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.html.dom import (
    MORE_BLOCK_TAGS,
    Element,
    Node,
    Text,
    nest_lists,
)
from cmsmig.richtext.html.visibility import INVISIBLE

_BLANK = " \t\r\n\f"


class Role(Enum):
    """What an element is to the text around it."""

    PART = auto()
    """Its content continues the run around it."""
    BREAK = auto()
    """A line break."""
    SIGN = auto()
    """Seen, as a character is."""
    ENDING = auto()
    """It ends the run before it and the one in it, and is no node."""
    BLOCK = auto()
    """A block that shows something; its content is not looked at here."""
    SPACER = auto()
    """A paragraph to be left out."""
    PASSED = auto()
    """Left out with everything in it."""
    TEXT = auto()
    """A paragraph or heading."""
    CODE = auto()
    QUOTE = auto()
    """A quote or a cell: nothing in it needs to come first."""
    LIST = auto()
    ITEM = auto()
    TABLE = auto()
    CAPTION = auto()
    """A finished block; what is in it is a document of its own."""


_BOXES = frozenset(
    (Role.TEXT, Role.CODE, Role.QUOTE, Role.LIST, Role.ITEM, Role.TABLE)
) | {Role.CAPTION}
_ENTERED = _BOXES | {Role.PART, Role.ENDING}
_NODES = frozenset((Role.BLOCK, Role.CODE, Role.TABLE, Role.CAPTION))
_ROLES = {
    "paragraph": Role.TEXT,
    "heading": Role.TEXT,
    "code_block": Role.CODE,
    "blockquote": Role.QUOTE,
    "tableCell": Role.QUOTE,
    "tableHeader": Role.QUOTE,
    "bullet_list": Role.LIST,
    "ordered_list": Role.LIST,
    "list_item": Role.ITEM,
    "table": Role.TABLE,
    "tableRow": Role.TABLE,
    "image": Role.BLOCK,
    "horizontal_rule": Role.BLOCK,
    "blok": Role.CAPTION,
    "emoji": Role.SIGN,
    "hard_break": Role.BREAK,
}
"""By type of node, what the element that becomes one is to the text around it."""
_PLAIN: dict[str, Role] = {
    **dict.fromkeys(("p", "h1", "h2", "h3", "h4", "h5", "h6"), Role.TEXT),
    **dict.fromkeys(("blockquote", "td", "th"), Role.QUOTE),
    **dict.fromkeys(("ul", "ol"), Role.LIST),
    **dict.fromkeys(("table", "tr"), Role.TABLE),
    "pre": Role.CODE,
    "li": Role.ITEM,
    "hr": Role.BLOCK,
    "br": Role.BREAK,
}
"""The same by tag, where its attributes have no say in it."""


@dataclass(slots=True)
class Run:
    """Texts and line breaks between two blocks, with the elements that hold them."""

    shown: bool = False
    texts: list[tuple[Element, Text]] = field(default_factory=list)
    """Those of invisible characters."""
    breaks: list[tuple[Element, Element]] = field(default_factory=list)


@dataclass(slots=True)
class _Box:
    """A node that is being walked, with the runs that wait to be judged."""

    element: Element
    role: Role
    gave: bool = False
    """Something in it shows, or is a node."""
    items: bool = False
    """It is a list, and something in it is an item."""
    waiting: list[Run] = field(default_factory=list)


def leave_out(root: Element, losses: Collector) -> None:
    """Take out of a staged tree what would be a node that shows nothing.

    What it carries besides, such as names to jump to, stays. Linear.
    """
    _Walk(losses).walk(root)


DEVIATIONS_OF_BLANKS = {"spacer": Deviation.SPACER, "list-blank": Deviation.LIST_BLANKS}
"""By the kind of a loss: what is left out anywhere, and in a list but outside of its
items."""


class _Walk:
    def __init__(self, losses: Collector) -> None:
        self._losses = losses
        self._boxes: list[_Box] = []
        self._run = Run()
        self._gone: dict[int, Element] = {}
        """What is to be taken out, with the elements that hold it."""

    def walk(self, root: Element) -> None:
        self._boxes.append(_Box(root, Role.CAPTION))
        stack: list[tuple[Node, Element, Role | None]] = [
            (child, root, None) for child in reversed(root.children)
        ]
        while stack:
            node, parent, leaving = stack.pop()
            if isinstance(node, Text):
                self._text(node, parent)
            elif leaving is not None:
                self._left(leaving)
            else:
                role = self._role_of(node)
                self._met(node, parent, role)
                if role not in _ENTERED:
                    continue
                if role is not Role.PART:
                    stack.append((node, parent, role))
                stack.extend((child, node, None) for child in reversed(node.children))
        self._ended()
        gone = self._gone
        for parent in {id(each): each for each in gone.values()}.values():
            parent.children = [each for each in parent.children if id(each) not in gone]

    def _role_of(self, element: Element) -> Role:
        """Say how an element will be converted."""
        tag = element.tag
        if tag in _PLAIN:
            if tag in ("ul", "ol"):
                nest_lists(element)
            return _PLAIN[tag]
        for rule in RULES.get(tag, ()):
            if not rule.mark and rule.read(element) is not None:
                return Role.SPACER if tag == SPACER else _ROLES[rule.name]
        if tag in IGNORED_TAGS:
            return Role.PASSED
        return Role.ENDING if tag in MORE_BLOCK_TAGS else Role.PART

    def _text(self, text: Text, parent: Element) -> None:
        if text.value.strip(INVISIBLE):
            self._run.shown = True
        elif text.value.strip(_BLANK):
            self._run.texts.append((parent, text))

    def _met(self, element: Element, parent: Element, role: Role) -> None:
        if role is Role.BREAK:
            self._run.breaks.append((parent, element))
        elif role is Role.SIGN:
            self._run.shown = True
        elif role not in (Role.PART, Role.PASSED):
            self._ended()
            box = self._boxes[-1]
            if role in _NODES:
                box.gave = True
            elif role is Role.SPACER and box.role is Role.LIST:
                self._leave_element(element)
            if role in _BOXES:
                self._boxes.append(_Box(element, role))

    def _left(self, role: Role) -> None:
        self._ended()
        if role not in _BOXES:
            return
        box, outer = self._boxes.pop(), self._boxes[-1]
        kept = box.gave or not _may_be_none(role, outer.role)
        for run in box.waiting if box.gave or not kept else ():
            self._leave_run(run, "spacer" if box.gave else "list-blank")
        if kept:
            outer.gave = True
            outer.items = outer.items or role is Role.ITEM or box.element.tag == "p"
        else:
            self._leave_element(box.element)
        if role is Role.LIST and box.gave and not box.items:
            self._losses.lose("element", f"<{box.element.tag}>", box.element)

    def _ended(self) -> None:
        """Judge the run that ends here, and begin another."""
        run, box = self._run, self._boxes[-1]
        if not (run.shown or run.texts or run.breaks):
            return
        self._run = Run()
        if run.shown:
            box.gave = box.items = True
        elif box.role is Role.LIST:
            self._leave_run(run, "list-blank")
        elif box.role in (Role.TEXT, Role.QUOTE):
            box.waiting.append(run)
        elif run.texts and (
            box.role is Role.CAPTION or (box.role is Role.ITEM and box.gave)
        ):
            self._leave_run(run, "spacer")
        else:
            box.gave = True

    def _leave_run(self, run: Run, kind: str) -> None:
        """List a run that shows nothing, and mark it to be taken out."""
        self._losses.deviates(DEVIATIONS_OF_BLANKS[kind])
        for parent, text in run.texts:
            self._losses.lose(kind, _spelled(text), parent)
            self._gone[id(text)] = parent
        for parent, line in run.breaks:
            self._losses.lose(kind, "<br>", parent)
            self._gone[id(line)] = parent

    def _leave_element(self, element: Element) -> None:
        """List an element of a list that shows nothing, and let it be no node."""
        self._losses.deviates(Deviation.LIST_BLANKS)
        if element.tag != SPACER:
            self._losses.lose("list-blank", f"<{element.tag}>", element)
        element.tag, element.payload = "div", None
        name = element.attributes.get("id")
        element.attributes = {} if name is None else {"id": name}


def _may_be_none(role: Role, outer: Role) -> bool:
    """Return whether an element that shows nothing should be no node."""
    return role is Role.LIST or (outer is Role.LIST and role in (Role.TEXT, Role.QUOTE))


def _spelled(text: Text) -> str:
    """Return an invisible text so that a person can read it."""
    return "".join(
        "&nbsp;" if sign == "\u00a0" else f"&#x{ord(sign):X};"
        for sign in text.value
        if sign not in _BLANK
    )
