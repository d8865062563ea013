"""A ledger of every schema since the first opens, migrates and continues."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cmsmig.item_key import ItemKey
from cmsmig.ledger.bodies import pack_story
from cmsmig.ledger.migrations import LATEST, MIGRATIONS
from cmsmig.ledger.rows import (
    AssetRow,
    GoneItem,
    GoneState,
    Intent,
    ItemRow,
    LossRow,
    MadeRow,
    StoryRecord,
    WrittenStory,
)
from cmsmig.ledger.store import Ledger
from tests.support.ledger.files import OURS

EVERY = pytest.mark.parametrize("number", range(1, LATEST + 1))
CREATED, REUSED, FAILED, OPEN, GONE, NEW = (
    ItemKey("posts", item, "en")
    for item in ("created", "reused", "failed", "open", "gone", "new")
)
WRITTEN = WrittenStory({"name": "A", "content.text": "é"}, {"slug": "a"})
SCHEMAS = (
    "01b0dd1678",
    "e266863236",
    "48bcb9f554",
    "22ed1ed6ab",
    "5708962d43",
    "c74900a1d1",
    "319f1bb04e",
    "74772570e2",
    "2a14d1a603",
    "84da555e90",
)
"""The beginning of the hash of each schema. They never change: a ledger that has a
number has the schema of that number."""


def _item(key: ItemKey, status: str, story_record: int | None, **more: object) -> dict:
    path = f"posts/{key.item_id}"
    row = {"name": key.item_id.title(), "full_slug": path, "origin_hash": "o"}
    state = {"status": status, "home_id": story_record, "link_state": "linked"}
    return {**key._asdict(), **row, **state, "changed_at": "then", **more}


def _story_record(number: int, **more: object) -> dict:
    names = {"id": number, "story_id": 50 + number, "uuid": f"uuid-{number}"}
    state = {"made": number != 2, "content_hash": "h", "destination_updated_at": "t"}
    return {**names, **state, "full_slug": f"posts/{number}", **more}


ROWS: dict[str, list[dict]] = {
    "meta": [
        {"key": "site", "value": OURS.site_id},
        {"key": "space", "value": OURS.space_id},
        {"key": "base_url", "value": OURS.base_url},
    ],
    "run": [
        {
            **{"id": 1, "command": "import", "plan_hash": "abc", "started_at": "then"},
            **{"ended_at": "later", "outcome": "done"},
        }
    ],
    "plan": [{"hash": "abc", "made_at": "then", "body": '{"labels": {"a": "b"}}'}],
    "home": [
        _story_record(1, group_id="g", record_hash="r", kept_edits=1, left_public=1),
        _story_record(2, public_record="p"),
        _story_record(3, left_public=1),
    ],
    "item": [
        _item(CREATED, "created", 1, published="t"),
        _item(REUSED, "reused", 2),
        _item(FAILED, "failed", None, reason="refused", explanation="No."),
        _item(OPEN, "selected", None),
        _item(GONE, "created", 3, old_path="/old"),
    ],
    "asset": [
        {
            **{"sha256": "s", "ext_id": "e", "name": "a.jpg", "status": "proven"},
            **{"asset_id": 3, "content_url": "https://a/a.jpg", "changed_at": "then"},
            "body": '{"alt":"A"}',
        },
        {
            **{"sha256": "t", "ext_id": "f", "name": "b.jpg", "status": "signed"},
            "changed_at": "then",
        },
    ],
    "made": [
        {
            **{
                "kind": kind,
                "name": name,
                "destination_id": number,
                "made": number > 1,
            },
            **{"body_hash": "h", "changed_at": "then", "body": '{"a":1}'},
        }
        for number, (kind, name) in enumerate(
            [("component", "post"), ("component", "tag"), ("folder", "posts")]
        )
    ],
    "loss": [
        {
            **{**CREATED._asdict(), "ordinal": 0, "field": "text", "kind": "colour"},
            **{
                "what": "w",
                "place": "p",
                "context": "c",
                "why": "y",
                "severity": "low",
            },
        }
    ],
    "message": [{"at": "then", "subject": "s", "code": "c", "text": "t"}],
    "intent": [
        {
            **{"kind": "create", "subject": str(OPEN), "request_hash": "h"},
            **{"run_id": 1, "made_at": "then", "body": '{"slug":"open"}'},
        },
        {
            **{"kind": "create", "subject": str(CREATED), "request_hash": "h"},
            **{"run_id": 1, "made_at": "then", "outcome": "done", "ended_at": "t"},
        },
    ],
    "written": [{"story_id": 51, "body": pack_story(WRITTEN)}],
    "earlier_path": [{**CREATED._asdict(), "full_slug": "posts/before"}],
}


def _make(path: Path, schema: int, columns_of: int) -> None:
    """Make a ledger by the first `schema` migrations, with the rows and columns that
    version `columns_of` knew."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL,"
            " applied_at TEXT NOT NULL) STRICT"
        )
        for number, step in enumerate(MIGRATIONS[:schema], start=1):
            step(db)
            row = (number, step.__name__, "then")
            db.execute("INSERT INTO migration VALUES (?, ?, ?)", row)
        for table, columns in _columns(columns_of).items():
            for row in ROWS.get(table, []):
                known = {name: row[name] for name in columns if name in row}
                places = ", ".join("?" * len(known))
                db.execute(
                    f"INSERT INTO {table} ({', '.join(known)}) VALUES ({places})",
                    tuple(known.values()),
                )


