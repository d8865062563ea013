"""When two contents are the same, compared by value and by fingerprint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.compare.content_equality import comparable, same
from cmsmig.mapping.convert.field_values import empty_asset
from cmsmig.mapping.convert.multilinks import empty_link
from cmsmig.reconcile.rules.story_hashes import content_hash
from tests.support.cases import cases

UID = "5f4dcc3b-5aa7-45d6-9d83-27deb882cf99"
EMPTY = [
    row["value"]
    for entry in yaml.load(
        Path(__file__).with_name("cases").joinpath("empty_values.yaml").read_text(),
        yaml.CSafeLoader,
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


UNSET: dict[str, Json] = {
    "an asset": empty_asset(),
    "an asset of the shorter form": {"fieldtype": "asset", "id": None, "filename": ""},
    "a link": empty_link(),
    "a text": "",
    "a relation to several": [],
    "a switch": False,
}


@pytest.mark.parametrize("written", UNSET.values(), ids=UNSET)
def test_every_form_of_an_unset_value_is_one(written: Json) -> None:
    """Its own form, empty, null or not at all, also in a block inside."""
    forms = ({"a": written}, {"a": ""}, {"a": None}, {})
    hashes = {
        content_hash({"component": "post", **form, "inside": [{"_uid": "x", **form}]})
        for form in forms
    }
    assert len(hashes) == 1


def test_what_the_service_adds_for_its_editor_is_no_change() -> None:
    """A mark of the visual editor on a block is no edit."""
    marked: Json = {"component": "quote", "_uid": "x", "_editable": "<!--#x-->"}
    block: Json = {"component": "quote", "_uid": "x"}
    assert content_hash({"inside": [marked]}) == content_hash({"inside": [block]})


@pytest.mark.parametrize(
    "edited",
    [
        {"fieldtype": "asset", "id": 5, "filename": "https://a.test/x.png"},
        {"fieldtype": "asset", "id": None, "filename": "https://a.test/x.png"},
        {"fieldtype": "multilink", "linktype": "url", "url": "https://a.test"},
        {"fieldtype": "multilink", "linktype": "email", "email": "a@b.test"},
        {"fieldtype": "multilink", "linktype": "story", "id": "uuid"},
        {"fieldtype": "multilink", "linktype": "url", "anchor": "part"},
        ["uuid"],
        [""],
        True,
        0,
    ],
)
def test_a_value_that_is_set_is_another(edited: Json) -> None:
    """What an editor filled in is never taken for nothing."""
    assert content_hash({"a": edited}) != content_hash({})
