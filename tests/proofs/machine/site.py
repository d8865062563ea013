"""The origin: a site of a few notes that refer to each other, edited in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cmsmig.sandbox.origin.content import Content as Served
from cmsmig.sandbox.sample.identity import FILES as PLACEHOLDER
from cmsmig.sandbox.sample.identity import (
    asset,
    collection_id,
    file_id,
    moment,
    ref,
    refs,
)
from cmsmig.sandbox.sample.markup import paragraphs
from cmsmig.sandbox.sample.records import ENGLISH, Column, Entry, Table, into, schema
from cmsmig.sandbox.sample.site import site_record
from cmsmig.sandbox.sample.writer import Content, write_content
from tests.proofs.machine.in_process import ORIGIN
from tests.support.tiny_site import picture

KEY = "notes"
COLLECTION = collection_id(KEY)
NOTES = Table(
    KEY,
    "Notes",
    "Note",
    (
        Column("PlainText", "line", "Line", False, {"singleLine": True}),
        Column("RichText", "text", "Text"),
        Column("MultiReference", "related", "Related", False, into(KEY)),
        Column("Image", "picture", "Picture"),
    ),
    nulls=True,
)
MOOD = Column("PlainText", "mood", "Mood", False, {"singleLine": True})
"""A field that the collection gets later."""
FILES = ("one.png", "two.png")


@dataclass(frozen=True)
class Note:
    """One item as its editors see it."""

    name: str
    slug: str
    line: str = ""
    text: str = ""
    related: tuple[str, ...] = ()
    """Keys of other notes."""
    picture: str = ""
    """The name of a file."""
    mood: str = ""
    live: bool = True

    def having(self, **changes: Any) -> Note:
        """Return the note with some of it changed."""
        return replace(self, **changes)


Notes = Mapping[str, Note]

FIRST: Notes = {
    "a": Note("Ann", "a-0", "one", "alpha", ("b",), FILES[0]),
    "b": Note("Bob", "b-0", "two", "beta", ("a", "c")),
    "c": Note("Cal", "c-0", "", "gamma", ()),
}
"""The site as it is pulled first."""


def subject(key: str) -> str:
    """Return how commands name an item."""
    return f"{COLLECTION}/{ref(KEY, key)}@{ENGLISH}"


def write_site(folder: Path) -> None:
    """Write the site as a content folder."""
    entries = tuple(Entry(key, _data(note)) for key, note in FIRST.items())
    site = {**site_record()}
    site["locales"] = {**site["locales"], "secondary": []}  # type: ignore[dict-item]
    files = {file_id(name): picture(at) for at, name in enumerate(FILES, 1)}
    write_content(folder, Content(site, ((NOTES, entries),), files))


def serve(content: Served, notes: Notes, *, moody: bool = False) -> None:
    """Have the sandbox's origin answer with these notes from now on, which may be
    `moody`: the collection has one more field."""
    columns = (*NOTES.columns, MOOD) if moody else NOTES.columns
    text = json.dumps(schema(replace(NOTES, columns=columns)))
    (content.folder / "collections" / f"{COLLECTION}.json").write_text(text)
    content.chosen.clear()
    content.by_id.clear()
    for name, everyone in (("items", True), ("live", False)):
        content.kept[f"{name}/{COLLECTION}.json"] = [
            _item(key, note, moody=moody)
            for key, note in notes.items()
            if everyone or note.live
        ]


def _data(note: Note) -> dict[str, Any]:
    shown = asset(note.picture) if note.picture else None
    return {
        "line": note.line or None,
        "text": paragraphs(note.text) if note.text else None,
        "related": refs(KEY, *note.related),
        "picture": shown,
        "name": note.name,
        "slug": note.slug,
    }


def _item(key: str, note: Note, *, moody: bool) -> dict[str, Any]:
    text = json.dumps(_data(note) | ({"mood": note.mood or None} if moody else {}))
    data = json.loads(text.replace(PLACEHOLDER, f"{ORIGIN}/files"))
    label = f"{KEY}:{key}:{ENGLISH}"
    published = moment(label, days=20) if note.live else None
    return {
        "id": ref(KEY, key),
        "cmsLocaleId": ENGLISH,
        "lastPublished": published,
        "lastUpdated": moment(label, days=24),
        "createdOn": moment(label),
        "isArchived": False,
        "isDraft": not note.live,
        "fieldData": data,
    }
