"""The part of a plan that needs no API call; it is computed before the first call.

From the first call on the budget counts, and a plan of many stories takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cmsmig.canonical import Json, fingerprint_of_each
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.convert.content_shape import ContentShape
from cmsmig.mapping.convert.item_draft import ItemDraft
from cmsmig.mapping.draft import DraftContext, ExistingStory
from cmsmig.mapping.select.reference_targets import (
    DanglingReference,
    KnownItems,
    classify,
)
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.drafts.linked_stories import LinkedStories, WantedStory
from cmsmig.steps.plan.drafts.planned_stories import (
    PlannedStories,
    PlannedStory,
    keep_stories,
    kept_stories,
    plan_print,
    used_fields,
)
from cmsmig.steps.plan.preflights.findings import Refusal, Refused
from cmsmig.steps.plan.recorded_stories import existing_stories

NOT_REFUSED: Final = Refused()


@dataclass(frozen=True, slots=True)
class OfflineDrafts:
    """The stories as they will be when every file has been uploaded."""

    migration: Migration
    context: DraftContext
    stories: Mapping[ItemKey, PlannedStory]
    """In the order of the import."""
    failed: Mapping[ItemKey, str]
    """Why there is no draft, a sentence for an editor."""
    shapes: Sequence[ContentShape]
    """Of the stories' content, by number."""
    used: Mapping[str, set[str]]
    """Field keys that the stories use, by component."""
    existing: Mapping[ItemKey, ExistingStory]
    """Where items will be, if the destination holds nothing in their way."""
    drafts: Mapping[str, str] = field(default_factory=dict)
    """Fingerprints of what the stories are, where and for whom, by collection; of
    those too that the destination would refuse."""
    refused: Refused = NOT_REFUSED
    """What the destination would refuse; it is in `failed`, too."""

    def without(self, refused: Refused) -> OfflineDrafts:
        """Return these without the stories that the destination would refuse.

        What the others' links make of them is looked at once more.
        """
        if not refused.items:
            return replace(self, refused=refused)
        existing = {
            key: story
            for key, story in self.existing.items()
            if key not in refused.items
        }
        stories = self.stories_over(existing).items()
        texts = {key: each.text for key, each in refused.items.items()}
        return replace(
            self,
            stories={key: each for key, each in stories if key not in refused.items},
            failed={**self.failed, **texts},
            existing=existing,
            refused=refused,
        )

    def reasons(self) -> dict[ItemKey, Refusal]:
        """Return why items have no story, each with a stable code."""
        undrafted = {
            key: Refusal("not_drafted", why) for key, why in self.failed.items()
        }
        return undrafted | dict(self.refused.items)

    def stories_over(
        self, existing: Mapping[ItemKey, ExistingStory]
    ) -> Mapping[ItemKey, PlannedStory]:
        """Return the stories with their links over the story records that items will
        have."""
        if existing == self.existing:
            return self.stories
        linked = LinkedStories(self.migration, self.context, existing)
        return {
            key: self.stories[key].with_links(WantedStory(linked, draft))
            for key, draft in self.migration.item_drafts(self.context)
            if isinstance(draft, ItemDraft) and key in self.stories
        }

    def is_over(self, context: DraftContext) -> bool:
        """Return whether another context has assets for the same files: drafts ask for
        no more of them."""
        return (
            context.assets.keys() == self.context.assets.keys()
            and context.missing_assets == self.context.missing_assets
        )

    def dangling(self, known: KnownItems) -> Iterator[DanglingReference]:
        """Yield the references that cannot be filled, given the items that fail."""
        if not known.failed:
            for story in self.stories.values():
                yield from story.dangling
            return
        for key, draft in self.migration.item_drafts(self.context):
            if key in self.stories and isinstance(draft, ItemDraft):
                yield from classify(key, draft.relations, known)


