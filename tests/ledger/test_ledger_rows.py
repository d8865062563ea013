"""Rows of the ledger: intents, losses, selections, views; read with plain SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import (
    AssetRow,
    Intent,
    ItemRow,
    LossRow,
    MadeRow,
    StoryRecord,
)
from cmsmig.ledger.store import Ledger
from tests.support.ledger.files import OURS, sql

ONE, TWO = ItemKey("c", "1", "en"), ItemKey("c", "1", "fr")


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    with Ledger.open(path, OURS) as opened:
        yield opened


def row(key: ItemKey, status: str = "selected", reason: str = "") -> ItemRow:
    return ItemRow(
        key=key,
        name="A name",
        full_slug=f"a/{key.item_id}-{key.locale_id}",
        origin_hash="",
        status=status,
        reason=reason,
        explanation=reason and f"It is so: {reason}.",
        link_state="open",
        published="",
        story_record=None,
    )


def story_record(number: int) -> StoryRecord:
    return StoryRecord(number, f"uuid-{number}", f"a/{number}", True, "then")


def test_an_intent_is_unique_while_it_is_open(ledger: Ledger, path: Path) -> None:
    """The same intent again renews it; after its outcome it is a new one."""
    ledger.intents.write([Intent("create", "x", "1"), Intent("sign", "x", "1")])
    ledger.intents.write([Intent("create", "x", "2")])
    assert ledger.intents.open("create") == (Intent("create", "x", "2"),)
    ledger.intents.settle("create", "x", "absent")
    assert ledger.intents.open("create") == ()
    ledger.intents.write([Intent("create", "x", "3")])
    rows = sql(path, "SELECT kind, request_hash, outcome FROM intent ORDER BY id")
    assert rows == [
        ("create", "2", "absent"),
        ("sign", "1", None),
        ("create", "3", None),
    ]
    with pytest.raises(sqlite3.IntegrityError):
        sql(
            path,
            "INSERT INTO intent (kind, subject, request_hash, made_at)"
            " VALUES ('create', 'x', '4', 'now')",
        )


def test_intents_remember_their_run_and_come_in_order(
    ledger: Ledger, path: Path
) -> None:
    """A batch is one transaction; what is open comes oldest first."""
    ledger.begin_run("import")
    ledger.intents.write([Intent("create", each, "") for each in "cab"])
    assert [each.subject for each in ledger.intents.open("create")] == ["c", "a", "b"]
    assert sql(path, "SELECT DISTINCT run_id FROM intent") == [(1,)]


def test_a_result_closes_its_intent_in_one_transaction(
    ledger: Ledger, path: Path
) -> None:
    """A story has one record, written with the end of its intent and then renewed."""
    ledger.items.select([row(ONE)])
    ledger.intents.write([Intent("create", str(ONE), "h")])
    placed = replace(story_record(5), group_id="one")
    ledger.items.placed(ONE, placed, "origin", "create")
    query = "SELECT status, story_id, uuid FROM items"
    assert sql(path, query) == [("created", 5, "uuid-5")]
    assert sql(path, "SELECT outcome FROM intent") == [("done",)]
    assert ledger.items.all()[ONE].story_record == placed
    renewed = replace(story_record(5), record_hash="new", group_id="two")
    ledger.items.written(ONE, renewed, "linked", "")
    (found,) = ledger.items.all().values()
    assert (found.story_record, found.link_state) == (renewed, "linked")


def test_rows_are_read_again_after_any_write(ledger: Ledger, path: Path) -> None:
    """Of this process or of another one; between writes they are the same object."""
    ledger.items.select([row(ONE)])
    before = ledger.items.all()
    assert ledger.items.all() is before
    with Ledger.open_existing(path) as other:
        other.items.failed(ONE, "refused", "No.")
    assert ledger.items.all()[ONE].status == "failed"
    ledger.items.set_link_state(ONE, "linked")
    assert ledger.items.all()[ONE].link_state == "linked"
    assert before[ONE].link_state == "linked"


def test_new_rows_come_in_a_new_mapping(ledger: Ledger, path: Path) -> None:
    """A loop over the earlier rows is not disturbed."""
    ledger.items.select([row(TWO)])
    held = iter(ledger.items.all().items())
    ledger.items.select([row(ONE)])
    assert [*ledger.items.all()] == [ONE, TWO]
    assert [key for key, _ in held] == [TWO]
    # Another ledger with as many items.
    sql(path, "UPDATE item SET item_id = '0' WHERE locale_id = 'fr'")
    assert [*ledger.items.all()] == [ItemKey("c", "0", "fr"), ONE]


def test_losses_of_an_item_are_replaced(ledger: Ledger, path: Path) -> None:
    """A rerun tells what is lost now, not what once was."""
    keys = ("kind", "what", "where", "context", "why", "severity")
    losses = [
        LossRow("text", dict(zip(keys, (kind, "w", "p", "c", "y", "low"), strict=True)))
        for kind in ("colour", "colour", "size")
    ]
    ledger.findings.save_losses(ONE, losses)
    ledger.findings.save_losses(TWO, losses[:1])
    assert ledger.findings.losses_by_kind() == {"colour": 3, "size": 1}
    ledger.findings.save_losses(ONE, losses[2:])
    query = "SELECT kind, severity, losses, items FROM losses_by_kind ORDER BY kind"
    assert sql(path, query) == [("colour", "low", 1, 1), ("size", "low", 1, 1)]
    ledger.findings.save_losses(ONE, [])
    assert sql(path, "SELECT locale_id, ordinal, field FROM loss") == [
        ("fr", 0, "text")
    ]


def test_assets_and_what_was_made_are_replaced_by_name(
    ledger: Ledger, path: Path
) -> None:
    """The last outcome of a file or component is the one that is kept."""
    asset = AssetRow("s", "e", "a.jpg", "signed", "", "", 3, "https://a/a.jpg")
    ledger.intents.write([Intent("sign", "s", "e"), Intent("folder", "f", "")])
    ledger.inventory.save_asset(asset, intent_outcome="done")
    assert ledger.inventory.asset("s") == asset
    assert ledger.inventory.asset("t") is None
    made = MadeRow("folder", "f", 4, "u", True)
    ledger.inventory.save_made(made, intent="folder")
    ledger.inventory.save_made(MadeRow("component", "f", 9, "", False))
    assert ledger.inventory.made("folder") == {"f": made}
    assert sql(path, "SELECT kind, made FROM made ORDER BY kind") == [
        ("component", 0),
        ("folder", 1),
    ]
    assert sql(path, "SELECT kind FROM intent WHERE outcome IS NULL") == []


def test_every_view_can_be_read_by_plain_sql(ledger: Ledger, path: Path) -> None:
    """Views for pandas: these names with these columns."""
    ledger.items.select([row(ONE), row(TWO, "skipped", "draft")])
    shown: dict[str, list[str]] = {}
    with closing(sqlite3.connect(path)) as db:
        views = db.execute("SELECT name FROM sqlite_master WHERE type = 'view'")
        for (name,) in views.fetchall():
            columns = db.execute(f"SELECT * FROM {name}").description
            shown[name] = [column[0] for column in columns]
    assert shown == {
        "accounting": [
            *("items", "created", "reused", "skipped", "failed", "open"),
            *("gone_kept", "gone_unpublished", "gone_deleted", "gone_undecided"),
        ],
        "items": [
            *("collection_id", "item_id", "locale_id", "name", "full_slug", "status"),
            *("reason", "explanation", "link_state", "published", "language"),
            *("story_id", "uuid", "record_hash"),
            *("gone", "gone_reason", "gone_note"),
        ],
        "losses_by_kind": ["kind", "severity", "losses", "items"],
        "reasons": ["status", "reason", "items"],
    }
    assert ledger.findings.reasons() == {"selected": {"": 1}, "skipped": {"draft": 1}}


def test_what_was_written_is_kept_as_content(ledger: Ledger, path: Path) -> None:
    """Bodies come back as they went in, half a surrogate pair included."""
    body = {"schema": {"a": {"pos": 0, "label": "\ud83d caf\u00e9", "keys": []}}}
    row = MadeRow("component", "post", 4, "", True, body)
    ledger.inventory.save_made(row)
    ledger.intents.write([Intent("component", "post", "h", body)])
    assert ledger.inventory.made("component") == {"post": row}
    assert ledger.intents.open("component") == (Intent("component", "post", "h", body),)
    ledger.intents.write([Intent("component", "post", "i", {"name": "post"})])
    assert ledger.intents.open("component")[0].body == {"name": "post"}


def test_a_row_that_is_as_it_was_stays_the_same_object(ledger: Ledger) -> None:
    """Code that keeps the earlier rows needs little memory in addition."""
    ledger.items.select([row(ONE), row(TWO)])
    ledger.items.placed(ONE, story_record(1), "h", "create")
    before = dict(ledger.items.all())
    ledger.items.failed(TWO, "refused", "It was refused.")
    after = ledger.items.all()
    assert after[ONE] is before[ONE]
    assert (before[TWO].status, after[TWO].status) == ("selected", "failed")
    with ledger.simulated() as simulated:
        assert simulated.items.all()[ONE] is after[ONE]
        simulated.items.failed(ONE, "refused", "It was refused.")
        assert simulated.items.all()[ONE].status == "failed"
    assert ledger.items.all()[ONE].status == "created"


def test_a_simulated_ledger_holds_the_same_until_it_is_written(ledger: Ledger) -> None:
    """Writing nothing is no difference; what is written is in no file."""
    ledger.items.select([row(ONE)])
    with ledger.simulated() as simulated:
        simulated.items.gone({})
        simulated.gone.forget(())
        assert simulated.is_as(ledger)
        simulated.gone.forget([ONE])
        assert not simulated.is_as(ledger)
        assert ONE not in simulated.items.all()
        assert ONE in ledger.items.all()
