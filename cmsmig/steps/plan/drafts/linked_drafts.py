"""What links make of a draft, told by what is known of it: its content is read where
nobody has hashed the same before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import StoryRecord
from cmsmig.mapping.convert.item_draft import ItemDraft
from cmsmig.mapping.convert.linking import ResolvedLinks, link_story, resolve_links
from cmsmig.mapping.draft import DraftContext, ExistingStory
from cmsmig.mapping.select.reference_targets import DanglingCause
from cmsmig.reconcile.rules.former_hashes import former_content_hash
from cmsmig.reconcile.rules.story import wanted_fields, wanted_record
from cmsmig.reconcile.rules.story_hashes import content_hash
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
    linked_hash: str
    """Of the content then; empty where nothing is hashed."""
    record_hash: str
    """Of everything that is wanted of the story: its name, place, dates, content."""
    former_record: str = ""
    """As an earlier release took it, where that is another one."""

    @property
    def records(self) -> tuple[str, ...]:
        """Return the fingerprints of what is wanted that a ledger may hold."""
        return tuple(filter(None, (self.record_hash, self.former_record)))

    @property
    def is_hashed(self) -> bool:
        """Return whether the content that is wanted was hashed."""
        return bool(self.record_hash)

    def is_needed(self, home: StoryRecord) -> bool:
        """Return whether a story was last asked to be something else; so it may have
        been where nothing is hashed."""
        if not self.is_hashed:
            return True
        if home.record_hash:
            return home.record_hash not in self.records
        return self.linked_hash != home.content_hash


@dataclass(frozen=True, slots=True)
class LinkedStories:
    """The stories of a migration, linked to the stories that items have."""

    migration: Migration
    context: DraftContext
    existing: Mapping[ItemKey, ExistingStory]

    def version(self, key: ItemKey) -> tuple[str, DraftLinks] | str | None:
        """Return the name and the links of an item's story, or why there is none; None
        without a content type."""
        item = self.migration.items[key]
        draft = self.migration.item_draft(item, self.context)
        if not isinstance(draft, ItemDraft):
            return draft
        links = link_draft(
            self.migration, draft, self.context, self.existing, Hashing.ALL
        )
        if isinstance(links, str):
            return links
        return draft.name_at(self.context.places[key]), links

    def fields(self, key: ItemKey) -> JsonObject | str:
        """Return what is wanted of an item's story, by field, or why there is none."""
        story = self.migration.story(key, self.context)
        if story is None or isinstance(story, str):
            return story or "It has no content type."
        return wanted_fields(
            story, link_story(story, self.existing, self.migration.routes)
        )


class Hashing(Enum):
    """Whether linked content is hashed, to be compared with what was written."""

    NOTHING = "nothing"
    """There is no story to compare it with."""
    KNOWN = "known"
    """What was hashed before, or links change nothing of; no content is read for
    links that are filled for the first time."""
    ALL = "all"


def link_draft(
    migration: Migration,
    draft: ItemDraft,
    context: DraftContext,
    existing: Mapping[ItemKey, ExistingStory],
    hashing: Hashing,
) -> DraftLinks | str:
    """Return what links make of a draft; or why there is no story any more."""
    found = resolve_links(draft, existing, migration.routes)
    links = DraftLinks(
        filled=found.filled,
        links=found.links,
        left=(
            *(str(each.cause) for each in found.left),
            *(why_waiting(migration, key) for key in found.waiting),
        ),
        state=_state(found),
        changes=found.changes,
        linked_hash="",
        record_hash="",
    )
    if hashing is Hashing.NOTHING:
        return links
    inputs = _inputs(draft, context, found)
    hashed = migration.drafter.store.content_hash(
        draft.key, inputs, linked=links.changes
    )
    if hashed is None:
        if links.changes and hashing is Hashing.KNOWN:
            return links
        story = migration.story_of(draft, context)
        if isinstance(story, str):
            return story
        content = story.content
        if links.changes:
            content = link_story(story, existing, migration.routes)
        hashed = _keep_hash(migration, draft, inputs, content, linked=links.changes)
    return _with_hashes(links, draft, context, hashed)


def hash_links(
    migration: Migration,
    draft: ItemDraft,
    context: DraftContext,
    existing: Mapping[ItemKey, ExistingStory],
    links: DraftLinks,
    content: JsonObject,
) -> DraftLinks:
    """Return links with the hashes of the linked content, which are kept."""
    found = resolve_links(draft, existing, migration.routes)
    inputs = _inputs(draft, context, found)
    hashed = _keep_hash(migration, draft, inputs, content, linked=links.changes)
    return _with_hashes(links, draft, context, hashed)


def _inputs(draft: ItemDraft, context: DraftContext, found: ResolvedLinks) -> str:
    """Return the fingerprint of all that linked content depends on."""
    files: list[Json] = [
        [asset.asset_id, asset.filename]
        for asset in (context.assets[each] for each in draft.slots.addresses)
    ]
    made_of = [draft.made_of, code_digest(_ROOMS), draft.fingerprint]
    inputs = fingerprint([made_of, files])
    return fingerprint([inputs, _answers(found)]) if found.changes else inputs


def _keep_hash(
    migration: Migration,
    draft: ItemDraft,
    inputs: str,
    content: JsonObject,
    *,
    linked: bool,
) -> str:
    """Keep the hash of content, behind a blank the former one where it is another."""
    hashed, former = content_hash(content), former_content_hash(content)
    if former != hashed:
        hashed = f"{hashed} {former}"
    drafts = migration.drafter.store
    drafts.keep_content_hash(draft.key, inputs, hashed, linked=linked)
    return hashed


def _with_hashes(
    links: DraftLinks, draft: ItemDraft, context: DraftContext, hashed: str
) -> DraftLinks:
    place = context.places[draft.key]
    hashed, _, former = hashed.partition(" ")
    return replace(
        links,
        linked_hash=hashed,
        record_hash=wanted_record(draft, place, hashed),
        former_record=wanted_record(draft, place, former) if former else "",
    )


def why_waiting(migration: Migration, key: ItemKey) -> str:
    """Return why a link to an item that is taken along leads to no story."""
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
