"""Write-ahead intents: what is about to be asked of the destination."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

from cmsmig.ledger.bodies import dump_body, load_body
from cmsmig.ledger.connection import Store, now
from cmsmig.ledger.rows import AssetRow, Intent, ItemRow, MadeRow

DELETE: Final = "delete"
"""The kind of the intents to delete what this ledger created."""


def deletion_subject(row: ItemRow | AssetRow | MadeRow) -> str:
    """Return what the intent to delete something names."""
    match row:
        case ItemRow(key=key):
            return f"story {key}"
        case AssetRow(sha256=sha256):
            return f"asset {sha256}"
        case MadeRow(kind=kind, name=name):
            return f"{kind} {name}"


class Intents:
    """The intents of writes. One without an outcome is settled by looking, not by
    sending."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(self, intents: Sequence[Intent]) -> None:
        """Write a batch of intents durably; none of them may be sent before."""
        if not intents:
            return
        run_id = self._store.run_id
        with self._store.atomic(durable=True) as db:
            db.executemany(
                """INSERT INTO intent
                       (kind, subject, request_hash, body, run_id, made_at)
                   VALUES (?, ?, ?, ?, ?, ?)
                   ON CONFLICT (kind, subject) WHERE outcome IS NULL
                   DO UPDATE SET request_hash = excluded.request_hash,
                       body = excluded.body""",
                [
                    (
                        each.kind,
                        each.subject,
                        each.request_hash,
                        dump_body(each.body),
                        run_id,
                        now(),
                    )
                    for each in intents
                ],
            )

    def open(self, kind: str) -> tuple[Intent, ...]:
        """Return the intents of a kind whose outcome is not known. Reads only."""
        return tuple(
            Intent(
                row["kind"], row["subject"], row["request_hash"], load_body(row["body"])
            )
            for row in self._store.all(
                """SELECT * FROM intent WHERE kind = ? AND outcome IS NULL
                   ORDER BY id""",
                (kind,),
            )
        )

    def settle(self, kind: str, subject: str, outcome: str) -> None:
        """Close an open intent that has no result of its own to write."""
        with self._store.atomic() as db:
            close_intent(db, kind, subject, outcome)


def close_intent(db: sqlite3.Connection, kind: str, subject: str, outcome: str) -> None:
    """Write an intent's outcome within the caller's transaction."""
    db.execute(
        """UPDATE intent SET outcome = ?, ended_at = ?
           WHERE kind = ? AND subject = ? AND outcome IS NULL""",
        (outcome, now(), kind, subject),
    )
