"""The ledger's rows of items that are gone at the origin and have a story."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import Statement, Store
from cmsmig.ledger.intents import close_intent
from cmsmig.ledger.item_rows import read_rows
from cmsmig.ledger.items import recover
from cmsmig.ledger.rows import DELETED_THERE, GoneItem, GoneState, ItemRow
from cmsmig.ledger.tables import ITEM, ITEM_KEY, ITS_LOSSES, ITS_STORY, OF_ITEM

UNPUBLISH: Final = "unpublish_gone"
DELETE: Final = "delete_gone"
INTENTS: Final = (UNPUBLISH, DELETE)
"""Kinds of what is intended with such stories."""
_OPEN = (GoneState.TO_UNPUBLISH, GoneState.TO_DELETE)


class GoneItems:
    """Every method commits before it returns."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def rows(self) -> tuple[ItemRow, ...]:
        """Return the rows of what is gone at the origin. Reads only."""
        return read_rows(self._store, "WHERE gone <> ''")

    def mark(
        self, gone: Mapping[ItemKey, GoneItem], restored: Iterable[ItemKey] = ()
    ) -> None:
        """Write which items are gone at the origin and what to do with their stories,
        and which stories were `restored`: editors took them out of the trash, and keep
        them.

        The story records are kept. Such an item counts as skipped where the origin
        still has it, and not at all where it was deleted there.
        """
        marks = chain.from_iterable(_mark(*each) for each in gone.items())
        edits = {"kept_edits": 1, "unpublished_edits": 1}
        kept = (ITS_STORY.change(key, **edits) for key in restored)
        self._store.commit(chain(marks, kept), durable=True)

    def reinstate(self, keys: Iterable[ItemKey]) -> None:
        """Write that the origin has items again, and that their stories stay theirs."""
        self._store.commit(chain.from_iterable(map(_reinstate, keys)))

    def forget(self, keys: Iterable[ItemKey]) -> None:
        """Forget items that never had a story, or have none any more."""
        self._store.commit(chain.from_iterable(map(_forget, keys)))

    def settle(
        self, key: ItemKey, state: GoneState, intent: str, *, updated_at: str = ""
    ) -> None:
        """Write what became of a story and close the intent of kind `intent`.

        `updated_at` is what the destination says of it since.
        """
        statements = [ITEM.change(key, gone=state, gone_note=""), *_hide(key)]
        if updated_at:
            statements.append(ITS_STORY.change(key, destination_updated_at=updated_at))
        self._store.commit([*statements, close_intent(intent, key, "done")])

    def keep(self, key: ItemKey, note: str, intent: str) -> None:
        """Write why a story is kept although something else was decided."""
        kept = ITEM.change(key, gone=GoneState.KEPT, gone_note=note)
        self._store.commit([kept, close_intent(intent, key, "refused")])

    def doubt(self, key: ItemKey, note: str) -> None:
        """Write that it is unknown whether a story was removed: the next run
        looks."""
        self._store.commit([ITEM.change(key, gone_note=note)])

    def keep_addresses(self, paths: Iterable[tuple[ItemKey, str]]) -> None:
        """Write the addresses that items have at the origin now, and keep those that
        they had before."""
        with self._store.atomic() as db:
            for key, path in paths:
                db.execute(
                    f"""INSERT OR IGNORE INTO earlier_path
                        SELECT {ITEM_KEY}, ltrim(old_path, '/')
                        FROM item WHERE {OF_ITEM} AND old_path NOT IN ('', ?)""",
                    (*key, path),
                )
                db.execute(
                    f"UPDATE item SET old_path = ? WHERE {OF_ITEM} AND old_path <> ?",
                    (path, *key, path),
                )


def _mark(key: ItemKey, gone: GoneItem) -> Iterator[Statement]:
    yield ITEM.change(
        key,
        gone=gone.state,
        gone_reason=gone.reason,
        gone_sentence=gone.sentence,
        gone_note=gone.note,
        status="skipped",
        reason="gone_at_origin" if gone.reason == DELETED_THERE else gone.reason,
        explanation=gone.sentence,
    )
    if gone.state not in _OPEN:
        yield from (close_intent(intent, key, gone.state) for intent in INTENTS)
    if gone.state is GoneState.DELETED:
        # A killed run deleted it, and did not record that.
        yield from _hide(key)


def _reinstate(key: ItemKey) -> Iterator[Statement]:
    yield ITEM.change(key, gone="", gone_reason="", gone_sentence="", gone_note="")
    yield recover(key)
    yield from (close_intent(intent, key, "not_needed") for intent in INTENTS)


def _forget(key: ItemKey) -> Iterator[Statement]:
    yield ITS_LOSSES.delete(key)
    yield f"DELETE FROM item WHERE {OF_ITEM} AND record_id IS NULL", key
    yield from (close_intent(intent, key, "gone") for intent in INTENTS)


def _hide(key: ItemKey) -> Iterator[Statement]:
    """Write that visitors see nothing of an item's story."""
    yield ITEM.change(key, published="")
    yield ITS_STORY.change(key, left_public=0)
