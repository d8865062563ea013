"""When two values of story content are the same: absent and empty ones are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.compare.content_equality import comparable, same
from tests.support.cases import cases

UID = "5f4dcc3b-5aa7-45d6-9d83-27deb882cf99"
EMPTY = [
    row["value"]
    for entry in yaml.safe_load(
        Path(__file__).with_name("cases").joinpath("empty_values.yaml").read_text()
    )
    for row in entry["rows"]
    if entry["empty"]
]


def block(**fields: Json) -> JsonObject:
    return {"component": "note", "_uid": UID, **fields}


def places(**field: Json) -> list[Json]:
    """Return a field alone, in a nested block and in a block in rich text."""
    inner = block(**field)
    blok = {"type": "blok", "attrs": {"id": UID, "body": [inner]}}
    return [inner, block(body=[inner]), {"type": "doc", "content": [blok]}]


@cases(__file__, "empty_values.yaml")
def test_an_empty_value_is_the_same_as_an_absent_one(case: dict[str, Any]) -> None:
    """Filling and emptying a field are edits, at every depth."""
    value, is_empty = case["value"], case["empty"]
    assert (comparable(value) is None) == same(value, None) == is_empty
    for one, other in zip(places(field=value), places(), strict=True):
        assert same(one, other) == is_empty
    for empty in EMPTY:
        assert same(value, empty) == is_empty
        assert same(block(field=value), block(field=empty)) == is_empty


@cases(__file__, "edits.yaml")
def test_what_an_editor_changes_is_an_edit(case: dict[str, Any]) -> None:
    """At the top, in a nested block and in a block in rich text."""
    pair = case["one"], case["other"]
    assert same(*pair) == case["same"]
    for one, other in zip(*(places(field=each) for each in pair), strict=True):
        assert same(one, other) == case["same"]
