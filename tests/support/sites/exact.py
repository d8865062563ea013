"""Sites of an exact size: one to measure with, one small enough to break often."""

from __future__ import annotations

from pathlib import Path

import yaml

from cmsmig.canonical import Json, JsonObject
from tests.support.sites.identity import asset, ref, refs
from tests.support.sites.markup import image, linked, paragraphs
from tests.support.sites.records import Column, Entry, State, Table, into, site_record
from tests.support.sites.writer import Content, write_content

_PARAGRAPHS: dict[str, dict[str, list[str]]] = yaml.load(
    Path(__file__).with_name("paragraphs.yaml").read_text("utf-8"), yaml.CSafeLoader
)
"""By language and subject, for the bodies."""

_LOAD = Table(
    "records",
    "Records",
    "Record",
    (
        Column("RichText", "text", "Text"),
        Column("Image", "cover", "Cover"),
        Column("MultiImage", "plates", "Plates"),
        Column("Number", "position", "Position", False, {"format": "integer"}),
        Column("Reference", "next", "Next", False, into("records")),
        Column("MultiReference", "related", "Related", False, into("records")),
    ),
    nulls=True,
    localised=False,
)

_NOTES = Table(
    "notes",
    "Notes",
    "Note",
    (
        Column("RichText", "text", "Text", True),
        Column("Image", "picture", "Picture"),
        Column("Reference", "about", "About", False, into("spots")),
        Column("MultiReference", "related", "Related", False, into("notes")),
    ),
    nulls=True,
)
_SPOTS = Table(
    "spots",
    "Spots",
    "Spot",
    (
        Column("PlainText", "line", "Line", False, {"singleLine": True}),
        Column("Image", "picture", "Picture"),
        Column("Reference", "best-note", "Best note", False, into("notes")),
    ),
    nulls=False,
)


def write_load_site(
    folder: Path, items: int = 400, images: int = 600, relations: bool = True
) -> None:
    """Write one collection of `items` published items holding `images` images.

    No two image addresses are equal and no reference dangles. With `relations`,
    each item refers to others of the collection, so that an import needs one
    more call per item: 400 items with 600 images take 1,400 calls (Spec: Limits).
    Single locale; the items' positions count from 1.
    """
    site = site_record()
    site.pop("locales")
    bodies = tuple(paragraphs(*texts[:3]) for texts in _PARAGRAPHS["en"].values())
    entries = tuple(
        _record(n, bodies[n % len(bodies)], items, images, relations)
        for n in range(items)
    )
    write_content(folder, Content(site, ((_LOAD, entries),)))


def write_small_site(folder: Path) -> None:
    """Write 24 notes and 6 spots, half of the notes and all spots in French too.

    12 images, references both ways and within a collection, links in the texts,
    one draft and one archived item; nothing dangles.
    """
    english, french = _PARAGRAPHS["en"]["marsh"], _PARAGRAPHS["fr"]["marais"]
    notes = tuple(
        _note(n, english[n % len(english)], french[n % len(french)]) for n in range(24)
    )
    spots = tuple(_spot(number) for number in range(6))
    write_content(folder, Content(site_record(), ((_NOTES, notes), (_SPOTS, spots))))


def _record(number: int, body: str, items: int, images: int, relations: bool) -> Entry:
    """Return an item with its share of the images: the first is the cover."""
    pictures: list[Json] = [
        asset(f"plate-{index:05d}.jpg", f"Plate {index + 1}")
        for index in range(number, images, items)
    ]
    data: JsonObject = {
        "name": f"Record {number + 1}",
        "slug": f"record-{number + 1}",
        "text": body,
        "position": number + 1,
    }
    if pictures:
        data["cover"] = pictures[0]
    if pictures[1:]:
        data["plates"] = pictures[1:]
    if relations:
        data["next"] = ref("records", str((number + 1) % items))
        others = [str((number + step) % items) for step in (7, 3)]
        data["related"] = refs("records", *others)
    return Entry(str(number), data)


def _note(number: int, english: str, french_text: str) -> Entry:
    onward = (number + 1) % 22
    body = paragraphs(english)
    body += paragraphs(linked(f"/notes/note-{onward + 1}", "The next note"))
    if number % 4 == 0:
        body += image(f"note-{number:02d}.jpg", alt=f"Note {number + 1}")
    data: JsonObject = {
        "name": f"Note {number + 1}",
        "slug": f"note-{number + 1}",
        "text": body,
        "about": ref("spots", str(number % 6)),
        "related": refs("notes", str(onward), str((number + 5) % 22)),
    }
    french: JsonObject = {
        "name": f"Note {number + 1} (fr)",
        "slug": f"la-note-{number + 1}",
        "text": paragraphs(french_text, linked("/fr/notes/la-note-1", "La première")),
        # Only what exists in French may be pointed at from a French variant.
        "related": refs("notes", str((number + 2) % 22 // 2 * 2)),
    }
    state = {22: State.DRAFT, 23: State.ARCHIVED}.get(number, State.PUBLISHED)
    return Entry(str(number), data, state, french=french if number % 2 == 0 else None)


def _spot(number: int) -> Entry:
    data: JsonObject = {
        "name": f"Spot {number + 1}",
        "slug": f"spot-{number + 1}",
        "line": "A place to stand still",
        "picture": asset(f"spot-{number}.jpg", f"Spot {number + 1}"),
        "best-note": ref("notes", str(number * 2)),
    }
    return Entry(str(number), data, french={"line": "Un lieu où s’arrêter"})
