"""Records of an origin, made short for tests of the design."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
)
from cmsmig.origin.schema import (
    Collection,
    Field,
    HeldData,
    Item,
    Locale,
    Site,
    dates_of,
    numbers_of,
)

SITE = Site("site", "Site", "site", "UTC", ("example.org",), ())


def make_item(
    item_id: str = "i1",
    *,
    collection: str = "c1",
    locale: str = "",
    slug: str | None = None,
    name: str = "",
    draft: bool = False,
    archived: bool = False,
    created: str = "2024-01-01T00:00:00.000Z",
    updated: str = "2024-01-02T00:00:00.000Z",
    published: str = "",
    data: JsonObject | None = None,
) -> Item:
    """Return an item; its slug is its id by default."""
    return Item(
        key=ItemKey(collection, item_id, locale),
        name=name,
        slug=item_id if slug is None else slug,
        draft=draft,
        archived=archived,
        dates=dates_of(created, updated, published),
        data_hash=fingerprint(data or {}),
        source=HeldData(data or {}),
        numbers=numbers_of(data or {}),
    )


def make_field(
    slug: str,
    kind: str,
    *,
    required: bool = False,
    validations: JsonObject | None = None,
) -> Field:
    """Return a field of a schema, its id made of its slug."""
    return Field(f"id-{slug}", slug, slug, kind, required, "", validations or {})


def make_collection(
    collection_id: str = "c1",
    *fields: Field,
    slug: str = "posts",
    singular: str = "Post",
    groups: tuple[JsonObject, ...] = (),
) -> Collection:
    """Return a collection whose schema ends with name and slug, as real ones do."""
    own = (make_field("name", "PlainText"), make_field("slug", "PlainText"))
    return Collection(
        collection_id, slug.title(), singular, slug, (*fields, *own), groups
    )


def make_locale(locale_id: str, tag: str, subdirectory: str, primary: bool) -> Locale:
    """Return an enabled locale."""
    return Locale(locale_id, tag, tag.upper(), subdirectory, True, primary)


def source(
    staged: Mapping[str, Iterable[Item]],
    live: Mapping[str, Iterable[Item]] | None = None,
) -> Callable[[str, bool], Iterable[Item]]:
    """Return an item source over both sets, by collection id."""
    return lambda collection_id, is_live: list(
        ((live or {}) if is_live else staged).get(collection_id, ())
    )


def make_type(
    collection_id: str = "c1",
    *fields: FieldDesign,
    component: str = "post",
    folder: str = "posts",
    order_field: str = "",
) -> ContentTypeDesign:
    """Return a content type."""
    return ContentTypeDesign(
        collection_slug=folder,
        collection_id=collection_id,
        component=component,
        display_name=component.title(),
        folder=folder,
        folder_name=folder.title(),
        fields=fields,
        order_field=order_field,
    )


def make_design(*content_types: ContentTypeDesign) -> Design:
    """Return a design without blocks."""
    return Design(content_types, ())


def designed(key: str, encoding: Encoding, kind: str = "PlainText") -> FieldDesign:
    """Return a field whose key equals its origin's slug."""
    return FieldDesign(key, kind, key, encoding, key.title())
