"""The ledger's schema, as numbered functions that never change once released.

Each runs in one transaction with its own bookkeeping row, so a killed upgrade
leaves the ledger at a whole version. Read top to bottom for the whole history.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmsmig.ledger.connection import Store

Migration = Callable[[sqlite3.Connection], None]


def m001_rows(db: sqlite3.Connection) -> None:
    """Items and their stories, everything else that was made, runs and plans."""
    for statement in _ROWS:
        db.execute(statement)


def m002_intents(db: sqlite3.Connection) -> None:
    """Write-ahead intents: what was about to be asked of the destination."""
    db.execute(
        """CREATE TABLE intent (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            subject TEXT NOT NULL,
            request_hash TEXT NOT NULL,
            run_id INTEGER,
            made_at TEXT NOT NULL,
            outcome TEXT,
            ended_at TEXT
        ) STRICT"""
    )
    db.execute(
        """CREATE UNIQUE INDEX one_open_intent ON intent (kind, subject)
           WHERE outcome IS NULL"""
    )


def m003_views(db: sqlite3.Connection) -> None:
    """Documented views: the ledger as tables for pandas and plain SQL."""
    for statement in _VIEWS:
        db.execute(statement)


def m004_last_written(db: sqlite3.Connection) -> None:
    """What was last written, or is about to be: as content, for comparing by field."""
    db.execute("ALTER TABLE made ADD COLUMN body TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE intent ADD COLUMN body TEXT NOT NULL DEFAULT ''")
    # The group that a story shares with the same item in other languages.
    db.execute("ALTER TABLE home ADD COLUMN group_id TEXT NOT NULL DEFAULT ''")


def m005_written_stories(db: sqlite3.Connection) -> None:
    """What was last written of each story, field by field, and its earlier paths."""
    db.execute("ALTER TABLE home ADD COLUMN record_hash TEXT NOT NULL DEFAULT ''")
    # Whether it holds edits of other people that an update left as they were.
    db.execute("ALTER TABLE home ADD COLUMN kept_edits INTEGER NOT NULL DEFAULT 0")
    # Whether we ever published it: one that is not any more was unpublished there.
    db.execute("ALTER TABLE home ADD COLUMN left_public INTEGER NOT NULL DEFAULT 0")
    db.execute(
        """CREATE TABLE written (
            story_id INTEGER PRIMARY KEY
                REFERENCES home (story_id) ON DELETE CASCADE,
            body BLOB NOT NULL
        ) STRICT"""
    )
    db.execute(
        """CREATE TABLE earlier_path (
            collection_id TEXT NOT NULL,
            item_id TEXT NOT NULL,
            locale_id TEXT NOT NULL,
            full_slug TEXT NOT NULL,
            PRIMARY KEY (collection_id, item_id, locale_id, full_slug)
        ) STRICT, WITHOUT ROWID"""
    )


def m006_written_assets(db: sqlite3.Connection) -> None:
    """What the record of each asset got from us, for comparing."""
    db.execute("ALTER TABLE asset ADD COLUMN body TEXT NOT NULL DEFAULT ''")


def m007_gone_items(db: sqlite3.Connection) -> None:
    """What is gone at the origin: its reason, what became of its story, and the
    address that it had. It is counted apart from what the origin has now."""
    for column in ("gone", "gone_reason", "gone_sentence", "gone_note", "old_path"):
        db.execute(f"ALTER TABLE item ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
    for view in ("accounting", "items", "reasons"):
        db.execute(f"DROP VIEW {view}")
    for statement in _VIEWS_WITH_GONE:
        db.execute(statement)


def m008_public_versions(db: sqlite3.Connection) -> None:
    """What visitors were given of each story, distinguished from what editors see."""
    db.execute("ALTER TABLE home ADD COLUMN public_record TEXT NOT NULL DEFAULT ''")


def m009_items_of_a_story(db: sqlite3.Connection) -> None:
    """An index on the story of an item: without it, each deletion of a story record
    reads every item."""
    db.execute("CREATE INDEX item_of_home ON item (home_id)")


def m010_language_slugs(db: sqlite3.Connection) -> None:
    """The slugs of a story in other languages, as they were seen last in the space."""
    db.execute("ALTER TABLE home ADD COLUMN slugs TEXT NOT NULL DEFAULT ''")


MIGRATIONS: tuple[Migration, ...] = (
    m001_rows,
    m002_intents,
    m003_views,
    m004_last_written,
    m005_written_stories,
    m006_written_assets,
    m007_gone_items,
    m008_public_versions,
    m009_items_of_a_story,
    m010_language_slugs,
)
LATEST = len(MIGRATIONS)


def version(store: Store) -> int:
    """Return the number of the newest migration that ran. Reads only."""
    table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'"
    if store.one(table) is None:
        return 0
    row = store.one("SELECT max(number) FROM migration")
    return int(row[0] or 0) if row else 0


def foreign(db: sqlite3.Connection) -> bool:
    """Return whether the file holds tables of something else. Reads only."""
    tables = {
        name
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    return bool(tables) and "migration" not in tables


def altered(db: sqlite3.Connection) -> str:
    """Return the name of a view, trigger or virtual table that is not ours, or empty.

    A view may never end, and a trigger runs with each write. Reads only.
    """
    ours = {" ".join(each.split()) for each in (*_VIEWS, *_VIEWS_WITH_GONE)}
    for name, text in db.execute(
        "SELECT name, sql FROM sqlite_master WHERE type IN ('view', 'trigger') "
        "OR sql LIKE 'CREATE VIRTUAL%'"
    ):
        if " ".join(str(text).split()) not in ours:
            return str(name)
    return ""


def migrate(store: Store) -> None:
    """Run every migration that has not run; each commits on its own."""
    for number, step in enumerate(MIGRATIONS, start=1):
        with store.atomic(durable=True) as db:
            # Asked within the transaction: another process may be upgrading too.
            if number > version(store):
                db.execute(
                    """CREATE TABLE IF NOT EXISTS migration (
                        number INTEGER PRIMARY KEY, name TEXT NOT NULL,
                        applied_at TEXT NOT NULL
                    ) STRICT"""
                )
                step(db)
                db.execute(
                    "INSERT INTO migration VALUES (?, ?, ?)",
                    (number, step.__name__, datetime.now(UTC).isoformat()),
                )


_ROWS = (
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
    # A story record; later several items may share one, a language each.
    """CREATE TABLE home (
        id INTEGER PRIMARY KEY,
        story_id INTEGER NOT NULL UNIQUE,
        uuid TEXT NOT NULL UNIQUE,
        full_slug TEXT NOT NULL,
        made INTEGER NOT NULL,
        content_hash TEXT NOT NULL,
        destination_updated_at TEXT NOT NULL
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
        home_id INTEGER REFERENCES home (id),
        language TEXT NOT NULL DEFAULT '',
        changed_at TEXT NOT NULL,
        PRIMARY KEY (collection_id, item_id, locale_id)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE asset (
        sha256 TEXT PRIMARY KEY,
        ext_id TEXT NOT NULL,
        name TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('signed', 'proven', 'failed')),
        reason TEXT NOT NULL DEFAULT '',
        explanation TEXT NOT NULL DEFAULT '',
        asset_id INTEGER,
        content_url TEXT NOT NULL DEFAULT '',
        changed_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    # Components, folders, asset folders, datasources and their entries.
    """CREATE TABLE made (
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        destination_id INTEGER NOT NULL,
        uuid TEXT NOT NULL DEFAULT '',
        made INTEGER NOT NULL,
        body_hash TEXT NOT NULL DEFAULT '',
        changed_at TEXT NOT NULL,
        PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID""",
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
    # One row: in = created + reused + skipped + failed (+ open before a run ends).
    """CREATE VIEW accounting AS SELECT
        count(*) AS items,
        count(*) FILTER (WHERE status = 'created') AS created,
        count(*) FILTER (WHERE status = 'reused') AS reused,
        count(*) FILTER (WHERE status = 'skipped') AS skipped,
        count(*) FILTER (WHERE status = 'failed') AS failed,
        count(*) FILTER (WHERE status = 'selected') AS open
    FROM item""",
    # One row per item and locale, with the story it lives in.
    """CREATE VIEW items AS SELECT
        item.collection_id, item.item_id, item.locale_id, item.name,
        item.full_slug, item.status, item.reason, item.explanation,
        item.link_state, item.published, item.language,
        home.story_id, home.uuid, home.content_hash
    FROM item LEFT JOIN home ON home.id = item.home_id""",
    # How many of what was lost, and how bad.
    """CREATE VIEW losses_by_kind AS SELECT
        kind, severity, count(*) AS losses,
        count(DISTINCT collection_id || '/' || item_id || '@' || locale_id) AS items
    FROM loss GROUP BY kind, severity""",
    # How many items ended in which state and why.
    """CREATE VIEW reasons AS SELECT
        status, reason, count(*) AS items FROM item GROUP BY status, reason""",
)

_VIEWS_WITH_GONE = (
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
        home.story_id, home.uuid, home.content_hash,
        item.gone, item.gone_reason, item.gone_note
    FROM item LEFT JOIN home ON home.id = item.home_id""",
    # How many items ended in which state and why.
    """CREATE VIEW reasons AS SELECT
        status, reason, count(*) AS items FROM item
        WHERE gone_reason <> 'deleted' GROUP BY status, reason""",
)
