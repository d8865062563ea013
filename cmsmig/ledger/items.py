"""Items and their story records: one row per item and locale."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from cmsmig.item_key import ItemKey
from cmsmig.ledger.bodies import pack_story, unpack_story
from cmsmig.ledger.connection import Store, now
from cmsmig.ledger.intents import close_intent
from cmsmig.ledger.item_rows import ItemRows, KnownItem
from cmsmig.ledger.item_states import leave, recover, set_link_state
from cmsmig.ledger.rows import (
    GONE,
    LEFT_OUT,
    Accounting,
    ItemRow,
    StoryRecord,
    WrittenStory,
)


class Items:
    """Every method commits before it returns."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rows = ItemRows(store)

    def select(self, rows: Iterable[ItemRow], *, whole: bool = True) -> None:
        """Write what an import is about to handle.

        An item that already has a home keeps its status; others take the status
        given (`selected`, `skipped` or `failed`). Rows that are in the ledger
        and not in `rows` become skipped when they have no story record; they stay as
        they are when `rows` are not the whole. `rows` may be made while they are
        written; nothing of the ledger may be asked for that.
        """
        at = now()
        with self._store.atomic() as db:
            if whole:
                db.execute(
                    """UPDATE item SET status = 'skipped', reason = 'not_selected',
                       explanation = 'It is no longer part of the import.'
                       WHERE home_id IS NULL"""
                )
            db.executemany(
                """INSERT INTO item (collection_id, item_id, locale_id, name,
                       full_slug, origin_hash, status, reason, explanation, changed_at)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                   ON CONFLICT DO UPDATE SET name = excluded.name,
                       full_slug = excluded.full_slug, status = excluded.status,
                       reason = excluded.reason, explanation = excluded.explanation
                   WHERE home_id IS NULL""",
                (
                    (
                        *_key(row.key),
                        row.name,
                        row.full_slug,
                        row.origin_hash,
                        row.status,
                        row.reason,
                        row.explanation,
                        at,
                    )
                    for row in rows
                ),
            )

    def housed(
        self,
        key: ItemKey,
        home: StoryRecord,
        origin_hash: str,
        intent: str,
        written: WrittenStory | None = None,
    ) -> None:
        """Write an item's story record and close the intent of kind `intent`."""
        with self._store.atomic() as db:
            _save_home(db, home, written)
            db.execute(
                """UPDATE item SET status = ?, reason = '', explanation = '',
                       origin_hash = ?, full_slug = ?, changed_at = ?,
                       home_id = (SELECT id FROM home WHERE story_id = ?)
                   WHERE (collection_id, item_id, locale_id) = (?, ?, ?)""",
                (
                    "created" if home.made else "reused",
                    origin_hash,
                    home.full_slug,
                    now(),
                    home.story_id,
                    *_key(key),
                ),
            )
            close_intent(db, intent, str(key), "done")

    def written(
        self,
        key: ItemKey,
        home: StoryRecord,
        link_state: str,
        origin_hash: str,
        written: WrittenStory | None = None,
        *,
        still_public: bool = False,
    ) -> None:
        """Write the result of an update of an item's story.

        What of it was published is older now, so it counts as not published, but
        where visitors are to see another version (`still_public`); what had failed
        before has not any more.
        """
        with self._store.atomic() as db:
            _keep_path(db, key, home)
            _save_home(db, home, written)
            recover(db, key)
            db.execute(
                """UPDATE item SET published = iif(?, published, ''), link_state = ?,
                       full_slug = ?, origin_hash = ?, changed_at = ?
                   WHERE (collection_id, item_id, locale_id) = (?, ?, ?)""",
                (
                    still_public,
                    link_state,
                    home.full_slug,
                    origin_hash,
                    now(),
                    *_key(key),
                ),
            )
            close_intent(db, "update", str(key), "done")

    def compared(
        self,
        key: ItemKey,
        home: StoryRecord,
        link_state: str,
        origin_hash: str,
        written: WrittenStory,
    ) -> None:
        """Write that a story needs no update as it stands: nothing was sent."""
        with self._store.atomic() as db:
            _save_home(db, home, written)
            recover(db, key)
            db.execute(
                """UPDATE item SET link_state = ?, origin_hash = ?, changed_at = ?
                   WHERE (collection_id, item_id, locale_id) = (?, ?, ?)""",
                (link_state, origin_hash, now(), *_key(key)),
            )
            close_intent(db, "update", str(key), "not_needed")

    def last_written(self, story_id: int) -> WrittenStory | None:
        """Return what was last written of a story, if it is known. Reads only."""
        row = self._store.one(
            "SELECT body FROM written WHERE story_id = ?", (story_id,)
        )
        return None if row is None else unpack_story(row["body"])

    def moved(self, paths: Mapping[ItemKey, str]) -> None:
        """Write where stories stand that somebody moved, or a folder above them."""
        with self._store.atomic() as db:
            db.executemany(
                """UPDATE home SET full_slug = ? WHERE id = (SELECT home_id FROM item
                   WHERE (collection_id, item_id, locale_id) = (?, ?, ?))""",
                [(path, *_key(key)) for key, path in paths.items()],
            )

    def earlier_paths(self) -> dict[ItemKey, tuple[str, ...]]:
        """Return the paths that stories had before this ledger moved them, by item.
        Reads only."""
        found: dict[ItemKey, tuple[str, ...]] = {}
        for row in self._store.all("SELECT * FROM earlier_path"):
            key = ItemKey(row["collection_id"], row["item_id"], row["locale_id"])
            found[key] = (*found.get(key, ()), row["full_slug"])
        return found

    def set_link_state(self, key: ItemKey, link_state: str) -> None:
        """Write that an item needs no update, or waits for a target."""
        with self._store.atomic() as db:
            set_link_state(db, key, link_state)

    def failed(
        self, key: ItemKey, reason: str, explanation: str, intent: str = ""
    ) -> None:
        """Write why an item failed; the record of a story that exists is kept."""
        with self._store.atomic() as db:
            _end(db, "failed", reason, {key: explanation})
            if intent:
                close_intent(db, intent, str(key), "refused")

    def recovered(self, key: ItemKey) -> None:
        """Write that an item with a story, which had failed, is being retried."""
        with self._store.atomic() as db:
            recover(db, key)

    def gone(self, explanations: Mapping[ItemKey, str]) -> None:
        """Write that items' stories are no longer there; the story records are kept."""
        with self._store.atomic() as db:
            _end(db, "failed", GONE, explanations)

    def left_out(self, keys: Iterable[ItemKey]) -> None:
        """Write that items' stories are gone and were decided to stay away."""
        why = "Its story was deleted at the destination; it stays away, as was decided."
        with self._store.atomic() as db:
            _end(db, "skipped", LEFT_OUT, dict.fromkeys(keys, why))

    def release(self, keys: Iterable[ItemKey]) -> None:
        """Forget the stories of items, all at once: they are to be made again.

        Whatever was intended with these stories is over.
        """
        with self._store.atomic(durable=True) as db:
            for key in keys:
                _release(db, key)

    def published(
        self,
        key: ItemKey,
        home: StoryRecord,
        at: str,
        written: WrittenStory | None = None,
    ) -> None:
        """Write when an item's story was published; an empty `at`: not yet."""
        with self._store.atomic() as db:
            _save_home(db, home, written)
            db.execute(
                """UPDATE item SET published = ?
                   WHERE (collection_id, item_id, locale_id) = (?, ?, ?)""",
                (at, *_key(key)),
            )
            for intent in ("publish", "show"):
                close_intent(db, intent, str(key), "done")

    def unpublished(self, key: ItemKey, home: StoryRecord) -> None:
        """Write that an item's story was taken from visitors."""
        with self._store.atomic() as db:
            _save_home(db, home)
            db.execute(
                """UPDATE item SET published = ''
                   WHERE (collection_id, item_id, locale_id) = (?, ?, ?)""",
                _key(key),
            )
            close_intent(db, "unpublish", str(key), "done")

    def all(self) -> Mapping[ItemKey, ItemRow]:
        """Return every item's row. Reads only, and only what may have changed."""
        return self._rows.all()

    def recognise(self, items: Mapping[ItemKey, KnownItem]) -> None:
        """Let the rows of these items share the texts that are in memory already."""
        self._rows.recognise(items)

    def as_read_by(self, other: Items) -> None:
        """Share with another ledger what it has read: rows that are equal."""
        self._rows = other._rows.over(self._store)

    def accounting(self) -> Accounting:
        """Return the accounting over all items. Reads only."""
        row = self._store.one("SELECT * FROM accounting")
        return Accounting(*(int(value) for value in tuple(row or (0,) * 10)))


