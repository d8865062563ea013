"""The import job: what all steps of an import share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field

from cmsmig.canonical import fingerprint
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.delivery import DeliveryClient
from cmsmig.events import Noticed, Observer
from cmsmig.item_key import ItemKey
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.convert.item_draft import ItemDraft
from cmsmig.mapping.draft import DraftContext, ExistingStory
from cmsmig.reconcile.field_diff import FieldDiff
from cmsmig.reconcile.kinds import Kind
from cmsmig.settings import Settings
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.drafts.linked_stories import LinkedStories
from cmsmig.steps.plan.drafts.offline_drafts import proven_assets
from cmsmig.steps.plan.gone.missing_objects import NOTHING, Gone
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.plan.plan_import import PlannedImport
from cmsmig.steps.plan.publication.public_versions import (
    PublicVersions,
    find_public_versions,
)
from cmsmig.steps.plan.recorded_stories import existing_stories
from cmsmig.steps.plan.resources import ObjectProblem, Resources
from cmsmig.steps.plan.wanted_stories import NO_EDITS, StoryEdits, WantedStories
from cmsmig.steps.snapshot import Snapshot
from cmsmig.steps.story_reader import StoryReader
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.alternates import wanted_groups


@dataclass(slots=True)
class ImportJob:
    """A running import: ledger, clients, migration and snapshot."""

    settings: Settings
    migration: Migration
    client: DestinationClient
    delivery: DeliveryClient
    reader: StoryReader
    ledger: Ledger
    snapshot: Snapshot
    observer: Observer
    stop: StopSignal
    gone: Gone = NOTHING
    """What the ledger knows and the space no longer has."""
    planned: PlannedImport | None = None
    """The plan and what it read; None where no plan is made."""
    edits: StoryEdits = NO_EDITS
    """What the plan found of stories that are not as we left them; nothing once no
    update is to come."""
    edit_conflicts: list[FieldDiff] = field(default_factory=list)
    """What was found during the write and needs a decision."""
    refused: dict[tuple[str, str], ObjectProblem] = field(default_factory=dict)
    """What could not be made or brought up to date, by kind and name."""
    field_keys: Mapping[str, Set[str]] = field(default_factory=dict)
    """Field keys of the space's components, once they are read back."""
    alternates: dict[ItemKey, frozenset[int]] = field(default_factory=dict)
    """What the service showed last as the alternates of stories that this run made."""
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    _context: DraftContext | None = field(default=None, init=False)
    _versions: tuple[object, PublicVersions] | None = field(default=None, init=False)

    @property
    def context(self) -> DraftContext:
        """Return what all drafts share, over the files as they are settled when it is
        first asked for."""
        if self._context is None:
            self._context = self.migration.context(
                proven_assets(self.migration, self.ledger), self._missing_assets()
            )
        return self._context

    def refuse(self, kind: str, name: str, text: str) -> None:
        """Note that an object could not be made or brought up to date, and report
        it."""
        self.refused[kind, name] = ObjectProblem(kind, name, text)
        self.observer(Noticed(f"{kind} {name}", text))

    def resources(self) -> Resources:
        """Return the objects that stories need, as ledger and snapshot are now."""
        used = self.planned.wanted.offline.used if self.planned else {}
        return Resources.of(self.migration, self.ledger, self.snapshot, used)

    @property
    def plan(self) -> Plan:
        """Return the plan, where one is made."""
        assert self.planned is not None
        return self.planned.plan

    @property
    def wanted(self) -> WantedStories:
        """Return what the plan wants of the stories."""
        assert self.planned is not None
        return self.planned.wanted

    def outdated_losses(self) -> Iterator[ItemKey]:
        """Yield the items whose losses are others than those in the ledger."""
        kept = {
            key: fingerprint(losses) for key, losses in self.ledger.findings.losses()
        }
        offline = self.wanted.offline
        if offline.is_over(self.context):
            found = (
                (key, story.losses_print) for key, story in offline.stories.items()
            )
        else:
            found = (
                (key, draft.losses_print)
                for key, draft in self.migration.item_drafts(self.context)
                if isinstance(draft, ItemDraft)
            )
        for key, losses_print in found:
            if kept.get(key, "") != losses_print:
                yield key

    def public_versions(
        self, existing: Mapping[ItemKey, ExistingStory]
    ) -> PublicVersions:
        """Return what visitors are to see where it is not what editors see, over the
        story records."""
        if self._versions is None or self._versions[0] is not existing:
            stories = self.linked(existing)
            found = find_public_versions(
                stories, self.ledger, self.snapshot, self.edits
            )
            self._versions = existing, found
        return self._versions[1]

    def linked(self, existing: Mapping[ItemKey, ExistingStory]) -> LinkedStories:
        """Return the stories as editors are to see them, over the story records."""
        return LinkedStories(self.migration, self.context, existing)

    def _missing_assets(self) -> dict[str, str]:
        """Return the file addresses that have no asset at the destination, with the
        reason."""
        assets = self.ledger.inventory.assets()
        missing = dict(self.migration.files.missing)
        for upload in self.migration.files.uploads:
            row = assets.get(upload.sha256)
            if row is not None and row.status == "failed" and not row.is_gone:
                missing.update(dict.fromkeys(upload.addresses, row.explanation))
        return missing

    def groups(self) -> Mapping[ItemKey, str]:
        """Return the groups of stories in several languages, as they are listed."""
        gone = self.gone.keys(Kind.STORY)
        rows = self.ledger.items.all()
        return wanted_groups(
            self.migration.namespace,
            self.migration.known.selected,
            {key: row for key, row in rows.items() if key not in gone}
            if gone
            else rows,
            self.snapshot.stories,
        )

    def existing(self) -> Mapping[ItemKey, ExistingStory]:
        """Return the stories that exist for items, by key."""
        return existing_stories(self.migration, self.ledger, {})
