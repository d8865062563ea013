"""Stories of which visitors are to see another version than editors: what is live at
the origin, below what editors changed there since. Reads only.

A story has one slug, so both versions stand at the same place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from cmsmig.canonical import JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.convert.linking import link_story
from cmsmig.mapping.draft import DraftContext, ExistingStory
from cmsmig.steps.decide.drafter import ItemDraft
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.linked_drafts import DraftLinks, Hashing, link_draft
from cmsmig.steps.plan.story_fields import wanted_fields

SHOW: Final = "show"
"""The kind of the intents to write what visitors see and what editors see over it."""


@dataclass(frozen=True, slots=True)
class PublicVersions:
    """What visitors are to be given of stories that hold something else."""

    links: Mapping[ItemKey, DraftLinks] = field(default_factory=dict)
    """By item, with the hashes of what visitors are to see."""
    names: Mapping[ItemKey, str] = field(default_factory=dict)
    """What visitors are to see them called."""
    failed: Mapping[ItemKey, str] = field(default_factory=dict)
    """Why a version cannot be made, a sentence for an editor."""

    @property
    def records(self) -> Mapping[ItemKey, str]:
        """Return the fingerprints of everything that visitors are to be given."""
        return {key: links.record_hash for key, links in self.links.items()}


def find_public_versions(
    migration: Migration,
    context: DraftContext,
    homes: Mapping[ItemKey, ExistingStory],
) -> PublicVersions:
    """Return the versions that visitors are to see where they differ from what
    editors see, both over the same story records.

    A version that differs in nothing that a story holds is none of them.
    """
    links: dict[ItemKey, DraftLinks] = {}
    names: dict[ItemKey, str] = {}
    failed: dict[ItemKey, str] = {}
    if not migration.public:
        return PublicVersions()
    visitors = migration.for_visitors()
    for key, name, public in _linked(visitors, context, homes):
        if isinstance(public, str):
            failed[key] = public
            continue
        edited = _linked_one(migration, key, context, homes)
        if isinstance(edited, DraftLinks) and edited.record_hash != public.record_hash:
            links[key], names[key] = public, name
    visitors.drafter.store.flush()
    return PublicVersions(links, names, failed)


def public_fields(
    migration: Migration,
    key: ItemKey,
    context: DraftContext,
    homes: Mapping[ItemKey, ExistingStory],
) -> JsonObject | str:
    """Return the fields of the version that visitors are to see, or why there is
    none."""
    visitors = migration.for_visitors()
    own = visitors.context(context.assets, context.missing_assets)
    draft = visitors.item_draft(visitors.items[key], own)
    story = draft.story(own) if isinstance(draft, ItemDraft) else draft
    if story is None or isinstance(story, str):
        return story or "It has no content type."
    return wanted_fields(story, link_story(story, homes, migration.routes).content)


def being_shown(ledger: Ledger) -> frozenset[str]:
    """Return the items, as text, whose two versions a killed run was writing: what
    their stories hold is ours, and `publish` writes both again. Reads only."""
    return frozenset(each.subject for each in ledger.intents.open(SHOW))


def _linked(
    visitors: Migration,
    context: DraftContext,
    homes: Mapping[ItemKey, ExistingStory],
) -> Iterator[tuple[ItemKey, str, DraftLinks | str]]:
    """Yield the versions that visitors are to see: item, name, and links or why there
    is none."""
    own = visitors.context(context.assets, context.missing_assets)
    for key, draft in visitors.item_drafts(own):
        if isinstance(draft, str):
            yield key, "", draft
        else:
            name = draft.facts.story_name(own.places[key])
            yield key, name, link_draft(visitors, draft, own, homes, Hashing.ALL)


def _linked_one(
    migration: Migration,
    key: ItemKey,
    context: DraftContext,
    homes: Mapping[ItemKey, ExistingStory],
) -> DraftLinks | str | None:
    draft = migration.item_draft(migration.items[key], context)
    if not isinstance(draft, ItemDraft):
        return draft
    return link_draft(migration, draft, context, homes, Hashing.ALL)
