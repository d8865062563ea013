"""What a deviation leaves of a document when all that it may touch is erased."""

from __future__ import annotations

import json
from collections.abc import Iterator, Set

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.content import TEXTBLOCKS
from cmsmig.richtext.deviations import Touch
from cmsmig.richtext.shown import INVISIBLE

_MARKS = {"anchor": Touch.ANCHORS, "link": Touch.LINKS, "code": Touch.CODE}
_BLANK = " \t\r\n\f"


def confined(on: JsonObject, off: JsonObject, touches: Set[Touch]) -> bool:
    """Say whether two documents differ in nothing but what may be touched.

    Where blocks may be touched, one document may hold what the other has in a
    block: then what is left of one must be in the other, in order.
    """
    if Touch.EVERYTHING in touches:
        return True
    first, second = list(_left(on, touches)), list(_left(off, touches))
    if Touch.BLOCKS in touches or Touch.CAPTIONS in touches:
        return _within(first, second) or _within(second, first)
    return first == second


def _within(few: list[str], many: list[str]) -> bool:
    rest = iter(many)
    return all(any(one == other for other in rest) for one in few)


def _left(node: Json, touches: Set[Touch]) -> Iterator[str]:
    """Yield a document as steps: beginnings, ends and single characters."""
    assert isinstance(node, dict)
    kind = str(node["type"])
    if kind == "text":
        yield from _characters(node, touches)
    elif kind == "image":
        if Touch.PICTURES not in touches:
            yield json.dumps(node)
    elif kind == "blok":
        yield from _blok(node, touches)
    elif Touch.EMPTY in touches and _shows_nothing(node):
        return
    else:
        children = node.get("content", [])
        assert isinstance(children, list)
        framed = Touch.STRUCTURE not in touches
        bare = not children and kind not in TEXTBLOCKS
        if framed or bare:
            given = node.get("attrs") if Touch.ATTRIBUTES not in touches else None
            yield f"<{kind} {json.dumps(given)}>"
        for child in children:
            yield from _left(child, touches)
        if framed:
            yield f"</{kind}>"


def _blok(node: JsonObject, touches: Set[Touch]) -> Iterator[str]:
    written = json.dumps(node)
    if '"component": "figure"' in written and Touch.PICTURES in touches:
        attributes = node["attrs"]
        assert isinstance(attributes, dict)
        assert isinstance(attributes["body"], list)
        held = attributes["body"][0]
        assert isinstance(held, dict)
        if isinstance(held.get("caption"), dict):
            yield from list(_left(held["caption"], touches))[:]
    elif Touch.BLOCKS not in touches:
        yield json.dumps(_nameless(node))


def _nameless(value: Json) -> Json:
    """Return a value without ids, which count the blocks of a body."""
    if isinstance(value, dict):
        return {
            key: _nameless(each)
            for key, each in value.items()
            if key not in ("id", "_uid")
        }
    return [_nameless(each) for each in value] if isinstance(value, list) else value


def _characters(node: JsonObject, touches: Set[Touch]) -> Iterator[str]:
    marks = node.get("marks", [])
    assert isinstance(marks, list)
    kept = [
        mark
        for mark in marks
        if isinstance(mark, dict)
        and _MARKS.get(str(mark["type"]), Touch.STYLES) not in touches
    ]
    written = json.dumps(kept)
    for character in str(node["text"]):
        if not (Touch.BLANKS in touches and character in _BLANK):
            yield f"{character} {written}"


def _shows_nothing(node: JsonObject) -> bool:
    if node["type"] not in TEXTBLOCKS:
        return False
    children = node.get("content", [])
    assert isinstance(children, list)
    return all(
        isinstance(child, dict)
        and (
            child["type"] == "hard_break"
            or (child["type"] == "text" and not str(child["text"]).strip(INVISIBLE))
        )
        for child in children
    )
