"""The origin: pages in two languages, with a live and a staged version."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cmsmig.sandbox.origin.content import Content as Served
from tests.proofs.world.in_process import ORIGIN
from tests.support.sites.identity import FILES as PLACEHOLDER
from tests.support.sites.identity import asset, collection_id, file_id, ref, refs
from tests.support.sites.markup import linked, paragraphs
from tests.support.sites.records import (
    ENGLISH,
    FRENCH,
    Column,
    Entry,
    Table,
    into,
    schema,
    site_record,
)
from tests.support.sites.writer import Content, write_content
from tests.support.tiny_site import picture

FOLDER = "notes"
EN, FR = "en", "fr"
LOCALES = {EN: ENGLISH, FR: FRENCH}
SECTIONS = Table("sections", "Sections", "Section", (), nulls=True)
NOTES = Table(
    FOLDER,
    "Notes",
    "Note",
    (
        Column("PlainText", "mark", "Mark", False, {"singleLine": True}),
        Column("PlainText", "line", "Line", False, {"singleLine": True}),
        Column("RichText", "text", "Text"),
        Column("PlainText", "label", "Label", False, {"singleLine": True}),
        Column("MultiReference", "related", "Related", False, into(FOLDER)),
        Column("Reference", "section", "Section", False, into("sections")),
        Column("Image", "picture", "Picture"),
    ),
    nulls=True,
)
MOOD = Column("PlainText", "mood", "Mood", False, {"singleLine": True})
"""A field that the collection gets later; it holds what the line holds."""
COLLECTION = collection_id(FOLDER)
FILES = ("one.png", "two.png")
CLEANING: tuple[dict[str, Any], ...] = (
    {"kind": "replace", "find": r"\bo(?=\d)", "to": "c", "regex": True},
    {"kind": "merge_values", "fields": ["label"], "values": ["red"], "to": "blue"},
)
"""Operations that people decide; `Words.cleaned` is what they do."""
_NAMED_SECTIONS = ("north", "south")


@dataclass(frozen=True)
class Words:
    """One version of an item in one language."""

    name: str
    slug: str
    line: str
    text: str = ""
    label: str = ""
    related: tuple[str, ...] = ()
    section: str = ""
    picture: str = ""
    """The name of a file."""

    def cleaned(self, operations: int) -> Words:
        """Return the words as operations of `CLEANING` leave them."""
        found = self
        if operations & 1:
            names = ("name", "line", "text")
            texts = {n: re.sub(r"\bo(?=\d)", "c", getattr(self, n)) for n in names}
            found = replace(found, **texts)
        if operations & 2 and found.label == "red":
            found = replace(found, label="blue")
        return found


@dataclass(frozen=True)
class Item:
    """An item in one language."""

    staged: Words
    live: Words | None
    archived: bool = False
    number: int = 0
    """Of its last edit; later ones have a later date."""

    def edited(self, number: int, **changes: Any) -> Item:
        """Return it after an edit that is not published."""
        return replace(self, staged=replace(self.staged, **changes), number=number)

    def cleaned(self, operations: int) -> Item:
        """Return it as operations of `CLEANING` leave it."""
        live = self.live and self.live.cleaned(operations)
        return replace(self, staged=self.staged.cleaned(operations), live=live)

    def published(self) -> Item:
        """Return it with everything live."""
        return replace(self, live=self.staged)


Key = tuple[str, str]
"""An item's letter and its language."""
Site = Mapping[Key, Item]


def _first() -> Iterator[tuple[Key, Item]]:
    for letter, onward in zip("abcd", "bcda", strict=True):
        words = Words(
            f"Page {letter}",
            f"{letter}-0",
            f"line {letter}",
            f"text {letter}",
            "red" if letter in "ac" else "",
            (onward,),
            "north" if letter == "b" else "",
            FILES[0] if letter == "a" else "",
        )
        item = Item(words, None if letter == "d" else words)
        yield (letter, EN), (item.edited(1, line="unseen") if letter == "c" else item)
        if letter in "ab":
            french = replace(words, name=f"La {letter}", line=f"ligne {letter}")
            yield (letter, FR), Item(french, french)


FIRST: Site = dict(_first())


def write_site(folder: Path) -> None:
    """Write the site as a content folder."""
    sections = [
        Entry(name, {"name": name.title(), "slug": name}) for name in _NAMED_SECTIONS
    ]
    notes = [
        Entry(
            letter,
            _data((letter, EN), item.staged),
            french=_french(letter),
        )
        for (letter, language), item in FIRST.items()
        if language == EN
    ]
    files = {file_id(name): picture(width) for width, name in enumerate(FILES, 1)}
    write_content(
        folder, Content(site_record(), ((NOTES, notes), (SECTIONS, sections)), files)
    )


def _french(letter: str) -> dict[str, Any] | None:
    item = FIRST.get((letter, FR))
    return None if item is None else _data((letter, FR), item.staged)


def serve(content: Served, site: Site, *, has_mood: bool = False) -> None:
    """Have the sandbox's origin answer with this site from now on."""
    columns = (*NOTES.columns, MOOD) if has_mood else NOTES.columns
    text = json.dumps(schema(replace(NOTES, columns=columns)))
    (content.folder / "collections" / f"{COLLECTION}.json").write_text(text)
    content.chosen.clear()
    content.by_id.clear()
    items, live = f"items/{COLLECTION}.json", f"live/{COLLECTION}.json"
    content.kept[items] = [
        _served(_staged(key, item), has_mood=has_mood) for key, item in site.items()
    ]
    content.kept[live] = [
        _served(
            _envelope(key, item, item.live) | {"isDraft": False, "isArchived": False},
            has_mood=has_mood,
        )
        for key, item in site.items()
        if item.live is not None
    ]


def _served(record: dict[str, Any], *, has_mood: bool) -> dict[str, Any]:
    text = json.dumps(record).replace(PLACEHOLDER, f"{ORIGIN}/files")
    served: dict[str, Any] = json.loads(text)
    if has_mood:
        served["fieldData"]["mood"] = served["fieldData"]["line"]
    return served


def _staged(key: Key, item: Item) -> dict[str, Any]:
    return _envelope(key, item, item.staged) | {
        "isArchived": item.archived,
        "isDraft": item.live != item.staged,
    }


def _envelope(key: Key, item: Item, words: Words) -> dict[str, Any]:
    letter, language = key
    date = "2025-01-{:02d}T00:00:00.000Z".format
    hour, minute = divmod(item.number, 60)
    return {
        "id": ref(FOLDER, letter),
        "cmsLocaleId": LOCALES[language],
        "lastPublished": date(2) if item.live else None,
        "lastUpdated": f"2025-02-01T{hour:02d}:{minute:02d}:00.000Z",
        "createdOn": date(1),
        "fieldData": _data(key, words),
    }


def _data(key: Key, words: Words) -> dict[str, Any]:
    links = [linked(f"/{FOLDER}/{each}-0", f"to {each}") for each in words.related]
    return {
        "mark": " ".join(key),
        "line": words.line or None,
        "text": paragraphs(words.text, *links) if words.text else None,
        "label": words.label or None,
        "related": refs(FOLDER, *words.related),
        "section": ref("sections", words.section) if words.section else None,
        "picture": asset(words.picture) if words.picture else None,
        "name": words.name,
        "slug": words.slug,
    }
