"""Items listed from what is kept of their files: the same as if they were parsed."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cmsmig.canonical import JsonObject
from cmsmig.derived_file import DerivedFile
from cmsmig.errors import CacheError, UnreadError
from cmsmig.origin.cache import RawCache
from cmsmig.origin.item_index import PART, ItemIndex, share_equal
from cmsmig.origin.records import line_of
from cmsmig.origin.schema import Item, parse_item


def record(number: int, **data: object) -> JsonObject:
    """Return an item as the origin sends it, with something of every kind."""
    return {
        "id": f"{number:024x}",
        "cmsLocaleId": "en" if number % 3 else None,
        "createdOn": f"2024-01-01T00:00:{number % 60:02}.000Z",
        "lastUpdated": "2024-02-01T00:00:00.000Z",
        "lastPublished": "2024-02-01T00:00:00.000Z" if number % 2 else None,
        "isDraft": number % 5 == 0,
        "isArchived": number % 7 == 0,
        "fieldData": {
            "name": f"Ünï {number} 😀",
            "slug": f"item-{number}",
            "rank": number / 4,
            "flag": True,
            "half": "\ud83d" if number % 11 == 0 else "whole",
            "body": "<p>日本</p>" * (number % 4),
            **data,
        },
    }  # type: ignore[dict-item]


def written(folder: Path, records: list[JsonObject], *, live: bool = False) -> RawCache:
    cache = RawCache(folder / "raw")
    cache.keep_collections({"collections": [{"id": "posts"}]}, "site")
    cache.keep_items("posts", map(line_of, records), live=live)
    return cache


def listed(folder: Path, cache: RawCache, *, live: bool = False) -> tuple[Item, ...]:
    """List a set as each command does, which opens the file again."""
    index = ItemIndex(cache, DerivedFile(folder / "derived.sqlite"))
    path = cache.item_file("posts", live=live)
    file_hash = str(hash(path.read_bytes()))
    return index.items("posts", file_hash, live=live)


def same(found: tuple[Item, ...], cache: RawCache, *, live: bool = False) -> bool:
    parsed = list(cache.items("posts", live=live))
    return list(found) == parsed and [each.data for each in found] == [
        each.data for each in parsed
    ]


@pytest.mark.parametrize("count", [0, 1, PART, PART + 3])
def test_listed_items_are_parsed_items(tmp_path: Path, count: int) -> None:
    """The first time, and when they are read from what is kept."""
    cache = written(tmp_path, [record(number) for number in range(count)])
    for _ in range(3):
        assert same(listed(tmp_path, cache), cache)


def test_a_kept_list_costs_no_look_at_the_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is parsed a second time."""
    cache = written(tmp_path, [record(number) for number in range(9)])
    listed(tmp_path, cache)
    monkeypatch.delattr("cmsmig.origin.item_index.parse_item")
    assert len(listed(tmp_path, cache)) == 9


def test_a_changed_file_is_listed_again(tmp_path: Path) -> None:
    """Other items, and the same items with other values."""
    cache = written(tmp_path, [record(1), record(2)])
    listed(tmp_path, cache)
    cache = written(tmp_path, [record(2, body="other"), record(3)])
    found = listed(tmp_path, cache)
    assert same(found, cache)
    assert found[0].data["body"] == "other"


def test_a_set_of_another_layout_is_listed(tmp_path: Path) -> None:
    """In a file of another program, an item has no line of its own."""
    cache = written(tmp_path, [])
    path = cache.item_file("posts", live=False)
    path.write_text(json.dumps({"items": [record(1), record(2)]}, indent=2))
    for _ in range(2):
        found = listed(tmp_path, cache)
        assert same(found, cache)
        assert [item.key.item_id for item in found] == [
            record(number)["id"] for number in (1, 2)
        ]


def test_a_replaced_file_is_refused(tmp_path: Path) -> None:
    """No other item's values are taken for an item's own."""
    cache = written(tmp_path, [record(1), record(2)])
    found = listed(tmp_path, cache)
    written(tmp_path, [record(2), record(1)])
    with pytest.raises(CacheError, match="was replaced while it was in use"):
        _ = found[1].data


def test_a_file_that_is_replaced_while_it_is_listed_is_refused(tmp_path: Path) -> None:
    """What is kept is never of another file than its hash."""
    cache = written(tmp_path, [record(1), record(2)])
    index = ItemIndex(cache, DerivedFile(tmp_path / "derived.sqlite"))
    written(tmp_path, [record(3)])
    with pytest.raises(CacheError, match="was replaced while it was in use"):
        index.items("posts", "the hash of what was there", live=False)


def test_an_open_set_is_not_listed(tmp_path: Path) -> None:
    """Its pages are still being read."""
    cache = written(tmp_path, [record(1)])
    listed(tmp_path, cache)
    os.makedirs(tmp_path / "raw" / ".pages" / "items-posts")
    with pytest.raises(UnreadError, match="was not read to its end"):
        listed(tmp_path, cache)


def cut(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM part WHERE number = 1")


def other_json(db: sqlite3.Connection) -> None:
    db.execute("UPDATE part SET body = CAST('[[1, 2]]' AS BLOB) WHERE number = 0")


def no_json(db: sqlite3.Connection) -> None:
    db.execute("UPDATE part SET body = x'5b' WHERE number = 0")


@pytest.mark.parametrize("harm", [cut, other_json, no_json])
def test_rows_that_cmsmig_did_not_write_are_not_used(
    tmp_path: Path, harm: Callable[[sqlite3.Connection], None]
) -> None:
    """The file is read again then."""
    cache = written(tmp_path, [record(number) for number in range(PART + 1)])
    listed(tmp_path, cache)
    with closing(sqlite3.connect(tmp_path / "derived.sqlite")) as db, db:
        harm(db)
    assert same(listed(tmp_path, cache), cache)


def test_equal_items_of_both_sets_are_one(tmp_path: Path) -> None:
    """Most items are published as they are; the others stay apart."""
    staged = [record(1), record(2), record(3)]
    written(tmp_path, staged)
    cache = written(tmp_path, [record(1), record(2, body="live")], live=True)
    edited = listed(tmp_path, cache)
    public = share_equal(edited, listed(tmp_path, cache, live=True))
    assert public[0] is edited[0]
    assert public[1] is not edited[1]
    assert same(public, cache, live=True)


def test_dates_with_line_breaks_stay_apart() -> None:
    """A date of a damaged record is a text like any other."""
    item = parse_item(
        {
            "id": "1",
            "fieldData": {},
            "createdOn": "2024\n01",
            "lastUpdated": "\n",
        },
        "c1",
        "here",
    )
    dates = (item.created_on, item.last_updated, item.last_published)
    assert dates == ("2024 01", " ", "")
