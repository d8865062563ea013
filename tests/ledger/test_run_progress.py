"""Progress of a running step, read by another process: true counts, no write."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import Intent, ItemRow, StoryRecord
from cmsmig.ledger.run_progress import RunWatch
from cmsmig.ledger.store import Ledger
from tests.support.ledger.files import OURS, sql


def _key(number: int) -> ItemKey:
    return ItemKey("posts", f"item{number}", "")


def _row(number: int, status: str = "selected") -> ItemRow:
    path = f"posts/{number}"
    return ItemRow(
        _key(number), f"Post {number}", path, "", status, "", "", "", "", None
    )


def _story_record(number: int) -> StoryRecord:
    return StoryRecord(number, f"uuid{number}", f"posts/{number}", True, "", "")


def _create(ledger: Ledger, number: int) -> None:
    ledger.intents.write([Intent("create", str(_key(number)), "hash")])
    ledger.items.placed(_key(number), _story_record(number), "", "create")


def test_a_run_is_counted_while_another_connection_writes_it(path: Path) -> None:
    """Requests of this run alone; an open one does not count, a closed one does."""
    watch = RunWatch(path)
    assert watch.look() is None
    with Ledger.open(path, OURS) as ledger:
        assert watch.look() is None
        ledger.begin_run("create")
        ledger.items.select(_row(number) for number in range(5))
        _create(ledger, 0)
        ledger.end_run("stopped")
        plan = {"calls": {"create_stories": 4}}
        ledger.save_plan("abc", plan)
        ledger.begin_run("create", "abc")
        _create(ledger, 1)
        ledger.intents.write([Intent("create", str(_key(2)), "hash")])
        _create(ledger, 3)
        ledger.items.failed(_key(4), "refused", "It was refused.")
        seen = watch.look()
        assert seen is not None
        assert (seen.run.command, seen.run.outcome) == ("create", "")
        assert seen.run.planned == plan["calls"]
        assert seen.handled == {"create": 2}
        assert (seen.there, seen.wanted, seen.failed) == (3, 5, 1)
        assert [row.name for row in seen.failures] == ["Post 4"]
        assert watch.look() is seen, "read again although nothing was written"
        ledger.items.placed(_key(2), _story_record(2), "", "create")
        ledger.end_run("done")
        after = watch.look()
    assert after is not None
    assert after.handled == {"create": 3}
    assert after.run.outcome == "done"
    watch.close()


def test_looking_leaves_a_broken_run_as_it_was(path: Path) -> None:
    """Neither the outcome nor the log that the next run needs is touched."""
    ledger = Ledger.open(path, OURS)
    ledger.begin_run("import")
    ledger.items.select([_row(1)])
    log = Path(f"{path}-wal")
    before = path.read_bytes(), log.read_bytes()
    watch = RunWatch(path)
    seen = watch.look()
    watch.close()
    assert seen is not None
    assert (seen.run.outcome, seen.wanted) == ("", 1)
    assert (path.read_bytes(), log.read_bytes()) == before
    ledger.close()


@pytest.mark.parametrize("what", ["text", "folder", "foreign"])
def test_what_is_no_ledger_is_nothing_to_see(path: Path, what: str) -> None:
    """A look never raises and never waits."""
    if what == "text":
        path.write_text("no database, but long enough to look at its first page" * 9)
    elif what == "folder":
        path.mkdir()
    else:
        sql(path, "CREATE TABLE run (id INTEGER)")
    assert RunWatch(path).look() is None
