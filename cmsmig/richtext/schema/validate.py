"""Says what keeps a document from being a valid rich text document.

The rules are those of the official converter's schema, 5.3.1, and what the
service's editor takes: every attribute there and of its type, marks in the
schema's order, nothing empty. No recursion, and linear in the document's size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.schema.attribute_types import mark_problems, node_problems
from cmsmig.richtext.schema.content_model import CONTENT, INLINES, RANKS

_NOT_ALIGNED = "A paragraph lacks the attribute textAlign."
_SHOWN_STEPS = 24
_KEYS = frozenset(("type", "attrs", "content", "marks", "text"))


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and where in the document."""

    path: str
    """Such as `content[3]/content[0]`; empty for the document itself."""
    what: str


class _Step:
    """A place by its way from the root; a path is written only when it is shown,
    since writing each would not be linear for deep documents."""

    __slots__ = ("index", "name", "outer")

    def __init__(self, name: str, outer: _Step | None = None, index: int = -1) -> None:
        self.name = name
        self.outer = outer
        self.index = index

    def path(self) -> str:
        names: list[str] = []
        step: _Step | None = self
        while step is not None and step.name:
            if len(names) == _SHOWN_STEPS:
                names.append("…")
                break
            at = f"[{step.index}]" if step.index >= 0 else ""
            names.append(f"{step.name}{at}")
            step = step.outer
        return "/".join(reversed(names))


_Waiting: TypeAlias = "list[tuple[_Step, object, bool]]"
"""Where, what, and whether it has to be a node."""


def problems(document: object) -> tuple[Problem, ...]:
    """Return everything that is wrong with a document; empty when it is valid.

    The blocks in its `blok` nodes count, and so do the documents in those.
    """
    root = _object(document)
    if root.get("type") != "doc":
        return (Problem("", "The root is not of type doc."),)
    found: list[Problem] = []
    uids: set[str] = set()
    stack: _Waiting = [(_Step(""), root, True)]
    while stack:
        step, value, node = stack.pop()
        if isinstance(value, list):
            inside = _items(value, step, node=node)
        elif not isinstance(value, dict):
            continue
        elif node or value.get("type") == "doc":
            found += [Problem(step.path(), what) for what in _node(value)]
            inside = _below(value, step)
        elif "component" in value:
            found.extend(Problem(step.path(), what) for what in _block(value, uids))
            inside = [(_Step(str(key), step), value[key], False) for key in value]
        else:
            continue
        stack.extend(reversed(inside))
    return tuple(found)


def _items(values: list[object], step: _Step, *, node: bool) -> _Waiting:
    return [
        (_Step(step.name, step.outer, index), each, node)
        for index, each in enumerate(values)
        if not (node and _is_plain_text(each))
    ]


def _is_plain_text(node: object) -> bool:
    """Return whether a node is a text without marks, as most are, and all right."""
    return (
        isinstance(node, dict)
        and len(node) == 2
        and node.get("type") == "text"
        and isinstance(node.get("text"), str)
        and bool(node["text"])
    )


def _below(node: Mapping[str, object], step: _Step) -> _Waiting:
    if node.get("type") == "blok":
        return [(_Step("body", step), _object(node.get("attrs")).get("body"), False)]
    below, content = _Step("content", step), node.get("content")
    if isinstance(content, list):
        return _items(content, below, node=True)
    return [(below, content, True)]


def documents_in(content: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Yield path and document of each rich text document in a story's content.

    Those in the blocks of another document belong to it and are left out.
    """
    stack: list[tuple[str, Json]] = [("", content)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            if value.get("type") == "doc":
                yield path, value
                continue
            below = [(f"{path}/{key}" if path else key, value[key]) for key in value]
        elif isinstance(value, list):
            below = [(f"{path}[{index}]", each) for index, each in enumerate(value)]
        else:
            continue
        stack.extend(reversed(below))


def problems_there(document: Mapping[str, object]) -> tuple[Problem, ...]:
    """Return what is wrong with a document that the destination stores.

    A paragraph needs no attributes there. Source: destination, absent equals empty:
    the visual editor's empty document.
    """
    found = problems(document)
    return tuple(each for each in found if each.what != _NOT_ALIGNED)


def wrong_document(content: JsonObject) -> str:
    """Return why a story's content must not be written, as half a sentence; empty
    when every document in it is valid."""
    for field, document in documents_in(content):
        for problem in problems(document):
            place = f" at {problem.path}" if problem.path else ""
            what = f"{problem.what[0].lower()}{problem.what[1:].rstrip('.')}"
            return f"the rich text in `{field}` is not a valid document{place}: {what}"
    return ""


def _node(node: Mapping[str, object]) -> Iterator[str]:
    kind = node.get("type")
    if not isinstance(kind, str) or kind not in CONTENT:
        yield f"There is no node of type {kind!r}."
        return
    for key in node:
        if key not in _KEYS or (key == "text" and kind != "text"):
            yield f"A {kind} has an unknown key {key}."
    yield from _content(kind, node.get("content", []))
    yield from node_problems(kind, node.get("attrs"))
    if "marks" in node:
        yield from _marks(kind, node["marks"])
    if kind == "text":
        text = node.get("text")
        if not isinstance(text, str) or not text:
            yield "A text is empty."


def _content(kind: str, children: object) -> Iterator[str]:
    if not isinstance(children, list):
        yield "The content is not a list."
        return
    state = 0
    before: Mapping[str, object] = {}
    for each in children:
        child = _object(each)
        name = child.get("type")
        edges = CONTENT[kind][state][0]
        if not isinstance(name, str) or name not in edges:
            yield f"A {kind} can't hold {name!r} here."
            return
        if kind == "code_block" and "marks" in child:
            yield "A text in a code_block carries marks."
        is_next = name == "text" == before.get("type")
        if is_next and before.get("marks") == child.get("marks"):
            yield "Two texts with the same marks are next to each other."
        state = edges[name]
        before = child
    if not CONTENT[kind][state][1]:
        yield f"A {kind} is empty or incomplete."


def _marks(kind: str, marks: object) -> Iterator[str]:
    if kind not in INLINES:
        yield f"A {kind} carries marks."
    if not isinstance(marks, list) or not marks:
        yield "The marks are not a list, or an empty one."
        return
    highest = -1
    for each in marks:
        mark = _object(each)
        name = mark.get("type")
        if not isinstance(name, str) or name not in RANKS:
            yield f"There is no mark of type {name!r}."
            continue
        if RANKS[name] == highest:
            yield f"Two marks are of the type {name}."
        elif RANKS[name] < highest:
            yield f"The mark {name} is out of order."
        highest = max(highest, RANKS[name])
        if name == "code" and len(marks) > 1:
            yield "Code is combined with another mark."
        for key in mark:
            if key not in ("type", "attrs"):
                yield f"A {name} mark has an unknown key {key}."
        yield from mark_problems(name, mark.get("attrs"))


def _block(block: Mapping[str, object], uids: set[str]) -> Iterator[str]:
    for key in ("component", "_uid"):
        value = block.get(key)
        if not isinstance(value, str) or not value:
            yield f"A block in a blok lacks its {key}."
        elif key == "_uid":
            if value in uids:
                yield f"Two blocks have the _uid {value}."
            uids.add(value)


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
