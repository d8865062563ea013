"""A site of six items and three pictures, small enough to be broken often."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image

from cmsmig.canonical import JsonObject
from tests.support.sites.identity import asset, file_id, ref, refs
from tests.support.sites.markup import image, linked, paragraphs
from tests.support.sites.records import Column, Entry, Table, into, site_record
from tests.support.sites.writer import Content, write_content

NOTES = Table(
    "notes",
    "Notes",
    "Note",
    (
        Column("RichText", "text", "Text", True),
        Column("Image", "picture", "Picture"),
        Column("MultiReference", "related", "Related", False, into("notes")),
        Column("Reference", "spot", "Spot", False, into("spots")),
    ),
    nulls=True,
)
SPOTS = Table(
    "spots",
    "Spots",
    "Spot",
    (Column("PlainText", "line", "Line", False, {"singleLine": True}),),
    nulls=False,
)
NAMES = ("note-0.png", "note-1.png", "body.png")
"""The three files; the bytes of each differ."""


def picture(width: int) -> bytes:
    """Return a PNG that is `width` pixels wide and one high."""
    written = BytesIO()
    Image.new("RGB", (width, 1)).save(written, "PNG")
    return written.getvalue()


def write_tiny_site(folder: Path) -> None:
    """Write four notes, one of them in French too, and a spot."""
    entries = tuple(_note(number) for number in range(4))
    spot: JsonObject = {"name": "Spot", "slug": "spot", "line": "A place"}
    files = {file_id(name): picture(number) for number, name in enumerate(NAMES, 1)}
    collections = ((NOTES, entries), (SPOTS, (Entry("0", spot),)))
    write_content(folder, Content(site_record(), collections, files))


def _note(number: int) -> Entry:
    onward = (number + 1) % 4
    body = paragraphs(f"Text {number}", linked(f"/notes/note-{onward}", "Onward"))
    if number == 2:
        body += image("body.png", alt="In the body")
    data: JsonObject = {
        "name": f"Note {number}",
        "slug": f"note-{number}",
        "text": body,
        "related": refs("notes", str(onward), str((number + 2) % 4)),
        "spot": ref("spots", "0"),
    }
    if number < 2:
        data["picture"] = asset(NAMES[number], f"Picture {number}")
    french: JsonObject = {"name": "La note", "slug": "la-note", "related": []}
    return Entry(str(number), data, french=french if number == 0 else None)
