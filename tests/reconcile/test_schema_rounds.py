"""Days of edits on both sides of a component and a datasource, against a plain table.

The table knows one value a side and field, and the four rules; nothing of the merge.
"""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cmsmig.mapping.decisions.conflicts import Side
from cmsmig.reconcile.rules.datasource import datasource_record
from tests.support.merges import first_base, merge_component, merge_datasource

ATTRIBUTES = ("display_name", "description", "regex")
PLACES = tuple((key, name) for key in ("title", "text") for name in ATTRIBUTES)
VALUES = ("calm", "loud", "odd")
WORDS = st.sampled_from(["", "A", "B", "C"])
SIDES = st.sampled_from([None, None, *Side])
Table = dict[Any, str]


def after_import(base: Table, ours: Table, theirs: Table, side: Side | None) -> Table:
    """Return the destination and our record of it after an import, by the rules."""
    for field, wanted in ours.items():
        edited, moved = theirs[field] != base[field], wanted != base[field]
        waits = edited and moved and wanted != theirs[field] and side is None
        if (moved and not edited) or (edited and side is Side.OURS):
            theirs[field] = wanted
        if not waits:
            base[field] = wanted
    return theirs


def component(table: Table) -> Any:
    schema: dict[str, Any] = {
        key: {"type": "text", "pos": pos} for pos, key in enumerate(("title", "text"))
    }
    for (key, name), value in table.items():
        schema[key] |= {name: value} if value else {}
    return {"name": "post", "is_root": True, "schema": schema}


def table_of(body: Any) -> Table:
    return {(key, name): body["schema"][key].get(name) or "" for key, name in PLACES}


def tables(fields: tuple[Any, ...]) -> st.SearchStrategy[Table]:
    return st.fixed_dictionaries(dict.fromkeys(fields, WORDS))


def days(fields: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    """Draw what each side wants on each day, most of it as before, and a decision."""
    some = st.dictionaries(st.sampled_from(fields), WORDS, max_size=3)
    return st.lists(st.tuples(some, some, SIDES), min_size=1, max_size=6)


@settings(max_examples=60)
@given(tables(PLACES), days(PLACES))
def test_a_component_is_what_the_rules_say_day_after_day(
    first: Table, drawn: Any
) -> None:
    ours, theirs, base = dict(first), dict(first), dict(first)
    there = component(first) | {"id": 7}
    kept = first_base(component(first), there)
    for ours_now, theirs_now, side in drawn:
        ours |= ours_now
        theirs |= theirs_now
        for (key, name), value in theirs_now.items():
            there["schema"][key][name] = value or None
        there = copy.deepcopy(there)

        merged = merge_component(kept, component(ours), there, side)
        if merged.writes:
            there = {**there, **merged.send}
        kept = merged.base_after(there)
        theirs = after_import(base, ours, theirs, side)
        assert table_of(there) == theirs
        assert table_of(kept) == base


@settings(max_examples=60)
@given(tables(VALUES), days(VALUES))
def test_a_datasource_is_what_the_rules_say_day_after_day(
    first: Table, drawn: Any
) -> None:
    """The four rules hold; an option that ours lost stays; labels are unique."""

    def record(table: Table) -> Any:
        pairs = [(f"{value}-{label}", value) for value, label in table.items() if label]
        return datasource_record("Moods", "moods", pairs)

    ours, theirs, base = dict(first), dict(first), dict(first)
    kept = record(first)
    for ours_now, theirs_now, side in drawn:
        ours |= ours_now
        theirs |= theirs_now
        merged = merge_datasource(kept, record(ours), record(theirs), side)
        requests = merged.requests
        kept = merged.base_after()
        removed = {value for value in VALUES if base[value] and not ours[value]}
        stays = {
            value
            for value in removed
            if theirs[value] == base[value] and side is not Side.OURS
        }
        before = dict(theirs)
        left = {value: base[value] for value in stays}
        theirs = after_import(base, ours, theirs, side)
        theirs |= {value: before[value] for value in stays}
        if side is None:
            base |= left
        assert {value for value in VALUES if theirs[value] != before[value]} == {
            field.removeprefix("entries.") for _, field in requests
        }
        assert sorted(kept["entries"]) == sorted(record(base)["entries"])
        assert merged.stays == (
            {f"entries.{value}" for value in stays} if side is None else set()
        )
