"""The rows of all items in memory: each once, however often they are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from sys import intern
from typing import Any, Protocol

from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import Store
from cmsmig.ledger.rows import GoneItem, GoneState, ItemRow, StoryRecord
from cmsmig.ledger.tables import ITEM_KEY, STORIES

_ROWS = f"""
    SELECT {ITEM_KEY}, name, item.full_slug, origin_hash, status, reason, explanation,
        link_state, published, old_path, gone, gone_reason, gone_sentence, gone_note,
        {", ".join(f"story_record.{column}" for column in STORIES.columns)}
    FROM item LEFT JOIN story_record ON story_record.id = record_id"""
_ALL = f"{_ROWS} ORDER BY {ITEM_KEY}"
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

    Each earlier row is dropped as its new one is read, so that memory never holds two
    full sets. A row that did not change stays the same object.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._version: object = None
        self._rows: dict[ItemKey, ItemRow] = {}
        self._is_shared = False
        self._known: Mapping[ItemKey, KnownItem] = {}

    def recognise(self, items: Mapping[ItemKey, KnownItem]) -> None:
        """Let the rows of these items share the texts that are in memory already."""
        self._known = items

    def as_read_by(self, other: ItemRows) -> None:
        """Share with another ledger what it has read: rows that are equal."""
        self._rows, self._known, self._is_shared = other._rows, other._known, True
        self._version = other._version

    def all(self) -> Mapping[ItemKey, ItemRow]:
        """Return every item's row, as the ledger has it now. Reads only.

        Who keeps the mapping sees it renewed the next time that anybody asks.
        """
        version = self._store.version()
        if version != self._version:
            self._renew()
            self._version = version
        return self._rows

    def _renew(self) -> None:
        (counted,) = self._store.one("SELECT count(*) FROM item") or (0,)
        before = self._rows
        if counted == len(before) and not self._is_shared:
            self._read_into(before, before)
            if counted == len(before):
                return
        # A caller that iterates over the earlier mapping must not see it grow.
        self._rows, self._is_shared = {}, False
        self._read_into(self._rows, before)

    def _read_into(
        self, rows: dict[ItemKey, ItemRow], before: Mapping[ItemKey, ItemRow]
    ) -> None:
        for each in self._store.each(_ALL):
            row = _item_row(each, self._known)
            same = before.get(row.key)
            rows[row.key] = same if same is not None and same == row else row


def read_rows(store: Store, condition: str) -> tuple[ItemRow, ...]:
    """Return the rows of the items that a condition selects, in order. Reads only."""
    query = f"{_ROWS} {condition} ORDER BY {ITEM_KEY}"
    return tuple(_item_row(row, {}) for row in store.each(query))


def failed_rows(db: sqlite3.Connection, most: int) -> tuple[ItemRow, ...]:
    """Return the items that failed last, `most` at most. Reads only."""
    return tuple(_item_row(row, {}) for row in db.execute(_FAILED, (most,)))


def _item_row(row: sqlite3.Row, known: Mapping[ItemKey, KnownItem]) -> ItemRow:
    values = tuple(row)
    collection, item, locale, name, path, origin_hash = values[:6]
    status, reason, explanation, link_state, published, old_path = values[6:12]
    gone, *why = values[12:16]
    key = ItemKey(intern(collection), item, intern(locale))
    if (of_origin := known.get(key)) is not None:
        key = of_origin.key
        name = _one(name, of_origin.name)
        origin_hash = _one(origin_hash, of_origin.data_hash)
    return ItemRow(
        key=key,
        name=name,
        full_slug=path,
        origin_hash=origin_hash,
        status=intern(status),
        reason=intern(reason),
        explanation=explanation,
        link_state=intern(link_state),
        published=published,
        story_record=_story_record(values[16:], path, published),
        gone=GoneItem(GoneState(gone), *why) if gone else None,
        old_path=old_path if gone else "",
    )


def _story_record(
    values: Sequence[Any], path: str, published: str
) -> StoryRecord | None:
    number, uuid, slug, made, updated_at, group, record, *rest = values
    if number is None:
        return None
    kept_edits, unpublished, left_public, public_record, slugs = rest
    return StoryRecord(
        story_id=number,
        uuid=uuid,
        full_slug=_one(slug, path),
        made=bool(made),
        updated_at=_one(updated_at, published),
        group_id=group,
        record_hash=record,
        kept_edits=bool(kept_edits),
        unpublished_edits=bool(unpublished),
        left_public=bool(left_public),
        public_record=_one(public_record, record),
        slugs=intern(slugs),
    )


def _one(text: str, same: str) -> str:
    """Return a text, as one object with another that says the same."""
    return same if text == same else text
