"""The ledger's rows of items that are gone at the origin and have a story."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Final

from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import Store, now
from cmsmig.ledger.intents import close_intent
from cmsmig.ledger.item_states import recover
from cmsmig.ledger.rows import DELETED_THERE, GoneItem, GoneState

UNPUBLISH: Final = "unpublish_gone"
DELETE: Final = "delete_gone"
INTENTS: Final = (UNPUBLISH, DELETE)
"""Kinds of what is intended with such stories."""
_OPEN = (GoneState.TO_UNPUBLISH, GoneState.TO_DELETE)
_KEY = "(collection_id, item_id, locale_id) = (?, ?, ?)"


class GoneItems:
    """Every method commits before it returns."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def is_empty(self) -> bool:
        """Return whether nothing is gone; quicker than all rows. Reads only."""
        return self._store.one("SELECT 1 FROM item WHERE gone <> ''") is None

    def mark(self, gone: Mapping[ItemKey, GoneItem]) -> None:
        """Write what is gone at the origin and what is to become of its story.

        The story records are kept. Such an item counts as skipped where the origin
        still has it, and not at all where it was deleted there.
        """
        at = now()
        with self._store.atomic(durable=True) as db:
            db.executemany(
                f"""UPDATE item SET gone = ?, gone_reason = ?, gone_sentence = ?,
                       gone_note = ?, status = 'skipped', reason = ?, explanation = ?,
                       changed_at = ? WHERE {_KEY}""",
                [
                    (
                        str(each.state),
                        each.reason,
                        each.sentence,
                        each.note,
                        _reason_of(each),
                        each.sentence,
                        at,
                        *_values(key),
                    )
                    for key, each in gone.items()
                ],
            )
            for key, each in gone.items():
                for intent in INTENTS:
                    if each.state not in _OPEN:
                        close_intent(db, intent, str(key), str(each.state))
                if each.state is GoneState.DELETED:
                    # A killed run deleted it, and could not say so.
                    _not_public(db, key)

    def take_back(self, keys: Iterable[ItemKey]) -> None:
        """Write that items are there again, and their stories go on as theirs."""
        with self._store.atomic() as db:
            for key in keys:
                db.execute(
                    f"""UPDATE item SET gone = '', gone_reason = '',
                        gone_sentence = '', gone_note = '' WHERE {_KEY}""",
                    _values(key),
                )
                recover(db, key)
                for intent in INTENTS:
                    close_intent(db, intent, str(key), "not_needed")

    def forget(self, keys: Iterable[ItemKey]) -> None:
        """Forget items that never had a story, or have none any more."""
        with self._store.atomic() as db:
            for key in keys:
                db.execute(f"DELETE FROM loss WHERE {_KEY}", _values(key))
                db.execute(
                    f"DELETE FROM item WHERE {_KEY} AND home_id IS NULL", _values(key)
                )

    def settle(
        self, key: ItemKey, state: GoneState, intent: str, *, updated_at: str = ""
    ) -> None:
        """Write what became of a story and close the intent of kind `intent`.

        `updated_at` is what the destination says of it since.
        """
        with self._store.atomic() as db:
            db.execute(
                f"""UPDATE item SET gone = ?, gone_note = '', changed_at = ?
                    WHERE {_KEY}""",
                (str(state), now(), *_values(key)),
            )
            _not_public(db, key)
            if updated_at:
                db.execute(
                    f"""UPDATE home SET destination_updated_at = ? WHERE id =
                        (SELECT home_id FROM item WHERE {_KEY})""",
                    (updated_at, *_values(key)),
                )
            close_intent(db, intent, str(key), "done")

    def keep(self, key: ItemKey, note: str, intent: str) -> None:
        """Write why a story is kept although something else was decided."""
        with self._store.atomic() as db:
            db.execute(
                f"""UPDATE item SET gone = 'kept', gone_note = ?, changed_at = ?
                    WHERE {_KEY}""",
                (note, now(), *_values(key)),
            )
            close_intent(db, intent, str(key), "refused")

    def doubt(self, key: ItemKey, note: str) -> None:
        """Write that nobody knows whether a story was taken away: the next run
        looks."""
        with self._store.atomic() as db:
            db.execute(
                f"UPDATE item SET gone_note = ? WHERE {_KEY}", (note, *_values(key))
            )

    def keep_addresses(self, paths: Iterable[tuple[ItemKey, str]]) -> None:
        """Write the addresses that items have at the origin now."""
        with self._store.atomic() as db:
            db.executemany(
                f"UPDATE item SET old_path = ? WHERE {_KEY} AND old_path <> ?",
                ((path, *_values(key), path) for key, path in paths),
            )


def _not_public(db: sqlite3.Connection, key: ItemKey) -> None:
    db.execute(f"UPDATE item SET published = '' WHERE {_KEY}", _values(key))
    db.execute(
        f"""UPDATE home SET left_public = 0 WHERE id =
            (SELECT home_id FROM item WHERE {_KEY})""",
        _values(key),
    )


def _reason_of(gone: GoneItem) -> str:
    return "gone_at_origin" if gone.reason == DELETED_THERE else gone.reason


def _values(key: ItemKey) -> tuple[str, str, str]:
    return (key.collection_id, key.item_id, key.locale_id)
