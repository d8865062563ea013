"""In = created + reused + skipped + failed, whatever happens in whatever order."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import (
    DELETED_THERE,
    GoneItem,
    GoneState,
    Identity,
    Intent,
    ItemRow,
    StoryRecord,
)
from cmsmig.ledger.store import Ledger

KEYS = [ItemKey("c", item, locale) for item in "123" for locale in ("", "fr")]
KEY = st.sampled_from(KEYS)
OUTCOMES = st.sampled_from(["selected", "skipped", "failed", "reused"])


class Books(RuleBasedStateMachine):
    """The ledger and a plain dict: key -> [status, made or None, reason]."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "l.sqlite"
        self.ledger = Ledger.open(self.path, Identity("s", "u", "7"))
        self.model: dict[ItemKey, list] = {}
        self.gone: dict[ItemKey, tuple[GoneState, bool]] = {}
        self.open: set[str] = set()

    def there(self) -> list[ItemKey]:
        """Return the items that an import handles: none that is gone."""
        return sorted(self.model.keys() - self.gone.keys())

    def teardown(self) -> None:
        self.ledger.close()
        self.folder.cleanup()

    @rule(chosen=st.dictionaries(KEY, OUTCOMES))
    def select(self, chosen: dict[ItemKey, str]) -> None:
        self.ledger.items.select(
            ItemRow(key, "n", "p", "", status, f"why {status}", "", "open", "", None)
            for key, status in chosen.items()
        )
        for entry in self.model.values():
            if entry[1] is None:
                entry[:] = ["skipped", None, "not_selected"]
        for key, status in chosen.items():
            if key not in self.model or self.model[key][1] is None:
                self.model[key] = [status, None, f"why {status}"]

    @rule(key=KEY)
    def intend(self, key: ItemKey) -> None:
        self.ledger.intents.write([Intent("create", str(key), "h")])
        self.open.add(str(key))

    @precondition(lambda self: self.there())
    @rule(data=st.data(), made=st.booleans())
    def house(self, data: st.DataObject, made: bool) -> None:
        key = data.draw(st.sampled_from(self.there()))
        made = made if self.model[key][1] is None else self.model[key][1]
        number = KEYS.index(key) + 1
        place = StoryRecord(number, f"u{number}", "p", made, "then")
        self.ledger.items.placed(key, place, "", "create")
        self.model[key] = ["created" if made else "reused", made, ""]
        self.open.discard(str(key))

    @precondition(lambda self: self.there())
    @rule(data=st.data(), closing_intent=st.booleans())
    def fail(self, data: st.DataObject, closing_intent: bool) -> None:
        key = data.draw(st.sampled_from(self.there()))
        self.ledger.items.failed(key, "r", "R.", "create" if closing_intent else "")
        self.model[key][::2] = ["failed", "r"]
        if closing_intent:
            self.open.discard(str(key))

    @precondition(lambda self: self.there())
    @rule(data=st.data())
    def recover(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(self.there()))
        self.ledger.items.recovered(key)
        made = self.model[key][1]
        if made is not None:
            self.model[key][::2] = ["created" if made else "reused", ""]

    @precondition(lambda self: any(self.model[key][1] for key in self.there()))
    @rule(data=st.data(), state=st.sampled_from(GoneState), there=st.booleans())
    def go(self, data: st.DataObject, state: GoneState, there: bool) -> None:
        placed = [key for key in self.there() if self.model[key][1]]
        key = data.draw(st.sampled_from(placed))
        reason = "archived" if there else DELETED_THERE
        self.ledger.gone.mark({key: GoneItem(state, reason, "It went.")})
        self.model[key][0] = "skipped"
        self.gone[key] = (state, there)

    @precondition(lambda self: self.gone)
    @rule(data=st.data(), again=st.booleans())
    def come_back_or_be_forgotten(self, data: st.DataObject, again: bool) -> None:
        key = data.draw(st.sampled_from(sorted(self.gone)))
        _, there = self.gone.pop(key)
        if again:
            self.ledger.gone.reinstate([key])
            self.model[key][::2] = ["created", ""]
        else:
            self.ledger.items.release([key])
            self.model[key] = ["selected", None, ""]
            if not there:
                del self.model[key]

    @rule()
    def reopen(self) -> None:
        self.ledger.close()
        self.ledger = Ledger.open(self.path, Identity("s", "u", "7"))

    @invariant()
    def the_books_balance(self) -> None:
        counts = self.ledger.items.accounting()
        parts = (
            counts.created
            + counts.reused
            + counts.skipped
            + counts.failed
            + counts.open
        )
        away = sum(not there for _, there in self.gone.values())
        assert counts.items == len(self.model) - away == parts
        assert counts.gone == len(self.gone)
        deleted = [state for state, _ in self.gone.values() if state == "deleted"]
        assert counts.gone_deleted == len(deleted)

    @invariant()
    def every_row_is_as_the_model_has_it(self) -> None:
        with closing(sqlite3.connect(self.path)) as db:
            rows = db.execute(
                "SELECT collection_id, item_id, locale_id, status, story_id, reason,"
                " gone <> '' FROM items"
            ).fetchall()
            intents = db.execute(
                "SELECT subject FROM intent WHERE outcome IS NULL"
            ).fetchall()
        assert {ItemKey(*row[:3]): (row[3], row[4] is not None) for row in rows} == {
            key: (status, made is not None)
            for key, (status, made, _) in self.model.items()
        }
        there = {*self.there()}
        assert {ItemKey(*row[:3]): row[5] for row in rows if not row[6]} == {
            key: entry[2] for key, entry in self.model.items() if key in there
        }
        assert {subject for (subject,) in intents} == self.open


Books.TestCase.settings = settings(
    max_examples=25, stateful_step_count=20, deadline=None
)
TestBooks = Books.TestCase
