"""What the ledger says of one item's story, in words."""

from __future__ import annotations

from pathlib import Path

from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import connect, translated

_STATES = {
    "created": "It has a story",
    "reused": "It has a story that was there before",
    "selected": "It is planned, and has no story yet",
    "skipped": "It was left out",
    "failed": "It failed",
}


def story_told(ledger: Path, key: ItemKey) -> str:
    """Return how an item's story stands, with its path; empty before the first plan.

    Reads only. Raises `LedgerError` when the ledger is damaged.
    """
    if not ledger.is_file():
        return ""
    db = connect(ledger, durable=False)
    try:
        with translated(ledger):
            row = db.execute(
                "SELECT full_slug, status, explanation, published, story_id FROM items"
                " WHERE (collection_id, item_id, locale_id) = (?, ?, ?)",
                (key.collection_id, key.item_id, key.locale_id),
            ).fetchone()
    finally:
        db.close()
    if row is None:
        return ""
    path, status, why, published, story = tuple(row)
    told = _STATES.get(str(status), str(status))
    if story is not None:
        told += f" ({story}) at {path}, {'published' if published else 'not published'}"
    return f"{told}: {why}" if why else f"{told}."
