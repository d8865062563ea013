"""A small HTML tree: mutable, with the source range of every element.

The range is what makes a raw embed verbatim: its HTML is cut out of the
source, never generated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from cmsmig.canonical import JsonObject
from cmsmig.richtext.html.numbers import integer

SHOWN_STEPS = 12
"""Deeper paths begin with an ellipsis, so that a path costs constant time."""


def tag_set(names: str) -> frozenset[str]:
    """Return the blank-separated names as a set."""
    return frozenset(names.split())


class Text:
    """A run of characters, entities decoded."""

    __slots__ = ("end", "start", "value")

    def __init__(self, value: str, start: int = 0, end: int = 0) -> None:
        self.value = value
        self.start, self.end = start, end
        """Its range in the source; none where it was made of no markup."""


class Element:
    """An element; `payload` holds the attributes of a finished node.

    `tag` is what it is converted as, `name` what the source calls it.
    """

    __slots__ = (
        "attributes",
        "children",
        "code",
        "counts",
        "direction",
        "end",
        "inner_end",
        "inner_start",
        "name",
        "nth",
        "odd",
        "parent",
        "payload",
        "reopened",
        "start",
        "tag",
    )

    def __init__(
        self, tag: str, attributes: dict[str, str] | None = None, start: int = 0
    ) -> None:
        self.tag = self.name = tag
        self.attributes: dict[str, str] = {} if attributes is None else attributes
        self.children: list[Node] = []
        self.parent: Element | None = None
        self.counts: dict[str, int] | None = None
        """How many of each kind were appended; most elements hold no other."""
        self.nth = 1
        self.reopened = False
        """It continues an element that was closed too early; their starts are equal."""
        self.code: Element | None = None
        """Of a `pre` the first `code` in it, and of such a `code` itself."""
        self.start = start
        self.end = start
        self.inner_start = start
        self.inner_end = start
        self.payload: JsonObject | None = None
        self.odd = False
        """Of a body's root: the official converter may read its markup otherwise."""
        self.direction = ""
        """Of the text in it, once that is found."""

    def append(self, child: Element) -> None:
        """Take `child` as the last one and remember which of its kind it is."""
        self.children.append(child)
        child.parent = self
        if self.counts is None:
            self.counts = {child.tag: 1}
            child.nth = 1
        else:
            child.nth = self.counts[child.tag] = self.counts.get(child.tag, 0) + 1

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the class names in source order."""
        return tuple(self.attributes.get("class", "").split())


Node: TypeAlias = "Element | Text"


def walk(root: Element) -> Iterator[Element]:
    """Yield the elements below `root` in document order."""
    stack: list[Node] = list(reversed(root.children))
    while stack:
        node = stack.pop()
        if isinstance(node, Element):
            yield node
            stack.extend(reversed(node.children))


def dissolve(root: Element) -> None:
    """Take a tree apart that is no longer needed.

    Elements know their parents, some of them themselves, and such circles would keep
    it in memory until the garbage collector has looked at every piece of it.
    """
    stack = [root]
    while stack:
        element = stack.pop()
        element.parent = element.code = None
        stack += [child for child in element.children if isinstance(child, Element)]
        element.children = []


def text_of(root: Node) -> str:
    """Return the characters below `root`, joined."""
    pieces: list[str] = []
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Text):
            pieces.append(node.value)
        else:
            stack.extend(reversed(node.children))
    return "".join(pieces)


def find(root: Element, *tags: str) -> Element | None:
    """Return the first element below `root` with one of these tags."""
    return next((element for element in walk(root) if element.tag in tags), None)


def path_of(element: Element) -> str:
    """Return a path such as `div/p[3]/a`, for a person to find the place by."""
    steps: list[str] = []
    current: Element | None = element
    while current is not None and current.parent is not None:
        if len(steps) == SHOWN_STEPS:
            steps.append("…")
            break
        nth = f"[{current.nth}]" if current.nth > 1 else ""
        steps.append(f"{current.name}{nth}")
        current = current.parent
    return "/".join(reversed(steps))


BLOCK_TAGS = tag_set(
    "address article aside blockquote canvas dd div dl fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr li noscript ol output p pre "
    "section table tfoot ul"
)
"""Elements that end the paragraph before and after them in the official converter."""
MORE_BLOCK_TAGS = BLOCK_TAGS | tag_set(
    "body caption center details dialog dir dt legend main menu nav search summary "
    "tbody thead td th tr optgroup option"
)
"""And all others that a browser shows as a block."""


def note_first_code(code: Element, waiting: list[Element]) -> None:
    """Note in each `pre` of `waiting` that this is its first; empties `waiting`."""
    for outside in waiting:
        outside.code = code.code = code
    waiting.clear()


def nest_lists(element: Element) -> None:
    """Move a list between items into the item before it."""
    kept: list[Node] = []
    item: Element | None = None
    for child in element.children:
        if isinstance(child, Element):
            if child.tag in ("ul", "ol") and item is not None:
                item.children.append(child)
                continue
            item = child if child.tag == "li" else None
        kept.append(child)
    element.children = kept


_NOT_OF_LIST = frozenset(("ul", "ol", "menu", "dir", "table", "blockquote"))


def has_items(listed: Element) -> bool:
    """Return whether a list has an item, and none of another one in it."""
    stack: list[Node] = [listed]
    while stack:
        node = stack.pop()
        if isinstance(node, Text):
            continue
        if node.tag == "li":
            return True
        if node is listed or node.tag not in _NOT_OF_LIST:
            stack.extend(node.children)
    return False


def is_numbered(item: Element) -> bool:
    """Return whether an item of a numbered list says its number itself."""
    if "value" not in item.attributes or item.parent is None:
        return False
    return item.parent.tag == "ol" and integer(item.attributes["value"]) is not None
