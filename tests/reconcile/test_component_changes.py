"""What of a component is not as it was last written, by any edit of any of them."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.propose.encodings import FIELD_BODIES
from tests.support.merges import merge_component


def component_changes(there: JsonObject, body: JsonObject) -> tuple[str, ...]:
    """Return the fields that are not as they were written, orders included."""
    wanted = {"name": "post", **body}
    return tuple(merge_component(wanted, wanted, there).compared.edited)


KEYS = st.text("abcdefgh_", min_size=1, max_size=4)
SETTINGS = ("description", "regex", "tooltip", "translatable", "max_length", "maximum")
NAMES = st.text("abc", min_size=1, max_size=3)
VALUES: st.SearchStrategy[Json] = st.one_of(
    NAMES, st.just(True), st.integers(0, 9), st.lists(NAMES, min_size=1, max_size=2)
)
UNSET: st.SearchStrategy[Json] = st.sampled_from([None, "", False, [], {}])


@st.composite
def written(draw: st.DrawFn) -> JsonObject:
    """Draw a component as the import sends one."""
    fields = draw(st.dictionaries(KEYS, st.sampled_from([*FIELD_BODIES]), min_size=1))
    schema: JsonObject = {
        key: {**FIELD_BODIES[encoding], "display_name": key, "pos": position}
        for position, (key, encoding) in enumerate(fields.items())
    }
    return {
        "name": "post",
        "display_name": draw(NAMES),
        "schema": schema,
        "is_root": True,
        "is_nestable": draw(st.booleans()),
    }


@given(written(), st.data())
def test_what_the_service_does_by_itself_is_no_change(
    body: JsonObject, data: st.DataObject
) -> None:
    """Ids, dates, keys of other people's and every spelling of unset."""
    there = copy.deepcopy(body)
    there.update({"id": 7, "updated_at": "then", "icon": "block", "preset_id": 4})
    for number, definition in enumerate(there["schema"].values()):
        definition["id"] = str(number)
        names = st.lists(st.sampled_from(SETTINGS), unique=True, max_size=2)
        for name in data.draw(names):
            definition.setdefault(name, data.draw(UNSET))
    assert component_changes(there, body) == ()


@given(written(), st.data())
def test_every_edit_that_a_write_would_undo_is_reported(
    body: JsonObject, data: st.DataObject
) -> None:
    """A field more, a field less, a setting, a flag or a label: named, one each."""
    there = copy.deepcopy(body)
    key = data.draw(st.sampled_from(sorted(there["schema"])))
    kind = data.draw(st.sampled_from(("added", "gone", "setting", "label", "flag")))
    if kind == "added":
        key = data.draw(KEYS.filter(lambda each: each not in there["schema"]))
        there["schema"][key] = {"type": "text"}
    elif kind == "gone":
        del there["schema"][key]
    elif kind == "setting":
        name = data.draw(st.sampled_from(SETTINGS))
        old = there["schema"][key].get(name)
        there["schema"][key][name] = data.draw(VALUES.filter(lambda new: new != old))
    elif kind == "label":
        key, there["display_name"] = "display_name", str(body["display_name"]) + "!"
    else:
        key, there["is_nestable"] = "is_nestable", not body["is_nestable"]
    (found,) = component_changes(there, body)
    assert key in found.split(".")


@pytest.mark.parametrize("value", [0, "0", True])
def test_a_value_that_only_looks_empty_is_one(value: Json) -> None:
    """Zero limits a field, though it equals what is unset."""
    body: JsonObject = {"name": "post", "schema": {"a": {"type": "bloks"}}}
    there: JsonObject = {"schema": {"a": {"type": "bloks", "maximum": value}}}
    there["name"] = "post"
    assert component_changes(there, body) == ("schema.a.maximum",)


def test_a_list_of_names_may_come_back_with_commas() -> None:
    """The service writes some of them so; another order or name is a change."""
    schema: JsonObject = {"a": {"filter_content_type": ["one", "two"]}}
    body: JsonObject = {"name": "post", "schema": schema}
    for spelling in ("one,two", ["one", "two"]):
        there: JsonObject = {
            "name": "post",
            "schema": {"a": {"filter_content_type": spelling}},
        }
        assert component_changes(there, body) == ()
    there = {"name": "post", "schema": {"a": {"filter_content_type": "one"}}}
    assert len(component_changes(there, body)) == 1
