"""Three-way merges by field, over every kind of change on both sides."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json
from cmsmig.mapping.decisions.conflicts import Side
from cmsmig.reconcile.diff import Merged, merge_fields, take_sides

NAMES = st.sampled_from("abcd")
VALUES: st.SearchStrategy[Json] = st.sampled_from([None, 0, False, "", "x", [1], {}])
FIELDS = st.dictionaries(NAMES, VALUES)
SIDES = st.dictionaries(NAMES, st.sampled_from([None, *Side]))


def text(side: dict[str, Json], field: str) -> str:
    """Tell apart what Python takes for equal, and None from nothing."""
    return repr(side[field]) if field in side else "nothing"


def in_sets(merged: Merged) -> list[str]:
    sets = (merged.written, merged.kept, merged.agreed, merged.conflicts)
    return [field for each in sets for field in each]


@given(FIELDS, FIELDS)
def test_a_side_that_changed_nothing_takes_the_other(
    base: dict[str, Json], changed: dict[str, Json]
) -> None:
    mine = merge_fields(base, changed, base)
    theirs = merge_fields(base, base, changed)
    both = merge_fields(base, changed, changed)
    assert repr(sorted(mine.values.items())) == repr(sorted(changed.items()))
    assert theirs.values == both.values == changed
    differing = {
        field for field in base | changed if text(base, field) != text(changed, field)
    }
    assert mine.written == theirs.kept == both.agreed == differing
    assert set(in_sets(mine)) == set(in_sets(theirs)) == set(in_sets(both)) == differing


@given(FIELDS, FIELDS, FIELDS)
def test_the_sets_divide_what_differs_and_mirror_each_other(
    base: dict[str, Json], ours: dict[str, Json], theirs: dict[str, Json]
) -> None:
    merged, mirrored = (
        merge_fields(base, ours, theirs),
        merge_fields(base, theirs, ours),
    )
    listed = in_sets(merged)
    assert len(listed) == len(set(listed))
    assert set(listed) == {
        field
        for field in base | ours | theirs
        if len({text(each, field) for each in (base, ours, theirs)}) > 1
    }
    assert merged.written == mirrored.kept
    assert merged.kept == mirrored.written
    assert merged.agreed == mirrored.agreed
    assert merged.conflicts == mirrored.conflicts


@given(FIELDS, FIELDS, FIELDS)
def test_no_value_is_invented(
    base: dict[str, Json], ours: dict[str, Json], theirs: dict[str, Json]
) -> None:
    merged = merge_fields(base, ours, theirs)
    for field in base | ours | theirs:
        source = ours if field in merged.written else theirs
        assert text(merged.values, field) == text(source, field)


@given(FIELDS, FIELDS, FIELDS, SIDES)
def test_a_decision_ends_a_conflict_and_the_next_merge_is_quiet(
    base: dict[str, Json],
    ours: dict[str, Json],
    theirs: dict[str, Json],
    sides: dict[str, Side | None],
) -> None:
    """What is undecided stays a conflict; what is kept of theirs stays theirs alone."""
    merged = merge_fields(base, ours, theirs)
    settled = take_sides(merged, ours, sides.get)
    assert set(in_sets(settled)) == set(in_sets(merged))
    assert settled.conflicts == {
        field for field in merged.conflicts if sides.get(field) is None
    }
    following = merge_fields(settled.next_base(base, ours), ours, settled.values)
    assert following.written == following.agreed == frozenset()
    assert following.conflicts == settled.conflicts
    assert following.kept == settled.kept
    for field, side in sides.items():
        if field in merged.conflicts | merged.kept and side is Side.OURS:
            assert text(settled.values, field) == text(ours, field)
        elif field not in merged.written:
            assert text(settled.values, field) == text(theirs, field)


@given(FIELDS, FIELDS, FIELDS, VALUES)
def test_ours_that_moves_after_theirs_was_kept_is_a_conflict(
    base: dict[str, Json], ours: dict[str, Json], theirs: dict[str, Json], later: Json
) -> None:
    merged = merge_fields(base, ours, theirs)
    now = {**ours, **dict.fromkeys(merged.kept, later)}
    following = merge_fields(merged.next_base(base, ours), now, merged.values)
    assert following.conflicts >= {
        field
        for field in merged.kept
        if text(now, field) not in (text(ours, field), text(theirs, field))
    }
    assert not following.written & merged.kept


def test_the_form_says_what_counts() -> None:
    """Values of one form are equal, and theirs is what stays."""

    def lowered(value: Json) -> Json:
        return str(value).lower()

    merged = merge_fields({"a": "X"}, {"a": "x"}, {"a": "Y"}, lowered)
    assert (merged.kept, merged.values) == ({"a"}, {"a": "Y"})
    assert in_sets(merge_fields({"a": "X"}, {"a": "x"}, {"a": "X"}, lowered)) == []
