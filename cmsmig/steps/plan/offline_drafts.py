"""The part of a plan that needs no API call; it is computed before the first call.

From the first call on the budget counts, and a plan of many stories takes seconds.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from cmsmig.item_key import ItemKey
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.draft import DraftContext, ExistingStory, RelationUse, UploadedAsset
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.linked_drafts import DraftLinks, link_draft


@dataclass(frozen=True, slots=True)
class PlannedStory:
    """What a plan knows of a story to be: nothing of its content."""

    relations: tuple[RelationUse, ...]
    losses: Mapping[str, int]
    """How many, by kind."""
    links: DraftLinks
    """Over the story records that are foreseen."""


@dataclass(frozen=True, slots=True)
class OfflineDrafts:
    """The stories as they will be when every file has been uploaded."""

    migration: Migration
    context: DraftContext
    stories: Mapping[ItemKey, PlannedStory]
    """In the order of the import."""
    failed: Mapping[ItemKey, str]
    """Why there is no draft, a sentence for an editor."""
    used: Mapping[str, set[str]]
    """Field keys that the stories use, by component."""
    homes: Mapping[ItemKey, ExistingStory]
    """Where items will be, if the destination holds nothing in their way."""

    def links_over(
        self, homes: Mapping[ItemKey, ExistingStory]
    ) -> Mapping[ItemKey, DraftLinks]:
        """Return the links over the story records that items will have."""
        if homes == self.homes:
            return {key: story.links for key, story in self.stories.items()}
        return dict(_links(self.migration, self.context, homes, {}))


def draft_offline(migration: Migration, ledger: Ledger) -> OfflineDrafts:
    """Draft and link what an import would write. Reads only.

    Each item is looked at twice, once for its draft and once for its links: what a
    draft holds is on disk meanwhile.
    """
    assets = migration.planned_assets(_foreseen_assets(migration, ledger))
    context = migration.context(assets, migration.files.missing)
    failed: dict[ItemKey, str] = {}
    facts: dict[ItemKey, tuple[tuple[RelationUse, ...], Mapping[str, int]]] = {}
    used: dict[str, set[str]] = {}
    for key, draft in migration.item_drafts(context):
        if isinstance(draft, str):
            failed[key] = draft
            continue
        facts[key] = draft.facts.relations, draft.facts.losses
        for component, keys in draft.facts.used.items():
            used.setdefault(component, set()).update(keys)
    homes = _foreseen_homes(migration, ledger, facts)
    links = dict(_links(migration, context, homes, failed))
    migration.drafter.store.flush()
    return OfflineDrafts(
        migration=migration,
        context=context,
        stories={
            key: PlannedStory(*facts[key], links=found) for key, found in links.items()
        },
        failed=failed,
        used=used,
        homes=homes,
    )


def _links(
    migration: Migration,
    context: DraftContext,
    homes: Mapping[ItemKey, ExistingStory],
    failed: dict[ItemKey, str],
) -> Iterator[tuple[ItemKey, DraftLinks]]:
    for key, draft in migration.item_drafts(context):
        if key in failed or isinstance(draft, str):
            continue
        found = link_draft(migration, draft, context, homes)
        if isinstance(found, str):
            failed[key] = found
        else:
            yield key, found


def _foreseen_homes(
    migration: Migration, ledger: Ledger, coming: Container[ItemKey]
) -> dict[ItemKey, ExistingStory]:
    planned = migration.routes.planned_homes()
    homes = {key: home for key, home in planned.items() if key in coming}
    for key, row in ledger.items.all().items():
        if row.home is not None:
            homes[key] = ExistingStory(row.home.uuid, row.home.full_slug)
    return homes


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
    homes: dict[str, UploadedAsset] = {}
    for upload in migration.files.uploads:
        row = assets.get(upload.sha256)
        if row is None or not row.is_brought:
            continue
        home = UploadedAsset(row.asset_id, row.content_url)
        homes.update(dict.fromkeys(upload.addresses, home))
    return homes
