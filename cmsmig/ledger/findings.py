"""The ledger's rows of losses, by item, and of messages, by run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import Store, now
from cmsmig.ledger.rows import LossRow

_LOSS_KEYS = ("kind", "what", "where", "context", "why", "severity")


class Findings:
    """Every method commits before it returns."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def save_losses(self, key: ItemKey, losses: Sequence[LossRow]) -> None:
        """Replace the losses of one item."""
        its = "WHERE (collection_id, item_id, locale_id) = (?, ?, ?)"
        named = (key.collection_id, key.item_id, key.locale_id)
        if not losses and self._store.one(f"SELECT 1 FROM loss {its}", named) is None:
            return
        with self._store.atomic() as db:
            db.execute(f"DELETE FROM loss {its}", named)
            db.executemany(
                "INSERT INTO loss VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        *named,
                        ordinal,
                        row.field,
                        *(str(row.loss[name]) for name in _LOSS_KEYS),
                    )
                    for ordinal, row in enumerate(losses)
                ],
            )

    def losses(self) -> Iterator[tuple[ItemKey, list[list[str]]]]:
        """Yield the losses of each item that has some: the field, then the parts of a
        loss in their order. Reads only."""
        rows = self._store.all(
            """SELECT collection_id, item_id, locale_id,
                   field, kind, what, place, context, why, severity
               FROM loss ORDER BY collection_id, item_id, locale_id, ordinal"""
        )
        for key, group in groupby(map(tuple, rows), lambda row: row[:3]):
            yield ItemKey(*key), [list(row[3:]) for row in group]

    def losing(self) -> list[ItemKey]:
        """Return the items that lost something. Reads only."""
        rows = self._store.all(
            "SELECT DISTINCT collection_id, item_id, locale_id FROM loss"
        )
        return [ItemKey(*row) for row in map(tuple, rows)]

    def losses_by_kind(self) -> dict[str, int]:
        """Return how many losses there are of each kind. Reads only."""
        return {
            row["kind"]: int(row["losses"])
            for row in self._store.all(
                "SELECT kind, sum(losses) AS losses FROM losses_by_kind GROUP BY kind"
            )
        }

    def reasons(self) -> dict[str, dict[str, int]]:
        """Return how many items are in each status for each reason. Reads only."""
        found: dict[str, dict[str, int]] = {}
        for row in self._store.all("SELECT * FROM reasons ORDER BY status, reason"):
            found.setdefault(row["status"], {})[row["reason"]] = int(row["items"])
        return found

    def note(self, subject: str, code: str, text: str) -> None:
        """Write one message of the current run."""
        with self._store.atomic() as db:
            db.execute(
                "INSERT INTO message (run_id, at, subject, code, text) "
                "VALUES (?, ?, ?, ?, ?)",
                (self._store.run_id, now(), subject, code, text),
            )
