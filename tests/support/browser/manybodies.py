"""A pulled site with very many rich text bodies, made of a few shapes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

COLLECTION = "65b000000000000000000001"
FIELD = "body"
HOSTS = 60
"""How many hosts embeds come from: more than a page of controls."""
_SENTENCE = (
    "The tide tables for the northern flats were redrawn in the spring, and every "
    "boat that had relied upon the older print found its own way back. "
)


def body(number: int) -> str:
    """Return the body of an item; no two are equal."""
    parts = [f"<p>Entry {number}. {_SENTENCE * 2}</p>"]
    shape = number % 8
    if shape in (1, 3, 5, 7):
        parts.append(f"<h2>Part one of {number}</h2><p>{_SENTENCE * 3}</p>")
    if shape in (2, 3):
        parts.append(
            f"<h3>Dates</h3><ul><li>{_SENTENCE}</li><li><a href='/x/{number}'>"
            "one <em>link</em></a></li></ul>"
        )
    if shape in (3, 6):
        parts.append(
            '<figure class="w-richtext-figure-type-image w-richtext-align-center">'
            f'<div><img src="https://pictures.example/{number % 20}.jpg" alt="Flats">'
            "</div><figcaption>A <b>caption</b></figcaption></figure>"
        )
    if shape == 5:
        parts.append(
            '<figure class="w-richtext-figure-type-video"><div><iframe src='
            f'"https://host{number // 8 % HOSTS}.example/embed/{number}"></iframe>'
            "</div></figure>"
        )
    if shape == 7:
        parts.append(
            f"<blockquote>{_SENTENCE}</blockquote><h2>Part two</h2>"
            '<p style="text-align:center" onclick="go()">Centred</p>'
            "<table><tbody><tr><td>1</td><td>2</td></tr></tbody></table>"
        )
    parts.append(f"<p><strong>End</strong> of {number}. {_SENTENCE}</p>")
    return "".join(parts)


def write_many_bodies(folder: Path, count: int) -> None:
    """Write a raw folder as a pull leaves it, with `count` items of one body each."""
    site = {"id": "s1", "displayName": "Many", "shortName": "many"}
    _write(folder / "sites.json", {"sites": [site]})
    _write(folder / "collections.json", {"collections": [{"id": COLLECTION}]})
    _write(folder / "collections" / f"{COLLECTION}.json", _schema())
    for name in ("items", "live"):
        _lines(folder / name / f"{COLLECTION}.json", map(_item, range(count)))


def _schema() -> dict[str, object]:
    fields = (("name", "PlainText"), ("slug", "PlainText"), (FIELD, "RichText"))
    return {
        "id": COLLECTION,
        "displayName": "Articles",
        "singularName": "Article",
        "slug": "articles",
        "fields": [
            {
                "id": f"f-{slug}",
                "slug": slug,
                "displayName": slug.title(),
                "type": kind,
                "isRequired": slug != FIELD,
            }
            for slug, kind in fields
        ],
    }


def _item(number: int) -> dict[str, object]:
    data = {"name": f"Article {number:05}", "slug": f"a-{number}", FIELD: body(number)}
    return {
        "id": f"66{number:022}",
        "cmsLocaleId": None,
        "lastPublished": "2024-02-01T00:00:00.000Z",
        "lastUpdated": "2024-01-02T00:00:00.000Z",
        "createdOn": "2024-01-01T00:00:00.000Z",
        "isArchived": False,
        "isDraft": False,
        "fieldData": data,
    }


def _write(path: Path, document: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), "utf-8")


def _lines(path: Path, items: Iterable[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = ",\n".join(map(json.dumps, items))
    path.write_text(f'{{"items": [\n{rows}\n]}}\n', "utf-8")
