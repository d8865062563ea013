"""A kind of record, described once, and the routes that all kinds have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.lists import (
    Headers,
    page_of,
)
from cmsmig.sandbox.destination.refusals import missing, refuse, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import text_of, whole

ANY = re.compile(".+", re.DOTALL)
SLUG = re.compile(r"[a-z0-9_-]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordKind:
    """One kind of record; its methods are the routes."""

    key: str
    """Of the envelope of one record."""
    plural: str
    """Of the envelope of a list; also the path."""
    table: Callable[[Space], dict[int, JsonObject]]
    fresh: Callable[[Space], JsonObject]
    """What a new record holds besides its id, before its body is read."""
    writable: tuple[str, ...]
    texts: Mapping[str, re.Pattern[str]] = field(default_factory=lambda: {"name": ANY})
    """Texts that each record has, and their form."""
    unique: tuple[str, ...] = ()
    """Keys whose values no two records share; the first is named in the refusal."""
    refuse: Callable[[str, str], NoReturn] = refuse
    """Refuses a value of a key."""
    read: Callable[[Call, str], JsonObject] = wrapped
    """Returns what a body holds under `key`."""
    check: Callable[[Space, Call, JsonObject, JsonObject], None] = (
        lambda space, call, record, changes: None
    )
    """Refuses changes of a record, or completes them."""
    done: Callable[[Space, Call, JsonObject, JsonObject], None] = (
        lambda space, call, record, before: None
    )
    """Does what follows from a change; receives the record as it was, too."""
    release: Callable[[Space, JsonObject], None] = lambda space, record: None
    """Refuses a removal, or takes the record out of all that names it."""
    order: Callable[[Call, list[JsonObject]], list[JsonObject]] = lambda call, rows: (
        rows
    )
    """Sorts the rows of a list and chooses among them."""
    most: int = 0
    """Rows of a page at most; 0 for a list that has no pages."""
    extra: Callable[[Space], JsonObject] = lambda space: {}
    """What else the answer of a list holds."""
    shown: Callable[[JsonObject], JsonObject] = lambda record: record
    """Shows a record."""
    statuses: tuple[int, int, int] = (201, 200, 200)
    """Made, changed, removed; 204 goes without a body."""
    methods: tuple[str, ...] = ("GET", "PUT", "PATCH", "DELETE")
    """Which one record answers."""

    def listing(self, space: Space, call: Call) -> Reply:
        """Answer the records, or one page of them."""
        rows = self.order(call, [*self.table(space).values()])
        headers: Headers = ()
        if self.most:
            rows, headers = page_of(call, rows, most=self.most)
        shown = [self.shown(record) for record in rows]
        body = {self.plural: shown} | self.extra(space)
        return json_reply(200, body, headers=headers)

    def show(self, space: Space, call: Call) -> Reply:
        """Answer one record."""
        return json_reply(200, {self.key: self.shown(self._known(space, call))})

    def create(self, space: Space, call: Call) -> Reply:
        """Make a record."""
        record: JsonObject = {"id": space.next_id(), **self.fresh(space)}
        return self._change(space, call, record, self.statuses[0])

    def update(self, space: Space, call: Call) -> Reply:
        """Replace the keys that the body names."""
        return self._change(space, call, self._known(space, call), self.statuses[1])

    def delete(self, space: Space, call: Call) -> Reply:
        """Delete a record."""
        record = self._known(space, call)
        self.release(space, record)
        self.table(space).pop(whole(record["id"]) or 0, None)
        return self._reply(self.statuses[2], record)

    def _known(self, space: Space, call: Call) -> JsonObject:
        return self.table(space).get(call.record_id) or missing()

    def _change(
        self, space: Space, call: Call, record: JsonObject, status: int
    ) -> Reply:
        changes = self._changes(call, record)
        if self.unique:
            self._check_unique(space, record, {**record, **changes})
        self.check(space, call, record, changes)
        before = {**record}
        record.update(changes)
        if "updated_at" in record:
            record["updated_at"] = space.now()
        self.table(space)[whole(record["id"]) or 0] = record
        self.done(space, call, record, before)
        return self._reply(status, record)

    def _changes(self, call: Call, record: JsonObject) -> JsonObject:
        """Return what a body changes in a record; an unusable text is refused."""
        body = self.read(call, self.key)
        changes = {key: body[key] for key in self.writable if key in body}
        for key, form in self.texts.items():
            text = text_of(changes.get(key, record.get(key))).strip()
            if not text:
                self.refuse(key, "can't be blank")
            if not form.fullmatch(text):
                self.refuse(key, "is invalid")
            changes[key] = text
        return changes

    def _check_unique(
        self, space: Space, record: JsonObject, wanted: JsonObject
    ) -> None:
        for other in self.table(space).values():
            same = all(other[key] == wanted[key] for key in self.unique)
            if same and other is not record:
                self.refuse(self.unique[0], "has already been taken")

    def _reply(self, status: int, record: JsonObject) -> Reply:
        if status == 204:
            return Reply(204)
        return json_reply(status, {self.key: self.shown(record)})