def _end(
    db: sqlite3.Connection,
    status: str,
    reason: str,
    explanations: Mapping[ItemKey, str],
) -> None:
    """Write that items failed or are left out, and why."""
    at = now()
    db.executemany(
        """UPDATE item SET status = ?, reason = ?, explanation = ?, changed_at = ?
           WHERE (collection_id, item_id, locale_id) = (?, ?, ?)""",
        [(status, reason, text, at, *_key(key)) for key, text in explanations.items()],
    )


def _save_home(
    db: sqlite3.Connection, home: StoryRecord, written: WrittenStory | None = None
) -> None:
    db.execute(
        """INSERT INTO home (story_id, uuid, full_slug, made, content_hash,
               destination_updated_at, group_id, record_hash, kept_edits,
               left_public, public_record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (story_id) DO UPDATE SET uuid = excluded.uuid,
               full_slug = excluded.full_slug, content_hash = excluded.content_hash,
               destination_updated_at = excluded.destination_updated_at,
               group_id = excluded.group_id, record_hash = excluded.record_hash,
               kept_edits = excluded.kept_edits, left_public = excluded.left_public,
               public_record = excluded.public_record""",
        (
            home.story_id,
            home.uuid,
            home.full_slug,
            home.made,
            home.content_hash,
            home.updated_at,
            home.group_id,
            home.record_hash,
            home.kept_edits,
            home.left_public,
            home.public_record,
        ),
    )
    if written is not None:
        db.execute(
            "INSERT OR REPLACE INTO written (story_id, body) VALUES (?, ?)",
            (home.story_id, pack_story(written)),
        )


