"""Leaves out what shows nothing: between blocks, and between the items of lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

from cmsmig.richtext.build.element_rules import IGNORED_TAGS, SPACER, Rules
from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.html.dom import (
    BLOCK_TAGS,
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
    """Its content goes on in the run around it."""
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
Reading: TypeAlias = Callable[[Element], Role]
"""Says of each element what it is."""


@dataclass(slots=True)
class Run:
    """Texts and line breaks between two blocks, with the elements that hold them."""

    shown: bool = False
    texts: list[tuple[Element, Text]] = field(default_factory=list)
    """Those of invisible characters."""
    breaks: list[tuple[Element, Element]] = field(default_factory=list)


@dataclass(slots=True)
class Unseen:
    """A run or an element that is to be no node where it stands."""

    listed: bool
    """In a list and outside of its items; or a list without items."""
    run: Run | None = None
    element: Element | None = None
    """It shows nothing."""
    around: Element | None = None
    """A list without items around blocks that are none."""


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


def unseen_in(root: Element, role_of: Reading) -> Iterator[Unseen]:
    """Yield what shows nothing, as `role_of` reads the elements. Linear."""
    return _Walk(role_of).walk(root)


class _Walk:
    def __init__(self, role_of: Reading) -> None:
        self._role_of = role_of
        self._boxes: list[_Box] = []
        self._run = Run()

    def walk(self, root: Element) -> Iterator[Unseen]:
        self._boxes.append(_Box(root, Role.CAPTION))
        stack: list[tuple[Node, Element, Role | None]] = [
            (child, root, None) for child in reversed(root.children)
        ]
        while stack:
            node, parent, leaving = stack.pop()
            if isinstance(node, Text):
                self._text(node, parent)
            elif leaving is not None:
                yield from self._left(leaving)
            else:
                role = self._role_of(node)
                yield from self._met(node, parent, role)
                if role not in _ENTERED:
                    continue
                if role is not Role.PART:
                    stack.append((node, parent, role))
                stack.extend((child, node, None) for child in reversed(node.children))
        yield from self._ended()

    def _text(self, text: Text, parent: Element) -> None:
        if text.value.strip(INVISIBLE):
            self._run.shown = True
        elif text.value.strip(_BLANK):
            self._run.texts.append((parent, text))

    def _met(self, element: Element, parent: Element, role: Role) -> Iterator[Unseen]:
        if role is Role.BREAK:
            self._run.breaks.append((parent, element))
        elif role is Role.SIGN:
            self._run.shown = True
        elif role not in (Role.PART, Role.PASSED):
            yield from self._ended()
            box = self._boxes[-1]
            if role in _NODES:
                box.gave = True
            elif role is Role.SPACER and box.role is Role.LIST:
                yield Unseen(listed=True, element=element)
            if role in _BOXES:
                self._boxes.append(_Box(element, role))

    def _left(self, role: Role) -> Iterator[Unseen]:
        yield from self._ended()
        if role not in _BOXES:
            return
        box, outer = self._boxes.pop(), self._boxes[-1]
        if box.gave:
            yield from (Unseen(listed=False, run=run) for run in box.waiting)
        if not box.gave and _may_be_none(role, outer.role):
            yield from (Unseen(listed=True, run=run) for run in box.waiting)
            yield Unseen(listed=True, element=box.element)
        else:
            outer.gave = True
            outer.items = outer.items or role is Role.ITEM or box.element.tag == "p"
        if role is Role.LIST and box.gave and not box.items:
            yield Unseen(listed=True, around=box.element)

    def _ended(self) -> Iterator[Unseen]:
        """Judge the run that ends here, and begin another."""
        run, box = self._run, self._boxes[-1]
        if not (run.shown or run.texts or run.breaks):
            return
        self._run = Run()
        if run.shown:
            box.gave = box.items = True
        elif box.role is Role.LIST:
            yield Unseen(listed=True, run=run)
        elif box.role in (Role.TEXT, Role.QUOTE):
            box.waiting.append(run)
        elif run.texts and (
            box.role is Role.CAPTION or (box.role is Role.ITEM and box.gave)
        ):
            yield Unseen(listed=False, run=run)
        else:
            box.gave = True


def _may_be_none(role: Role, outer: Role) -> bool:
    """Say whether an element that shows nothing should be no node."""
    return role is Role.LIST or (outer is Role.LIST and role in (Role.TEXT, Role.QUOTE))


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


def leave_out(
    root: Element, rules: Rules, on: Set[Deviation], losses: Collector
) -> None:
    """Take out of a staged tree what would be a node that shows nothing.

    What it carries besides, such as names to jump to, stays.
    """
    wanted = {
        False: Deviation.SPACER in on,
        True: Deviation.LIST_BLANKS in on,
    }
    if not any(wanted.values()):
        return
    blocks = MORE_BLOCK_TAGS if Deviation.BLOCKS_APART in on else BLOCK_TAGS
    gone: dict[int, Element] = {}
    for found in list(unseen_in(root, _converted_as(rules, blocks))):
        if wanted[found.listed]:
            _note(found, gone, losses)
    for parent in {id(each): each for each in gone.values()}.values():
        parent.children = [node for node in parent.children if id(node) not in gone]


def _converted_as(rules: Rules, blocks: Set[str]) -> Reading:
    """Return what says how the elements of a staged tree will be converted."""

    def role_of(element: Element) -> Role:
        tag = element.tag
        if tag in _PLAIN:
            if tag in ("ul", "ol"):
                nest_lists(element)
            return _PLAIN[tag]
        for rule in rules.get(tag, ()):
            if not rule.mark and rule.read(element) is not None:
                return Role.SPACER if tag == SPACER else _ROLES[rule.name]
        if tag in IGNORED_TAGS:
            return Role.PASSED
        return Role.ENDING if tag in blocks else Role.PART

    return role_of


def _note(found: Unseen, gone: dict[int, Element], losses: Collector) -> None:
    """List what is left out, and mark it for that."""
    kind = "list-blank" if found.listed else "spacer"
    if found.run is not None:
        _note_run(found.run, kind, gone, losses)
    if found.around is not None:
        losses.lose("element", f"<{found.around.tag}>", found.around)
    if found.element is None:
        return
    element = found.element
    if element.tag != SPACER:
        losses.lose(kind, f"<{element.tag}>", element)
    element.tag, element.payload = "div", None
    element.attributes = {
        name: value for name, value in element.attributes.items() if name == "id"
    }


def _note_run(run: Run, kind: str, gone: dict[int, Element], losses: Collector) -> None:
    for parent, text in run.texts:
        losses.lose(kind, _spelled(text), parent)
        gone[id(text)] = parent
    for parent, line in run.breaks:
        losses.lose(kind, "<br>", parent)
        gone[id(line)] = parent


def _spelled(text: Text) -> str:
    """Return an invisible text so that a person can read it."""
    return "".join(
        "&nbsp;" if sign == "\u00a0" else f"&#x{ord(sign):X};"
        for sign in text.value.translate(_BLANKS)
    )


_BLANKS = str.maketrans("", "", " \t\r\n\f")
