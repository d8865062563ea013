"""The pages of the designer, as the origin lists them: static ones, and the templates
of collections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject, text_of
from cmsmig.origin.schema import TemplatePage, objects_in


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


def parse_templates(listed: list[Json], collection_id: str) -> tuple[TemplatePage, ...]:
    """Return the template pages of a collection."""
    return tuple(
        TemplatePage(
            text_of(each.get("localeId")),
            text_of(each.get("publishedPath")),
            tuple(_head(each)),
        )
        for each in objects_in(listed)
        if each.get("collectionId") == collection_id and not each.get("isBranch")
    )


def _head(page: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield the patterns that a page has, as the designer calls them. Source: origin,
    pages: `titleCopied` and `descriptionCopied` say that open graph has those of SEO.
    """
    seo, graph = (objects_in([page.get(name)]) for name in ("seo", "openGraph"))
    for name in ("title", "description"):
        own = "".join(text_of(each.get(name)) for each in seo)
        if own:
            yield f"SEO {name}", own
        for each in graph:
            is_copied = each.get(f"{name}Copied") is True
            if shown := own if is_copied else text_of(each.get(name)):
                yield f"Open graph {name}", shown


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
