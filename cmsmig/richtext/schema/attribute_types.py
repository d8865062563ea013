"""What the attributes of nodes and marks may hold.

Source: the schema of the official converter, 5.3.1, and the value types that
the service's editor writes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from types import UnionType
from typing import TypeAlias

from cmsmig.richtext.schema.content_model import ATTRIBUTES, DIRECTED, MARKS

_Check: TypeAlias = Callable[[object], bool]

LINK_TYPES = frozenset(("url", "story", "email", "asset"))


def _is(kind: type | UnionType) -> _Check:
    return lambda value: isinstance(value, kind)


def _number(value: object) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _level(value: object) -> bool:
    return type(value) is int and 1 <= value <= 6


def _span(value: object) -> bool:
    return type(value) is int and value >= 0


def _widths(value: object) -> bool:
    return value is None or (isinstance(value, list) and all(map(_number, value)))


def _asset_id(value: object) -> bool:
    # A subclass of int is an id that is not known yet; a bool is no id.
    return value is None or (
        isinstance(value, int | str) and not isinstance(value, bool)
    )


def _texts(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(each, str) for each in value.values()
    )


_NULLABLE_TEXT = (_is(str | None), "neither a text nor null")

NODE_TYPES: dict[str, dict[str, tuple[_Check, str]]] = {
    "paragraph": {"textAlign": _NULLABLE_TEXT},
    "heading": {"level": (_level, "not one of 1 to 6"), "textAlign": _NULLABLE_TEXT},
    "ordered_list": {"order": (_number, "not a number")},
    "code_block": {"class": _NULLABLE_TEXT},
    "image": {
        "id": (_asset_id, "neither an id nor null"),
        "src": (_is(str), "not an address"),
        "alt": _NULLABLE_TEXT,
        "title": _NULLABLE_TEXT,
        "source": _NULLABLE_TEXT,
        "copyright": _NULLABLE_TEXT,
        "meta_data": (_is(Mapping | None), "neither an object nor null"),
    },
    "emoji": {
        "fallbackImage": _NULLABLE_TEXT,
        "name": _NULLABLE_TEXT,
        "emoji": _NULLABLE_TEXT,
    },
    "tableCell": {
        "colspan": (_span, "not a number of columns"),
        "rowspan": (_span, "not a number of rows"),
        "colwidth": (_widths, "neither a list of numbers nor null"),
        "backgroundColor": _NULLABLE_TEXT,
    },
    "tableHeader": {
        "colspan": (_span, "not a number of columns"),
        "rowspan": (_span, "not a number of rows"),
        "colwidth": (_widths, "neither a list of numbers nor null"),
    },
    "blok": {
        "id": _NULLABLE_TEXT,
        "body": (_is(list), "not a list of blocks"),
    },
}
"""By node type and attribute: the check, and what is wrong where it fails."""

_DIRECTION: dict[str, tuple[_Check, str]] = {"dir": _NULLABLE_TEXT}

MARK_TYPES: dict[str, dict[str, tuple[_Check, str]]] = {
    "link": {
        "href": (lambda value: isinstance(value, str) and value != "", "empty"),
        "uuid": _NULLABLE_TEXT,
        "anchor": _NULLABLE_TEXT,
        "target": _NULLABLE_TEXT,
        "linktype": (
            lambda value: isinstance(value, str) and value in LINK_TYPES,
            "not one of url, story, email, asset",
        ),
        "custom": (_texts, "not an object of texts"),
    },
    "highlight": {"color": _NULLABLE_TEXT},
    "textStyle": {"color": _NULLABLE_TEXT},
    "anchor": {"id": _NULLABLE_TEXT},
    "styled": {"class": _NULLABLE_TEXT},
}


def node_problems(kind: str, given: object) -> Iterator[str]:
    """Yield what is wrong with the attributes of a node, `kind` being known."""
    names = ATTRIBUTES.get(kind, ())
    if kind in DIRECTED and isinstance(given, dict) and "dir" in given:
        names = (*names, "dir")
    if not names and not given:
        return
    yield from _problems(
        f"{_article(kind)} {kind}", names, NODE_TYPES.get(kind, {}) | _DIRECTION, given
    )
    if kind == "blok" and isinstance(given, dict):
        yield from _not_blocks(given.get("body"))


def mark_problems(name: str, given: object) -> Iterator[str]:
    """Yield what is wrong with the attributes of a mark, `name` being known."""
    names = MARKS[name]
    if not names and given is None:
        return
    yield from _problems(
        f"{_article(name)} {name} mark", names, MARK_TYPES.get(name, {}), given
    )
    if not isinstance(given, dict) or given.get("linktype") != "story":
        return
    if not given.get("uuid"):
        yield "A link to a story lacks its uuid."


def _problems(
    what: str,
    names: tuple[str, ...],
    types: Mapping[str, tuple[_Check, str]],
    given: object,
) -> Iterator[str]:
    held: Mapping[object, object] = given if isinstance(given, dict) else {}
    for name in names:
        if name not in held:
            yield f"{what} lacks the attribute {name}."
            continue
        check, wrong = types[name]
        if not check(held[name]):
            yield f"{what}'s attribute {name} is {wrong}."
    for key in held:
        if key not in names:
            yield f"{what} has an unknown attribute {key}."


def _article(name: str) -> str:
    return "An" if name[0] in "aeiou" else "A"


def _not_blocks(body: object) -> Iterator[str]:
    for block in body if isinstance(body, list) else ():
        if not isinstance(block, dict) or "component" not in block:
            yield "A block in a blok lacks its component."
