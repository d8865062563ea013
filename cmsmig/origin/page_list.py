"""The pages of the designer, as the origin lists them: static ones, and the templates
of collections."""

from __future__ import annotations

from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject, text_of
from cmsmig.origin.schema import objects_in


@dataclass(frozen=True, slots=True)
class StaticPage:
    """One page of the designer, which belongs to no collection."""

    title: str
    path: str
    """Below the site's domain."""
    state: str
    seo_title: str
    description: str


PUBLISHED = "published"
"""The state of a static page that visitors see."""


def parse_pages(listed: list[Json]) -> tuple[StaticPage, ...]:
    """Return the pages of a list, without collections' templates and branches."""
    return tuple(
        _page(each)
        for each in objects_in(listed)
        if not each.get("collectionId") and not each.get("isBranch")
    )


def parse_published_paths(
    listed: list[Json], collection_id: str
) -> tuple[tuple[str, str], ...]:
    """Return the locale and the public path of each template page of a collection."""
    return tuple(
        (text_of(each.get("localeId")), path)
        for each in objects_in(listed)
        if each.get("collectionId") == collection_id and not each.get("isBranch")
        if (path := text_of(each.get("publishedPath")))
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
