"""What was edited at the origin, kept in a file: the items as they are since then."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field

from cmsmig.canonical import JsonObject

_TABLE = """CREATE TABLE IF NOT EXISTS item (
    content TEXT, list TEXT, id TEXT, locale TEXT, held TEXT,
    PRIMARY KEY (content, list, id, locale))"""


def _forgotten() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)


@dataclass(frozen=True, slots=True)
class ItemEdits:
    """The edited items of one content folder, by the list that holds them."""

    content: str = ""
    """The folder; each one has its own edits. Empty: the sample site."""
    file: sqlite3.Connection = field(default_factory=_forgotten)

    def __post_init__(self) -> None:
        self.file.execute(_TABLE)

    def keep(self, name: str, key: tuple[str, str], item: JsonObject | None) -> None:
        """Keep one variant, `key` its id and locale, as it is now; None: removed."""
        # An update keeps the row's place: items that were added stay in their order.
        self.file.execute(
            "INSERT INTO item VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
            "SET held = excluded.held",
            (self.content, name, *key, json.dumps(item)),
        )

    def applied(self, name: str, items: list[JsonObject]) -> list[JsonObject]:
        """Return a list of the folder as the edits left it."""
        rows = self.file.execute(
            "SELECT id, locale, held FROM item WHERE content = ? AND list = ? "
            "ORDER BY rowid",
            (self.content, name),
        )
        edited = {(one, locale): json.loads(held) for one, locale, held in rows}
        kept = [edited.pop(variant_key(item), item) for item in items]
        return [item for item in (*kept, *edited.values()) if item is not None]


def variant_key(item: JsonObject) -> tuple[str, str]:
    """Return what names a variant: its id, and its locale as the item has it."""
    return str(item.get("id")), str(item.get("cmsLocaleId") or "")
