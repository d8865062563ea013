"""The rows of all items in memory: each once, however often they are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from sys import intern
from typing import Protocol

from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import Store
from cmsmig.ledger.item_states import gone_of
from cmsmig.ledger.rows import ItemRow, StoryRecord

_ROWS = """
    SELECT item.*, home.story_id, home.uuid AS home_uuid,
        home.full_slug AS home_slug, home.made, home.content_hash,
        home.destination_updated_at, home.group_id, home.record_hash,
        home.kept_edits, home.left_public, home.public_record
    FROM item LEFT JOIN home ON home.id = item.home_id"""
_ALL = f"{_ROWS} ORDER BY collection_id, item_id, locale_id"
_FAILED = f"{_ROWS} WHERE status = 'failed' ORDER BY changed_at DESC LIMIT ?"


class KnownItem(Protocol):
    """An item of the origin, with the texts that its row repeats."""

    @property
    def key(self) -> ItemKey: ...

    @property
    def name(self) -> str: ...

    @property
    def data_hash(self) -> str: ...


class ItemRows:
    """Reads every item's row again where the ledger may hold something else.

    The rows of before are let go one by one as those of now are read, so that no time
    sees both. A row that is as it was stays the same object.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._version: object = None
        self._rows: dict[ItemKey, ItemRow] = {}
        self._known: Mapping[ItemKey, KnownItem] = {}

    def recognise(self, items: Mapping[ItemKey, KnownItem]) -> None:
        """Let the rows of these items share the items' own texts."""
        self._known = items

    def over(self, store: Store) -> ItemRows:
        """Return the rows of a copy of the ledger; what is equal is shared."""
        found = ItemRows(store)
        found._rows, found._known = dict(self._rows), self._known
        return found

    def all(self) -> Mapping[ItemKey, ItemRow]:
        """Return every item's row, as the ledger has it now.

        Who keeps the mapping sees it renewed the next time that anybody asks.
        """
        version = self._store.version()
        if version != self._version:
            self._renew()
            self._version = version
        return self._rows

    def _renew(self) -> None:
        (counted,) = self._store.all("SELECT count(*) FROM item")
        before = self._rows
        if counted[0] == len(before):
            self._read_into(before, before)
            if counted[0] == len(before):
                return
        # Whoever goes through the mapping of before must not see it grow.
        self._rows = {}
        self._read_into(self._rows, before)

    def _read_into(
        self, rows: dict[ItemKey, ItemRow], before: Mapping[ItemKey, ItemRow]
    ) -> None:
        for each in self._store.each(_ALL):
            row = _item_row(each, self._known)
            same = before.get(row.key)
            rows[row.key] = same if same is not None and same == row else row


def failed_rows(db: sqlite3.Connection, most: int) -> tuple[ItemRow, ...]:
    """Return the items that failed last, `most` at most. Reads only."""
    return tuple(_item_row(row, {}) for row in db.execute(_FAILED, (most,)))


def _item_row(row: sqlite3.Row, known: Mapping[ItemKey, KnownItem]) -> ItemRow:
    path, published = row["full_slug"], row["published"]
    key = ItemKey(
        intern(row["collection_id"]), row["item_id"], intern(row["locale_id"])
    )
    name, origin_hash = row["name"], row["origin_hash"]
    if (item := known.get(key)) is not None:
        key = item.key
        name = _one(name, item.name)
        origin_hash = _one(origin_hash, item.data_hash)
    return ItemRow(
        key=key,
        name=name,
        full_slug=path,
        origin_hash=origin_hash,
        status=intern(row["status"]),
        reason=intern(row["reason"]),
        explanation=row["explanation"],
        link_state=intern(row["link_state"]),
        published=published,
        home=_home(row, path, published),
        gone=gone_of(row),
        old_path=row["old_path"] if row["gone"] else "",
    )


def _home(row: sqlite3.Row, path: str, published: str) -> StoryRecord | None:
    if row["story_id"] is None:
        return None
    record = row["record_hash"]
    return StoryRecord(
        story_id=row["story_id"],
        uuid=row["home_uuid"],
        full_slug=_one(row["home_slug"], path),
        made=bool(row["made"]),
        content_hash=row["content_hash"],
        updated_at=_one(row["destination_updated_at"], published),
        group_id=row["group_id"],
        record_hash=record,
        kept_edits=bool(row["kept_edits"]),
        left_public=bool(row["left_public"]),
        public_record=_one(row["public_record"], record),
    )


def _one(text: str, same: str) -> str:
    """Return a text, as one object with another that says the same."""
    return same if text == same else text
