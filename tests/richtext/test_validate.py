"""Validation: what is right passes, and each rule finds what is wrong."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from cmsmig.richtext.schema.validate import documents_in, problems, wrong_document
from tests.support.cases import cases

WHOLE = yaml.load(
    (Path(__file__).parent / "cases" / "document.yaml").read_text("utf-8"),
    yaml.CSafeLoader,
)


def change(document: Any, case: dict[str, Any]) -> None:
    """Make a document wrong at one place."""
    *path, last = [int(x) if x.isdigit() else x for x in case["at"].split(".")]
    for step in path:
        document = document[step]
    if "removed" in case:
        del document[last]
    elif "inserted" in case:
        document.insert(last, case["inserted"])
    else:
        document[last] = case["put"]


@cases(__file__, "problems.yaml")
def test_what_is_wrong_is_found(case: dict[str, Any]) -> None:
    """One thing made wrong in a valid document, which is valid without it."""
    assert problems(WHOLE) == ()
    document = copy.deepcopy(WHOLE)
    change(document, case)
    found = [f"{each.path}: {each.what}" for each in problems(document)]
    assert any(case["says"] in each for each in found), found


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, {"type": ["doc"]}])
def test_what_is_no_document_is_said(value: object) -> None:
    """Whatever comes back from a service, nothing raises."""
    assert [each.what for each in problems(value)] == ["The root is not of type doc."]


def test_a_field_of_a_block_may_be_called_content() -> None:
    """A block's own fields are no nodes, whatever they are called."""
    document = copy.deepcopy(WHOLE)
    block = document["content"][5]["attrs"]["body"][0]
    block.update(content=[{"name": "x"}], marks="x")
    assert problems(document) == ()


def test_documents_are_found_wherever_they_are_in_a_story() -> None:
    """In a field, and in the blocks of a field, each with its path."""
    bad = {"type": "doc", "content": []}
    content: dict[str, Any] = {
        "component": "post",
        "_uid": "1",
        "body": WHOLE,
        "blocks": [{"component": "text_block", "_uid": "2", "text": bad}],
    }
    assert [path for path, _ in documents_in(content)] == ["body", "blocks[0]/text"]
    assert wrong_document(content) == (
        "the rich text in `blocks[0]/text` is not a valid document: a doc is empty or "
        "incomplete"
    )


@pytest.mark.processor_time(5)
def test_documents_of_any_depth_are_looked_through() -> None:
    """Twenty thousand levels, in linear time."""
    inside: dict[str, Any] = {"type": "paragraph", "attrs": {"textAlign": None}}
    for _ in range(20_000):
        inside = {"type": "blockquote", "content": [inside]}
    assert problems({"type": "doc", "content": [inside]}) == ()
