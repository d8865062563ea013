"""Stories of which visitors are to see another version than editors: what is live at
the origin, below what editors changed there since. Reads only.

A story has one slug, so both versions stand at the same place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cmsmig.canonical import JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.linking import link_story
from cmsmig.mapping.draft import DraftContext, ExistingStory
from cmsmig.steps.decide.drafter import ItemDraft
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.drafts.linked_drafts import DraftLinks, Hashing, link_draft
from cmsmig.steps.plan.edits.story_fields import wanted_fields


@dataclass(frozen=True, slots=True)
class _Made:
    """What public versions are made of."""

    visitors: Migration
    context: DraftContext
    existing: Mapping[ItemKey, ExistingStory]

    def drafts(self) -> Iterator[tuple[ItemKey, ItemDraft | str]]:
        return self.visitors.item_drafts(self.context)

    def links(self, draft: ItemDraft) -> DraftLinks | str:
        return link_draft(
            self.visitors, draft, self.context, self.existing, Hashing.ALL
        )

    def fields(self, key: ItemKey) -> JsonObject | str:
        item = self.visitors.items[key]
        draft = self.visitors.item_draft(item, self.context)
        story = draft.story(self.context) if isinstance(draft, ItemDraft) else draft
        if story is None or isinstance(story, str):
            return story or "It has no content type."
        linked = link_story(story, self.existing, self.visitors.routes)
        return wanted_fields(story, linked.content)


@dataclass(frozen=True, slots=True)
class PublicVersions:
    """What visitors are to be given of stories that hold something else."""

    links: Mapping[ItemKey, DraftLinks] = field(default_factory=dict)
    """By item, with the hashes of what visitors are to see."""
    names: Mapping[ItemKey, str] = field(default_factory=dict)
    """What visitors are to see them called."""
    failed: Mapping[ItemKey, str] = field(default_factory=dict)
    """Why a version cannot be made, a sentence for an editor."""
    _made: _Made | None = None

    @property
    def records(self) -> Mapping[ItemKey, tuple[str, ...]]:
        """Return the fingerprints of everything that visitors are to be given."""
        return {key: links.records for key, links in self.links.items()}

    def fields(self, key: ItemKey) -> JsonObject | str:
        """Return the fields of the version of an item in `links`, or why there is
        none."""
        assert self._made is not None
        return self._made.fields(key)


def find_public_versions(
    migration: Migration,
    context: DraftContext,
    existing: Mapping[ItemKey, ExistingStory],
) -> PublicVersions:
    """Return the versions that visitors are to see where they differ from what
    editors see, both over the same story records.

    A version that differs in nothing that a story holds is none of them.
    """
    if not migration.public:
        return PublicVersions()
    visitors = migration.for_visitors()
    own = visitors.context(context.assets, context.missing_assets)
    made = _Made(visitors, own, existing)
    links: dict[ItemKey, DraftLinks] = {}
    names: dict[ItemKey, str] = {}
    failed: dict[ItemKey, str] = {}
    for key, draft in made.drafts():
        public = draft if isinstance(draft, str) else made.links(draft)
        if isinstance(draft, str) or isinstance(public, str):
            failed[key] = str(public)
            continue
        edited = _linked_one(migration, key, context, existing)
        if isinstance(edited, DraftLinks) and edited.records != public.records:
            links[key] = public
            names[key] = draft.facts.story_name(own.places[key])
    visitors.drafter.store.flush()
    return PublicVersions(links, names, failed, made)


def _linked_one(
    migration: Migration,
    key: ItemKey,
    context: DraftContext,
    existing: Mapping[ItemKey, ExistingStory],
) -> DraftLinks | str | None:
    draft = migration.item_draft(migration.items[key], context)
    if not isinstance(draft, ItemDraft):
        return draft
    return link_draft(migration, draft, context, existing, Hashing.ALL)
