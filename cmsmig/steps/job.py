"""What every step of an import works with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from cmsmig.destination.client import DestinationClient
from cmsmig.events import Observer
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.draft import AssetHome, Home, StoryDraft
from cmsmig.origin.schema import ItemKey
from cmsmig.settings import Settings
from cmsmig.steps.batches import StopSignal
from cmsmig.steps.conflicts import Conflict
from cmsmig.steps.migration import Drafted, Migration
from cmsmig.steps.survey import Survey


@dataclass(slots=True)
class Job:
    """One import under way; it learns of conflicts and remembers its drafts."""

    settings: Settings
    migration: Migration
    client: DestinationClient
    ledger: Ledger
    survey: Survey
    conflicts: Mapping[ItemKey, Conflict]
    observer: Observer
    stop: StopSignal
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    _drafted: Drafted | None = field(default=None, init=False)

    def asset_homes(self) -> dict[str, AssetHome]:
        """Return where each origin address lives now, for the proven assets."""
        return proven_assets(self.migration, self.ledger)

    def missing_assets(self) -> dict[str, str]:
        """Return addresses without a home at the destination, with the reason."""
        assets = self.ledger.inventory.assets()
        missing = dict(self.migration.missing_files)
        for upload in self.migration.uploads:
            row = assets.get(upload.sha256)
            if row is not None and row.status == "failed":
                missing.update(dict.fromkeys(upload.addresses, row.explanation))
        return missing

    def drafted(self) -> Drafted:
        """Return the drafts of all selected items over the uploaded assets.

        Computed once, when the assets are settled.
        """
        if self._drafted is None:
            self._drafted = self.migration.drafts(
                self.asset_homes(), self.missing_assets()
            )
        return self._drafted

    def drafts(self) -> tuple[StoryDraft, ...]:
        """Return the stories that the items become."""
        return self.drafted().drafts

    def homes(self) -> Mapping[ItemKey, Home]:
        """Return the stories that exist for items, by key."""
        return {
            key: Home(row.home.uuid, row.home.full_slug)
            for key, row in self.ledger.items.all().items()
            if row.home is not None
        }


def proven_assets(migration: Migration, ledger: Ledger) -> dict[str, AssetHome]:
    """Return where each origin address lives now, for the proven assets."""
    assets = ledger.inventory.assets()
    homes: dict[str, AssetHome] = {}
    for upload in migration.uploads:
        row = assets.get(upload.sha256)
        if row is None or row.status != "proven":
            continue
        home = AssetHome(row.asset_id, row.content_url)
        homes.update(dict.fromkeys(upload.addresses, home))
    return homes
