"""Write-ahead intents: what is about to be asked of the destination."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cmsmig.ledger.connection import Statement, Store, now
from cmsmig.ledger.rows import Intent
from cmsmig.ledger.tables import INTENTS

DELETE: Final = "delete"
"""The kind of the intents to delete what this ledger created."""


class Intents:
    """The intents of writes. One without an outcome is settled by looking, not by
    sending."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(self, intents: Sequence[Intent]) -> None:
        """Write a batch of intents durably; none of them may be sent before."""
        if intents:
            run_id, at = self._store.run_id, now()
            self._store.commit(
                (INTENTS.put(each, run_id=run_id, made_at=at) for each in intents),
                durable=True,
            )

    def open(self, kind: str) -> tuple[Intent, ...]:
        """Return the intents of a kind whose outcome is not known. Reads only."""
        rest = "WHERE kind = ? AND outcome IS NULL ORDER BY id"
        return tuple(INTENTS.read(self._store, rest, (kind,)))

    def subjects(self, *kinds: str) -> frozenset[str]:
        """Return what the open intents of some kinds are about. Reads only."""
        return frozenset(each.subject for kind in kinds for each in self.open(kind))

    def settle(self, kind: str, subject: str, outcome: str) -> None:
        """Close an open intent that has no result of its own to write."""
        self._store.commit([close_intent(kind, subject, outcome)])


def close_intent(kind: str, subject: object, outcome: str) -> Statement:
    """Return what writes an intent's outcome; nothing where none is open."""
    return INTENTS.change((kind, str(subject)), outcome=outcome, ended_at=now())
