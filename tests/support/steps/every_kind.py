"""A site whose items hold a field of every kind, filled in some and empty in others."""

from __future__ import annotations

from pathlib import Path

from cmsmig.canonical import JsonObject
from tests.support.sites.identity import asset, file_id, option_id, ref, refs
from tests.support.sites.markup import embed, image, paragraphs
from tests.support.sites.records import (
    Column,
    Entry,
    State,
    Table,
    choices,
    into,
    site_record,
)
from tests.support.sites.writer import Content, write_content
from tests.support.tiny_site import picture

FULL = 30
"""Items with every field; `bare`, `changed` and `later` follow."""
VALUES = (
    Column("RichText", "text", "Text"),
    Column("PlainText", "line", "Line", False, {"singleLine": True}),
    Column("PlainText", "lines", "Lines", False, {"singleLine": False}),
    Column("Image", "picture", "Picture"),
    Column("MultiImage", "views", "Views"),
    Column("File", "paper", "Paper"),
    Column("VideoLink", "film", "Film"),
    Column("Link", "website", "Website"),
    Column("Email", "email", "Email"),
    Column("Phone", "phone", "Phone"),
    Column("Number", "size", "Size", False, {"format": "decimal"}),
    Column("DateTime", "day", "Day"),
    Column("Switch", "open", "Open"),
    Column("Color", "colour", "Colour"),
    Column("Option", "mood", "Mood", False, choices("things", "mood", a="A", b="B")),
)
"""A column of every kind that refers to no item."""
THINGS = Table(
    "things",
    "Things",
    "Thing",
    (
        *VALUES,
        Column("Reference", "next", "Next", False, into("things")),
        Column("MultiReference", "related", "Related", False, into("things")),
    ),
    nulls=True,
)
_FILES = ("one.png", "two.png", "paper.pdf")


def write_every_kind(folder: Path) -> None:
    """Write the site: 30 full items, the first in French too; one without a value, one
    that visitors see differently from editors, and a draft."""
    earlier: JsonObject = {"line": "Shown before", "open": False}
    entries = (
        *(
            Entry(f"{number}", _full(number), french=_french(number))
            for number in range(FULL)
        ),
        Entry("bare", _named("bare")),
        Entry("changed", _full(0, "changed"), State.CHANGED, earlier=earlier),
        Entry("later", _named("later"), State.DRAFT),
    )
    files = {file_id(name): picture(number) for number, name in enumerate(_FILES, 1)}
    write_content(folder, Content(site_record(), ((THINGS, entries),), files))


def _named(slug: str) -> JsonObject:
    return {"name": slug.replace("-", " ").title(), "slug": slug, "open": False}


def _french(number: int) -> JsonObject | None:
    return (
        {"name": "La chose", "slug": "la-chose", "line": "Une ligne"}
        if number == 0
        else None
    )


def _full(number: int, slug: str = "") -> JsonObject:
    onward = (number + 1) % FULL
    body = paragraphs(f"Text {number}.") + image("one.png", alt="One", caption="First")
    return {
        **_named(slug or f"thing-{number}"),
        "text": body + embed("<x-map>somewhere</x-map>"),
        "line": f"Line {number}",
        "lines": "Two\nlines",
        "picture": asset("one.png", "One"),
        "views": [asset("one.png", "One"), asset("two.png", "Two")],
        "paper": asset("paper.pdf"),
        "film": {"url": "https://vimeo.com/900100205", "metadata": None},
        "website": "https://example.org/",
        "email": "someone@example.org",
        "phone": "+44 20 7946 0000",
        "size": 2.5,
        "day": "2024-05-01T00:00:00.000Z",
        "open": number != FULL - 1,
        "colour": "#336699",
        "mood": option_id("things", "mood", "a"),
        "next": ref("things", str(onward)),
        "related": refs("things", str(onward), str((number + 2) % FULL)),
    }
