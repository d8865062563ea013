"""Changes of an item's state that several kinds of writes make, within their
transactions."""

from __future__ import annotations

import sqlite3

from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import now
from cmsmig.ledger.rows import DELETED_THERE, GoneItem, GoneState


def recover(db: sqlite3.Connection, key: ItemKey) -> None:
    """Give an item with a story the status that it has without a failure."""
    db.execute(
        """UPDATE item SET reason = '', explanation = '', status =
               (SELECT iif(made, 'created', 'reused') FROM home
                WHERE home.id = item.home_id)
           WHERE (collection_id, item_id, locale_id) = (?, ?, ?)
               AND home_id IS NOT NULL""",
        _key(key),
    )


def leave(db: sqlite3.Connection, key: ItemKey) -> None:
    """Forget an item without a story that the origin does not have; keep any other."""
    db.execute(
        """DELETE FROM item WHERE gone_reason = ?
           AND (collection_id, item_id, locale_id) = (?, ?, ?)""",
        (DELETED_THERE, *_key(key)),
    )
    db.execute(
        """UPDATE item SET gone_reason = '', gone_sentence = ''
           WHERE (collection_id, item_id, locale_id) = (?, ?, ?)""",
        _key(key),
    )


def set_link_state(db: sqlite3.Connection, key: ItemKey, link_state: str) -> None:
    """Write whether an item's links are filled."""
    db.execute(
        """UPDATE item SET link_state = ?, changed_at = ?
           WHERE (collection_id, item_id, locale_id) = (?, ?, ?)""",
        (link_state, now(), *_key(key)),
    )


def gone_of(row: sqlite3.Row) -> GoneItem | None:
    """Return what a row says of an item that is gone at the origin, if it is."""
    if not row["gone"]:
        return None
    return GoneItem(
        state=GoneState(row["gone"]),
        reason=row["gone_reason"],
        sentence=row["gone_sentence"],
        note=row["gone_note"],
    )


def _key(key: ItemKey) -> tuple[str, str, str]:
    return (key.collection_id, key.item_id, key.locale_id)
