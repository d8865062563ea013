"""The stories that are wanted of items, linked to the stories that items have: content
is read only where the same was not hashed before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.item_draft import ItemDraft, StoryDraft
from cmsmig.mapping.convert.linking import ResolvedLinks, link_story, resolve_links
from cmsmig.mapping.draft import DraftContext, ExistingStory
from cmsmig.mapping.select.reference_targets import DanglingCause
from cmsmig.reconcile.diff import KnownTexts
from cmsmig.reconcile.rules.story_fields import wanted_around, wanted_fields
from cmsmig.reconcile.rules.story_hashes import content_hash, field_text, record_hash
from cmsmig.steps.decide.migration import Migration

_ROOMS = ("mapping", "reconcile", "richtext", "steps/plan")
"""What links and hashes content."""


@dataclass(frozen=True, slots=True)
class LinkedStories:
    """The stories of a migration, linked to the stories that items have."""

    migration: Migration
    context: DraftContext
    existing: Mapping[ItemKey, ExistingStory]

    def wanted(self, key: ItemKey) -> WantedStory | str | None:
        """Return what is wanted of an item, or why there is no story; None without a
        content type."""
        draft = self.migration.item_draft(self.migration.items[key], self.context)
        return WantedStory(self, draft) if isinstance(draft, ItemDraft) else draft

    def fields(self, key: ItemKey) -> JsonObject | str:
        """Return what is wanted of an item's story, by field, or why there is none."""
        wanted = self.wanted(key)
        if wanted is None or isinstance(wanted, str):
            return wanted or "It has no content type."
        return wanted.fields

    def content(self, story: StoryDraft) -> JsonObject:
        """Return the whole content of a story, its links filled."""
        return link_story(story, self.existing, self.migration.routes)


@dataclass(frozen=True)
class WantedStory:
    """The story that is wanted of an item. What it holds is worked out once, when it is
    asked for."""

    linked: LinkedStories
    draft: ItemDraft
    text: KnownTexts = field(default_factory=partial(KnownTexts, field_text))
    """What counts of the values of its fields."""

    @property
    def key(self) -> ItemKey:
        """Return the item's key."""
        return self.draft.key

    @cached_property
    def links(self) -> ResolvedLinks:
        """Return what its links and relations lead to; reads no content."""
        linked = self.linked
        return resolve_links(self.draft, linked.existing, linked.migration.routes)

    @cached_property
    def story(self) -> StoryDraft:
        """Return it before its links are filled."""
        return self.linked.migration.story_of(self.draft, self.linked.context)

    @cached_property
    def content(self) -> JsonObject:
        """Return its content with its links filled."""
        content = self.story.content
        return self.linked.content(self.story) if self.links.changes else content

    @cached_property
    def fields(self) -> JsonObject:
        """Return all that is wanted of it, by field."""
        return wanted_fields(self.story, self.content)

    @cached_property
    def content_hash(self) -> str:
        """Return the fingerprint of its content; what was hashed before is kept."""
        store, key = self.linked.migration.drafter.store, self.key
        inputs, linked = self._inputs(), self.links.changes
        hashed = store.content_hash(key, inputs, linked=linked)
        if hashed is None:
            hashed = content_hash(self.content, self.text)
            store.keep_content_hash(key, inputs, hashed, linked=linked)
        return hashed

    @cached_property
    def record_hash(self) -> str:
        """Return the fingerprint of everything that is wanted of it: its name, place,
        dates, content."""
        place = self.linked.context.places[self.key]
        return record_hash(wanted_around(self.draft, place), self.content_hash)

    def links_left(self) -> Iterator[str]:
        """Yield for each link into the old site that stays why it does."""
        yield from (str(each.cause) for each in self.links.left)
        for key in self.links.waiting:
            yield why_waiting(self.linked.migration, key)

    def _inputs(self) -> str:
        """Return the fingerprint of all that its content depends on."""
        draft, assets = self.draft, self.linked.context.assets
        used = (assets[each] for each in draft.slots.addresses)
        files: list[Json] = [[asset.asset_id, asset.filename] for asset in used]
        made_of = [draft.made_of, code_digest(_ROOMS), draft.fingerprint]
        inputs = fingerprint([made_of, files])
        if not self.links.changes:
            return inputs
        stories: list[Json] = [
            [each.uuid, each.full_slug] if each else None for each in self.links.stories
        ]
        return fingerprint([inputs, [stories, [*self.links.relations]]])


def why_waiting(migration: Migration, key: ItemKey) -> str:
    """Return why a link to a migrated item leads to no story."""
    outside = key in migration.known.outside
    cause = DanglingCause.NOT_IN_PILOT if outside else DanglingCause.TARGET_FAILED
    return str(cause)
