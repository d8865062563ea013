"""Whether two documents differ in nothing but what deviations may touch.

All that may be touched is erased from both; what is left has to be the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.json_text import json_text
from cmsmig.richtext.html.visibility import INVISIBLE
from cmsmig.richtext.parity.deviations import Touch
from cmsmig.richtext.schema.content_model import TEXTBLOCKS

_MARKS = {"anchor": Touch.ANCHORS, "link": Touch.LINKS, "code": Touch.CODE}
_BLANK = " \t\r\n\f"
_TOLD = 60
"""Steps of a document that tell where it differs."""
_IN_CODE = "in code"
"""In the place of the marks of a character in code, where code may end earlier."""
_UNMARKED = ("", "[]", _IN_CODE, "at an edge")
_LINE = ("\n", _IN_CODE)
_EDGE = ("<hard_break null>", "at an edge")
_OPTIONAL = (_LINE, _EDGE)
"""Steps that the other document need not have."""
Step: TypeAlias = tuple[str, str]
"""A beginning, an end, or one character and its marks."""


@dataclass(frozen=True, slots=True)
class Outside:
    """The first place where documents differ in what nothing may touch."""

    path: str
    """Of the node in our document, or in the official one when ours is at its end."""
    ours: str
    official: str


@dataclass(frozen=True, slots=True)
class _Left:
    """What is left of a document: its steps, and the path of the node of each."""

    steps: list[Step]
    paths: list[str]

    def told(self, at: int) -> str:
        """Return the beginning of what follows, for a person."""
        following = self.steps[at : at + _TOLD]
        if not following:
            return "(the end)"
        marks = next((marks for _, marks in following if marks not in _UNMARKED), "")
        text = "".join(shown for shown, _ in following)
        return f"{text} {marks}".rstrip()


def confined(ours: JsonObject, official: JsonObject, touches: Set[Touch]) -> bool:
    """Say whether two documents differ in nothing but what may be touched."""
    return outside(ours, official, touches) is None


def outside(
    ours: JsonObject, official: JsonObject, touches: Set[Touch]
) -> Outside | None:
    """Return where two documents differ in what may not be touched, if they do.

    Where blocks may be touched, one document may hold what the other has in a
    block: then what is left of one must be in the other, in order. Works at any
    depth, and for documents of any shape.
    """
    if Touch.EVERYTHING in touches:
        return None
    first, second = _left(ours, touches), _left(official, touches)
    if Touch.ORDER in touches:
        return _not_the_same_texts(first, second, touches)
    if Touch.BLOCKS in touches or Touch.CAPTIONS in touches:
        return _not_within(first, second)
    return _not_equal(first, second)


def _not_equal(first: _Left, second: _Left) -> Outside | None:
    here = there = 0
    ours, official = first.steps, second.steps
    while here < len(ours) or there < len(official):
        mine = ours[here] if here < len(ours) else None
        other = official[there] if there < len(official) else None
        if mine is not None and other is not None and _same(mine, other):
            here, there = here + 1, there + 1
        elif mine in _OPTIONAL:
            here += 1
        elif other in _OPTIONAL:
            there += 1
        else:
            return _outside(first, here, second, there)
    return None


def _not_the_same_texts(
    first: _Left, second: _Left, touches: Set[Touch]
) -> Outside | None:
    """Compare the characters in any order; blocks may hold some of them."""
    ours, official = _counted(first), _counted(second)
    more, fewer = ours - official, official - ours
    blocks = Touch.BLOCKS in touches or Touch.CAPTIONS in touches
    if (not more and not fewer) or (blocks and not (more and fewer)):
        return None
    told = [str(dict(each)) for each in (more, fewer)]
    return Outside("doc", *told)


def _counted(left: _Left) -> Counter[str]:
    return Counter(step[0] for step in left.steps if step not in _OPTIONAL)


def _same(one: Step, other: Step) -> bool:
    """Say whether two steps are one, in code or not."""
    if one == other:
        return True
    marks = (one[1], other[1])
    if _IN_CODE not in marks and _EDGE[1] not in marks:
        return False
    if one[0] == other[0]:
        return True
    return _LINE in (one, other) and _EDGE[0] in (one[0], other[0])


def _not_within(first: _Left, second: _Left) -> Outside | None:
    here, there = (
        _missing(first.steps, second.steps),
        _missing(*_swapped(first, second)),
    )
    if here is None or there is None:
        return None
    # The way that went further tells more.
    if here[0] >= there[0]:
        return _outside(first, here[0], second, here[1])
    return _outside(first, there[1], second, there[0])


def _swapped(first: _Left, second: _Left) -> tuple[list[Step], list[Step]]:
    return second.steps, first.steps


def _missing(few: Sequence[Step], many: Sequence[Step]) -> tuple[int, int] | None:
    """Return the first step of `few` that `many` does not hold in order, and how
    far `many` held the ones before it; None when it holds all."""
    at = 0
    for index, step in enumerate(few):
        if step in _OPTIONAL:
            continue
        begun = at
        while at < len(many) and not _same(many[at], step):
            at += 1
        if at == len(many):
            return index, begun
        at += 1
    return None


def _outside(ours: _Left, here: int, official: _Left, there: int) -> Outside:
    if here < len(ours.paths):
        path = ours.paths[here]
    else:
        path = official.paths[there] if there < len(official.paths) else "end"
    return Outside(path, ours.told(here), official.told(there))


def _left(document: JsonObject, touches: Set[Touch]) -> _Left:
    left = _Left([], [])
    waiting: list[tuple[str, Json | Step]] = [("doc", document)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, tuple):
            left.steps.append(item)
            left.paths.append(path)
        elif isinstance(item, dict):
            waiting.extend(reversed(list(_parts(path, item, touches))))
    return left


def _parts(
    path: str, node: JsonObject, touches: Set[Touch]
) -> Iterator[tuple[str, Json | Step]]:
    """Yield what a node leaves: its own steps, and the nodes in it."""
    kind = str(node.get("type"))
    if kind == "text":
        yield from ((path, step) for step in _characters(node, touches))
    elif kind == "code_block" and Touch.STRUCTURE in touches:
        yield from ((path, step) for step in _code(node, touches))
    elif kind == "image":
        if Touch.PICTURES not in touches:
            yield path, (json_text(node), "")
    elif kind == "blok":
        yield from _blok(path, node, touches)
    elif not _is_erased(node, touches):
        yield from _framed(path, kind, node, touches)


def _framed(
    path: str, kind: str, node: JsonObject, touches: Set[Touch]
) -> Iterator[tuple[str, Json | Step]]:
    children = _content(node)
    framed = Touch.STRUCTURE not in touches
    if framed or (not children and kind not in TEXTBLOCKS):
        given = node.get("attrs") if Touch.ATTRIBUTES not in touches else None
        yield path, (f"<{kind} {json_text(given)}>", "")
    for index, child in enumerate(children):
        below = f"{path}.content[{index}]"
        if Touch.LINES in touches and _is_break(child) and _at_edge(children, index):
            yield below, _EDGE
        else:
            yield below, child
    if framed:
        yield path, (f"</{kind}>", "")


def _blok(
    path: str, node: JsonObject, touches: Set[Touch]
) -> Iterator[tuple[str, Json | Step]]:
    held = _held(node)
    whole = Touch.BLOCKS not in touches
    if held.get("component") == "figure":
        caption = held.get("caption")
        if whole and Touch.PICTURES not in touches:
            yield path, (json_text(_nameless({**held, "caption": None})), "")
        if isinstance(caption, dict):
            yield f"{path}.attrs.body[0].caption", caption
    elif whole:
        yield path, (json_text(_nameless(node)), "")


def _held(node: JsonObject) -> Mapping[str, Json]:
    """Return the first component of a `blok` node."""
    attributes = node.get("attrs")
    body = attributes.get("body") if isinstance(attributes, dict) else None
    first = body[0] if isinstance(body, list) and body else None
    return first if isinstance(first, dict) else {}


def _nameless(value: Json) -> Json:
    """Return a value without ids, which count the blocks of a body."""
    if isinstance(value, dict):
        return {
            key: _nameless(each)
            for key, each in value.items()
            if key not in ("id", "_uid")
        }
    return [_nameless(each) for each in value] if isinstance(value, list) else value


def _characters(node: JsonObject, touches: Set[Touch]) -> Iterable[Step]:
    marks = node.get("marks")
    kept = [
        mark
        for mark in (marks if isinstance(marks, list) else [])
        if isinstance(mark, dict)
        and _MARKS.get(str(mark.get("type")), Touch.STYLES) not in touches
    ]
    written = json_text(kept)
    for character in str(node.get("text", "")):
        if not (Touch.BLANKS in touches and character in _BLANK):
            yield character, written


def _code(node: JsonObject, touches: Set[Touch]) -> Iterable[Step]:
    """Yield the characters of a code block that may end earlier or later."""
    for child in _content(node):
        for character in str(child.get("text", "")) if isinstance(child, dict) else "":
            if character == "\n" or not (
                Touch.BLANKS in touches and character in _BLANK
            ):
                yield character, _IN_CODE


def _is_erased(node: JsonObject, touches: Set[Touch]) -> bool:
    """Say whether a textblock is one that may be left out or put in."""
    if Touch.SPACERS in touches and _shows_nothing(node):
        return True
    if Touch.EMPTY not in touches or node.get("type") not in TEXTBLOCKS:
        return False
    return all(
        Touch.BLANKS in touches
        and isinstance(child, dict)
        and child.get("type") == "text"
        and not str(child.get("text", "")).strip(_BLANK)
        for child in _content(node)
    )


def _at_edge(children: list[Json], index: int) -> bool:
    """Say whether nothing but line breaks stands on one side of a line break."""
    return all(map(_is_break, children[: index + 1])) or all(
        map(_is_break, children[index:])
    )


def _is_break(node: Json) -> bool:
    return isinstance(node, dict) and node.get("type") == "hard_break"


def _shows_nothing(node: JsonObject) -> bool:
    return node.get("type") in TEXTBLOCKS and all(
        isinstance(child, dict)
        and (
            child.get("type") == "hard_break"
            or (
                child.get("type") == "text"
                and not str(child.get("text", "")).strip(INVISIBLE)
            )
        )
        for child in _content(node)
    )


def _content(node: JsonObject) -> list[Json]:
    children = node.get("content")
    return children if isinstance(children, list) else []
