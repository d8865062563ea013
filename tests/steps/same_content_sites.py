"""Small sites, drawn, of everything whose order could leak into the content.

Slugs that clash once they are cleaned, within a folder and across locales, names
and moments that are equal, files of the same bytes under several names and ids,
references in circles, into nothing and twice into the same, bodies with pictures,
links and raw HTML, and collections and locales that want the same folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from urllib.parse import quote

from hypothesis import strategies as st

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.origin.drawing import draw
from cmsmig.sandbox.sample.identity import long_id, short_id
from cmsmig.sandbox.sample.markup import embed, heading, linked, paragraphs

SITE_ID = short_id("site:same-content")
DANGLING = 9
"""An item number that no item has: references by it lead nowhere."""

# (folder in addresses, tag): the last three want one folder at the destination.
_LOCALES = (("", "en"), ("fr", "fr-FR"), ("pt", "pt-PT"), ("PT", "pt-BR"), ("Pt", "p"))
# (slug, singular name): folders clash, component names do, one is a locale's folder.
_COLLECTIONS = (
    ("notes", "Note"),
    ("spots", "Note"),
    ("Notes", "Spot"),
    ("fr", "Page"),
    ("a b", ""),
)
_SLUGS = ("one", "One", "one-2", "öne", "", "..", "spots", "fr", "two words", "x" * 260)
_NAMES = ("One", "", "Zwölf “Ü”", "日本 \u202e", "One\n", "<b>&amp;</b>")
_CREATED = ("2022-01-10T07:30:00.000Z", "2022-01-10T07:30:00Z", "2021-05-01")
# (name, which bytes it holds): three contents under seven names; `None` is gone.
_FILES: tuple[tuple[str, int | None], ...] = (
    ("a.png", 0),
    ("b.png", 0),
    ("c ä.jpg", 0),
    ("a.png", 1),
    ("d.PNG", 1),
    ("paper.pdf", 2),
    ("lost.png", None),
)
_BYTES = ("first.png", "second.png", "third.pdf")
_ALTS = (None, "", "One", "Zwei & drei", "__wf_reserved_inherit")
_TEXTS = ("Text.", "é & <i>schräg</i> 日本", "<strong>One</strong>", "")
_STATES = ("published", "draft", "archived", "changed", "live_only")


class Shown:
    """Shows a record by what is not as always, so that examples can be read."""

    def __repr__(self) -> str:
        shown = [
            f"{one.name}={value!r}"
            for one in fields(self)  # type: ignore[arg-type]
            if (value := getattr(self, one.name)) != one.default
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(frozen=True, repr=False)
class Variant(Shown):
    """One item in one locale."""

    name: str = "One"
    slug: str = "one"
    state: str = "published"
    body: tuple[tuple[str, int, int], ...] = ()
    """(kind of part, which, another number), in order."""
    picture: tuple[int, int] | None = None
    """(file, alt text)."""
    plates: tuple[tuple[int, int], ...] = ()
    one: int | None = None
    many: tuple[int, ...] = ()
    """Numbers of items, as the field has them: their order is content."""
    order: int | None = None
    mood: int | None = None
    link: tuple[int, int] | None = None
    stray: bool = False
    """Whether it holds a value that the schema does not list."""


@dataclass(frozen=True)
class Entry:
    """One item: its collection, when it was made, and its variants by locale."""

    collection: int
    created: str
    variants: tuple[tuple[int, Variant], ...]


@dataclass(frozen=True, repr=False)
class Choices(Shown):
    """What people decide other than is proposed."""

    items: str = "staged"
    publish: bool = False
    split: bool = False
    """Whether bodies become blocks, by every rule."""


AS_PROPOSED = Choices()


@dataclass(frozen=True)
class Site:
    """Everything that is at the origin, and what is decided."""

    locales: tuple[int, ...] = (1,)
    """The secondary ones."""
    collections: tuple[int, ...] = (0, 1)
    entries: tuple[Entry, ...] = ()
    choices: Choices = AS_PROPOSED


@dataclass(frozen=True, repr=False)
class Orders(Shown):
    """The order in which the origin holds things: 0 is the plain one, every other
    number another shuffle."""

    items: int = 0
    collections: int = 0
    locales: int = 0
    keys: int = 0

    @property
    def is_plain(self) -> bool:
        """Return whether the origin's own bytes are those of the plain order."""
        return self == PLAIN_ORDERS


