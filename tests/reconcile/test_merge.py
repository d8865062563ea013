"""Three-way merges by field, over every kind of change on both sides."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json
from cmsmig.mapping.decisions.conflicts import Side
from cmsmig.reconcile.diff import Diff, FieldRules, Sides, diff
from cmsmig.reconcile.field_diff import Outcome
from cmsmig.reconcile.kinds import Kind, Ref

NAMES = st.sampled_from("abcd")
VALUES: st.SearchStrategy[Json] = st.sampled_from([None, 0, False, "", "x", [1], {}])
FIELDS = st.dictionaries(NAMES, VALUES)
PLAIN = FieldRules()
SIDES = st.dictionaries(NAMES, st.sampled_from([None, *Side]))


def text(side: dict[str, Json], field: str) -> str:
    """Distinguish values that Python compares as equal, and None from a missing one."""
    return repr(side[field]) if field in side else "nothing"


def compared(
    base: dict[str, Json],
    ours: dict[str, Json],
    theirs: dict[str, Json],
    decided: dict[str, Side | None] | None = None,
    rules: FieldRules = PLAIN,
) -> Diff:
    sides = Sides(base, ours, theirs, rules)
    taken = decided or {}
    return diff(Ref(Kind.STORY, "a"), sides, lambda name, seen: taken.get(name))


def kept(found: Diff) -> frozenset[str]:
    return found.names(Outcome.KEEP, Outcome.ACCEPT)


def agreed(found: Diff) -> frozenset[str]:
    return found.names(Outcome.AGREE)


def conflicts(found: Diff) -> frozenset[str]:
    return found.names(Outcome.CONFLICT)


@given(FIELDS, FIELDS)
def test_a_side_that_changed_nothing_takes_the_other(
    base: dict[str, Json], changed: dict[str, Json]
) -> None:
    mine = compared(base, changed, base)
    theirs = compared(base, base, changed)
    both = compared(base, changed, changed)
    assert repr(sorted(mine.values.items())) == repr(sorted(changed.items()))
    assert theirs.values == both.values == changed
    differing = {
        field for field in base | changed if text(base, field) != text(changed, field)
    }
    assert mine.written == kept(theirs) == agreed(both) == differing
    for each in (mine, theirs, both):
        assert each.fields.keys() == differing


@given(FIELDS, FIELDS, FIELDS)
def test_the_sets_divide_what_differs_and_mirror_each_other(
    base: dict[str, Json], ours: dict[str, Json], theirs: dict[str, Json]
) -> None:
    merged, mirrored = (
        compared(base, ours, theirs),
        compared(base, theirs, ours),
    )
    assert merged.fields.keys() == {
        field
        for field in base | ours | theirs
        if len({text(each, field) for each in (base, ours, theirs)}) > 1
    }
    assert merged.written == kept(mirrored)
    assert kept(merged) == mirrored.written
    assert agreed(merged) == agreed(mirrored)
    assert conflicts(merged) == conflicts(mirrored)


@given(FIELDS, FIELDS, FIELDS)
def test_no_value_is_invented(
    base: dict[str, Json], ours: dict[str, Json], theirs: dict[str, Json]
) -> None:
    merged = compared(base, ours, theirs)
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
    merged = compared(base, ours, theirs)
    settled = compared(base, ours, theirs, sides)
    assert settled.fields.keys() == merged.fields.keys()
    assert conflicts(settled) == {
        field for field in conflicts(merged) if sides.get(field) is None
    }
    following = compared(settled.base_after(), ours, settled.values)
    assert following.written == agreed(following) == frozenset()
    assert conflicts(following) == conflicts(settled)
    assert kept(following) == kept(settled)
    for field, side in sides.items():
        if field in conflicts(merged) | kept(merged) and side is Side.OURS:
            assert text(settled.values, field) == text(ours, field)
        elif field not in merged.written:
            assert text(settled.values, field) == text(theirs, field)


@given(FIELDS, FIELDS, FIELDS, VALUES)
def test_ours_that_moves_after_theirs_was_kept_is_a_conflict(
    base: dict[str, Json], ours: dict[str, Json], theirs: dict[str, Json], later: Json
) -> None:
    merged = compared(base, ours, theirs)
    now = {**ours, **dict.fromkeys(kept(merged), later)}
    following = compared(merged.base_after(), now, merged.values)
    assert conflicts(following) >= {
        field
        for field in kept(merged)
        if text(now, field) not in (text(ours, field), text(theirs, field))
    }
    assert not following.written & kept(merged)


def test_the_text_says_what_counts() -> None:
    """Values of one text are equal, and theirs is what stays."""

    def lowered(name: str, value: Json) -> bytes:
        return str(value).lower().encode()

    rules = FieldRules(text=lowered)
    merged = compared({"a": "X"}, {"a": "x"}, {"a": "Y"}, rules=rules)
    assert (kept(merged), merged.values) == ({"a"}, {"a": "Y"})
    assert not compared({"a": "X"}, {"a": "x"}, {"a": "X"}, rules=rules).fields


@given(FIELDS, FIELDS, FIELDS)
def test_what_waits_is_never_written_without_a_decision(
    base: dict[str, Json], ours: dict[str, Json], theirs: dict[str, Json]
) -> None:
    found = compared(base, ours, theirs, rules=FieldRules(waits="a".__eq__))
    assert "a" not in found.written
    plain = compared(base, ours, theirs)
    assert ("a" in conflicts(found)) == ("a" in plain.written | conflicts(plain))
    sides: dict[str, Side | None] = {"a": Side.OURS}
    taken = compared(base, ours, theirs, sides, FieldRules(waits="a".__eq__))
    assert ("a" in taken.written) == (
        "a" in conflicts(plain) | plain.written | kept(plain)
    )


@given(FIELDS, FIELDS, FIELDS)
def test_what_rides_is_only_written_with_another_field(
    base: dict[str, Json], ours: dict[str, Json], theirs: dict[str, Json]
) -> None:
    found = compared(base, ours, theirs, rules=FieldRules(rides="a".__eq__))
    plain = compared(base, ours, theirs)
    assert found.written == (plain.written if plain.written - {"a"} else frozenset())
    assert found.fields.keys() == plain.fields.keys()


@given(FIELDS, FIELDS, FIELDS, SIDES)
def test_what_is_left_stays_whatever_was_decided(
    base: dict[str, Json],
    ours: dict[str, Json],
    theirs: dict[str, Json],
    sides: dict[str, Side | None],
) -> None:
    found = compared(base, ours, theirs, sides, FieldRules(leaves="a".__eq__))
    if "a" not in compared(base, ours, theirs).written:
        assert text(found.values, "a") == text(theirs, "a")
    assert "a" not in {each.field for each in found.edits}


TAGS: st.SearchStrategy[Json] = st.lists(st.sampled_from("xyz"), unique=True)


@given(TAGS, TAGS, TAGS, st.booleans())
def test_lists_are_merged_by_member(
    base: Json, ours: Json, theirs: Json, taken: bool
) -> None:
    """Ours are added and removed; theirs stay; one that they removed comes back only
    where that was decided."""
    sides: dict[str, Side | None] = {"a": Side.OURS if taken else None}
    rules = FieldRules(merges="a".__eq__)
    found = compared({"a": base}, {"a": ours}, {"a": theirs}, sides, rules)
    assert isinstance(base, list)
    assert isinstance(ours, list)
    assert isinstance(theirs, list)
    after = found.values["a"]
    assert isinstance(after, list)
    for each in "xyz":
        if each in ours:
            is_there = taken or each in theirs or each not in base
        else:
            is_there = each in theirs and each not in base
        assert (each in after) == is_there
    assert bool(found.written) == ({*map(str, after)} != {*map(str, theirs)})
    assert not found.conflicts
    assert not found.edits
