"""The pages that belong to no collection, as the origin lists them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject, text_of

PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class StaticPage:
    """One page of the designer."""

    title: str
    path: str
    """Below the site's domain."""
    state: str
    seo_title: str
    description: str


def parse_pages(listed: Iterable[Json]) -> tuple[StaticPage, ...]:
    """Return the pages of a list, without collections' templates and branches."""
    pages = (each for each in listed if isinstance(each, dict))
    return tuple(
        _page(each)
        for each in pages
        if not each.get("collectionId") and not each.get("isBranch")
    )


def _page(page: JsonObject) -> StaticPage:
    seo = page.get("seo")
    fields = seo if isinstance(seo, dict) else {}
    draft, archived = page.get("draft") is True, page.get("archived") is True
    slug = text_of(page.get("slug"))
    return StaticPage(
        title=text_of(page.get("title")),
        path=text_of(page.get("publishedPath")) or f"/{slug}",
        state="archived" if archived else "draft" if draft else PUBLISHED,
        seo_title=text_of(fields.get("title")),
        description=text_of(fields.get("description")),
    )
