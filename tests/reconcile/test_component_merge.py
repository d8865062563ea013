"""Components merged by field: edits on both sides, and what is sent then."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.conflicts import Side
from cmsmig.mapping.propose.encodings import FIELD_BODIES
from cmsmig.reconcile.rules.component import ANSWERED
from tests.support.cases import cases, part
from tests.support.merges import first_base, merge_component

DESIGN: dict[str, Any] = {
    "name": "post",
    "display_name": "Post",
    "is_root": True,
    "is_nestable": False,
    "schema": {
        "title": {"type": "text", "display_name": "Title", "pos": 0},
        "cover": {"type": "asset", "filetypes": ["images"], "pos": 1},
        "mood": {
            "type": "option",
            "options": [{"name": each, "value": each} for each in ("calm", "loud")],
            "pos": 2,
        },
    },
}


def stored(body: JsonObject) -> Any:
    """Return a component as the service gives it back."""
    found: Any = copy.deepcopy(body)
    found |= {"id": 7, "icon": None, "internal_tag_ids": [], "updated_at": "then"}
    for number, definition in enumerate(found["schema"].values()):
        definition |= {"id": str(number), "regex": "", "tooltip": False}
        for option in definition.get("options", ()):
            option["_uid"] = f"u-{option['value']}"
    return found


def changed(body: Any, change: Any) -> Any:
    """Return a copy with other values, also within; None takes a key out."""
    made = copy.deepcopy(body)
    for key, value in change.items():
        inside = isinstance(value, dict) and isinstance(made.get(key), dict)
        made[key] = changed(made[key], value) if inside else copy.deepcopy(value)
        if value is None:
            del made[key]
    return made


def there(change: Any) -> Any:
    """Return a component as the service returns it after an edit."""
    records = {key: value for key, value in change.items() if key != "schema"}
    return stored(changed(DESIGN, change)) | records


@cases(__file__, "component_merges.yaml")
def test_components_merge(case: dict[str, Any]) -> None:
    answered = case.get("answered", {})
    base = first_base(DESIGN, there(answered))
    theirs = there(changed(answered, case.get("theirs", {})))
    ours = changed(DESIGN, case.get("ours", {}))
    take = Side(case["take"]) if "take" in case else None
    used = frozenset(case.get("used", ()))
    merged = merge_component(base, ours, theirs, take, used)
    found = {
        name: sorted(getattr(merged, name))
        for name in ("written", "kept", "agreed", "conflicts", "stays")
        if name != "written" or "writes" not in case
    }
    assert found == {name: sorted(case.get(name, [])) for name in found}
    assert merged.writes == case.get("writes", bool(case.get("written")))
    sent = part(merged.send, case.get("sends", {}))
    assert sent == case.get("sends", {})
    places = merged.send["schema"]
    order = sorted(places, key=lambda key: places[key]["pos"])
    assert order == case.get("order", order)
    after = {**theirs, **merged.send}
    again = merge_component(merged.base_after(after), ours, after, take, used)
    assert (again.writes, again.waiting) == (False, merged.waiting)
    assert again.kept == merged.kept
    assert (ANSWERED in base) == ("answered" in case)


KEYS = st.sampled_from(["title", "cover", "mood", "badge", "note"])
DEFINITIONS: st.SearchStrategy[JsonObject] = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "asset", "option"])},
    optional={
        "display_name": st.sampled_from(["A", "B"]),
        "required": st.booleans(),
        "options": st.lists(st.sampled_from("abc"), unique=True).map(
            lambda values: [{"name": each, "value": each} for each in values]
        ),
    },
)


@st.composite
def components(draw: st.DrawFn) -> Any:
    schema = draw(st.dictionaries(KEYS, DEFINITIONS, max_size=4))
    keys = draw(st.permutations(sorted(schema)))
    return {
        "name": "post",
        "display_name": draw(st.sampled_from(["Post", "Entry"])),
        "is_root": draw(st.booleans()),
        "schema": {
            key: {**schema[key], "pos": place} for place, key in enumerate(keys)
        },
    }


@given(components(), components(), components(), st.sampled_from([None, *Side]))
def test_a_second_merge_writes_nothing_and_names_the_same(
    first: Any, ours: Any, there: Any, take: Side | None
) -> None:
    """Any first, edited and wanted component; a part that is not written stays."""
    theirs = stored(there)
    merged = merge_component(first_base(first, stored(first)), ours, theirs, take)
    after = {**theirs, **merged.send}
    if not merged.writes:
        assert merged.send["schema"] == theirs["schema"]
    if take is not None:
        assert merged.waiting == frozenset()
    base = merged.base_after(after)
    again = merge_component(base, ours, after)
    assert not again.writes
    assert again.waiting == merged.waiting
    if take is Side.OURS:
        # An order that is theirs is no edit.
        assert not again.compared.diff.edits


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
