"""An invented site of one collection, for the tests of what items become."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cmsmig.canonical import Json, JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.item_draft import ItemDraft, StoryDraft
from cmsmig.mapping.convert.story import draft_item
from cmsmig.mapping.decisions.choices import FormerPath
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
)
from cmsmig.mapping.draft import DraftContext, Place
from cmsmig.mapping.select.routes import Routes
from cmsmig.origin.schema import (
    Collection,
    Item,
    Locale,
    Site,
    parse_collection,
    parse_item,
)
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.policy import EmbedPolicy

NAMESPACE = "6f1f2f0a-52f0-4c8e-9a53-1f9d1d3f2a11"
FILES = "files.example.net"
"""The one file host."""
EN, FR = "loc-en", "loc-fr"
POSTS, TAGS = "c-posts", "c-tags"
MADE_OF = "0123456789abcdef" * 4


def key(name: str, *, collection: str = POSTS, locale: str = EN) -> ItemKey:
    """Return an item's key."""
    return ItemKey(collection, name, locale)


def site(time_zone: str = "UTC", *, secondary: str = "fr") -> Site:
    """Return a site with an English and a French locale."""
    return Site(
        site_id="s1",
        display_name="Harbour",
        short_name="harbour-news",
        time_zone=time_zone,
        domains=("www.harbour.example", "harbour-news.webflow.io"),
        locales=(
            Locale(EN, "en", "English", "", True, True),
            Locale(FR, "fr", "French", secondary, True, False),
        ),
    )


def collection(
    *fields: tuple[str, str] | tuple[str, str, JsonObject], slug: str = "posts"
) -> Collection:
    """Return a collection of fields given as (slug, type[, validations])."""
    collection_id = f"c-{slug}"
    listed = [
        {
            "id": f"f-{each[0]}",
            "slug": each[0],
            "displayName": each[0].title(),
            "type": each[1],
            "validations": each[2] if len(each) > 2 else None,
        }
        for each in fields
    ]
    body = {"id": collection_id, "displayName": slug, "slug": slug, "fields": listed}
    return parse_collection(body, "collection")


def item(
    data: Mapping[str, Json],
    *,
    name: str = "one",
    collection_id: str = POSTS,
    locale: str = EN,
    draft: bool = False,
    archived: bool = False,
) -> Item:
    """Return an item with these field values."""
    body = {
        "id": name,
        "cmsLocaleId": locale,
        "createdOn": "2023-04-05T06:07:08.090Z",
        "lastUpdated": "2023-05-05T06:07:08.090Z",
        "lastPublished": None,
        "isDraft": draft,
        "isArchived": archived,
        "fieldData": {"name": name.title(), "slug": name, **data},
    }
    return parse_item(body, collection_id, "item")


def field(
    origin: str,
    encoding: Encoding,
    origin_type: str = "PlainText",
    *,
    options: tuple[tuple[str, str], ...] = (),
    target: str = "",
) -> FieldDesign:
    """Return a destination field whose key is the origin slug with underscores."""
    return FieldDesign(
        origin=origin,
        origin_type=origin_type,
        key=origin.replace("-", "_"),
        encoding=encoding,
        display_name=origin.title(),
        options=options,
        target_collection=target,
    )


def content_type(*fields: FieldDesign, date_field: str = "") -> ContentTypeDesign:
    """Return a content type for the posts."""
    return ContentTypeDesign(
        collection_id=POSTS,
        collection_slug="posts",
        component="post",
        display_name="Post",
        folder="posts",
        folder_name="Posts",
        fields=fields,
        date_field=date_field,
    )


def context(
    design: ContentTypeDesign,
    *,
    assets: Mapping[str, UploadedAsset] | None = None,
    missing: Mapping[str, str] | None = None,
    alts: Mapping[str, str] | None = None,
    places: Mapping[ItemKey, Place] | None = None,
    time_zone: str = "UTC",
    schema: Collection | None = None,
) -> DraftContext:
    """Return what a draft depends on in addition to its item."""
    return DraftContext(
        site=site(time_zone),
        design=Design((design,), ()),
        embeds=EmbedPolicy(),
        engine=NativeEngine(),
        namespace=NAMESPACE,
        places=places or {key("one"): Place("posts", "one", 10)},
        assets=assets or {},
        missing_assets=missing or {},
        alts=alts or {},
        file_hosts=frozenset((FILES,)),
        collections={POSTS: schema} if schema else {},
    )


def draft_story(
    item: Item, design: ContentTypeDesign, around: DraftContext
) -> StoryDraft:
    """Return the story that an item becomes, its files filled in."""
    draft = draft_item(item, design, MADE_OF, around)
    assert isinstance(draft, ItemDraft), draft
    return draft.story(around.places[item.key], around.assets)


def drafted(
    value: Json,
    encoding: Encoding,
    origin_type: str = "PlainText",
    *,
    assets: Mapping[str, UploadedAsset] | None = None,
) -> StoryDraft:
    """Return the draft of an item whose field `f` has this value."""
    design = content_type(field("f", encoding, origin_type, target=TAGS))
    schema = collection(("f", origin_type, {}))
    around = context(design, assets=assets, schema=schema)
    return draft_story(item({"f": value}), design, around)


def kinds(draft: StoryDraft) -> list[str]:
    """Return the reason codes of a draft's losses."""
    return [each.loss.kind for each in draft.losses]


def uploaded_asset(address: str, asset_id: int = 7) -> UploadedAsset:
    """Return a made-up asset whose address ends like the old one."""
    name = address.rsplit("/", 1)[-1]
    return UploadedAsset(asset_id, f"https://a.storyblok.com/f/1/{name}")


def routes(
    places: Mapping[ItemKey, Place],
    slugs: Mapping[ItemKey, str] | None = None,
    *,
    secondary: str = "fr",
    former: Iterable[FormerPath] = (),
) -> Routes:
    """Return the routes of the posts and tags."""
    collections = (collection(slug="posts"), collection(slug="tags"))
    return Routes(
        site(secondary=secondary), collections, places, slugs or {}, former=former
    )
