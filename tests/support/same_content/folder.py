"""A drawn site as the content folder that a sandbox serves."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from urllib.parse import quote

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.origin.files import draw
from tests.support.same_content.sites import (
    ALTS,
    BYTES,
    COLLECTIONS,
    CREATED,
    FILES,
    LOCALES,
    PLAIN_ORDERS,
    TEXTS,
    Entry,
    Orders,
    Site,
    Variant,
)
from tests.support.sites.identity import long_id, short_id
from tests.support.sites.markup import embed, heading, linked, paragraphs

SITE_ID = short_id("site:same-content")
_LIVE = ("published", "changed", "live_only")
_STAGED = ("published", "draft", "archived", "changed")


def write_site(folder: Path, site: Site, orders: Orders = PLAIN_ORDERS) -> None:
    """Write a site as a content folder, in the given orders."""
    for name in ("collections", "items", "live", "files"):
        (folder / name).mkdir(parents=True)
    _write(folder / "sites.json", {"sites": [_site_record(site, orders)]})
    tables = [_Table(site, place) for place in range(len(site.collections))]
    listed = _shuffled([one.summary() for one in tables], orders.collections)
    _write(folder / "collections.json", {"collections": [*listed]})
    for table in tables:
        name = f"{table.collection_id}.json"
        _write(folder / "collections" / name, table.schema())
        for kind in ("items", "live"):
            records = _shuffled(table.records(live=kind == "live"), orders.items)
            rows = [_keys_shuffled(record, orders.keys) for record in records]
            _write(folder / kind / name, {"items": [*rows]})
    for number, (_, content) in enumerate(FILES):
        if content is not None:
            data = draw(BYTES[content])
            (folder / "files" / _file_id(number)).write_bytes(data)
    lost = [_file_id(n) for n, (_, content) in enumerate(FILES) if content is None]
    _write(folder / "files" / "missing.json", [*lost])


@dataclass(frozen=True)
class _Table:
    """One collection of a site."""

    site: Site
    place: int

    @property
    def slug(self) -> str:
        return COLLECTIONS[self.site.collections[self.place]][0]

    @property
    def collection_id(self) -> str:
        return short_id(f"collection:{self.slug}")

    def summary(self) -> JsonObject:
        return {
            "id": self.collection_id,
            "displayName": self.slug.title(),
            "singularName": COLLECTIONS[self.site.collections[self.place]][1],
            "slug": self.slug,
            "createdOn": CREATED[0],
            "lastUpdated": CREATED[0],
        }

    def schema(self) -> JsonObject:
        count = len(self.site.collections)
        onward = _Table(self.site, (self.place + 1) % count).collection_id
        fields: list[Json] = [
            _field("Option", "mood", {"options": [*_options()]}),
            _field("RichText", "text"),
            _field("Image", "picture"),
            _field("MultiImage", "plates"),
            _field("Link", "link"),
            _field("Number", "order", {"format": "integer"}),
            _field("Reference", "one", {"collectionId": onward}),
            _field("MultiReference", "many", {"collectionId": self.collection_id}),
            _field("MultiReference", "others", {"collectionId": onward}),
            _field("PlainText", "name"),
            _field("PlainText", "slug"),
        ]
        return {**self.summary(), "fields": fields}

    def records(self, *, live: bool) -> list[JsonObject]:
        """Return one of the two sets, the variants of an item together."""
        found: list[JsonObject] = []
        for number, entry in enumerate(self.site.entries):
            if entry.collection != self.place:
                continue
            for locale, variant in entry.variants:
                if variant.state in (_LIVE if live else _STAGED):
                    found.append(self._record(number, entry, locale, variant, live))
        return found

    def _record(
        self, number: int, entry: Entry, locale: int, variant: Variant, live: bool
    ) -> JsonObject:
        data = self._data(variant)
        if live and variant.state == "changed":
            data["slug"] = f"{variant.slug}-before"
        published = variant.state in _LIVE
        return {
            "id": item_id(number),
            "cmsLocaleId": locale_id(locale),
            "lastPublished": CREATED[0] if published else None,
            "lastUpdated": CREATED[0],
            "createdOn": entry.created,
            "isArchived": variant.state == "archived" and not live,
            "isDraft": variant.state in ("draft", "changed") and not live,
            "fieldData": data,
        }

    def _data(self, variant: Variant) -> JsonObject:
        many: list[Json] = [item_id(number) for number in variant.many]
        data: JsonObject = {
            "text": "".join(self._part(*part) for part in variant.body),
            "plates": [_file(*plate) for plate in variant.plates],
            "many": many,
            "others": [*reversed(many)],
            "picture": _file(*variant.picture) if variant.picture else None,
            "link": self._path(*variant.link) if variant.link else None,
            "order": variant.order,
            "one": None if variant.one is None else item_id(variant.one),
        }
        if variant.mood is not None:
            data["mood"] = long_id(f"mood:{variant.mood}")
        if variant.stray:
            data["stray"] = "No schema lists this."
        data.update(name=variant.name, slug=variant.slug)
        return data

    def _part(self, kind: str, which: int, other: int) -> str:
        if kind == "head":
            return heading(2, "A heading")
        if kind == "picture":
            return _figure(which % len(FILES), other % len(ALTS))
        if kind == "link":
            return paragraphs(linked(self._path(which, other), "There"))
        if kind == "embed":
            address = _address(which % len(FILES))
            return embed(f'<b style="background:url({address})">One</b>')
        text = TEXTS[other % len(TEXTS)]
        return (
            f"<blockquote>{text}</blockquote>" if kind == "quote" else f"<p>{text}</p>"
        )

    def _path(self, number: int, locale: int) -> str:
        """Return the old path of an item in a locale, whether or not it is there."""
        entry = self.site.entries[number % len(self.site.entries)]
        subdirectory = LOCALES[locale][0]
        slug = dict(entry.variants).get(locale, entry.variants[0][1]).slug
        table = _Table(self.site, entry.collection)
        parts = [part for part in (subdirectory, table.slug, slug) if part]
        return "/" + "/".join(quote(part) for part in parts)


def item_id(number: int) -> str:
    """Return the id of an item: by hash, so not in the order of the numbers."""
    return short_id(f"item:{number}")


def locale_id(locale: int) -> str:
    """Return the `cmsLocaleId` of a locale."""
    return short_id(f"locale:{locale}")


def _site_record(site: Site, orders: Orders) -> JsonObject:
    secondary: list[Json] = [_locale(number) for number in site.locales]
    locales: JsonObject = {"primary": _locale(0), "secondary": secondary}
    if orders.locales:
        locales["secondary"] = _shuffled(secondary, orders.locales)
        locales = dict(reversed(locales.items()))
    return {
        "id": SITE_ID,
        "displayName": "Same content",
        "shortName": "same-content",
        "timeZone": "Europe/Paris",
        "customDomains": [],
        "locales": locales,
    }


def _locale(number: int) -> JsonObject:
    subdirectory, tag = LOCALES[number]
    return {
        "id": short_id(f"locale record:{number}"),
        "cmsLocaleId": locale_id(number),
        "enabled": True,
        "displayName": tag,
        "subdirectory": subdirectory,
        "tag": tag,
    }


def _options() -> Iterable[JsonObject]:
    # Two labels are equal, and one choice is no longer listed.
    for number, name in enumerate(("calm", "calm", "loud")):
        yield {"name": name, "id": long_id(f"mood:{number}")}


def _field(kind: str, slug: str, validations: JsonObject | None = None) -> JsonObject:
    return {
        "id": long_id(f"field:{slug}"),
        "isRequired": slug in ("name", "slug"),
        "type": kind,
        "slug": slug,
        "displayName": slug.title(),
        "helpText": None,
        "validations": validations,
    }


def _file_id(number: int) -> str:
    return short_id(f"file:{number}")


def _address(number: int) -> str:
    return f"{{origin_files}}/{_file_id(number)}_{quote(FILES[number][0])}"


def _file(number: int, alt: int) -> JsonObject:
    return {"fileId": _file_id(number), "url": _address(number), "alt": ALTS[alt]}


def _figure(number: int, alt: int) -> str:
    text = ALTS[alt]
    said = "" if text is None else f' alt="{text.replace("&", "&amp;")}"'
    return (
        '<figure class="w-richtext-align-center w-richtext-figure-type-image"><div>'
        f'<img src="{_address(number)}"{said}></div></figure>'
    )


def _shuffled(rows: list, seed: int) -> list:
    found = list(rows)
    if seed:
        Random(seed).shuffle(found)
    return found


def _keys_shuffled(record: JsonObject, seed: int) -> JsonObject:
    """Return a record whose keys, and those of its data, are in another order."""
    data = record["fieldData"]
    assert isinstance(data, dict)
    mixed = {**record, "fieldData": dict(_shuffled([*data.items()], seed))}
    return dict(_shuffled([*mixed.items()], seed))


def _write(path: Path, body: Json) -> None:
    path.write_text(json.dumps(body, ensure_ascii=False, indent=1), encoding="utf-8")
