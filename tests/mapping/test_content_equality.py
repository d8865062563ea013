"""When two values of story content are the same: absent and empty ones are."""

from __future__ import annotations

from typing import Any

import pytest

from cmsmig.canonical import Json
from cmsmig.mapping.compare.content_equality import comparable, same

UID = "5f4dcc3b-5aa7-45d6-9d83-27deb882cf99"


def text(value: str, **marks: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **marks}


def doc(*nodes: Any) -> dict[str, Any]:
    return {"type": "doc", "content": [*nodes]}


def paragraph(*nodes: Any, **attrs: Any) -> dict[str, Any]:
    held: dict[str, Any] = {"attrs": attrs} if attrs else {}
    return {"type": "paragraph", **held, **({"content": [*nodes]} if nodes else {})}


def block(**fields: Any) -> dict[str, Any]:
    return {"component": "note", "_uid": UID, **fields}


def cell(value: str, component: str = "_table_col") -> dict[str, Any]:
    return {"_uid": UID, "component": component, "value": value}


def table(heads: tuple[str, ...], *rows: tuple[str, ...]) -> dict[str, Any]:
    return {
        "fieldtype": "table",
        "thead": [cell(each, "_table_head") for each in heads],
        "tbody": [
            {"_uid": UID, "component": "_table_row", "body": [*map(cell, row)]}
            for row in rows
        ],
    }


def asset(**values: Any) -> dict[str, Any]:
    unset = dict.fromkeys(("id", "alt", "copyright", "focus", "source", "title"))
    names = {"name": "", "filename": "", "fieldtype": "asset", "meta_data": {}}
    return {**unset, **names, **values}


def link(**values: Any) -> dict[str, Any]:
    empty = {"id": "", "url": "", "cached_url": "", "linktype": "story"}
    return {**empty, "fieldtype": "multilink", **values}


def plugin(**values: Any) -> dict[str, Any]:
    return {"plugin": "picker", "_uid": UID, **values}


EMPTY: dict[str, Json] = {
    "null": None,
    "text": "",
    "boolean": False,
    "list": [],
    "asset": asset(),
    "asset as we send it": {
        "id": None,
        "alt": "",
        "filename": "",
        "fieldtype": "asset",
    },
    "link": link(),
    "link to an address": link(linktype="url"),
    "document": doc(paragraph()),
    "document, other attributes": doc(paragraph(textAlign=None)),
    "document without nodes": doc(),
    "table": table(("", ""), ("", "")),
    "table without cells": table(()),
    "plugin": plugin(),
    "plugin with own keys": plugin(selected=[], query="", deep={"a": None, "b": False}),
}

FILLED: dict[str, Json] = {
    "true": True,
    "zero as text": "0",
    "zero": 0,
    "a blank": " ",
    "a list of one empty text": [""],
    "a list of one empty asset": [asset()],
    "asset": asset(filename="https://a.example/f/1/a.png"),
    "link": link(url="https://example.org", linktype="url"),
    "anchor": link(anchor="part"),
    "document": doc(paragraph(text("A"))),
    "two empty paragraphs": doc(paragraph(), paragraph()),
    "a rule": doc({"type": "horizontal_rule"}),
    "an aligned paragraph": doc(paragraph(textAlign="center")),
    "table": table(("", ""), ("", "x")),
    "a table with another row": table(("", ""), ("", ""), ("", "")),
    "plugin": plugin(selected=["a"]),
    "block": block(),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_value_is_the_same_as_an_absent_one(name: str) -> None:
    """Alone, as a field of a story, of a nested block and of one in rich text."""
    empty = EMPTY[name]
    assert comparable(empty) is None
    assert same(empty, None)
    assert same(block(field=empty, title="A"), block(title="A"))
    assert same(block(body=[block(field=empty)]), block(body=[block()]))
    held = [{"type": "blok", "attrs": {"id": UID, "body": [block(field=empty)]}}]
    without = [{"type": "blok", "attrs": {"id": UID, "body": [block()]}}]
    assert same(doc(*held), doc(*without))


@pytest.mark.parametrize("name", FILLED)
def test_a_value_is_not_the_same_as_an_empty_one(name: str) -> None:
    """Filling and emptying a field are edits, at every depth."""
    value = FILLED[name]
    for empty in EMPTY.values():
        assert not same(value, empty)
        assert not same(block(field=value), block(field=empty))
        assert not same(block(body=[block(field=value)]), block(body=[block()]))


SAVED = (
    (block(title="A", _editable="<!---->"), block(title="A")),
    (
        link(id=UID, cached_url="old/path"),
        link(id=UID, cached_url="new/path", target=None),
    ),
    (
        asset(id=1, filename="a.png", alt="A"),
        {"id": 1, "filename": "a.png", "alt": "A", "fieldtype": "asset"},
    ),
    (
        doc(paragraph(text("A", marks=[]), textAlign=None)),
        doc(paragraph(text("A"))),
    ),
)


@pytest.mark.parametrize("pair", SAVED)
def test_what_the_service_writes_otherwise_is_no_edit(pair: tuple[Json, Json]) -> None:
    assert same(*pair)


EDITED = (
    (block(flag=True), block(flag=False)),
    (block(title="A"), block(title="")),
    (["a", "b"], ["b", "a"]),
    ([block(title="A"), block(title="B")], [block(title="B"), block(title="A")]),
    (doc(paragraph(text("A"))), doc(paragraph(text("A")), paragraph())),
    (doc(paragraph(text("A")), paragraph()), doc(paragraph(), paragraph(text("A")))),
    (
        doc({"type": "image", "attrs": {"src": "a", "copied": False}}),
        doc({"type": "image", "attrs": {"src": "a"}}),
    ),
    (link(id=UID), link(id=UID, anchor="part")),
    (
        link(url="https://a.example", linktype="url"),
        link(url="https://b.example", linktype="url"),
    ),
    (asset(filename="a.png"), asset(filename="a.png", alt="A")),
    (plugin(selected=["a"]), plugin(selected=["b"])),
    (table(("a", "")), table(("", "a"))),
    ("0", "0.0"),
)


@pytest.mark.parametrize("pair", EDITED)
def test_what_an_editor_changes_is_an_edit(pair: tuple[Json, Json]) -> None:
    """At the top, in a nested block and in a block in rich text."""
    one, other = pair
    assert not same(one, other)
    assert not same(block(body=[block(field=one)]), block(body=[block(field=other)]))
    bloks = [{"type": "blok", "attrs": {"body": [block(field=each)]}} for each in pair]
    assert not same(doc(bloks[0]), doc(bloks[1]))