def _schema(number: int) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    for step in MIGRATIONS[:number]:
        step(db)
    return db


def _columns(number: int) -> dict[str, list[str]]:
    """Return the columns of each table in a version."""
    with closing(_schema(number)) as db:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {
            name: [row[1] for row in db.execute(f"PRAGMA table_info({name})")]
            for (name,) in tables.fetchall()
        }


def _dump(path: Path) -> dict[str, list[tuple]]:
    """Return every table's and view's rows, without the times of now."""
    now = ("changed_at", "made_at", "ended_at", "started_at", "applied_at")
    found = {}
    with closing(sqlite3.connect(path)) as db:
        names = db.execute("SELECT name FROM sqlite_master WHERE type <> 'index'")
        for (name,) in names.fetchall():
            cursor = db.execute(f"SELECT * FROM {name}")
            columns = [each[0] for each in cursor.description]
            found[name] = sorted(
                (
                    tuple(
                        value is not None if column in now else value
                        for column, value in zip(columns, row, strict=True)
                    )
                    for row in cursor
                ),
                key=repr,
            )
    return found


def _continue(path: Path) -> None:
    """Write with every method that an import and a rollback write with."""
    with Ledger.open(path, OURS) as ledger:
        items, intents, inventory = ledger.items, ledger.intents, ledger.inventory
        ledger.save_plan("def", {"pilot": {}})
        ledger.begin_run("import", "def")
        rows = items.all()
        items.select([*rows.values(), _selected(NEW)])
        for key, number in ((OPEN, 60), (NEW, 61)):
            intents.write([Intent("create", str(key), "h", {"slug": key.item_id})])
            items.placed(key, _story(number), "o", "create", WRITTEN)
        intents.write([Intent("update", str(CREATED), "h"), Intent("sign", "t", "")])
        moved = _story(51, "posts/moved")
        items.written(CREATED, moved, "linked", "o2", WRITTEN, still_public=True)
        items.published(REUSED, _story(52), "today", WRITTEN)
        items.unpublished(OPEN, _story(60))
        items.compared(NEW, _story(61), "nothing", "o", WRITTEN)
        items.failed(REUSED, "refused", "No.")
        items.recovered(REUSED)
        items.moved({OPEN: "posts/elsewhere"})
        ledger.gone.mark({GONE: GoneItem(GoneState.TO_DELETE, "deleted", "It went.")})
        intents.write([Intent("delete_gone", str(GONE), "")])
        ledger.gone.settle(GONE, GoneState.DELETED, "delete_gone", updated_at="u")
        ledger.gone.keep_addresses([(CREATED, "/new")])
        items.gone({NEW: "It is not there."})
        items.release([NEW])
        loss = dict.fromkeys(("kind", "what", "where", "context", "why"), "x")
        ledger.findings.save_losses(
            OPEN, [LossRow("text", {**loss, "severity": "low"})]
        )
        proven = AssetRow("t", "f", "b.jpg", "proven", "", "", 4, "https://a/b.jpg")
        inventory.save_asset(proven, intent_outcome="done")
        inventory.save_made(MadeRow("folder", "news", 9, "u", True, "h", {"a": 2}))
        inventory.forget([MadeRow("component", "tag", 1, "", False, "h")])
        inventory.forget_assets(["s"])
        ledger.end_run("done")


