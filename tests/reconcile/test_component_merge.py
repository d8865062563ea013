"""Components merged by field: edits on both sides, and what is sent then."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import JsonObject
from cmsmig.mapping.decisions.conflicts import Side
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
