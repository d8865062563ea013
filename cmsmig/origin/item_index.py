"""The items of the pulled sets: their names and dates in memory, their values on disk.

What is known of an item without its values is kept in the derived file, under the hash
of the raw file that it was read from.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from sys import intern
from typing import cast

from cmsmig.canonical import Json, JsonObject
from cmsmig.code_digest import code_digest
from cmsmig.derived_file import DerivedFile
from cmsmig.errors import CacheError
from cmsmig.nesting import parse_json
from cmsmig.origin.cache import RawCache
from cmsmig.origin.records import AGAIN, read_listed
from cmsmig.origin.schema import Item, ItemKey, parse_data, parse_item

PART = 500
"""Items that are kept together."""
_LATELY_READ = 8
"""Records in memory: an item's fields are asked for one after another."""


@dataclass(frozen=True, slots=True)
class ItemFile:
    """A set's raw file as it was when its items were listed."""

    path: Path
    state: tuple[int, int, int]
    """Size, time of change and inode, which differ in another file."""


@dataclass(frozen=True, slots=True)
class RecordSource:
    """The values of an item in its set's raw file."""

    file: ItemFile
    offset: int
    length: int

    def read(self) -> JsonObject:
        """Return the values; raises `CacheError` when the file was replaced."""
        return _read(self)


@lru_cache(maxsize=_LATELY_READ)
def _read(source: RecordSource) -> JsonObject:
    path = source.file.path
    try:
        with path.open("rb") as file:
            if _state(file.fileno()) != source.file.state:
                raise _replaced(path)
            file.seek(source.offset)
            text = file.read(source.length)
        return parse_data(parse_json(text), f"{path}, byte {source.offset}")
    except (OSError, ValueError) as error:
        raise CacheError(f"{path} cannot be read any more; {AGAIN}.") from error


class ItemIndex:
    """Lists the items of each set; reads a raw file again only when it changed."""

    def __init__(self, cache: RawCache, derived: DerivedFile) -> None:
        """Note the state of the files; their hashes are taken after this, so that a
        file that is replaced in between is noticed."""
        self._cache = cache
        self._derived = derived
        paths = (cache.item_file(each, live=live) for each, live in cache.sets())
        self._files = {path: item_file(path) for path in paths}

    def items(
        self, collection_id: str, file_hash: str, *, live: bool
    ) -> tuple[Item, ...]:
        """Return a set's items, whose raw file has this hash.

        Raises `UnreadError` when the set is incomplete, `CacheError` when its file is
        damaged.
        """
        self._cache.require_closed(collection_id, live=live)
        path = self._cache.item_file(collection_id, live=live)
        name = f"items {collection_id} {'live' if live else 'staged'}"
        made_of = f"{file_hash} {code_digest(('origin',))}"
        file = self._files[path]
        found = self._kept(name, made_of, collection_id, file)
        if found is None:
            found = tuple(_items(path, collection_id, file))
            if item_file(path) != file:
                raise _replaced(path)
            if all(isinstance(each.source, RecordSource) for each in found):
                self._derived.keep_parts(name, made_of, _packed(found))
        return found

    def _kept(
        self, name: str, made_of: str, collection_id: str, file: ItemFile
    ) -> tuple[Item, ...] | None:
        found: list[Item] = []
        locales: dict[str, str] = {}
        for number in count():
            body = self._derived.part(name, number, made_of)
            if body is None:
                return None
            if not body:
                return tuple(found)
            try:
                rows = cast("list[list[Json]]", json.loads(body))
                found += [_unpacked(row, collection_id, file, locales) for row in rows]
            except (ValueError, TypeError, IndexError):
                # This kit did not write that.
                return None
        return None


def share_equal(staged: tuple[Item, ...], live: tuple[Item, ...]) -> tuple[Item, ...]:
    """Return the live items; one that equals the staged item is the same object."""
    by_key = {item.key: item for item in staged}
    return tuple(
        same if (same := by_key.get(item.key)) == item else item for item in live
    )


def _replaced(path: Path) -> CacheError:
    return CacheError(f"{path} was replaced while it was in use; run this again.")


def item_file(path: Path) -> ItemFile:
    """Return a set's raw file as it is now. Reads its state only."""
    try:
        with path.open("rb") as file:
            return ItemFile(path, _state(file.fileno()))
    except OSError:
        # Reading it says in a sentence what is wrong.
        return ItemFile(path, (0, 0, 0))


def _state(descriptor: int) -> tuple[int, int, int]:
    found = os.fstat(descriptor)
    return found.st_size, found.st_mtime_ns, found.st_ino


def _items(path: Path, collection_id: str, file: ItemFile) -> Iterator[Item]:
    for record in read_listed("items", path):
        where = f"{path}, line {record.line}"
        item = parse_item(record.value, collection_id, where)
        if record.length:
            source = RecordSource(file, record.offset, record.length)
            item = replace(item, source=source)
        yield item


def _packed(items: Iterable[Item]) -> Iterator[bytes]:
    rows: list[Json] = []
    for item in items:
        rows.append(_row(item))
        if len(rows) == PART:
            yield json.dumps(rows).encode()
            rows = []
    if rows:
        yield json.dumps(rows).encode()


def _row(item: Item) -> Json:
    source = cast(RecordSource, item.source)
    return [
        item.key.item_id,
        item.key.locale_id,
        item.name,
        item.slug,
        item.draft,
        item.archived,
        item.dates,
        item.data_hash,
        item.odd_characters,
        [list(each) for each in item.numbers],
        source.offset,
        source.length,
    ]


def _unpacked(
    row: list[Json], collection_id: str, file: ItemFile, locales: dict[str, str]
) -> Item:
    item_id, locale_id, name, slug, draft, archived, dates, *rest = row
    data_hash, odd_characters, numbers, offset, length = rest
    locale = locales.setdefault(str(locale_id), str(locale_id))
    return Item(
        key=ItemKey(collection_id, str(item_id), locale),
        name=str(name),
        slug=str(slug),
        draft=bool(draft),
        archived=bool(archived),
        dates=str(dates),
        data_hash=str(data_hash),
        source=RecordSource(file, int(cast(int, offset)), int(cast(int, length))),
        odd_characters=int(cast(int, odd_characters)),
        numbers=tuple(
            (intern(slug), number)
            for slug, number in cast("list[tuple[str, float]]", numbers)
        ),
    )