def draft_offline(migration: Migration, ledger: Ledger) -> OfflineDrafts:
    """Draft and link what an import would write. Reads only.

    Each item is looked at once, as if all of them will be there; once more when one
    of them fails. What a draft holds is on disk meanwhile. Where everything is as it
    was when this was asked last, what was found then is read.
    """
    assets = migration.files.planned_assets(_foreseen_assets(migration, ledger))
    context = migration.context(assets, migration.files.missing)
    rows = ledger.items.all()
    there = existing_stories(migration, ledger, {})
    existing = migration.routes.foreseen(there, migration.items.keys())
    linked = LinkedStories(migration, context, existing)
    known = known_here(migration, ledger)
    made_of = plan_print(linked, known)
    failed: dict[ItemKey, str] = {}
    planned = kept_stories(migration, made_of, rows)
    if planned is None:
        migration.draft_ahead(context)
        planned = _plan_stories(linked, known, rows, failed)
        if failed:
            existing = migration.routes.foreseen(there, planned.stories.keys())
            linked = replace(linked, existing=existing)
            planned = _plan_stories(linked, known, rows, failed)
        else:
            keep_stories(migration, made_of, planned)
        migration.drafter.store.flush()
    return OfflineDrafts(
        migration=migration,
        context=context,
        stories=planned.stories,
        failed=failed,
        shapes=planned.shapes,
        used=used_fields(planned.shapes),
        existing=existing,
        drafts=_prints(migration, context, planned.stories),
    )


def _prints(
    migration: Migration,
    context: DraftContext,
    stories: Mapping[ItemKey, PlannedStory],
) -> dict[str, str]:
    """Return a fingerprint of the drafts of each collection, their places, and
    whether they are published; under `visitors` of what is published below edits."""
    found: dict[str, list[Json]] = {}
    places = migration.places.places
    for key, story in sorted(stories.items()):
        found.setdefault(key.collection_id, []).append(
            [
                str(key),
                story.draft,
                places[key].full_slug,
                key in migration.to_publish,
            ]
        )
    if migration.public:
        visitors = migration.for_visitors()
        own = visitors.context(context.assets, context.missing_assets)
        found["visitors"] = [
            [str(key), draft.fingerprint]
            for key, draft in visitors.item_drafts(own)
            if isinstance(draft, ItemDraft)
        ]
        visitors.drafter.store.flush()
    return {name: fingerprint_of_each(rows) for name, rows in found.items()}


def known_here(migration: Migration, ledger: Ledger) -> KnownItems:
    """Return what is known of items, with what is gone at the origin; what an
    earlier pilot brought is outside of none. Reads only."""
    gone = {row.key: row.gone for row in ledger.gone.rows() if row.gone}
    known = replace(
        migration.known,
        kept={key for key, each in gone.items() if not each.has_left},
        left={key for key, each in gone.items() if each.has_left},
    )
    if not known.outside:
        return known
    rows = ledger.items.all()
    there = {key for key, row in rows.items() if row.story_record is not None}
    return replace(known, outside=known.outside - there)


def _plan_stories(
    linked: LinkedStories,
    known: KnownItems,
    rows: Mapping[ItemKey, ItemRow],
    failed: dict[ItemKey, str],
) -> PlannedStories:
    """Return the stories to be; add to `failed` why others cannot be made."""
    planned = PlannedStories(rows)
    for key, draft in linked.migration.item_drafts(linked.context):
        if isinstance(draft, str):
            failed[key] = draft
        else:
            planned.plan(WantedStory(linked, draft), known)
    return planned


def _foreseen_assets(migration: Migration, ledger: Ledger) -> dict[str, UploadedAsset]:
    """Return where addresses will live: a file signed over its record keeps its own."""
    rows = ledger.inventory.assets()
    signed = {
        address: UploadedAsset(row.asset_id, row.content_url)
        for upload in migration.files.uploads
        if (row := rows.get(upload.sha256)) is not None
        and row.status == "signed"
        and row.content_url
        for address in upload.addresses
    }
    return signed | proven_assets(migration, ledger)


def proven_assets(migration: Migration, ledger: Ledger) -> dict[str, UploadedAsset]:
    """Return where each origin address lives now, for the assets that were proven.

    One that is gone counts until it is decided that it is brought again: what shows
    it is not to be written for that.
    """
    assets = ledger.inventory.assets()
    existing: dict[str, UploadedAsset] = {}
    for upload in migration.files.uploads:
        row = assets.get(upload.sha256)
        if row is None or not row.is_uploaded:
            continue
        uploaded = UploadedAsset(row.asset_id, row.content_url)
        existing.update(dict.fromkeys(upload.addresses, uploaded))
    return existing
