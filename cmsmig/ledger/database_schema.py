"""The ledger's schema: its tables, indexes and documented views, and its number.

There is one. A ledger of another number is not read.
"""

from __future__ import annotations

import sqlite3

NUMBER = 2
"""Kept as the file's `user_version`."""


def foreign(db: sqlite3.Connection) -> bool:
    """Return whether the file holds tables of something else. Reads only."""
    tables = {
        name
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    return bool(tables) and "intent" not in tables


def altered(db: sqlite3.Connection) -> str:
    """Return the name of a view, trigger or virtual table that is not ours, or empty.

    A view may never end, and a trigger runs with each write. Reads only.
    """
    ours = {" ".join(each.split()) for each in _VIEWS}
    for name, text in db.execute(
        "SELECT name, sql FROM sqlite_master WHERE type IN ('view', 'trigger') "
        "OR sql LIKE 'CREATE VIRTUAL%'"
    ):
        if " ".join(str(text).split()) not in ours:
            return str(name)
    return ""


def number_of(db: sqlite3.Connection) -> int | None:
    """Return the number of the schema; None for an empty file. Reads only."""
    if db.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
        return None
    (number,) = db.execute("PRAGMA user_version").fetchone()
    return int(number)


def create(db: sqlite3.Connection) -> None:
    """Create everything, and write the number. Within a transaction of the caller."""
    for statement in (*_TABLES, *_VIEWS):
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {NUMBER}")


_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    """CREATE TABLE run (
        id INTEGER PRIMARY KEY,
        command TEXT NOT NULL,
        plan_hash TEXT NOT NULL DEFAULT '',
        started_at TEXT NOT NULL,
        ended_at TEXT,
        outcome TEXT
    ) STRICT""",
    """CREATE TABLE plan (
        hash TEXT PRIMARY KEY, made_at TEXT NOT NULL, body TEXT NOT NULL
    ) STRICT""",
    # A story record; several items may share one, a language each.
    """CREATE TABLE story_record (
        id INTEGER PRIMARY KEY,
        story_id INTEGER NOT NULL UNIQUE,
        uuid TEXT NOT NULL UNIQUE,
        full_slug TEXT NOT NULL,
        made INTEGER NOT NULL,
        destination_updated_at TEXT NOT NULL,
        -- The group that it shares with the same item in other languages.
        group_id TEXT NOT NULL DEFAULT '',
        record_hash TEXT NOT NULL DEFAULT '',
        -- Whether it holds edits of other people that an update left as they were.
        kept_edits INTEGER NOT NULL DEFAULT 0,
        -- Whether visitors do not have those edits.
        unpublished_edits INTEGER NOT NULL DEFAULT 0,
        -- Whether we ever published it: one that is not any more was unpublished there.
        left_public INTEGER NOT NULL DEFAULT 0,
        -- What visitors were given of it.
        public_record TEXT NOT NULL DEFAULT '',
        -- Its slugs in other languages, as they were seen last in the space.
        slugs TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    """CREATE TABLE item (
        collection_id TEXT NOT NULL,
        item_id TEXT NOT NULL,
        locale_id TEXT NOT NULL,
        name TEXT NOT NULL,
        full_slug TEXT NOT NULL DEFAULT '',
        origin_hash TEXT NOT NULL DEFAULT '',
        status TEXT NOT NULL
            CHECK (status IN ('selected', 'created', 'reused', 'skipped', 'failed')),
        reason TEXT NOT NULL DEFAULT '',
        explanation TEXT NOT NULL DEFAULT '',
        link_state TEXT NOT NULL DEFAULT 'open'
            CHECK (link_state IN ('open', 'nothing', 'pending', 'linked')),
        published TEXT NOT NULL DEFAULT '',
        record_id INTEGER REFERENCES story_record (id),
        language TEXT NOT NULL DEFAULT '',
        changed_at TEXT NOT NULL,
        -- What is gone at the origin: what became of its story, why, and the address
        -- that it had. It is counted apart from what the origin has now.
        gone TEXT NOT NULL DEFAULT '',
        gone_reason TEXT NOT NULL DEFAULT '',
        gone_sentence TEXT NOT NULL DEFAULT '',
        gone_note TEXT NOT NULL DEFAULT '',
        old_path TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (collection_id, item_id, locale_id)
    ) STRICT, WITHOUT ROWID""",
    # Without it, each deletion of a story record reads every item.
    "CREATE INDEX item_of_record ON item (record_id)",
    # What was last written of each story, field by field.
    """CREATE TABLE written (
        story_id INTEGER PRIMARY KEY
            REFERENCES story_record (story_id) ON DELETE CASCADE,
        body BLOB NOT NULL
    ) STRICT""",
    """CREATE TABLE earlier_path (
        collection_id TEXT NOT NULL,
        item_id TEXT NOT NULL,
        locale_id TEXT NOT NULL,
        full_slug TEXT NOT NULL,
        PRIMARY KEY (collection_id, item_id, locale_id, full_slug)
    ) STRICT, WITHOUT ROWID""",
    # What the record of each asset got from us is its body.
    """CREATE TABLE asset (
        sha256 TEXT PRIMARY KEY,
        ext_id TEXT NOT NULL,
        name TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('signed', 'proven', 'failed')),
        reason TEXT NOT NULL DEFAULT '',
        explanation TEXT NOT NULL DEFAULT '',
        asset_id INTEGER,
        content_url TEXT NOT NULL DEFAULT '',
        changed_at TEXT NOT NULL,
        body TEXT NOT NULL DEFAULT ''
    ) STRICT, WITHOUT ROWID""",
    # Components, folders, asset folders, datasources and their entries, with what was
    # last written of each.
    """CREATE TABLE made (
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        destination_id INTEGER NOT NULL,
        uuid TEXT NOT NULL DEFAULT '',
        made INTEGER NOT NULL,
        changed_at TEXT NOT NULL,
        body TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID""",
    # What was about to be asked of the destination.
    """CREATE TABLE intent (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        request_hash TEXT NOT NULL,
        run_id INTEGER,
        made_at TEXT NOT NULL,
        outcome TEXT,
        ended_at TEXT,
        body TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    """CREATE UNIQUE INDEX one_open_intent ON intent (kind, subject)
       WHERE outcome IS NULL""",
    """CREATE TABLE loss (
        collection_id TEXT NOT NULL,
        item_id TEXT NOT NULL,
        locale_id TEXT NOT NULL,
        ordinal INTEGER NOT NULL,
        field TEXT NOT NULL,
        kind TEXT NOT NULL,
        what TEXT NOT NULL,
        place TEXT NOT NULL,
        context TEXT NOT NULL,
        why TEXT NOT NULL,
        severity TEXT NOT NULL,
        PRIMARY KEY (collection_id, item_id, locale_id, ordinal)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE message (
        id INTEGER PRIMARY KEY,
        run_id INTEGER,
        at TEXT NOT NULL,
        subject TEXT NOT NULL,
        code TEXT NOT NULL,
        text TEXT NOT NULL
    ) STRICT""",
)

_VIEWS = (
    # One row: in = created + reused + skipped + failed (+ open before a run ends),
    # over the items that the origin has now; and, apart, what is gone there.
    """CREATE VIEW accounting AS SELECT
        count(*) FILTER (WHERE gone_reason <> 'deleted') AS items,
        count(*) FILTER (WHERE status = 'created') AS created,
        count(*) FILTER (WHERE status = 'reused') AS reused,
        count(*) FILTER (WHERE status = 'skipped' AND gone_reason <> 'deleted')
            AS skipped,
        count(*) FILTER (WHERE status = 'failed') AS failed,
        count(*) FILTER (WHERE status = 'selected') AS open,
        count(*) FILTER (WHERE gone IN ('kept', 'to_unpublish', 'to_delete'))
            AS gone_kept,
        count(*) FILTER (WHERE gone = 'unpublished') AS gone_unpublished,
        count(*) FILTER (WHERE gone = 'deleted') AS gone_deleted,
        count(*) FILTER (WHERE gone = 'undecided') AS gone_undecided
    FROM item""",
    # One row per item and locale, with the story it lives in.
    """CREATE VIEW items AS SELECT
        item.collection_id, item.item_id, item.locale_id, item.name,
        item.full_slug, item.status, item.reason, item.explanation,
        item.link_state, item.published, item.language,
        story_record.story_id, story_record.uuid, story_record.record_hash,
        item.gone, item.gone_reason, item.gone_note
    FROM item LEFT JOIN story_record ON story_record.id = item.record_id""",
    # How many items ended in which state and why.
    """CREATE VIEW reasons AS SELECT
        status, reason, count(*) AS items FROM item
        WHERE gone_reason <> 'deleted' GROUP BY status, reason""",
    # How many of what was lost, and how bad.
    """CREATE VIEW losses_by_kind AS SELECT
        kind, severity, count(*) AS losses,
        count(DISTINCT collection_id || '/' || item_id || '@' || locale_id) AS items
    FROM loss GROUP BY kind, severity""",
)
