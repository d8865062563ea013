"""What every step of an import works with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field

from cmsmig.destination.client import DestinationClient
from cmsmig.events import Observer
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.assets import UploadPlan
from cmsmig.mapping.draft import Home, StoryDraft
from cmsmig.origin.schema import ItemKey
from cmsmig.settings import Settings
from cmsmig.steps.batches import StopSignal
from cmsmig.steps.conflicts import Conflict
from cmsmig.steps.drafting import Drafting
from cmsmig.steps.foresight import Foresight
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
    foreseen: Foresight | None = None
    """What the plan is made of; let go when it is made."""
    foreseen_keys: Mapping[str, Set[str]] = field(default_factory=dict)
    """Field keys that the planned stories use, by component."""
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    _drafting: Drafting | None = field(default=None, init=False)
    _drafted: Drafted | None = field(default=None, init=False)

    def drafting(self, open_files: Iterable[UploadPlan] = ()) -> Drafting:
        """Return what makes the drafts, from the first call on over `open_files`."""
        if self._drafting is None:
            self._drafting = Drafting(self.migration, self.ledger, open_files)
        return self._drafting

    def drafted(self) -> Drafted:
        """Return the drafts of all selected items over the uploaded assets.

        Computed once, when the assets are settled.
        """
        if self._drafted is None:
            self._drafted = self.drafting().drafted()
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
