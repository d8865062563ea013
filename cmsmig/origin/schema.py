"""The origin's records, typed: strict where the kit relies on them, tolerant
where the real service varies (unknown field types, null or missing keys).

Their texts are valid: a lone surrogate, which `raw/` keeps, is U+FFFD from here on,
and the record names its field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Protocol

from cmsmig.canonical import Json, JsonObject, fingerprint, text_of
from cmsmig.errors import CacheError
from cmsmig.item_key import ItemKey as ItemKey
from cmsmig.valid_text import storable_value


@dataclass(frozen=True, slots=True)
class Locale:
    """One locale of a site."""

    locale_id: str
    """The `cmsLocaleId` that items carry, not the locale's own `id`."""
    tag: str
    display_name: str
    subdirectory: str
    """Without slashes. A primary locale may have one without any page below it."""
    enabled: bool
    primary: bool
    page_locale_id: str = ""
    """The locale's own `id`, which pages carry."""

    @property
    def names(self) -> frozenset[str]:
        """Return the ids by which records name the locale."""
        return frozenset((self.locale_id, self.page_locale_id)) - {""}


@dataclass(frozen=True, slots=True)
class Site:
    """The site that a token sees."""

    site_id: str
    display_name: str
    short_name: str
    time_zone: str
    """An IANA name; `UTC` when the service names none."""
    domains: tuple[str, ...]
    """Bare hosts: the custom domains, then `{shortName}.webflow.io`."""
    locales: tuple[Locale, ...]
    """The primary first; empty on a site that lists none."""
    odd_characters: int = 0
    """How many characters that no text may hold were in its record."""

    @property
    def is_localized(self) -> bool:
        """Return whether localization is in use: a locale is enabled."""
        return any(each.enabled for each in self.locales)

    @property
    def asked_locales(self) -> tuple[str, ...]:
        """Return the locales that requests for items name: all of a localized site.
        Without any name the service gives the primary locale, where items of other
        sites may name none. Source: origin, shapes; locales."""
        return tuple(e.locale_id for e in self.locales) if self.is_localized else ()


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a collection's schema."""

    field_id: str
    slug: str
    display_name: str
    type: str
    """As the service names it; unknown types are kept, v1 names translated."""
    required: bool
    help_text: str
    validations: JsonObject
    """Empty when the service says null."""

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """Return the choices of an Option field as (id, name), in schema order."""
        listed = self.validations.get("options")
        return tuple(
            (text_of(option.get("id")), text_of(option.get("name")))
            for option in (listed if isinstance(listed, list) else [])
            if isinstance(option, dict)
        )

    @property
    def target_collection(self) -> str:
        """Return the collection that a reference points into, or empty."""
        return text_of(self.validations.get("collectionId"))


@dataclass(frozen=True, slots=True)
class TemplatePage:
    """A page of the designer that shows the items of a collection."""

    locale_id: str
    """The id of its locale, as pages name it, or empty."""
    path: str
    """The collection's public path there; empty where it is not published."""
    head: tuple[tuple[str, str], ...] = ()
    """The patterns of what is in the head of the page, by name."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection and its field schema."""

    collection_id: str
    display_name: str
    singular_name: str
    slug: str
    fields: tuple[Field, ...]
    field_groups: tuple[JsonObject, ...] = ()
    odd_characters: int = 0
    """How many characters that no text may hold were in its record."""
    unread: str = ""
    """Why the last pull could not read it, in a sentence; empty where it could."""
    templates: tuple[TemplatePage, ...] = ()
    """The pages of the designer that show its items."""

    @property
    def is_known(self) -> bool:
        """Return whether its fields were ever read. One that was not has no items
        here, and nothing can be decided but to leave it out."""
        return bool(self.fields) or not self.unread

    def field(self, slug: str) -> Field | None:
        """Return the field with this slug, if there is one."""
        return next((each for each in self.fields if each.slug == slug), None)


class DataSource(Protocol):
    """Where the values of an item are."""

    def read(self) -> JsonObject:
        """Return them; raises `CacheError` where they are gone."""


@dataclass(frozen=True, slots=True)
class HeldData:
    """Values in memory."""

    data: JsonObject

    def read(self) -> JsonObject:
        """Return them."""
        return self.data


@dataclass(frozen=True, slots=True)
class ItemLanguage:
    """Another language of an item, whose values its own are with."""

    key: ItemKey
    """Of the item in that locale."""
    code: str
    """The destination's code of the language."""
    name: str
    slug: str


@dataclass(frozen=True, slots=True)
class Item:
    """One item in one locale."""

    key: ItemKey
    name: str
    slug: str
    """Empty when the record holds none."""
    draft: bool
    archived: bool
    dates: str
    """What `dates_of` gave: of three texts each takes as much memory as the one."""
    data_hash: str
    """Fingerprint of `data`."""
    source: DataSource = field(compare=False, repr=False)
    odd_characters: int = 0
    """How many characters that no text may hold were in its record."""
    numbers: tuple[tuple[str, float], ...] = ()
    """The values that are numbers, by field."""
    languages: tuple[ItemLanguage, ...] = ()
    """The other languages whose values are among its own; none as it is pulled."""

    @property
    def created_on(self) -> str:
        """Return when it was made, in ISO 8601."""
        return self.dates.split("\n")[0]

    @property
    def last_updated(self) -> str:
        """Return when its values were changed last, in ISO 8601."""
        return self.dates.split("\n")[1]

    @property
    def last_published(self) -> str:
        """Return when it was published last, in ISO 8601; empty for never."""
        return self.dates.split("\n")[2]

    @property
    def data(self) -> JsonObject:
        """Return `fieldData` as it came: a missing key and null both mean never
        filled. It may be read from disk each time."""
        return self.source.read()


