"""Validation: what is right passes, and each rule bites."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cmsmig.richtext.schema.validate import documents_in, invalid_in, problems

Change = Callable[[dict[str, Any]], object]


def text(value: str = "x", *marks: dict[str, Any]) -> dict[str, Any]:
    """Return a text node."""
    node: dict[str, Any] = {"type": "text", "text": value}
    return node | ({"marks": list(marks)} if marks else {})


def link(**changes: object) -> dict[str, Any]:
    """Return a complete link mark."""
    attrs = {
        "href": "/a",
        "uuid": None,
        "anchor": None,
        "target": None,
        "linktype": "url",
        "custom": {},
    }
    return {"type": "link", "attrs": attrs | changes}


def paragraph(*content: dict[str, Any]) -> dict[str, Any]:
    """Return a paragraph."""
    node: dict[str, Any] = {"type": "paragraph", "attrs": {"textAlign": None}}
    return node | ({"content": list(content)} if content else {})


def whole() -> dict[str, Any]:
    """Return a valid document with every node and mark type in it."""
    image = dict.fromkeys(("id", "src", "alt", "title", "source", "copyright"))
    cell = {"colspan": 1, "rowspan": 1, "colwidth": None}
    caption = {"type": "doc", "content": [paragraph(text("caption", link()))]}
    marked = text(
        "m",
        link(),
        {"type": "bold"},
        {"type": "italic"},
        {"type": "strike"},
        {"type": "underline"},
        {"type": "superscript"},
        {"type": "subscript"},
        {"type": "highlight", "attrs": {"color": None}},
        {"type": "textStyle", "attrs": {"color": "red"}},
        {"type": "anchor", "attrs": {"id": "a"}},
        {"type": "styled", "attrs": {"class": "b"}},
    )
    emoji = {"fallbackImage": None, "name": "smile", "emoji": "x"}
    return {
        "type": "doc",
        "content": [
            paragraph(text(), marked, {"type": "hard_break"}),
            {
                "type": "heading",
                "attrs": {"level": 2, "textAlign": "center"},
                "content": [text("c", {"type": "code"})],
            },
            {
                "type": "image",
                "attrs": image | {"src": "/i.png", "meta_data": {}},
            },
            {
                "type": "ordered_list",
                "attrs": {"order": 2.5},
                "content": [{"type": "list_item", "content": [paragraph()]}],
            },
            {
                "type": "table",
                "content": [
                    {
                        "type": "tableRow",
                        "content": [
                            {
                                "type": "tableHeader",
                                "attrs": dict(cell),
                                "content": [paragraph()],
                            },
                            {
                                "type": "tableCell",
                                "attrs": cell | {"backgroundColor": None},
                                "content": [paragraph()],
                            },
                        ],
                    }
                ],
            },
            {
                "type": "blok",
                "attrs": {
                    "id": "1",
                    "body": [
                        {
                            "_uid": "2",
                            "component": "figure",
                            "image": {"fieldtype": "asset", "filename": "/i.png"},
                            "caption": caption,
                            "more": [{"_uid": "3", "component": "embed", "url": "u"}],
                        }
                    ],
                },
            },
            {"type": "code_block", "attrs": {"class": None}, "content": [text("a")]},
            {
                "type": "paragraph",
                "attrs": {"textAlign": None},
                "content": [{"type": "emoji", "attrs": emoji}],
            },
            {"type": "horizontal_rule"},
            {"type": "blockquote", "content": [paragraph(text("q"))]},
        ],
    }


def changed(change: Change) -> list[str]:
    """Return the problems of the whole document after one change."""
    document = copy.deepcopy(whole())
    change(document)
    return [f"{each.path}: {each.what}" for each in problems(document)]


def at(document: dict[str, Any], *steps: int) -> dict[str, Any]:
    """Return the node at these indexes."""
    for step in steps:
        document = document["content"][step]
    return document


def block(document: dict[str, Any]) -> dict[str, Any]:
    """Return the block in the document's blok node."""
    found: dict[str, Any] = at(document, 5)["attrs"]["body"][0]
    return found


def with_marks(*marks: object) -> Change:
    """Return a change that gives the first text these marks."""
    return lambda document: at(document, 0, 0).update(marks=list(marks))


def with_link(**changes: object) -> Change:
    """Return a change that gives the first text a link."""
    return with_marks(link(**changes))


def attribute(index: int, name: str, value: object) -> Change:
    """Return a change of one attribute of a top-level node."""
    return lambda document: at(document, index)["attrs"].update({name: value})


def cell(index: int, name: str, value: object) -> Change:
    """Return a change of one attribute of a table's cell."""
    return lambda document: at(document, 4, 0, index)["attrs"].update({name: value})


