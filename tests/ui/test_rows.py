"""Rows of any list: one search, filters with several values, counts, order and CSV."""

from __future__ import annotations

import pytest

from cmsmig.ui.query import EVERYTHING, Query, marked
from cmsmig.ui.relation import Column, Filter, Nouns
from cmsmig.ui.rows import Rows


@pytest.fixture
def rows() -> Rows:
    """Return three rows with two tags each; the last one is searched by more."""
    columns = (Column("name", "Name"), Column("size", "Size"))
    tags = Column("tag", "", hidden=True)
    made = Rows(Nouns("row", "rows"), (*columns, tags), (Filter("tag", "", ""),))
    made.put(0, [(0, ("Café au lait", 9, "hot\ndrink")), (0, ("Ice", 10, "cold\nhot"))])
    made.put(1, [(0, ("Tea", 100, "hot\ndrink", "Tea, brewed in a pot"))])
    return made


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["Café au lait", "Ice", "Tea"]),
        ("CAFE lait", ["Café au lait"]),
        ("lait tea", []),
        ("brew", ["Tea"]),
        ("drink tea", []),
        ("a", ["Café au lait", "Tea"]),
        ("\ud83d", []),
    ],
)
def test_all_words_are_anywhere(rows: Rows, text: str, found: list[str]) -> None:
    """Without accents and case; in what is searched in place of the cells, if given."""
    assert [name for name, *_ in rows.all(Query(text))] == found
    assert rows.count(Query(text)) == len(found)


def test_a_filter_counts_each_of_several_values(rows: Rows) -> None:
    """Under what is searched and the other filters; a chosen one also with none."""

    def offered(query: Query) -> list[str]:
        (tags,) = rows.filters(query)
        return [label for label, _ in tags.options]

    assert offered(EVERYTHING) == ["all", "cold (1)", "hot (3)", "drink (2)"]
    assert offered(Query("tea")) == ["all", "hot (1)", "drink (1)"]
    chosen = Query("tea").having("tag", "cold")
    assert offered(chosen) == ["all", "hot (1)", "drink (1)", "cold (0)"]
    assert rows.count(EVERYTHING.having("tag", "drink")) == 2
    assert rows.count(EVERYTHING.having("tag", "rin")) == 0


NAMES = {
    **{"aydin": "Aydın", "lodz": "Łódź", "DA NANG": "Đà Nẵng", "orsted": "Ørsted"},
    **{"aesop": "Æsop", "coeur": "Cœur", "strasse": "Straße", "パス": "パス"},
    **{"احمد": "أحمد", "שלום": "שָׁלוֹם", "مدرسه": "مدرسة", "علی": "على", "كتاب": "کتـاب"},
    **{"o'neil": "O’Neil", "1990-1995": "1990–1995"},
}
"""What people type, and what it finds."""


@pytest.mark.parametrize("text", NAMES)
def test_names_of_any_script_are_found(text: str) -> None:
    """Without marks, as people type them; kana with a voicing is another."""
    rows = Rows(Nouns("row", "rows"), (Column("name", "Name"),))
    rows.put(0, [(0, (each,)) for each in (*NAMES.values(), "バス")])
    assert [found for found, *_ in rows.all(Query(text))] == [NAMES[text]]


def test_what_was_found_is_marked_with_its_marks() -> None:
    assert marked("אב שָׁלוֹם", ["שלום"]) == "אב <mark>שָׁלוֹם</mark>"
    assert marked("Łódź, Straße", ["lodz", "ss"]) == (
        "<mark>Łódź</mark>, Stra<mark>ß</mark>e"
    )


def test_names_of_any_script_are_sorted_by_their_letters() -> None:
    rows = Rows(Nouns("row", "rows"), (Column("name", "Name"),))
    rows.put(0, [(0, (each,)) for each in ("Zoo", "Łódź", "Öl", "apple", "Ørsted")])
    found = [name for name, *_ in rows.all(Query(sort="name"))]
    assert found == ["apple", "Łódź", "Öl", "Ørsted", "Zoo"]


def test_numbers_are_sorted_as_such_and_hidden_columns_are_not_written(
    rows: Rows,
) -> None:
    """10 is more than 9; a CSV has what a list shows."""
    found = [*rows.csv(Query(sort="size", descending=True), ())]
    assert found == [["Name", "Size"], ["Tea", "100"], ["Ice", "10"],
                     ["Café au lait", "9"]]  # fmt: skip


def test_a_row_that_changes_is_found_and_counted_as_it_is(rows: Rows) -> None:
    """A cell alone keeps what is searched; a row that is put again does not."""
    assert rows.count(Query("tea")) == 1
    rows.change(1, 0, {"tag": "cold"})
    assert rows.count(Query("brew").having("tag", "cold")) == 1
    rows.put_row(1, 0, 0, ("Milk", 1, "cold"))
    assert rows.count(Query("brew")) == rows.count(Query("tea")) == 0
    assert rows.keys(Query("milk")) == ["1-0"]
    rows.clear()
    assert rows.count(Query("milk")) == 0
