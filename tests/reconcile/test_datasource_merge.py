"""Datasources merged by field: labels, entries that come and go, killed runs."""

from __future__ import annotations

import pytest

from cmsmig.canonical import JsonObject
from cmsmig.mapping.decisions.conflicts import Side
from cmsmig.reconcile.rules.datasource import datasource_record
from tests.support.merges import Merge, merge_datasource


def moods(*values: str, name: str = "Moods", **labels: str) -> JsonObject:
    return datasource_record(
        name, "moods", [(labels.get(each, each), each) for each in values]
    )


BASE = moods("calm", "loud")


def merge(
    ours: JsonObject,
    theirs: JsonObject,
    take: Side | None = None,
    base: JsonObject = BASE,
    intended: JsonObject | None = None,
) -> Merge:
    return merge_datasource(base, ours, theirs, take, intended)


def after(merged: Merge) -> JsonObject:
    """Return the datasource after the requests of a merge."""
    return datasource_record(
        str(merged.compared.diff.values["name"]),
        "moods",
        [
            (str(label), field.removeprefix("entries."))
            for field, label in merged.compared.diff.values.items()
            if field != "name"
        ],
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "field", "outcome"),
    [
        (moods("calm", "loud", calm="Calm"), BASE, "entries.calm", "written"),
        (BASE, moods("calm", "loud", calm="Calm!"), "entries.calm", "kept"),
        (moods("calm", "loud", calm="A"), moods("loud", "calm", calm="A"), 0, "agreed"),
        (
            moods("calm", "loud", calm="A"),
            moods("calm", "loud", calm="B"),
            "entries.calm",
            "conflicts",
        ),
        (moods("calm", "loud", "odd"), BASE, "entries.odd", "written"),
        (BASE, moods("calm", "loud", "odd"), "entries.odd", "kept"),
        (moods("calm", "loud", "odd"), moods("calm", "loud", "odd"), 0, "agreed"),
        (
            moods("calm", "loud", "odd"),
            moods("calm", "loud", "odd", odd="Odd!"),
            "entries.odd",
            "conflicts",
        ),
        (BASE, moods("loud"), "entries.calm", "kept"),
        (moods("loud"), moods("loud"), "entries.calm", "agreed"),
        (
            moods("loud"),
            moods("calm", "loud", calm="Calm!"),
            "entries.calm",
            "conflicts",
        ),
        (moods("calm", "loud", name="New"), BASE, "name", "written"),
        (BASE, moods("calm", "loud", name="Theirs"), "name", "kept"),
        (
            moods("calm", "loud", name="New"),
            moods("calm", "loud", name="Theirs"),
            "name",
            "conflicts",
        ),
    ],
)
def test_outcomes_of_labels_entries_and_names(
    ours: JsonObject, theirs: JsonObject, field: str, outcome: str
) -> None:
    """What is undecided or theirs stays so in the next merge, which writes nothing."""
    merged = merge(ours, theirs)
    found = getattr(merged, outcome)
    assert len(found) == 1
    assert not field or found == {field}
    assert merged.writes == (outcome == "written") == bool(merged.requests)
    again = merge(ours, after(merged), base=merged.base_after())
    assert not again.writes
    assert again.kept == merged.kept
    assert again.waiting == merged.waiting


def test_an_option_that_ours_no_longer_has_goes_by_decision_alone() -> None:
    ours = moods("loud")
    merged = merge(ours, BASE)
    assert (merged.writes, merged.stays) == (False, {"entries.calm"})
    base = merged.base_after()
    assert merge(ours, BASE, base=base).stays == {"entries.calm"}
    gone = merge(ours, BASE, Side.OURS, base=base)
    assert gone.requests == [("delete_datasource_entries", "entries.calm")]
    kept = merge(ours, BASE, Side.THEIRS, base=base)
    assert (kept.writes, kept.accepted) == (False, {"entries.calm"})
    later = merge(ours, BASE, base=kept.base_after())
    assert later.kept == {"entries.calm"}


def test_a_label_that_another_entry_has_is_not_sent() -> None:
    """The service would refuse it; it waits, whatever was decided, for a free label."""
    ours, theirs = moods("calm", "loud", "odd"), moods("calm", "loud", calm="odd")
    for take in (None, Side.OURS):
        merged = merge(ours, theirs, take)
        assert merged.conflicts == {"entries.odd"}
        assert "create_datasource_entries" not in dict(merged.requests)
    assert merge(ours, moods("calm", "loud", calm="Calm")).writes


@pytest.mark.parametrize("applied", [0, 1, 2])
def test_what_a_killed_run_added_is_ours(applied: int) -> None:
    """The entries that exist are ours; an editor's label stays theirs."""
    grown = moods("calm", "loud", "odd", "sad")
    theirs = moods("calm", "loud", calm="Calm!")
    intended = merge(grown, theirs).intended
    there = moods("calm", "loud", *("odd", "sad")[:applied], calm="Calm!")
    again = merge(grown, there, intended=intended)
    assert len(again.requests) == 2 - applied
    assert again.kept == {"entries.calm"}
    fewer = merge(BASE, there, intended=intended)
    assert fewer.kept == {"entries.calm"}
    assert len(fewer.stays) == applied
