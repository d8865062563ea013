"""What readers of the old site see in each body, compared with what its story shows, by
an account that shares nothing with the converter. Reads nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from pydantic import TypeAdapter

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.file_addresses import asset_of
from cmsmig.mapping.convert.item_draft import ItemDraft
from cmsmig.mapping.convert.linking import link_story
from cmsmig.mapping.decisions.design import Design, Encoding
from cmsmig.mapping.draft import ExistingStory, Place
from cmsmig.mapping.select.routes import Routes, RouteTarget
from cmsmig.mapping.select.translations import language_of
from cmsmig.origin.schema import Item
from cmsmig.richtext.account import account_of, unaccounted
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.richtext.render_story import render_value
from cmsmig.steps.plan.drafts.linked_stories import LinkedStories
from cmsmig.steps.process_pool import process_pool

Unseen: TypeAlias = dict[str, list[tuple[str, str]]]
"""By item: the field, and a phrase, of all that readers do not see."""
LEAST = 300
"""Stories that are worth the start of processes."""
_BODIES: Final = (Encoding.RICHTEXT, Encoding.BLOCKS)
_ROOMS = ("mapping", "richtext", "steps/verify")
"""What finds out what readers do not see."""
_UNSEEN: Final = TypeAdapter(Unseen)


class Shown(NamedTuple):
    """An item, and what its story is made of."""

    item: Item
    draft: ItemDraft
    place: Place


@dataclass(frozen=True, slots=True)
class Readers:
    """What is needed to compare bodies with stories; each process is given it once."""

    design: Design
    assets: Mapping[str, UploadedAsset]
    existing: Mapping[ItemKey, ExistingStory]
    routes: Routes

    def unseen(self, shown: Iterable[Shown]) -> Unseen:
        """Return what the bodies of items show and their stories do not; what a loss
        names is none of it."""
        return {str(each.item.key): [*self._unseen(each)] for each in shown}

    def _unseen(self, shown: Shown) -> Iterator[tuple[str, str]]:
        item, key = shown.item, shown.item.key
        story = shown.draft.story(shown.place, self.assets)
        content = link_story(story, self.existing, self.routes)
        content_type = self.design.content_type(key.collection_id)
        for design in content_type.fields if content_type else ():
            html, value = item.data.get(design.origin), _field(content, design.key)
            if design.encoding not in _BODIES or not isinstance(html, str) or not value:
                continue
            language = language_of(design.key)
            before = account_of(html, partial(self._new_address, key, language))
            after = account_of(render_value(value))
            losses = (each.loss for each in story.losses if each.field == design.origin)
            for what in unaccounted(before, after, losses):
                yield design.key, what

    def _new_address(self, key: ItemKey, language: str, address: str) -> str:
        """Return where a file or a page is that an address of the old page leads to."""
        if (asset := asset_of(self.assets, address)) is not None:
            return asset.filename or address
        found = self.routes.resolve_on(key, language, address)
        if not isinstance(found, RouteTarget) or found.key not in self.existing:
            return address
        path = self.existing[found.key].path(found.language)
        parts = urlsplit(address)
        query = f"?{parts.query}" if parts.query else ""
        return f"/{path}{query}" + (f"#{parts.fragment}" if parts.fragment else "")


class UnseenFinder:
    """Finds what readers do not see, and keeps it for the next verification."""

    def __init__(self, linked: LinkedStories, stack: ExitStack, *, many: bool) -> None:
        """`many` stories are compared in processes, which start with the first one that
        is not known and end with the stack."""
        self._linked = linked
        context, migration = linked.context, linked.migration
        assets, existing = context.assets, linked.existing
        self._readers = Readers(migration.design, assets, existing, migration.routes)
        self._stack = stack
        self._submit: Callable[[list[Shown]], Future[Unseen]] | None = None
        self._many = many

    async def find(self, drafts: Sequence[tuple[ItemDraft, str]]) -> Unseen:
        """Return what readers do not see of some items, each with the fingerprint of
        the story that is wanted of it."""
        migration = self._linked.migration
        store = migration.drafter.store
        made_of: list[Json] = [
            [str(draft.key), migration.origin_hash(draft.key), wanted]
            for draft, wanted in drafts
        ]
        name = f"readers {drafts[0][0].key}"
        inputs = fingerprint([code_digest(_ROOMS), made_of])
        kept = store.derived(name, inputs, _UNSEEN)
        if kept is not None:
            return kept
        places = self._linked.context.places
        shown = [
            Shown(migration.items[draft.key], draft, places[draft.key])
            for draft, _ in drafts
        ]
        found = await self._compare(shown)
        store.keep_derived(name, inputs, _UNSEEN, found)
        return found

    async def _compare(self, shown: list[Shown]) -> Unseen:
        if self._many:
            if self._submit is None:
                pool = process_pool(self._readers.unseen)
                self._submit = self._stack.enter_context(pool)
            # Without the processes, this one does it.
            with suppress(BrokenProcessPool):
                return await asyncio.wrap_future(self._submit(shown))
        return self._readers.unseen(shown)


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