def _keep_path(db: sqlite3.Connection, key: ItemKey, home: StoryRecord) -> None:
    """Keep the path that a story had, where it has another one from now on."""
    db.execute(
        """INSERT OR IGNORE INTO earlier_path
           SELECT ?, ?, ?, full_slug FROM home WHERE story_id = ? AND full_slug <> ?""",
        (*_key(key), home.story_id, home.full_slug),
    )


def _release(db: sqlite3.Connection, key: ItemKey) -> None:
    found = db.execute(
        """SELECT home_id FROM item
           WHERE (collection_id, item_id, locale_id) = (?, ?, ?)""",
        _key(key),
    ).fetchone()
    db.execute(
        """UPDATE item SET status = 'selected', reason = '', explanation = '',
               link_state = 'open', published = '', home_id = NULL, gone = '',
               gone_note = '', changed_at = ?
           WHERE (collection_id, item_id, locale_id) = (?, ?, ?)""",
        (now(), *_key(key)),
    )
    leave(db, key)
    # Several items may live in one story, a language each.
    db.execute(
        """DELETE FROM home WHERE id = ?
           AND NOT EXISTS (SELECT 1 FROM item WHERE home_id = home.id)""",
        tuple(found or (None,)),
    )
    for intent in ("update", "publish", "show"):
        close_intent(db, intent, str(key), "gone")


def _key(key: ItemKey) -> tuple[str, str, str]:
    return (key.collection_id, key.item_id, key.locale_id)