def _selected(key: ItemKey) -> ItemRow:
    path = f"posts/{key.item_id}"
    return ItemRow(key, "New", path, "o", "selected", "", "", "open", "", None)


def _story(number: int, path: str = "") -> StoryRecord:
    path = path or f"posts/{number}"
    return StoryRecord(number, f"uuid-{number - 50}", path, True, "h2", "now", "g")


@EVERY
def test_no_released_schema_changes(number: int) -> None:
    """Neither a table nor a view: ledgers of that version exist in projects."""
    with closing(_schema(number)) as db:
        query = "SELECT name, sql FROM sqlite_master ORDER BY name"
        statements = repr([" ".join(str(row).split()) for row in db.execute(query)])
    assert hashlib.sha256(statements.encode()).hexdigest()[:10] == SCHEMAS[number - 1]


@EVERY
def test_a_ledger_of_every_version_migrates_with_its_rows(
    tmp_path: Path, number: int
) -> None:
    """What it kept is as it was; the columns that it lacked have their defaults."""
    old, new = tmp_path / "old.sqlite", tmp_path / "new.sqlite"
    _make(old, schema=number, columns_of=number)
    _make(new, schema=LATEST, columns_of=number)
    for _ in range(2):
        with Ledger.open(old, OURS) as ledger:
            rows = ledger.items.all()
            assert {*rows} == {CREATED, REUSED, FAILED, OPEN, GONE}
            assert (rows[FAILED].reason, rows[FAILED].story_record) == ("refused", None)
            story_record = rows[CREATED].story_record
            assert story_record is not None
            assert (
                story_record.story_id,
                story_record.made,
                story_record.left_public,
            ) == (
                51,
                True,
                number > 4,
            )
            assert str(ledger.items.accounting()) == (
                "in 5 = created 2 + reused 1 + skipped 0 + failed 1 + open 1"
            )
            kept = ledger.items.last_written(51)
            assert kept == (WRITTEN if number > 4 else None)
            made = ledger.inventory.made("component")["tag"]
            body = {"a": 1} if number > 3 else {}
            assert made == MadeRow("component", "tag", 1, "", False, "h", body)
            opened = [each.subject for each in ledger.intents.open("create")]
            assert opened == ([str(OPEN)] if number > 1 else [])
    assert _dump(old) == _dump(new)


@EVERY
def test_a_ledger_of_every_version_continues(tmp_path: Path, number: int) -> None:
    """It ends as one of today with the same rows, in every table and view."""
    old, new = tmp_path / "old.sqlite", tmp_path / "new.sqlite"
    _make(old, schema=number, columns_of=number)
    _make(new, schema=LATEST, columns_of=number)
    _continue(old)
    _continue(new)
    found = _dump(old)
    assert found == _dump(new)
    query = "SELECT item_id, status, story_id, full_slug, link_state, gone FROM items"
    with closing(sqlite3.connect(old)) as db:
        assert sorted(db.execute(query).fetchall()) == [
            ("created", "created", 51, "posts/moved", "linked", ""),
            ("failed", "failed", None, "posts/failed", "linked", ""),
            ("gone", "skipped", 53, "posts/gone", "linked", "deleted"),
            ("new", "selected", None, "posts/61", "open", ""),
            ("open", "created", 60, "posts/60", "linked", ""),
            ("reused", "reused", 52, "posts/reused", "linked", ""),
        ]
        story_records = db.execute("SELECT story_id, full_slug, left_public FROM home")
        assert sorted(story_records.fetchall()) == [
            (51, "posts/moved", 0),
            (52, "posts/52", 0),
            (53, "posts/3", 0),
            (60, "posts/elsewhere", 0),
        ]
        paths = db.execute("SELECT full_slug FROM earlier_path ORDER BY full_slug")
        before = ["posts/before"] if number > 4 else []
        assert [path for (path,) in paths] == ["posts/1", "posts/61", *before]
        stories = db.execute("SELECT story_id FROM written ORDER BY story_id")
        assert [story for (story,) in stories] == [51, 52, 60]
        waiting = db.execute("SELECT subject FROM intent WHERE outcome IS NULL")
        assert waiting.fetchall() == []
