"""What readers of the old site see in each body, compared with what its story shows, by
an account that shares nothing with the converter. Reads nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from cmsmig.canonical import Json, JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.mapping.draft import path_in_language
from cmsmig.mapping.select.routes import RouteTarget
from cmsmig.mapping.select.translations import language_of, translated_key
from cmsmig.richtext.account import account_of, unaccounted
from cmsmig.richtext.render_story import render_value
from cmsmig.steps.plan.drafts.linked_stories import LinkedStories

_BODIES: Final = (Encoding.RICHTEXT, Encoding.BLOCKS)


def unseen(
    linked: LinkedStories, story: StoryDraft, content: JsonObject
) -> Iterator[tuple[str, str]]:
    """Yield what the bodies of an item show and its story does not: the field, and a
    phrase.

    `content` is the story's with its links filled. What a loss names is none of it.
    """
    migration, key = linked.migration, story.key
    item = migration.items[key]
    content_type = migration.design.content_type(key.collection_id)
    for design in content_type.fields if content_type else ():
        html, value = item.data.get(design.origin), _field(content, design.key)
        if design.encoding not in _BODIES or not isinstance(html, str) or not value:
            continue
        language = language_of(design.key)
        before = account_of(html, partial(_new_address, linked, key, language))
        after = account_of(render_value(value))
        losses = (each.loss for each in story.losses if each.field == design.origin)
        for what in unaccounted(before, after, losses):
            yield design.key, what


def not_shown_sentence(what: str) -> str:
    """Return for an editor what readers do not see, and what to do."""
    return (
        f"Readers of the old page see what this field does not show: {what}. Compare "
        "both in notebook 03, and report it with the item's raw record."
    )


def _field(content: JsonObject, key: str) -> Json:
    """Return a field of a story, also of the block of a section; None where a
    translation is the same as the field's own value."""
    if key in content:
        return content[key]
    for value in content.values():
        block = value[0] if isinstance(value, list) and value else None
        if isinstance(block, dict) and key in block:
            return block[key]
    return None


def _new_address(
    linked: LinkedStories, key: ItemKey, language: str, address: str
) -> str:
    """Return where a file or a page is that an address of the old page leads to."""
    if (asset := linked.context.assets.get(address)) is not None:
        return asset.filename or address
    routes = linked.migration.routes
    found = routes.resolve(address, key.locale_id)
    there = linked.existing.get(found.key) if isinstance(found, RouteTarget) else None
    if there is None or not isinstance(found, RouteTarget):
        return address
    path = there.full_slug
    for code, slug in routes.places[found.key].slugs if language else ():
        if translated_key("", code) == translated_key("", language):
            path = path_in_language(path, code, slug)
    parts = urlsplit(address)
    query = f"?{parts.query}" if parts.query else ""
    return f"/{path}{query}" + (f"#{parts.fragment}" if parts.fragment else "")
