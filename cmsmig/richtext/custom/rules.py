"""The block that a project's own rule makes of an element: checked, and its `_uid`s
derived; and what of the element is not in it."""
# ruff: noqa: TRY004 - everything wrong with a block raises the same error

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.character_references import shown_text
from cmsmig.richtext.html.dom import Element, Node, Text
from cmsmig.richtext.html.soup import Tag
from cmsmig.richtext.schema.validate import problems

RuleFunction: TypeAlias = Callable[[Tag], Mapping[str, object] | None]
"""Returns the block that an element becomes, or None: it converts as usual."""
DEEPEST = 40
"""Levels of values in a block; what nests deeper is taken for a mistake."""
_COMPONENT = re.compile(r"[a-z0-9_-]+")
_MARKUP = re.compile(r"[<>\"'=/]+")
ADDRESSES = ("href", "src", "poster", "data-src", "data-page-url", "action")
"""Attributes that lead somewhere or show something."""


def plain(value: object, depth: int = 0) -> Json:
    """Return a value as plain JSON, nothing of a tree left in it.

    Raises `ValueError` naming what JSON can't hold. Texts are copied: those of a
    tree would keep all of it alive.
    """
    if depth > DEEPEST:
        raise ValueError(f"it nests deeper than {DEEPEST} levels")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, Mapping):
        return {_key(key): plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each, depth + 1) for each in value]
    raise ValueError(f"it holds a {type(value).__name__}, which JSON can't")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise ValueError(f"it has the key {key!r}, which is no text")
    return _text(key)


def _text(value: str) -> str:
    text = "".join(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it holds half of a character") from None
    return text


def block_of(found: object, uid: Callable[[str], str], place: str) -> JsonObject:
    """Return what a rule returned as a block, every `_uid` in it derived.

    Raises `ValueError` saying what is wrong with it.
    """
    if not isinstance(found, Mapping):
        raise ValueError(f"it returned a {type(found).__name__} and no block")
    block = plain(found)
    if not isinstance(block, dict) or "component" not in block:
        raise ValueError("it returned a block without `component`")
    finished = _finished(block, uid, place)
    if not isinstance(finished, dict):
        raise ValueError("it returned no block")
    blok: JsonObject = {"type": "blok", "attrs": {"id": None, "body": [finished]}}
    whole: JsonObject = {"type": "doc", "content": [blok]}
    if wrong := problems(whole):
        raise ValueError(f"it returned a wrong document: {wrong[0].what}")
    return finished


def _finished(value: Json, uid: Callable[[str], str], place: str) -> Json:
    """Return a value with `_uid` and `component` first in each of its blocks, without
    the fields that hold nothing, and with numbers as text.

    Source: destination, strict validation: no field takes a JSON number.
    """
    if isinstance(value, list):
        return [
            _finished(each, uid, f"{place}[{index}]")
            for index, each in enumerate(value)
        ]
    if not isinstance(value, dict):
        return value
    inside = {
        key: _finished(each, uid, f"{place}/{key}")
        for key, each in value.items()
        if key not in ("_uid", "component")
    }
    if "component" not in value:
        return value | inside
    name = value["component"]
    if not isinstance(name, str) or not _COMPONENT.fullmatch(name):
        raise ValueError(f"it returned a block whose component is {name!r}")
    filled = {key: _as_text(each) for key, each in inside.items() if each is not None}
    return {"_uid": uid(place), "component": name, **filled}


def _as_text(value: Json) -> Json:
    """Return the value of a field: a number as the decimal text that reads back."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return format(Decimal(repr(value)), "f")


def holds(block: JsonObject, address: str) -> bool:
    """Return whether an address is anywhere in a block."""
    return any(address in text for text in _strings(block))


def missing_parts(element: Element, block: JsonObject) -> str:
    """Return what of an element's words, code and addresses is not in a block."""
    strings = "\n".join(_strings(block))
    held = Counter(_words(strings))
    missing: list[str] = []
    stack: list[Node] = [element]
    while stack:
        node = stack.pop()
        if isinstance(node, Text):
            missing += _unheld(node.value, held)
            continue
        for name in ADDRESSES:
            address = node.attributes.get(name, "").strip()
            if address and address not in strings:
                missing.append(address)
        if node.tag == "img":
            missing += _unheld(node.attributes.get("alt", ""), held)
        stack.extend(reversed(node.children))
    return " ".join(missing)


def _unheld(text: str, held: Counter[str]) -> Iterator[str]:
    """Yield the words of a text that are not held, and take out those that are."""
    for word in _words(text):
        if held[word]:
            held[word] -= 1
        else:
            yield word


def _strings(value: Json) -> Iterator[str]:
    stack: list[Json] = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
            if "&" in node:
                yield shown_text(node)
        elif isinstance(node, list):
            stack.extend(reversed(node))
        elif isinstance(node, dict):
            stack.extend(reversed(list(node.values())))


def _words(text: str) -> list[str]:
    """Return the words of a text; what is only markup's divides them."""
    return _MARKUP.sub(" ", text).split()
