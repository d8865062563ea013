"""Items and their story records: one row per item and locale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import Statement, now
from cmsmig.ledger.intents import close_intent
from cmsmig.ledger.item_rows import ItemRows
from cmsmig.ledger.rows import (
    DELETED_THERE,
    GONE,
    LEFT_OUT,
    STAYS_AWAY,
    Accounting,
    ItemRow,
    StoryRecord,
    WrittenStory,
)
from cmsmig.ledger.stored_bodies import body_holds, pack_story, unpack_story
from cmsmig.ledger.tables import ITEM, ITEM_KEY, ITS_STORY, OF_ITEM, STORIES

_NO_PATHS: Final[Mapping[ItemKey, str]] = {}
_KEEP_PATH = "INSERT OR IGNORE INTO earlier_path VALUES (?, ?, ?, ?)"


class Items(ItemRows):
    """Every method commits before it returns."""

    def select(self, rows: Iterable[ItemRow], *, whole: bool = True) -> None:
        """Write what an import is about to handle.

        An item that already has a story keeps its status; others take the status
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
                       WHERE record_id IS NULL"""
                )
            db.executemany(
                f"""INSERT INTO item ({ITEM_KEY}, name, full_slug, origin_hash, status,
                       reason, explanation, changed_at)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                   ON CONFLICT DO UPDATE SET name = excluded.name,
                       full_slug = excluded.full_slug, status = excluded.status,
                       reason = excluded.reason, explanation = excluded.explanation
                   WHERE record_id IS NULL""",
                (
                    (
                        *row.key,
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

    def placed(
        self,
        key: ItemKey,
        story_record: StoryRecord,
        origin_hash: str,
        intent: str,
        written: WrittenStory | None = None,
    ) -> None:
        """Write an item's story record and close the intent of kind `intent`."""
        enter = f"""UPDATE item SET status = ?, reason = '', explanation = '',
                        origin_hash = ?, full_slug = ?, changed_at = ?,
                        record_id = (SELECT id FROM story_record WHERE story_id = ?)
                    WHERE {OF_ITEM}"""
        status = "created" if story_record.made else "reused"
        values = (
            status,
            origin_hash,
            story_record.full_slug,
            now(),
            story_record.story_id,
            *key,
        )
        self._store.commit(
            [
                *_save_story(story_record, written),
                (enter, values),
                close_intent(intent, key, "done"),
            ]
        )

    def written(
        self,
        key: ItemKey,
        story_record: StoryRecord,
        link_state: str,
        origin_hash: str,
        written: WrittenStory | None = None,
        *,
        still_public: bool = False,
        left: Mapping[ItemKey, str] = _NO_PATHS,
    ) -> None:
        """Write the result of an update of an item's story.

        What of it was published is older now, so it counts as not published, but
        where visitors are to see another version (`still_public`); what had failed
        before has not any more. `left` are the paths that its pages in other languages
        had before.
        """
        keep_path = """INSERT OR IGNORE INTO earlier_path SELECT ?, ?, ?, full_slug
                       FROM story_record WHERE story_id = ? AND full_slug <> ?"""
        hidden = {} if still_public else {"published": ""}
        self._store.commit(
            [
                (keep_path, (*key, story_record.story_id, story_record.full_slug)),
                *((_KEEP_PATH, (*each, path)) for each, path in left.items()),
                *_save_story(story_record, written),
                recover(key),
                ITEM.change(
                    key,
                    link_state=link_state,
                    full_slug=story_record.full_slug,
                    origin_hash=origin_hash,
                    **hidden,
                ),
                close_intent("update", key, "done"),
            ]
        )

    def compared(
        self,
        key: ItemKey,
        story_record: StoryRecord,
        link_state: str,
        origin_hash: str,
        written: WrittenStory,
    ) -> None:
        """Write that a story needs no update as it is: nothing was sent."""
        self._store.commit(
            [
                *_save_story(story_record, written),
                recover(key),
                ITEM.change(key, link_state=link_state, origin_hash=origin_hash),
                close_intent("update", key, "not_needed"),
            ]
        )

    def last_written(self, story_id: int) -> WrittenStory | None:
        """Return what was last written of a story, if it is known. Reads only."""
        query = "SELECT body FROM written WHERE story_id = ?"
        row = self._store.one(query, (story_id,))
        return None if row is None else unpack_story(row["body"])

    def written_with(self, words: Iterable[str]) -> Iterator[tuple[int, WrittenStory]]:
        """Yield what was last written of each story that holds one of these words,
        which are in lower case and ASCII, by the story's id. Reads only."""
        wanted = [each.encode() for each in words]
        for story_id, body in self._store.each("SELECT story_id, body FROM written"):
            if body_holds(body, wanted):
                yield story_id, unpack_story(body)

    def moved(
        self, paths: Mapping[ItemKey, str], slugs: Mapping[ItemKey, str] = _NO_PATHS
    ) -> None:
        """Write the paths of stories that an editor moved, or a folder above them, and
        the `slugs` that stories have in other languages."""
        self._store.commit(
            [
                *(ITS_STORY.change(key, full_slug=path) for key, path in paths.items()),
                *(ITS_STORY.change(key, slugs=each) for key, each in slugs.items()),
            ]
        )

    def earlier_paths(self) -> dict[ItemKey, tuple[str, ...]]:
        """Return the paths that stories had before this ledger moved them, by item.
        Reads only."""
        found: dict[ItemKey, tuple[str, ...]] = {}
        query = f"SELECT full_slug, {ITEM_KEY} FROM earlier_path"
        for path, *parts in self._store.each(query):
            key = ItemKey(*parts)
            found[key] = (*found.get(key, ()), path)
        return found

    def set_link_state(self, key: ItemKey, link_state: str) -> None:
        """Write that an item needs no update, or waits for a target."""
        self._store.commit([ITEM.change(key, link_state=link_state)])

    def failed(
        self, key: ItemKey, reason: str, explanation: str, intent: str = ""
    ) -> None:
        """Write why an item failed; the record of a story that exists is kept."""
        failed = _end(key, "failed", reason, explanation)
        self._store.commit([failed, close_intent(intent, key, "refused")])

    def recovered(self, key: ItemKey) -> None:
        """Write that an item with a story, which had failed, is being retried."""
        self._store.commit([recover(key)])

    def gone(self, explanations: Mapping[ItemKey, str]) -> None:
        """Write that items' stories are no longer there; the story records are kept."""
        self._store.commit(
            _end(key, "failed", GONE, text) for key, text in explanations.items()
        )

    def left_out(self, keys: Iterable[ItemKey]) -> None:
        """Write that items' stories are gone and were decided to stay away."""
        self._store.commit(_end(key, "skipped", LEFT_OUT, STAYS_AWAY) for key in keys)

    def release(
        self, keys: Iterable[ItemKey], left: Iterable[tuple[ItemKey, str]] = ()
    ) -> None:
        """Forget the stories of items, all at once: they are to be made again.

        Whatever was intended with these stories is over. Their paths are kept, and
        `left`, the paths of their pages in other languages.
        """
        story_records = [
            (key, self._store.one(*ITS_STORY.find(key, "id"))) for key in keys
        ]
        paths = [(_KEEP_PATH, (*key, path)) for key, path in left]
        statements = chain.from_iterable(_release(*each) for each in story_records)
        self._store.commit([*paths, *statements], durable=True)

    def published(
        self,
        key: ItemKey,
        story_record: StoryRecord,
        at: str,
        written: WrittenStory | None = None,
    ) -> None:
        """Write when an item's story was published; an empty `at`: not yet."""
        self._store.commit(
            [
                *_save_story(story_record, written),
                ITEM.change(key, published=at),
                close_intent("publish", key, "done"),
                close_intent("show", key, "done"),
            ]
        )

    def unpublished(self, key: ItemKey, story_record: StoryRecord) -> None:
        """Write that an item's story was taken from visitors."""
        self._store.commit(
            [
                *_save_story(story_record),
                ITEM.change(key, published=""),
                close_intent("unpublish", key, "done"),
            ]
        )

    def accounting(self) -> Accounting:
        """Return the accounting over all items. Reads only."""
        row = self._store.one("SELECT * FROM accounting")
        return Accounting(*(row or (0,) * 6))


