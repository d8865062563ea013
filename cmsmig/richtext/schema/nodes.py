"""Nodes under construction, and what they become."""

from __future__ import annotations

from typing import TypeAlias, cast

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.html.dom import Element
from cmsmig.richtext.html.visibility import INVISIBLE
from cmsmig.richtext.schema.content_model import (
    CONTENT,
    RANKS,
    TEXTBLOCKS,
    empty_paragraph,
    required_content,
)


class Mark:
    """One mark; where it came from does not count when two are compared."""

    __slots__ = ("attributes", "name", "rank", "source")

    def __init__(
        self, name: str, attributes: JsonObject, source: Element | None = None
    ) -> None:
        self.name = name
        self.rank = RANKS[name]
        self.attributes = attributes
        self.source = source

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Mark)
            and self.name == other.name
            and self.attributes == other.attributes
        )

    __hash__ = None  # type: ignore[assignment]

    def as_json(self) -> JsonObject:
        """Return the mark as a document holds it; `attrs` only if there are any."""
        if not self.attributes:
            return {"type": self.name}
        return {"type": self.name, "attrs": dict(self.attributes)}


MarkSet: TypeAlias = tuple[Mark, ...]


def added(mark: Mark, marks: MarkSet) -> MarkSet:
    """Return `marks` with `mark` in its rank's place.

    It takes the place of one of its own type; code tolerates no other mark,
    neither one that comes nor one that is there.
    """
    if mark.name == "code":
        return (mark,)
    kept: list[Mark] = []
    for other in marks:
        if other.name == "code":
            return marks
        if other.name != mark.name:
            kept.append(other)
    at = sum(1 for other in kept if other.rank < mark.rank)
    kept.insert(at, mark)
    return tuple(kept)


def without(name: str, marks: MarkSet) -> MarkSet:
    """Return `marks` without those of one type."""
    return tuple(mark for mark in marks if mark.name != name)


_BLANK = " \t\r\n\f"


_FILLED = frozenset(("bullet_list", "ordered_list", "table"))
"""Nodes of which nothing shows without a part."""


class Run:
    """A text with its marks while its paragraph is open."""

    __slots__ = ("marks", "text")

    def __init__(self, text: str, marks: MarkSet) -> None:
        self.text = text
        self.marks = marks


class Open:
    """A node under construction."""

    __slots__ = (
        "attributes",
        "content",
        "depth",
        "keeps",
        "kind",
        "left",
        "model",
        "parted",
        "solid",
        "source",
        "state",
        "takes_text",
        "verbatim",
    )

    def __init__(
        self,
        kind: str,
        attributes: JsonObject,
        source: Element,
        solid: bool,
        verbatim: bool,
        depth: int = 0,
    ) -> None:
        self.depth = depth
        self.kind = kind
        self.model = CONTENT[kind]
        self.takes_text = kind in TEXTBLOCKS
        self.attributes = attributes
        self.source = source
        """The element that it is, or that it is in where none is it."""
        self.solid = solid
        self.verbatim = verbatim
        """Its text is taken as it is, newlines and all."""
        self.keeps = verbatim
        """Its blanks are kept, at its end as well."""
        self.state = 0
        self.left = False
        """A block inside this textblock has ended it."""
        self.parted = False
        """A block in this code begins or ends here: what follows has its own line."""
        self.content: list[JsonObject | Run] = []

    def on_its_line(self, text: str) -> str:
        """Return the next text of a code block; a block in code is a line."""
        parted, self.parted = self.parted, False
        last = self.content[-1] if parted and self.content else None
        if not isinstance(last, Run) or last.text.endswith("\n"):
            return text
        return text if text.startswith("\n") else f"\n{text}"

    def shows_nothing(self) -> bool:
        """Return whether it is to be left out, since no reader sees it: a paragraph or
        heading without a sign, a list or table without a part, an item that no element
        is without content, and code that a block in it has left empty."""
        if self.kind in ("paragraph", "heading"):
            return not any(map(_is_seen, self.content))
        if self.kind == "list_item":
            return not (self.solid or self.content)
        return not self.content and (self.left or self.kind in _FILLED)

    def finish(self) -> JsonObject:
        """Return the node, completed with what must be in it."""
        content = (
            self._joined() if self.takes_text else cast("list[Json]", self.content)
        )
        if not content and not self.model[self.state][1]:
            content = required_content(self.kind)
        if self.kind == "list_item" and not _is_paragraph(content[0]):
            content.insert(0, empty_paragraph())
        node: JsonObject = {"type": self.kind}
        if self.attributes:
            node["attrs"] = self.attributes
        if content:
            node["content"] = content
        return node

    def _joined(self) -> list[Json]:
        """Return the content with neighbouring runs of equal marks as one text."""
        runs = self.content
        if not runs:
            return []
        last = runs[-1]
        if isinstance(last, Run) and not self.keeps:
            last.text = last.text.rstrip(_BLANK)
        if len(runs) == 1 and isinstance(last, Run):
            return [text_node(last.text, last.marks)] if last.text else []
        joined: list[Json] = []
        pieces: list[str] = []
        marks: MarkSet = ()
        for child in runs:
            if not isinstance(child, Run):
                _end_text(pieces, marks, joined)
                joined.append(child)
                continue
            if pieces and child.marks is not marks and child.marks != marks:
                _end_text(pieces, marks, joined)
            pieces.append(child.text)
            marks = child.marks
        _end_text(pieces, marks, joined)
        return joined


def _is_seen(child: JsonObject | Run) -> bool:
    if isinstance(child, Run):
        return bool(child.text.strip(INVISIBLE))
    return child["type"] != "hard_break"


def _is_paragraph(node: Json) -> bool:
    return isinstance(node, dict) and node["type"] == "paragraph"


def _end_text(pieces: list[str], marks: MarkSet, joined: list[Json]) -> None:
    if not pieces:
        return
    text = pieces[0] if len(pieces) == 1 else "".join(pieces)
    if text:
        joined.append(text_node(text, marks))
    pieces.clear()


def text_node(text: str, marks: MarkSet) -> JsonObject:
    """Return a text as a document holds it."""
    if not marks:
        return {"type": "text", "text": text}
    return {
        "type": "text",
        "marks": [mark.as_json() for mark in marks],
        "text": text,
    }
