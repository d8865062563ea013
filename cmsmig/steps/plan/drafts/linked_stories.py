"""The story that a draft becomes with its links, from what is known of it: its content
is read only where the same was not hashed before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import StoryRecord
from cmsmig.mapping.convert.item_draft import ItemDraft, StoryDraft
from cmsmig.mapping.convert.linking import ResolvedLinks, link_story, resolve_links
from cmsmig.mapping.draft import DraftContext, ExistingStory
from cmsmig.mapping.select.reference_targets import DanglingCause
from cmsmig.reconcile.diff import TextOf
from cmsmig.reconcile.rules.story_fields import (
    wanted_around,
    wanted_fields,
)
from cmsmig.reconcile.rules.story_hashes import (
    content_hash,
    field_text,
    record_hash,
)
from cmsmig.steps.decide.migration import Migration

_ROOMS = ("mapping", "reconcile", "richtext", "steps/plan")
"""What links and hashes content."""


@dataclass(frozen=True, slots=True)
class DraftLinks:
    """What phase two will make of a story."""

    filled: int
    """References that will be filled; each entry of a list counts."""
    links: int
    """Links that will lead to stories."""
    left: tuple[str, ...]
    """Why links into the old site stay, each."""
    state: str
    """`pending`, `linked` or `nothing`, as the ledger writes it."""
    changes: bool
    """Whether it makes other content of the draft."""
    inputs: str = ""
    """The fingerprint of all that the content then depends on; empty where nothing is
    hashed."""
    record_hash: str = ""
    """Of everything that is wanted of the story: its name, place, dates, content;
    empty where nothing is hashed."""

    @property
    def is_hashed(self) -> bool:
        """Return whether the content that is wanted was hashed."""
        return bool(self.record_hash)

    def is_needed(self, story_record: StoryRecord) -> bool:
        """Return whether a story was last asked to be something else; so it may have
        been where nothing is hashed."""
        return not self.is_hashed or story_record.record_hash != self.record_hash


class Hashing(Enum):
    """Whether linked content is hashed, to be compared with what was written."""

    NOTHING = "nothing"
    """There is no story to compare it with."""
    KNOWN = "known"
    """What was hashed before, or links change nothing of; no content is read for
    links that are filled for the first time."""
    ALL = "all"


@dataclass(frozen=True, slots=True)
class LinkedStories:
    """The stories of a migration, linked to the stories that items have."""

    migration: Migration
    context: DraftContext
    existing: Mapping[ItemKey, ExistingStory]

    def drafts(
        self, hashing: Hashing = Hashing.ALL
    ) -> Iterator[tuple[ItemKey, ItemDraft | str, DraftLinks | str]]:
        """Yield each item's draft with what links make of it, or why there is no
        story. Only where a story is there already, content is hashed."""
        for key, draft in self.migration.item_drafts(self.context):
            if isinstance(draft, str):
                yield key, draft, draft
            else:
                story = self.existing.get(key)
                is_there = story is not None and not story.is_planned
                wanted = hashing if is_there else Hashing.NOTHING
                yield key, draft, self.links(draft, wanted)

    def links_of(self, key: ItemKey) -> DraftLinks | str | None:
        """Return what links make of an item's draft, or why there is no story; None
        without a content type."""
        draft = self.migration.item_draft(self.migration.items[key], self.context)
        return self.links(draft) if isinstance(draft, ItemDraft) else draft

    def fields(self, key: ItemKey) -> JsonObject | str:
        """Return what is wanted of an item's story, by field, or why there is none."""
        story = self.migration.story(key, self.context)
        if story is None or isinstance(story, str):
            return story or "It has no content type."
        return wanted_fields(story, self.content(story))

    def content(self, story: StoryDraft) -> JsonObject:
        """Return the whole content of a story, its links filled."""
        return link_story(story, self.existing, self.migration.routes)

    def links(
        self, draft: ItemDraft, hashing: Hashing = Hashing.ALL
    ) -> DraftLinks | str:
        """Return what links make of a draft; or why there is no story any more."""
        found = resolve_links(draft, self.existing, self.migration.routes)
        links = DraftLinks(
            filled=found.filled,
            links=found.links,
            left=(
                *(str(each.cause) for each in found.left),
                *(why_waiting(self.migration, key) for key in found.waiting),
            ),
            state=_state(found),
            changes=found.changes,
        )
        if hashing is Hashing.NOTHING:
            return links
        links = replace(links, inputs=self._inputs(draft, found))
        hashed = self.migration.drafter.store.content_hash(
            draft.key, links.inputs, linked=links.changes
        )
        if hashed is not None:
            return self._with_hashes(links, draft, hashed)
        if links.changes and hashing is Hashing.KNOWN:
            return links
        story = self.migration.story_of(draft, self.context)
        content = self.content(story) if links.changes else story.content
        return self.hashed(draft, links, content)

    def hashed(
        self,
        draft: ItemDraft,
        links: DraftLinks,
        content: JsonObject,
        text: TextOf = field_text,
    ) -> DraftLinks:
        """Return links with the hash of the linked content, which is kept."""
        hashed = content_hash(content, text)
        store = self.migration.drafter.store
        store.keep_content_hash(draft.key, links.inputs, hashed, linked=links.changes)
        return self._with_hashes(links, draft, hashed)

    def _inputs(self, draft: ItemDraft, found: ResolvedLinks) -> str:
        """Return the fingerprint of all that linked content depends on."""
        assets = (self.context.assets[each] for each in draft.slots.addresses)
        files: list[Json] = [[asset.asset_id, asset.filename] for asset in assets]
        made_of = [draft.made_of, code_digest(_ROOMS), draft.fingerprint]
        inputs = fingerprint([made_of, files])
        return fingerprint([inputs, _answers(found)]) if found.changes else inputs

    def _with_hashes(
        self, links: DraftLinks, draft: ItemDraft, hashed: str
    ) -> DraftLinks:
        around = wanted_around(draft, self.context.places[draft.key])
        return replace(links, record_hash=record_hash(around, hashed))


def why_waiting(migration: Migration, key: ItemKey) -> str:
    """Return why a link to a migrated item leads to no story."""
    outside = key in migration.known.outside
    cause = DanglingCause.NOT_IN_PILOT if outside else DanglingCause.TARGET_FAILED
    return str(cause)


def _state(found: ResolvedLinks) -> str:
    """Return what the ledger writes of a story's links."""
    if found.pending:
        return "pending"
    return "linked" if found.changes else "nothing"


def _answers(found: ResolvedLinks) -> Json:
    stories: list[Json] = [
        [each.uuid, each.full_slug] if each else None for each in found.stories
    ]
    return [stories, [*found.relations]]