def test_a_document_with_every_type_is_valid() -> None:
    """What each change below starts from has no problem."""
    assert problems(whole()) == ()


CHANGES: list[tuple[Change, str]] = [
    (lambda d: d.update(type="paragraph"), "root is not of type doc"),
    (lambda d: d.update(content=[]), "A doc is empty or incomplete"),
    (lambda d: d.update(content="x"), "content is not a list"),
    (lambda d: d.update(extra=1), "unknown key extra"),
    (lambda d: d["content"].append({"type": "x"}), "no node of type 'x'"),
    (lambda d: d["content"].append(text()), "doc can't hold 'text'"),
    (lambda d: d["content"].append("x"), "doc can't hold None"),
    (lambda d: d["content"].append({"type": "list_item"}), "can't hold 'list_item'"),
    (
        lambda d: at(d, 0)["content"].append(copy.deepcopy(at(d, 2))),
        "paragraph can't hold 'image'",
    ),
    (
        lambda d: at(d, 3, 0)["content"].insert(0, copy.deepcopy(at(d, 2))),
        "list_item can't hold 'image' here",
    ),
    (lambda d: at(d, 3).pop("content"), "ordered_list is empty"),
    (lambda d: at(d, 4).pop("content"), "table is empty"),
    (lambda d: at(d, 4, 0, 1).pop("content"), "tableCell is empty"),
    (lambda d: at(d, 6)["content"].append({"type": "hard_break"}), "can't hold 'hard"),
    (lambda d: at(d, 6, 0).update(marks=[{"type": "bold"}]), "code_block carries"),
    (lambda d: at(d, 0)["content"].insert(0, text()), "same marks stand side by"),
    (lambda d: at(d, 0, 0).update(text=""), "text is empty"),
    (lambda d: at(d, 0, 0).pop("text"), "text is empty"),
    (lambda d: at(d, 0).update(text="x"), "paragraph has an unknown key text"),
    (lambda d: at(d, 0).pop("attrs"), "lacks the attribute textAlign"),
    (lambda d: at(d, 8).update(attrs={"a": 1}), "unknown attribute a"),
    (lambda d: at(d, 2).update(marks=[{"type": "bold"}]), "image carries marks"),
    (attribute(0, "textAlign", 1), "textAlign is neither a text nor null"),
    (attribute(0, "other", 1), "unknown attribute other"),
    (attribute(1, "level", 7), "level is not one of 1 to 6"),
    (attribute(1, "level", "2"), "level is not one of 1 to 6"),
    (attribute(1, "level", True), "level is not one of 1 to 6"),
    (attribute(2, "src", None), "src is not an address"),
    (attribute(2, "alt", 2024), "alt is neither a text nor null"),
    (attribute(2, "title", False), "title is neither a text nor null"),
    (attribute(2, "id", 1.5), "id is neither an id nor null"),
    (attribute(2, "meta_data", "x"), "meta_data is neither an object nor null"),
    (lambda d: at(d, 2)["attrs"].pop("copyright"), "lacks the attribute copyright"),
    (attribute(3, "order", None), "order is not a number"),
    (attribute(3, "order", float("inf")), "order is not a number"),
    (attribute(6, "class", 1), "class is neither a text nor null"),
    (cell(0, "colspan", "2"), "colspan is not a number of columns"),
    (cell(0, "rowspan", 1.5), "rowspan is not a number of rows"),
    (cell(0, "colwidth", ["1"]), "colwidth is neither a list of numbers nor null"),
    (cell(0, "backgroundColor", None), "unknown attribute backgroundColor"),
    (cell(1, "backgroundColor", 1), "backgroundColor is neither a text nor null"),
    (lambda d: at(d, 7, 0)["attrs"].update(emoji=1), "emoji is neither a text"),
    (with_marks(), "marks are not a list, or an empty one"),
    (with_marks({"type": "blink"}), "no mark of type 'blink'"),
    (with_marks({"type": "italic"}, {"type": "bold"}), "bold is out of order"),
    (with_marks({"type": "bold"}, {"type": "bold"}), "Two marks are of the type bold"),
    (with_marks(link(), {"type": "code"}), "Code stands together"),
    (with_marks({"type": "bold", "attrs": {"a": 1}}), "unknown attribute a"),
    (with_marks({"type": "bold", "x": 1}), "bold mark has an unknown key x"),
    (with_marks({"type": "styled"}), "styled mark lacks the attribute class"),
    (with_marks({"type": "anchor", "attrs": {"id": 1}}), "id is neither a text"),
    (with_marks({"type": "link"}), "link mark lacks the attribute href"),
    (with_link(href=""), "href is empty"),
    (with_link(href=None), "href is empty"),
    (with_link(linktype="page"), "linktype is not one of"),
    (with_link(linktype="story"), "link to a story lacks its uuid"),
    (with_link(custom=None), "custom is not an object of texts"),
    (with_link(custom={"rel": 1}), "custom is not an object of texts"),
    (with_link(target=1), "target is neither a text nor null"),
    (with_link(rel="x"), "unknown attribute rel"),
    (attribute(5, "id", 1), "id is neither a text nor null"),
    (attribute(5, "body", "x"), "body is not a list of blocks"),
    (attribute(5, "body", ["x"]), "block in a blok lacks its component"),
    (lambda d: block(d).pop("_uid"), "block in a blok lacks its _uid"),
    (lambda d: block(d).pop("component"), "block in a blok lacks its component"),
    (lambda d: block(d)["more"][0].pop("_uid"), "more[0]: A block in a blok lacks"),
    (lambda d: block(d)["more"][0].update(_uid="2"), "Two blocks have the _uid 2"),
    (
        lambda d: at(block(d)["caption"], 0).pop("attrs"),
        "content[5]/body[0]/caption/content[0]: A paragraph lacks",
    ),
    (
        lambda d: at(block(d)["caption"], 0, 0)["marks"][0]["attrs"].pop("uuid"),
        "caption/content[0]/content[0]: A link mark lacks the attribute uuid",
    ),
]


