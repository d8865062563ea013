"""An independent check of rich text documents against the editor's schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.values import list_of, object_of, text_of

_INLINE = frozenset({"text", "hard_break", "emoji"})
_BLOCKS = frozenset(
    (
        "paragraph",
        "heading",
        "blockquote",
        "bullet_list",
        "ordered_list",
        "code_block",
        "horizontal_rule",
        "image",
        "table",
        "blok",
    )
)
_CHILDREN: dict[str, frozenset[str]] = {
    "doc": _BLOCKS,
    "paragraph": _INLINE,
    "heading": _INLINE,
    "blockquote": _BLOCKS,
    "bullet_list": frozenset({"list_item"}),
    "ordered_list": frozenset({"list_item"}),
    "list_item": _BLOCKS,
    "code_block": frozenset({"text"}),
    "table": frozenset({"tableRow"}),
    "tableRow": frozenset({"tableCell", "tableHeader"}),
    "tableCell": _BLOCKS,
    "tableHeader": _BLOCKS,
}
_NOTHING: frozenset[str] = frozenset()
_NEVER_EMPTY = frozenset(_CHILDREN) - {"paragraph", "heading", "code_block", "tableRow"}
_MARKS = frozenset(
    (
        "bold",
        "italic",
        "strike",
        "underline",
        "code",
        "superscript",
        "subscript",
        "highlight",
        "textStyle",
        "anchor",
        "styled",
        "link",
    )
)
_KEYS = frozenset({"type", "attrs", "content", "marks", "text"})
_LINK_KEYS = frozenset({"href", "uuid", "anchor", "target", "linktype"})
_LINK_TYPES = frozenset({"url", "story", "email", "asset"})


Place: TypeAlias = "tuple[Place, int] | None"
"""The place of the node above and the number in its content; None: the root."""


@dataclass(frozen=True, slots=True)
class Found:
    """Everything in a document that points outside it, and what is wrong."""

    complaints: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind, path inside the document such as `content[2].content[0]`, and what."""
    story_links: list[tuple[str, str]] = field(default_factory=list)
    """Place and UUID of each link to a story."""
    images: list[tuple[str, JsonObject]] = field(default_factory=list)
    """Place and attributes of each image node."""
    blocks: list[JsonObject] = field(default_factory=list)
    """The blocks of its blok nodes, in the document's order."""

    def complain(self, kind: str, where: Place, what: str) -> None:
        """Add one complaint."""
        self.complaints.append((kind, _path(where), what))


def examine(document: object) -> Found:
    """Return what is wrong with a rich text value and what it points to.

    An empty value is no document and nothing is wrong with it.
    """
    found = Found()
    if document in ("", None):
        return found
    root = object_of(document)
    if root.get("type") != "doc":
        found.complain("richtext_root", None, "the root is not a doc node")
        return found
    _node(found, root, None, "")
    return found


def _path(place: Place) -> str:
    steps: list[str] = []
    while place is not None:
        place, index = place
        steps.append(f"content[{index}]")
    return ".".join(reversed(steps))


def _node(found: Found, node: JsonObject, where: Place, parent: str) -> None:
    kind = text_of(node.get("type"))
    if parent and kind not in _CHILDREN.get(parent, _NOTHING):
        _misplaced(found, kind, where, parent)
    if not node.keys() <= _KEYS:
        for key in sorted(node.keys() - _KEYS):
            found.complain("richtext_node_key", where, key)
    if kind == "text":
        if not text_of(node.get("text")):
            found.complain("empty_text", where, "a text node without text")
    elif "text" in node:
        found.complain("richtext_node_key", where, f"text on {kind}")
    if kind in _CHECKED:
        _check_kind(found, node, kind, where)
    if node.get("marks"):
        _check_marks(found, node, kind, where, parent)
    children = list_of(node.get("content"))
    if kind in _NEVER_EMPTY and not children:
        found.complain("richtext_empty_node", where, f"{kind} holds nothing")
    if children and kind not in _CHILDREN:
        found.complain("richtext_content", where, f"{kind} can hold nothing")
    for index, child in enumerate(children):
        _node(found, object_of(child), (where, index), kind or "?")


def _misplaced(found: Found, kind: str, where: Place, parent: str) -> None:
    known = kind in _CHILDREN or kind in _INLINE or kind in _BLOCKS
    if not known or kind == "doc":
        found.complain("richtext_node", where, kind or "a node without a type")
    elif kind == "image" and parent == "paragraph":
        found.complain("image_in_paragraph", where, "an image is a block of its own")
    else:
        found.complain("richtext_content", where, f"{kind} inside {parent}")


_CHECKED = frozenset({"heading", "image", "list_item", "blok"})


def _check_kind(found: Found, node: JsonObject, kind: str, where: Place) -> None:
    """Check what only nodes of one kind have."""
    attrs = object_of(node.get("attrs"))
    if kind == "heading" and attrs.get("level") not in (1, 2, 3, 4, 5, 6):
        found.complain("richtext_attribute", where, f"level {attrs.get('level')}")
    if kind == "image":
        found.images.append((_path(where), attrs))
        if not text_of(attrs.get("src")):
            found.complain("richtext_attribute", where, "an image without src")
    if kind == "list_item":
        first = list_of(node.get("content"))[:1]
        if first and object_of(first[0]).get("type") != "paragraph":
            what = "a list item that does not begin with a paragraph"
            found.complain("richtext_content", where, what)
    if kind == "blok":
        if not isinstance(attrs.get("body"), list):
            found.complain("richtext_attribute", where, "a blok without a body list")
        if not text_of(attrs.get("id")):
            found.complain("richtext_attribute", where, "a blok without an id")
        body = list_of(attrs.get("body"))
        found.blocks.extend(block for block in body if isinstance(block, dict))


def _check_marks(
    found: Found, node: JsonObject, kind: str, where: Place, parent: str
) -> None:
    marks = [object_of(mark) for mark in list_of(node.get("marks"))]
    if marks and (kind not in _INLINE or parent == "code_block"):
        found.complain("richtext_mark", where, f"marks on {kind} in {parent}")
    kinds = [text_of(mark.get("type")) for mark in marks]
    if len(set(kinds)) < len(kinds):
        for repeated in sorted({one for one in kinds if kinds.count(one) > 1}):
            found.complain("richtext_mark", where, f"{repeated} twice")
    if "code" in kinds and len(kinds) > 1:
        found.complain("richtext_mark", where, "code bears no other mark")
    for mark, name in zip(marks, kinds, strict=True):
        if name not in _MARKS:
            found.complain("richtext_mark", where, name or "a mark without a type")
        if name == "link":
            _check_link(found, object_of(mark.get("attrs")), where)


def _check_link(found: Found, attrs: JsonObject, where: Place) -> None:
    lacking = sorted(_LINK_KEYS - set(attrs))
    if lacking:
        listed = ", ".join(lacking)
        found.complain("link_attributes", where, f"a link without {listed}")
    linktype = attrs.get("linktype")
    if "linktype" in attrs and text_of(linktype) not in _LINK_TYPES:
        found.complain("link_attributes", where, f"linktype {linktype}")
    if linktype == "story":
        found.story_links.append((_path(where), text_of(attrs.get("uuid"))))
