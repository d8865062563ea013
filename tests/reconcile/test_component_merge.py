"""Components merged by field: edits on both sides, and what is sent then."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.conflicts import Side
from cmsmig.reconcile.rules.component import ANSWERED
from tests.support.merges import Merge, first_base, merge_component

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


def merge(
    ours: JsonObject,
    theirs: JsonObject,
    base: JsonObject | None = None,
    take: Side | None = None,
    used: frozenset[str] = frozenset(),
) -> Merge:
    base = first_base(DESIGN, stored(DESIGN)) if base is None else base
    return merge_component(base, ours, theirs, take, used)


def design(**schema: JsonObject) -> Any:
    """Return a copy of the design, some fields with other attributes."""
    changed = copy.deepcopy(DESIGN)
    for key, attributes in schema.items():
        changed["schema"][key] = {**changed["schema"].get(key, {}), **attributes}
    return changed


def test_what_nobody_changed_is_not_sent() -> None:
    merged = merge(DESIGN, stored(DESIGN))
    assert not merged.writes
    assert merged.kept == merged.agreed == frozenset()
    assert merged.base_after(stored(DESIGN)) == first_base(DESIGN, stored(DESIGN))


def test_a_field_of_theirs_survives_a_change_of_ours() -> None:
    """Both stand in what is sent, the ids of the service and its options too."""
    theirs = stored(DESIGN)
    theirs["schema"]["badge"] = {"type": "text", "pos": 40, "id": "9"}
    theirs["schema"]["title"]["description"] = "Short"
    theirs["icon"] = "block"
    merged = merge(design(title={"display_name": "Headline"}), theirs)
    assert merged.written == {"schema.title.display_name"}
    assert merged.kept == {
        "icon",
        "schema.badge",
        "schema.title.description",
    }
    expected = copy.deepcopy(theirs)
    expected["schema"]["title"]["display_name"] = "Headline"
    assert merged.send["schema"] == expected["schema"]
    assert merged.send["icon"] == "block"
    after = merged.base_after({**expected, **merged.send})
    again = merge(design(title={"display_name": "Headline"}), expected, after)
    assert not again.writes
    assert again.kept == merged.kept
    assert not again.conflicts


FLAG = "display_name"
LABEL = "schema.title.display_name"


def with_value(body: JsonObject, field: str, value: str) -> Any:
    changed: Any = copy.deepcopy(body)
    (changed if field == FLAG else changed["schema"]["title"])["display_name"] = value
    return changed


@pytest.mark.parametrize("field", [FLAG, LABEL])
@pytest.mark.parametrize(
    ("ours", "theirs", "outcome", "stands"),
    [
        ("New", "", "written", "New"),
        ("", "Theirs", "kept", "Theirs"),
        ("Both", "Both", "agreed", "Both"),
        ("New", "Theirs", "conflicts", "Theirs"),
    ],
)
def test_four_outcomes_of_a_value(
    field: str, ours: str, theirs: str, outcome: str, stands: str
) -> None:
    wanted = with_value(DESIGN, field, ours) if ours else DESIGN
    there = stored(with_value(DESIGN, field, theirs) if theirs else DESIGN)
    merged = merge(wanted, there)
    assert getattr(merged, outcome) == {field}
    assert merged.send["schema"] | {"": merged.send[FLAG]} == (
        with_value(there, field, stands)["schema"]
        | {"": with_value(there, field, stands)[FLAG]}
    )
    after = merged.base_after(merged.send | {"id": 7})
    again = merge(wanted, stored(with_value(DESIGN, field, stands)), after)
    assert getattr(again, outcome) == (
        {field} if outcome in ("kept", "conflicts") else frozenset()
    )


ADDED: JsonObject = {"type": "text", "display_name": "Subtitle", "pos": 3}


@pytest.mark.parametrize(
    ("ours", "theirs", "outcome"),
    [
        (True, None, "written"),
        (False, "text", "kept"),
        (True, "text", "agreed"),
        (True, "textarea", "conflicts"),
    ],
)
def test_four_outcomes_of_a_field_that_is_added(
    ours: bool, theirs: str | None, outcome: str
) -> None:
    wanted = design(**({"subtitle": ADDED} if ours else {}))
    kind = {"type": theirs} if theirs else {}
    there = stored(design(**({"subtitle": {**ADDED, **kind}} if theirs else {})))
    merged = merge(wanted, there)
    assert getattr(merged, outcome) == {"schema.subtitle"}
    schema: Any = merged.send["schema"]
    assert schema["subtitle"]["type"] == (theirs or "text")


@pytest.mark.parametrize(
    ("used", "outcome"),
    [(frozenset(), "kept"), (frozenset({"cover"}), "conflicts")],
)
@pytest.mark.parametrize("retyped", [False, True])
def test_a_field_that_somebody_took_out_is_a_conflict_where_stories_use_it(
    used: frozenset[str], outcome: str, retyped: bool
) -> None:
    theirs = stored(DESIGN)
    del theirs["schema"]["cover"]
    if retyped:
        theirs["schema"]["cover"] = {"type": "text", "pos": 1}
    merged = merge(DESIGN, theirs, used=used)
    assert getattr(merged, outcome) == {"schema.cover"}
    assert not merged.writes
    assert not merge(DESIGN, theirs, used=used, take=Side.THEIRS).waiting
    back = merge(DESIGN, theirs, used=used, take=Side.OURS)
    assert back.send["schema"]["cover"] == DESIGN["schema"]["cover"]
    assert [*back.send["schema"]] == ["title", "cover", "mood"]


def moods(*values: str, **labels: str) -> JsonObject:
    listed: list[Json] = [
        {"name": labels.get(each, each), "value": each} for each in values
    ]
    return {"options": listed}


def options(record: JsonObject) -> list[tuple[str, str]]:
    schema: Any = record["schema"]
    return [(each["name"], each["value"]) for each in schema["mood"]["options"]]


def test_options_are_merged_one_by_one() -> None:
    """Ours added, theirs relabelled and added, ours removed: which stays."""
    wanted = design(mood=moods("odd", "calm"))
    theirs = stored(design(mood=moods("calm", "loud", "grave", calm="Calm!")))
    merged = merge(wanted, theirs)
    assert merged.written == {"schema.mood.options.odd"}
    assert merged.stays == {"schema.mood.options.loud"}
    assert merged.kept == {
        "schema.mood.options.calm",
        "schema.mood.options.grave",
    }
    assert options(merged.send) == [
        ("odd", "odd"),
        ("Calm!", "calm"),
        ("loud", "loud"),
        ("grave", "grave"),
    ]
    there: Any = stored(merged.send)
    again = merge(wanted, there, merged.base_after(there))
    assert not again.writes
    assert again.stays == merged.stays
    kept = merge(wanted, there, merged.base_after(there), take=Side.THEIRS)
    assert (kept.writes, kept.waiting) == (False, frozenset())
    gone = merge(wanted, there, merged.base_after(there), take=Side.OURS)
    assert options(gone.send) == [("odd", "odd"), ("calm", "calm")]


def order_of(record: JsonObject) -> list[str]:
    schema: Any = record["schema"]
    return sorted(schema, key=lambda key: schema[key]["pos"])


def placed(*keys: str) -> Any:
    changed = copy.deepcopy(DESIGN)
    for place, key in enumerate(keys):
        changed["schema"][key]["pos"] = place
    return changed


def test_the_order_of_fields_is_never_a_conflict() -> None:
    """Ours is written where theirs did not move; else theirs stays."""
    ours, theirs = placed("mood", "title", "cover"), placed("cover", "mood", "title")
    written = merge(ours, stored(DESIGN))
    assert written.writes
    assert order_of(written.send) == ["mood", "title", "cover"]
    both = merge(ours, stored(theirs))
    assert (both.writes, both.waiting) == (False, frozenset())
    assert order_of(both.send) == ["cover", "mood", "title"]


def test_what_the_service_alone_made_of_a_write_is_no_edit() -> None:
    """Also when ours is changed later; an edit of it is one."""
    odd = stored(DESIGN)
    odd["schema"]["title"] |= {"translatable": True, "display_name": "TITLE"}
    base = first_base(DESIGN, odd)
    assert ANSWERED in base
    merged = merge(DESIGN, odd, base)
    assert not merged.writes
    assert merged.kept == frozenset()
    assert merged.base_after(odd) == base
    changed = merge(design(title={"description": "Short"}), odd, base)
    assert changed.written == {"schema.title.description"}
    odd["schema"]["title"]["display_name"] = "Theirs"
    assert merge(DESIGN, odd, base).kept == {LABEL}


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
    """Whatever stood, was edited and is wanted now; what is not written stays."""
    theirs = stored(there)
    merged = merge(ours, theirs, first_base(first, stored(first)), take)
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
