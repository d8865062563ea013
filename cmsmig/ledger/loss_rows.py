"""The ledger's rows of what items lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import Store
from cmsmig.ledger.rows import LossRow
from cmsmig.ledger.tables import ITEM_KEY, ITS_LOSSES

_LOSS_KEYS = ("kind", "what", "where", "context", "why", "severity")


class Findings:
    """Every method commits before it returns."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def save_losses(self, key: ItemKey, losses: Sequence[LossRow]) -> None:
        """Replace the losses of one item."""
        if not losses and self._store.one(*ITS_LOSSES.find(key)) is None:
            return
        with self._store.atomic() as db:
            db.execute(*ITS_LOSSES.delete(key))
            db.executemany(
                "INSERT INTO loss VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        *(*key, ordinal, row.field),
                        *(str(row.loss[name]) for name in _LOSS_KEYS),
                    )
                    for ordinal, row in enumerate(losses)
                ],
            )

    def losses(self) -> Iterator[tuple[ItemKey, list[list[str]]]]:
        """Yield the losses of each item that has some: the field, then the parts of a
        loss in their order. Reads only."""
        query = f"""SELECT {ITEM_KEY}, field, kind, what, place, context, why, severity
                    FROM loss ORDER BY {ITEM_KEY}, ordinal"""
        # All at once: the caller may write between two of them.
        rows = [tuple(row) for row in self._store.each(query)]
        for key, group in groupby(rows, lambda row: row[:3]):
            yield ItemKey(*key), [list(row[3:]) for row in group]

    def losing(self) -> list[ItemKey]:
        """Return the items that lost something. Reads only."""
        rows = self._store.each(f"SELECT DISTINCT {ITEM_KEY} FROM loss")
        return [ItemKey(*row) for row in rows]

    def losses_by_kind(self) -> dict[str, int]:
        """Return how many losses there are of each kind. Reads only."""
        query = "SELECT kind, sum(losses) FROM losses_by_kind GROUP BY kind"
        return {kind: int(losses) for kind, losses in self._store.each(query)}

    def reasons(self) -> dict[str, dict[str, int]]:
        """Return how many items are in each status for each reason. Reads only."""
        found: dict[str, dict[str, int]] = {}
        for row in self._store.each("SELECT * FROM reasons ORDER BY status, reason"):
            found.setdefault(row["status"], {})[row["reason"]] = int(row["items"])
        return found
