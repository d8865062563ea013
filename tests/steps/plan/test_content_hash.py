"""Content that was written and content that is read back, compared by fingerprint."""

from __future__ import annotations

import pytest

from cmsmig.canonical import Json
from cmsmig.mapping.convert.field_values import empty_asset
from cmsmig.mapping.convert.multilinks import empty_link
from cmsmig.reconcile.rules.story_hashes import content_hash

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