def _end(key: ItemKey, status: str, reason: str, explanation: str) -> Statement:
    """Write that an item failed or is left out, and why."""
    return ITEM.change(key, status=status, reason=reason, explanation=explanation)


def recover(key: ItemKey) -> Statement:
    """Return what gives an item with a story the status that it has without a
    failure."""
    update = f"""UPDATE item SET reason = '', explanation = '', status =
                     (SELECT iif(made, 'created', 'reused') FROM story_record
                      WHERE id = record_id)
                 WHERE {OF_ITEM} AND record_id IS NOT NULL"""
    return update, key


def _save_story(
    story_record: StoryRecord, written: WrittenStory | None = None
) -> Iterator[Statement]:
    yield STORIES.put(story_record)
    if written is not None:
        insert = "INSERT OR REPLACE INTO written (story_id, body) VALUES (?, ?)"
        yield insert, (story_record.story_id, pack_story(written))


def _release(key: ItemKey, found: Sequence[object] | None) -> Iterator[Statement]:
    """Forget the story record of an item, and the item too where the origin does not
    have it; `found` is the row with the id of the record."""
    record = tuple(found or (None,))
    keep_path = """INSERT OR IGNORE INTO earlier_path
                   SELECT ?, ?, ?, full_slug FROM story_record WHERE id = ?"""
    yield keep_path, (*key, *record)
    yield ITEM.change(
        key,
        status="selected",
        reason="",
        explanation="",
        link_state="open",
        published="",
        record_id=None,
        gone="",
        gone_note="",
    )
    yield f"DELETE FROM item WHERE {OF_ITEM} AND gone_reason = ?", (*key, DELETED_THERE)
    yield ITEM.change(key, gone_reason="", gone_sentence="")
    # Several items may live in one story, a language each.
    orphan = (
        "id = ? AND NOT EXISTS (SELECT 1 FROM item WHERE record_id = story_record.id)"
    )
    yield f"DELETE FROM story_record WHERE {orphan}", record
    yield from (
        close_intent(each, key, "gone") for each in ("update", "publish", "show")
    )