def dates_of(created_on: str, last_updated: str, last_published: str) -> str:
    """Return the dates of an item as one text, a line each."""
    dates = (created_on, last_updated, last_published)
    return "\n".join(each.replace("\n", " ") for each in dates)


_MOST_FIELDS = 1000
"""Far beyond what the origin allows in a collection."""
_ALIASES = {
    "Bool": "Switch",
    "Date": "DateTime",
    "ExtFileRef": "File",
    "FileRef": "File",
    "ImageRef": "Image",
    "ItemRef": "Reference",
    "ItemRefSet": "MultiReference",
    "Set": "MultiImage",
    "Video": "VideoLink",
}
"""Names of the first API version that old dumps still carry."""


def parse_site(record: object, where: str) -> Site:
    """Return the site in `record`; raises `CacheError` naming `where`."""
    body, odd = storable_value(_object(record, where))
    short_name = text_of(body.get("shortName"))
    domains = [
        _bare_host(text_of(domain.get("url")))
        for domain in objects_in(body.get("customDomains"))
    ]
    if short_name:
        domains.append(f"{short_name}.webflow.io")
    return Site(
        site_id=_identifier(body, where),
        display_name=text_of(body.get("displayName")) or short_name,
        short_name=short_name,
        time_zone=text_of(body.get("timeZone")) or "UTC",
        domains=tuple(dict.fromkeys(domain for domain in domains if domain)),
        locales=_locales(body.get("locales")),
        odd_characters=odd,
    )


def parse_collection(record: object, where: str) -> Collection:
    """Return the collection in `record`; raises `CacheError` naming `where`."""
    body, odd = storable_value(_object(record, where))
    collection_id = _identifier(body, where)
    slug = text_of(body.get("slug")) or collection_id
    fields = objects_in(body.get("fields"))
    if len(fields) > _MOST_FIELDS:
        raise CacheError(
            f"{where} lists {len(fields)} fields, which no collection has; check the"
            " address of the origin in the settings, then pull it again with"
            " --refresh."
        )
    return Collection(
        collection_id=collection_id,
        display_name=text_of(body.get("displayName")) or text_of(body.get("slug")),
        singular_name=text_of(body.get("singularName")),
        slug=slug,
        fields=tuple(map(_field, fields)),
        field_groups=tuple(objects_in(body.get("fieldGroups"))),
        odd_characters=odd,
    )


def parse_item(record: object, collection_id: str, where: str) -> Item:
    """Return the item in `record`; raises `CacheError` naming `where`."""
    body, odd = storable_value(_object(record, where))
    data = _object(body.get("fieldData"), f"{where}, fieldData")
    return Item(
        key=ItemKey(
            collection_id, _identifier(body, where), text_of(body.get("cmsLocaleId"))
        ),
        name=text_of(data.get("name")),
        slug=text_of(data.get("slug")),
        draft=body.get("isDraft") is True,
        archived=body.get("isArchived") is True,
        dates=dates_of(
            text_of(body.get("createdOn")),
            text_of(body.get("lastUpdated")),
            text_of(body.get("lastPublished")),
        ),
        data_hash=fingerprint(data),
        source=HeldData(data),
        odd_characters=odd,
        numbers=numbers_of(data),
    )


def parse_data(record: object, where: str) -> JsonObject:
    """Return the values of the item in `record`; raises `CacheError`."""
    data, _ = storable_value(_object(record, where).get("fieldData"))
    return _object(data, f"{where}, fieldData")


def numbers_of(data: JsonObject) -> tuple[tuple[str, float], ...]:
    """Return the values that are numbers, by field."""
    return tuple(
        (intern(slug), value)
        for slug, value in data.items()
        if type(value) is int or type(value) is float
    )


def _field(body: JsonObject) -> Field:
    kind = text_of(body.get("type"))
    validations = body.get("validations") or body.get("metadata")
    return Field(
        field_id=text_of(body.get("id")),
        slug=text_of(body.get("slug")) or text_of(body.get("id")),
        display_name=text_of(body.get("displayName")) or text_of(body.get("slug")),
        type=_ALIASES.get(kind, kind),
        required=body.get("isRequired") is True,
        help_text=text_of(body.get("helpText")),
        validations=validations if isinstance(validations, dict) else {},
    )


def _locales(value: Json) -> tuple[Locale, ...]:
    if not isinstance(value, dict):
        return ()
    primary = [_locale(body, True) for body in objects_in([value.get("primary")])]
    secondary = [_locale(body, False) for body in objects_in(value.get("secondary"))]
    return tuple(locale for locale in primary + secondary if locale.locale_id)


def _locale(body: JsonObject, primary: bool) -> Locale:
    return Locale(
        locale_id=text_of(body.get("cmsLocaleId")),
        tag=text_of(body.get("tag")),
        display_name=text_of(body.get("displayName")) or text_of(body.get("tag")),
        subdirectory=text_of(body.get("subdirectory")).strip("/"),
        enabled=body.get("enabled") is not False,
        primary=primary,
        page_locale_id=text_of(body.get("id")),
    )


def _identifier(body: Mapping[str, Json], where: str) -> str:
    found = body.get("id")
    if not isinstance(found, str) or not found:
        raise CacheError(f"{where} has no id; pull it again with --refresh.")
    return found


def _object(value: object, where: str) -> JsonObject:
    if not isinstance(value, dict):
        raise CacheError(f"{where} is not a JSON object; pull it again with --refresh.")
    return value


def objects_in(value: Json) -> list[JsonObject]:
    """Return the objects of a list; none of what is no list."""
    if not isinstance(value, list):
        return []
    return [entry for entry in value if isinstance(entry, dict)]


def _bare_host(url: str) -> str:
    return url.split("://", 1)[-1].split("/", 1)[0].lower()
