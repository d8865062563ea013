"""The part of a plan that needs no API call; it is computed before the first call.

From the first call on the budget counts, and a plan of many stories takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cmsmig.item_key import ItemKey
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.convert.linking import link_story
from cmsmig.mapping.draft import ExistingStory, StoryDraft, UploadedAsset
from cmsmig.mapping.propose.component_payloads import used_keys
from cmsmig.mapping.select.routes import Routes
from cmsmig.steps.decide.migration import Drafted, Migration
from cmsmig.steps.plan.written_stories import content_hash


@dataclass(frozen=True, slots=True)
class Link:
    """What phase two will make of a planned story."""

    links: int
    """Links that will lead to stories."""
    left: tuple[str, ...]
    """Why links into the old site stay, each."""
    drafted_hash: str
    linked_hash: str


@dataclass(frozen=True, slots=True)
class OfflineDrafts:
    """The stories as they will be when every file has been uploaded."""

    drafted: Drafted
    used: Mapping[str, set[str]]
    """Field keys that the stories use, by component."""
    homes: Mapping[ItemKey, ExistingStory]
    """Where items will be, if the destination holds nothing in their way."""
    links: Mapping[ItemKey, Link]
    """Links over these planned stories."""
    routes: Routes

    def links_over(
        self, homes: Mapping[ItemKey, ExistingStory]
    ) -> Mapping[ItemKey, Link]:
        """Return the links over the stories that items will have."""
        if homes == self.homes:
            return self.links
        return dict(_links(self.drafted.drafts, homes, self.routes))


def draft_offline(migration: Migration, ledger: Ledger) -> OfflineDrafts:
    """Draft and link what an import would write. Reads only."""
    drafted = migration.planned_drafts(_foreseen_assets(migration, ledger))
    coming = {draft.key for draft in drafted.drafts}
    planned = migration.routes.planned_homes()
    homes = {key: home for key, home in planned.items() if key in coming}
    for key, row in ledger.items.all().items():
        if row.home is not None:
            homes[key] = ExistingStory(row.home.uuid, row.home.full_slug)
    return OfflineDrafts(
        drafted=drafted,
        used=used_keys(drafted.drafts),
        homes=homes,
        links=dict(_links(drafted.drafts, homes, migration.routes)),
        routes=migration.routes,
    )


def _links(
    drafts: tuple[StoryDraft, ...],
    homes: Mapping[ItemKey, ExistingStory],
    routes: Routes,
) -> Iterator[tuple[ItemKey, Link]]:
    for draft in drafts:
        linked = link_story(draft, homes, routes)
        yield (
            draft.key,
            Link(
                links=linked.links,
                left=tuple(str(each.cause) for each in linked.left),
                drafted_hash=content_hash(draft.content),
                linked_hash=content_hash(linked.content),
            ),
        )


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
