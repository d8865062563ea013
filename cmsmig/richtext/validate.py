"""Says what keeps a document from being a valid rich text document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cmsmig.richtext.content import ATTRIBUTES, CONTENT, INLINES, MARKS

_LINK_TYPES = frozenset(("url", "story", "email", "asset"))


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and where in the document."""

    path: str
    """Such as `content[3]/content[0]`; empty for the document itself."""
    what: str


def problems(document: object) -> tuple[Problem, ...]:
    """Return everything that is wrong with a document; empty when it is valid."""
    root = _object(document)
    if root.get("type") != "doc":
        return (Problem("", "The root is not of type doc."),)
    found: list[Problem] = []
    stack: list[tuple[str, Mapping[str, object]]] = [("", root)]
    while stack:
        path, node = stack.pop()
        found.extend(Problem(path, what) for what in _of_node(node))
        children = node.get("content", [])
        if not isinstance(children, list):
            continue
        step = f"{path}/content" if path else "content"
        stack.extend(
            (f"{step}[{index}]", _object(child))
            for index, child in reversed(list(enumerate(children)))
        )
    return tuple(found)


def _of_node(node: Mapping[str, object]) -> Iterator[str]:
    kind = node.get("type")
    if not isinstance(kind, str) or kind not in CONTENT:
        yield f"There is no node of type {kind!r}."
        return
    yield from _content(kind, node.get("content", []))
    yield from _attributes(kind, node.get("attrs"))
    yield from _marks(kind, node.get("marks"))
    if kind == "text":
        text = node.get("text")
        if not isinstance(text, str) or not text:
            yield "A text is empty."


def _content(kind: str, children: object) -> Iterator[str]:
    if not isinstance(children, list):
        yield "The content is not a list."
        return
    state = 0
    for child in children:
        name = _object(child).get("type")
        edges = CONTENT[kind][state][0]
        if not isinstance(name, str) or name not in edges:
            yield f"A {kind} can't hold {name!r} here."
            return
        if kind == "code_block" and "marks" in _object(child):
            yield "A text in a code_block carries marks."
        state = edges[name]
    if not CONTENT[kind][state][1]:
        yield f"A {kind} is empty or incomplete."


def _attributes(kind: str, given: object) -> Iterator[str]:
    names = ATTRIBUTES.get(kind, ())
    held = _object(given)
    if not names:
        if held:
            yield f"A {kind} has attributes."
        return
    for name in names:
        if name not in held:
            yield f"A {kind} lacks the attribute {name}."
    for name in held:
        if name not in names:
            yield f"A {kind} has an unknown attribute {name}."
    if kind == "heading" and held.get("level") not in range(1, 7):
        yield "A heading's level is not one of 1 to 6."
    if kind == "ordered_list" and type(held.get("order")) not in (int, float):
        yield "An ordered_list's order is not a number."
    if kind == "image" and not isinstance(held.get("src"), str):
        yield "An image has no address."
    if kind == "blok":
        yield from _body(held.get("body"))


def _body(body: object) -> Iterator[str]:
    if not isinstance(body, list):
        yield "A blok's body is not a list."
        return
    for block in body:
        for key in ("component", "_uid"):
            value = _object(block).get(key)
            if not isinstance(value, str) or not value:
                yield f"A block in a blok lacks its {key}."


def _marks(kind: str, marks: object) -> Iterator[str]:
    if marks is None:
        return
    if kind not in INLINES:
        yield f"A {kind} carries marks."
    if not isinstance(marks, list) or not marks:
        yield "The marks are not a list, or an empty one."
        return
    names = [_object(mark).get("type") for mark in marks]
    if len(set(map(str, names))) != len(names):
        yield "Two marks are of the same type."
    if "code" in names and len(names) > 1:
        yield "Code stands together with another mark."
    for mark in marks:
        yield from _mark(_object(mark))


def _mark(mark: Mapping[str, object]) -> Iterator[str]:
    name = mark.get("type")
    if not isinstance(name, str) or name not in MARKS:
        yield f"There is no mark of type {name!r}."
        return
    held = _object(mark.get("attrs"))
    for attribute in MARKS[name]:
        if attribute not in held:
            yield f"A {name} mark lacks the attribute {attribute}."
    if name != "link":
        return
    if not isinstance(held.get("href"), str) or not held.get("href"):
        yield "A link has no address."
    if held.get("linktype") not in _LINK_TYPES:
        yield f"A link's type is {held.get('linktype')!r}."
    if held.get("linktype") == "story" and not held.get("uuid"):
        yield "A link to a story lacks its uuid."
    if not isinstance(held.get("custom"), Mapping):
        yield "A link's custom is not an object."


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