@pytest.mark.parametrize(("change", "told"), CHANGES, ids=[each for _, each in CHANGES])
def test_each_rule_bites(change: Change, told: str) -> None:
    """One thing made wrong in a valid document is found and told in words."""
    found = changed(change)
    assert any(told in each for each in found), found


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, {"type": ["doc"]}])
def test_what_is_no_document_is_told(value: object) -> None:
    """Whatever comes back from a service, nothing raises."""
    assert [each.what for each in problems(value)] == ["The root is not of type doc."]


def test_a_field_of_a_block_may_be_called_content() -> None:
    """A block's own fields are no nodes, whatever they are called."""
    document = whole()
    block(document)["content"] = [{"name": "x"}]
    block(document)["marks"] = "x"
    assert problems(document) == ()


def test_documents_are_found_wherever_they_stand_in_a_story() -> None:
    """In a field, and in the blocks of a field, each with its path."""
    bad = {"type": "doc", "content": []}
    content: dict[str, Any] = {
        "component": "post",
        "_uid": "1",
        "body": whole(),
        "blocks": [{"component": "text_block", "_uid": "2", "text": bad}],
    }
    assert [path for path, _ in documents_in(content)] == ["body", "blocks[0]/text"]
    ((path, problem),) = invalid_in(content)
    assert (path, problem.path) == ("blocks[0]/text", "")
    assert problem.what == "A doc is empty or incomplete."


def test_depth_costs_no_more_than_width() -> None:
    """Ten thousand levels are looked through like ten thousand siblings."""

    def nested(depth: int) -> dict[str, Any]:
        inside = paragraph()
        for _ in range(depth):
            inside = {"type": "blockquote", "content": [inside]}
        return {"type": "doc", "content": [inside]}

    deep, wide = nested(20_000), {"type": "doc", "content": [paragraph()] * 20_000}
    spent = []
    for document in (deep, wide):
        started = time.process_time()
        assert problems(document) == ()
        spent.append(time.process_time() - started)
    assert spent[0] < 20 * spent[1]


OFFICIAL = Path(__file__).parent / "official"
LITERAL = {
    "A heading's attribute level is not one of 1 to 6.": (
        "the official takes an attribute `level` for the level, whatever it says"
    ),
    "An image's attribute alt is neither a text nor null.": (
        "the official reads what looks like a number as one"
    ),
    "An image's attribute title is neither a text nor null.": (
        "the official reads `true` and `false` as such"
    ),
    "A tableCell's attribute colspan is not a number of columns.": (
        "the official keeps what is no number as text"
    ),
    "An ordered_list's attribute order is not a number.": (
        "the official counts to infinity, which JSON writes as null"
    ),
}
"""What official documents break of the rules, and why they do."""


def test_official_documents_are_valid_but_for_what_the_official_gets_wrong() -> None:
    """Whatever the official converter was seen to write, these rules allow."""
    cases = [
        case
        for path in sorted(OFFICIAL.glob("*.json"))
        for case in json.loads(path.read_bytes())
    ]
    assert len(cases) > 350
    found = {each.what for case in cases for each in problems(case["document"])}
    assert found == set(LITERAL)