PLAIN_ORDERS = Orders()


def full_site() -> Site:
    """Return a site that has something of everything."""
    return Site(
        locales=(3, 4),
        collections=(0, 1, 2),
        entries=tuple(_full_entry(number) for number in range(8)),
        choices=Choices(publish=True, split=True),
    )


def _full_entry(number: int) -> Entry:
    locales = ((0, 3), (0,), (3, 4), (0, 4))[number % 4]
    variants = tuple(
        (
            locale,
            Variant(
                name=_NAMES[number % 3],
                slug=_SLUGS[(number // 3 + locale) % 4],
                state=("published", "changed", "published", "draft")[number % 4],
                body=(
                    ("picture", number, locale),
                    ("link", number + 3, locale),
                    ("head", 0, 0),
                    ("embed", number + 1, 0),
                    ("text", 0, number),
                ),
                picture=(number % len(_FILES), (number + locale) % len(_ALTS)),
                plates=((6 - number % 7, 2), (number // 2, 3)),
                one=(number + 1) % 9,
                many=((number + 3) % 8, DANGLING, number, (number + 3) % 8),
                order=number % 2,
                mood=number % 4,
                link=(number + 1, locale),
                stray=number == 5,
            ),
        )
        for locale in locales
    )
    return Entry(number % 3, _CREATED[number % 2], variants)


def sites(most_items: int = 10) -> st.SearchStrategy[Site]:
    """Return sites of 2 or 3 locales, 2 or 3 collections and up to 10 items."""
    shapes = st.tuples(
        st.lists(st.integers(1, 4), min_size=1, max_size=2, unique=True),
        st.lists(st.integers(0, 4), min_size=2, max_size=3, unique=True),
    )
    return shapes.flatmap(lambda shape: _sites(*shape, most_items))


def orders() -> st.SearchStrategy[Orders]:
    """Return orders; most leave something as it was."""
    number = st.just(0) | st.integers(1, 40)
    return st.builds(
        Orders, items=number, collections=number, locales=number, keys=number
    )


def _sites(
    locales: list[int], collections: list[int], most_items: int
) -> st.SearchStrategy[Site]:
    entries = st.builds(
        Entry,
        collection=st.integers(0, len(collections) - 1),
        created=st.sampled_from(_CREATED),
        variants=_variants([0, *locales]),
    )
    return st.builds(
        Site,
        locales=st.just(tuple(locales)),
        collections=st.just(tuple(collections)),
        entries=st.lists(entries, min_size=6, max_size=most_items).map(tuple),
        choices=st.builds(
            Choices,
            items=st.sampled_from(("staged", "live", "staged_published_only")),
            publish=st.booleans(),
            split=st.booleans(),
        ),
    )


def _variants(locales: list[int]) -> st.SearchStrategy[tuple]:
    return (
        st.lists(st.sampled_from(locales), min_size=1, unique=True)
        .map(sorted)
        .flatmap(
            lambda chosen: st.tuples(
                *(st.tuples(st.just(one), _VARIANT) for one in chosen)
            )
        )
    )


_ITEM = st.integers(0, DANGLING)
_FILE = st.tuples(st.integers(0, len(_FILES) - 1), st.integers(0, len(_ALTS) - 1))
_PART = st.tuples(
    st.sampled_from(("text", "head", "picture", "link", "embed", "quote")),
    st.integers(0, DANGLING),
    st.integers(0, 4),
)
_VARIANT = st.builds(
    Variant,
    name=st.sampled_from(_NAMES),
    slug=st.sampled_from(_SLUGS),
    state=st.sampled_from(("published", *_STATES)),
    body=st.lists(_PART, max_size=4).map(tuple),
    picture=st.none() | _FILE,
    plates=st.lists(_FILE, max_size=3).map(tuple),
    one=st.none() | _ITEM,
    many=st.lists(_ITEM, max_size=4).map(tuple),
    order=st.none() | st.integers(0, 2),
    mood=st.none() | st.integers(0, 3),
    link=st.none() | st.tuples(_ITEM, st.integers(0, 4)),
    stray=st.booleans(),
)


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
    for number, (_, content) in enumerate(_FILES):
        if content is not None:
            data = draw(_BYTES[content])
            (folder / "files" / _file_id(number)).write_bytes(data)
    lost = [_file_id(n) for n, (_, content) in enumerate(_FILES) if content is None]
    _write(folder / "files" / "missing.json", [*lost])


@dataclass(frozen=True)
class _Table:
    """One collection of a site."""

    site: Site
    place: int

    @property
    def slug(self) -> str:
        return _COLLECTIONS[self.site.collections[self.place]][0]

    @property
    def collection_id(self) -> str:
        return short_id(f"collection:{self.slug}")

    def summary(self) -> JsonObject:
        return {
            "id": self.collection_id,
            "displayName": self.slug.title(),
            "singularName": _COLLECTIONS[self.site.collections[self.place]][1],
            "slug": self.slug,
            "createdOn": _CREATED[0],
            "lastUpdated": _CREATED[0],
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
            "lastPublished": _CREATED[0] if published else None,
            "lastUpdated": _CREATED[0],
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
            data["stray"] = "Nobody lists this."
        data.update(name=variant.name, slug=variant.slug)
        return data

    def _part(self, kind: str, which: int, other: int) -> str:
        if kind == "head":
            return heading(2, "A heading")
        if kind == "picture":
            return _figure(which % len(_FILES), other % len(_ALTS))
        if kind == "link":
            return paragraphs(linked(self._path(which, other), "There"))
        if kind == "embed":
            address = _address(which % len(_FILES))
            return embed(f'<b style="background:url({address})">One</b>')
        text = _TEXTS[other % len(_TEXTS)]
        return (
            f"<blockquote>{text}</blockquote>" if kind == "quote" else f"<p>{text}</p>"
        )

    def _path(self, number: int, locale: int) -> str:
        """Return the old path of an item in a locale, whether or not it is there."""
        entry = self.site.entries[number % len(self.site.entries)]
        subdirectory = _LOCALES[locale][0]
        slug = dict(entry.variants).get(locale, entry.variants[0][1]).slug
        table = _Table(self.site, entry.collection)
        parts = [part for part in (subdirectory, table.slug, slug) if part]
        return "/" + "/".join(quote(part) for part in parts)


_LIVE = ("published", "changed", "live_only")
_STAGED = ("published", "draft", "archived", "changed")


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
    subdirectory, tag = _LOCALES[number]
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
    return f"{{origin_files}}/{_file_id(number)}_{quote(_FILES[number][0])}"


def _file(number: int, alt: int) -> JsonObject:
    return {"fileId": _file_id(number), "url": _address(number), "alt": _ALTS[alt]}


def _figure(number: int, alt: int) -> str:
    text = _ALTS[alt]
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
    """Return a record whose keys, and those of its data, stand in another order."""
    data = record["fieldData"]
    assert isinstance(data, dict)
    mixed = {**record, "fieldData": dict(_shuffled([*data.items()], seed))}
    return dict(_shuffled([*mixed.items()], seed))


def _write(path: Path, body: Json) -> None:
    path.write_text(json.dumps(body, ensure_ascii=False, indent=1), encoding="utf-8")
