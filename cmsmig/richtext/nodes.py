"""Nodes under construction, and what they become."""

from __future__ import annotations

import re

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.content import CONTENT, TEXTBLOCKS, required_content
from cmsmig.richtext.marks import MarkSet

_TRAILING = re.compile(r"[ \t\r\n\f]+\Z")


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
        "solid",
        "state",
        "verbatim",
    )

    def __init__(
        self,
        kind: str,
        attributes: JsonObject,
        solid: bool,
        verbatim: bool,
        depth: int = 0,
    ) -> None:
        self.depth = depth
        self.kind = kind
        self.attributes = attributes
        self.solid = solid
        self.verbatim = verbatim
        """Its text is taken as it is, newlines and all."""
        self.keeps = verbatim
        """Its blanks are kept, at its end as well."""
        self.state = 0
        self.left = False
        """A block that stood in this textblock has ended it."""
        self.content: list[JsonObject | Run] = []

    @property
    def takes_text(self) -> bool:
        """Say whether texts may stand in it."""
        return self.kind in TEXTBLOCKS

    def finish(self) -> JsonObject:
        """Return the node, completed with what must be in it."""
        content = self._joined()
        if not content and not CONTENT[self.kind][self.state][1]:
            content = required_content(self.kind)
        node: JsonObject = {"type": self.kind}
        if self.attributes:
            node["attrs"] = self.attributes
        if content:
            listed: list[Json] = list(content)
            node["content"] = listed
        return node

    def _joined(self) -> list[JsonObject]:
        if not self.keeps and self.content:
            last = self.content[-1]
            if isinstance(last, Run):
                last.text = _TRAILING.sub("", last.text)
        joined: list[JsonObject] = []
        pieces: list[str] = []
        marks: MarkSet = ()
        for child in [*self.content, None]:
            if isinstance(child, Run) and (not pieces or child.marks == marks):
                pieces.append(child.text)
                marks = child.marks
                continue
            if text := "".join(pieces):
                joined.append(text_node(text, marks))
            pieces.clear()
            if isinstance(child, Run):
                pieces.append(child.text)
                marks = child.marks
            elif child is not None:
                joined.append(child)
        return joined


def text_node(text: str, marks: MarkSet) -> JsonObject:
    """Return a text as a document holds it."""
    if not marks:
        return {"type": "text", "text": text}
    return {
        "type": "text",
        "marks": [mark.as_json() for mark in marks],
        "text": text,
    }
