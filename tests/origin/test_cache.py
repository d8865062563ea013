"""The content folder, written and read back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cmsmig.errors import CacheError, StorageError, UnreadError
from cmsmig.origin.cache import RawCache
from cmsmig.origin.files import FileRow, FileStore
from cmsmig.origin.records import line_of, listed, read_listed, replace_file

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


def filled(folder: Path, items: list[dict[str, Any]]) -> RawCache:
    """Return a complete cache of one site with one collection."""
    cache = RawCache(folder)
    cache.keep_sites({"sites": [{"id": "s1", "displayName": "Site"}]})
    cache.keep_collections({"collections": [{"id": "c1"}]}, "s1")
    cache.keep_collection("c1", {"id": "c1", "slug": "posts", "fields": []})
    cache.keep_items("c1", map(line_of, items), live=False)
    cache.keep_items("c1", [], live=True)
    return cache


def record(**more: Any) -> dict[str, Any]:
    return {"id": "i1", "cmsLocaleId": None, "fieldData": {"name": "n", **more}}


@example(records=[{"odd": "\ud83d", "line": "a\u2028b\r\0"}])
@given(records=st.lists(VALUES, max_size=6))
def test_records_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, records: list[Any]
) -> None:
    """Every JSON value, half surrogate pairs and line ends included."""
    path = tmp_path_factory.mktemp("records") / "file.json"
    replace_file(path, listed("items", map(line_of, records)))
    assert [each.value for each in read_listed("items", path)] == records
    assert json.loads(path.read_bytes()) == {"items": records}
    assert path.read_bytes().count(b"\n") == max(len(records), 1) + (
        2 if records else 1
    )


@pytest.mark.parametrize(
    "name",
    [
        "sites.json",
        "collections.json",
        "collections/c1.json",
        "items/c1.json",
        "live/c1.json",
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, name: str) -> None:
    """An incomplete folder says which file it lacks and what to do."""
    cache = filled(tmp_path, [record()])
    assert cache.complete()
    (tmp_path / name).unlink()
    assert not cache.complete()
    with pytest.raises(UnreadError, match=rf"{name} is missing.*cmsmig pull"):
        cache.require_complete()


@pytest.mark.parametrize(
    "body",
    [
        b'{"items": [\n{"id":"i1"}\n]}\n',
        b'{"items": [\n{"id":"i1","fieldData":{}},\n',
        b'{"items": [\n{"id":"i1","fieldData":{}}\n]}\nmore',
        b'{"items": 3}',
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_damaged_set_names_its_file(tmp_path: Path, body: bytes) -> None:
    """Whatever is wrong with it, it is one sentence with the way out."""
    cache = filled(tmp_path, [record()])
    cache.item_file("c1", live=False).write_bytes(body)
    with pytest.raises(CacheError, match=r"items/c1\.json.*pull.*--refresh"):
        list(cache.items("c1", live=False))


def test_the_fingerprint_tells_what_changed(tmp_path: Path) -> None:
    """One hash per file of a collection; equal content, equal hash."""
    cache = filled(tmp_path, [record()])
    before = cache.fingerprint()
    assert set(before) == {"collections/c1.json", "items/c1.json", "live/c1.json"}
    cache.keep_items("c1", [line_of(record())], live=False)
    assert cache.fingerprint() == before
    cache.keep_items("c1", [line_of(record(x=1))], live=False)
    changed = cache.fingerprint()
    assert {name for name in before if before[name] != changed[name]} == {
        "items/c1.json"
    }


def test_a_replaced_file_is_whole_or_the_old_one(tmp_path: Path) -> None:
    """A write that fails leaves the old file and no other."""
    path = tmp_path / "file.json"
    replace_file(path, [b"old"])

    def failing() -> Any:
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(StorageError, match="No space left on device"):
        replace_file(path, failing())
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {
        "file.json": b"old"
    }


@pytest.mark.parametrize(
    "row",
    [
        {"address": 3},
        {"address": "a"},
        {"address": "a", "sha256": "../../etc/passwd", "bytes": 1},
        {"address": "a", "sha256": "A" * 64, "bytes": 1},
    ],
)
def test_an_index_row_that_is_none_is_refused(tmp_path: Path, row: Any) -> None:
    """A hash becomes a file name, so it has to be one."""
    replace_file(tmp_path / "files.json", listed("files", [line_of(row)]))
    with pytest.raises(CacheError, match=r"files\.json is damaged at line 2"):
        FileStore(tmp_path / "files", tmp_path).rows()


def test_rows_of_the_journal_come_last_and_survive_a_cut(tmp_path: Path) -> None:
    """The newest row of an address counts; the line that a kill cut does not."""
    store = FileStore(tmp_path / "files", tmp_path)
    store.save([FileRow("a", error="empty", detail="x"), FileRow("b", "0" * 64, 1)])
    store.note(FileRow("a", "1" * 64, 2, "image/png", 3, 4, "a.png"))
    journal = tmp_path / ".pages/files.jsonl"
    with open(journal, "ab") as file:
        file.write(b'\n{"address":"b","err')
    rows = store.rows()
    assert rows["a"] == FileRow("a", "1" * 64, 2, "image/png", 3, 4, "a.png")
    assert rows["b"].sha256 == "0" * 64
    store.save(rows.values())
    assert not journal.exists()
    assert store.rows() == rows


def test_several_readers_may_store_a_new_token_at_once(tmp_path: Path) -> None:
    """A plan and a notebook store it without a lock."""
    cache = filled(tmp_path, [])

    def keep(number: int) -> None:
        for _ in range(8):
            cache.keep_held("s1", str(number))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(keep, range(4)))
    assert cache.held_site() == "s1"
    assert cache.key() in {"0", "1", "2", "3"}
    assert not [*tmp_path.rglob("*.new")]


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    """A writer that is killed before the replacement leaves a file."""
    cache = filled(tmp_path, [])
    cache.keep_held("s1", "0")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (left,) = tmp_path.rglob("site.json")
    killed, live = (
        left.with_name(f".site.json.{process}-00000000.new")
        for process in (ended.pid, os.getppid())
    )
    killed.touch()
    live.touch()
    cache.keep_held("s1", "1")
    assert [*tmp_path.rglob("*.new")] == [live]
