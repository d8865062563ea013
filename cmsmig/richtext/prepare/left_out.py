"""Leaves out what shows nothing: between blocks, and between the items of lists."""

from __future__ import annotations

from collections.abc import Set

from cmsmig.richtext.build.element_rules import IGNORED_TAGS, SPACER, Rules
from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.deviation import Deviation
from cmsmig.richtext.html.block_tags import BLOCK_TAGS, MORE_BLOCK_TAGS
from cmsmig.richtext.html.dom import Element, Text
from cmsmig.richtext.html.invisible import Reading, Role, Run, Unseen, unseen_in
from cmsmig.richtext.html.tree_edits import nest_lists

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
