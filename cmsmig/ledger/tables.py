"""The ledger's tables: columns declared once, and statements on them as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from operator import attrgetter
from sys import intern
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from cmsmig.ledger.connection import Statement, Store, now
from cmsmig.ledger.rows import AssetRow, Intent, MadeRow, StoryRecord
from cmsmig.ledger.stored_bodies import dump_body, load_body

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")


@dataclass(frozen=True)
class Rows:
    """The rows of a table that some values address."""

    table: str
    where: str
    """The condition, with a place for each value."""
    stamped: bool = False
    """Whether the time of a change is written too."""

    def change(self, at: Sequence[object], **values: object) -> Statement:
        """Return what writes columns of the rows at `at`."""
        if self.stamped:
            values["changed_at"] = now()
        update = _update(self.table, self.where, tuple(values))
        return update, (*values.values(), *at)

    def delete(self, at: Sequence[object]) -> Statement:
        """Return what deletes the rows at `at`."""
        return f"DELETE FROM {self.table} WHERE {self.where}", at

    def find(self, at: Sequence[object], columns: str = "1") -> Statement:
        """Return what reads columns of the rows at `at`."""
        return f"SELECT {columns} FROM {self.table} WHERE {self.where}", at


@dataclass(frozen=True, kw_only=True)
class Table(Rows, Generic[Row]):
    """A table whose rows are dataclasses: each field is a column, in one order."""

    row: type[Row]
    key: str
    """What no two rows share, as the target of a conflict."""
    kept: tuple[str, ...] = ()
    """Columns that writing a row again leaves as they are."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """The columns of fields with another name."""
    decoded: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)
    """The conversions of columns to fields that are not of the same type."""

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of the fields."""
        names = (each.name for each in fields(self.row))
        return tuple(self.renamed.get(each, each) for each in names)

    @cached_property
    def _values(self) -> attrgetter[tuple[object, ...]]:
        return attrgetter(*(each.name for each in fields(self.row)))

    def put(self, row: Row, **more: object) -> Statement:
        """Return what writes a row, over the one with its key if there is one; `more`
        are columns that are no fields."""
        values = self._values(row)
        encoded = [
            dump_body(each) if isinstance(each, dict) else each for each in values
        ]
        columns = (*self.columns, *more)
        upsert = _upsert(self.table, columns, self.key, self.kept)
        return upsert, (*encoded, *more.values())

    def one(self, store: Store, *at: object) -> Row | None:
        """Return the row at `at`, if there is one. Reads only."""
        return next(self.read(store, f"WHERE {self.where}", at), None)

    def read(
        self, store: Store, rest: str = "", values: Sequence[object] = ()
    ) -> Iterator[Row]:
        """Yield the rows of the query that ends in `rest`. Reads only."""
        query = f"SELECT {', '.join(self.columns)} FROM {self.table} {rest}"
        decoders = [self.decoded.get(each) for each in self.columns]
        for found in store.each(query, values):
            pairs = zip(decoders, found, strict=True)
            yield self.row(
                *(each if decode is None else decode(each) for decode, each in pairs)
            )


@cache
def _update(table: str, where: str, columns: tuple[str, ...]) -> str:
    written = ", ".join(f"{each} = ?" for each in columns)
    return f"UPDATE {table} SET {written} WHERE {where}"


@cache
def _upsert(
    table: str, columns: tuple[str, ...], key: str, kept: tuple[str, ...]
) -> str:
    renewed = [f"{each} = excluded.{each}" for each in columns if each not in kept]
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) "
        f"VALUES ({', '.join('?' * len(columns))}) "
        f"ON CONFLICT {key} DO UPDATE SET {', '.join(renewed)}"
    )


ITEM_KEY: Final = "collection_id, item_id, locale_id"
OF_ITEM: Final = f"({ITEM_KEY}) = (?, ?, ?)"

ITEM = Rows("item", OF_ITEM, stamped=True)
ITS_STORY = Rows("story_record", f"id = (SELECT record_id FROM item WHERE {OF_ITEM})")
"""The story record of an item, which other items may share."""
ITS_LOSSES = Rows("loss", OF_ITEM)

STORIES = Table(
    "story_record",
    "story_id = ?",
    row=StoryRecord,
    key="(story_id)",
    kept=("story_id", "made"),
    renamed={"updated_at": "destination_updated_at"},
)
INTENTS = Table(
    "intent",
    "kind = ? AND subject = ? AND outcome IS NULL",
    row=Intent,
    key="(kind, subject) WHERE outcome IS NULL",
    kept=("kind", "subject", "run_id", "made_at"),
    decoded={"body": load_body},
)
"""The intents without an outcome."""
ASSETS = Table(
    "asset",
    "sha256 = ?",
    row=AssetRow,
    key="(sha256)",
    kept=("sha256",),
    decoded={"sha256": intern, "status": intern, "reason": intern, "body": load_body},
)
MADE = Table(
    "made",
    "kind = ? AND name = ?",
    row=MadeRow,
    key="(kind, name)",
    kept=("kind", "name"),
    decoded={"made": bool, "body": load_body},
)
