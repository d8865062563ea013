"""Drafts, each made once: as soon as nothing that it holds can change any more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from cmsmig.itemkey import ItemKey
from cmsmig.ledger.rows import AssetRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.assets import UploadPlan
from cmsmig.mapping.draft import AssetHome, DraftContext, StoryDraft
from cmsmig.mapping.selection import Selected
from cmsmig.steps.migration import Drafted, Migration

V = TypeVar("V")


class Drafting:
    """Makes the drafts of one import, over files some of which are under way.

    A draft depends on the files that it asks about and on no other; so those whose
    files are settled, proven or failed, may be made while others are uploaded,
    and come out as they would at the end.
    """

    def __init__(
        self, migration: Migration, ledger: Ledger, open_files: Iterable[UploadPlan]
    ) -> None:
        self._migration = migration
        self._ledger = ledger
        self._open = {address for upload in open_files for address in upload.addresses}
        self._homes: dict[str, AssetHome] = {}
        self._missing = dict(migration.missing_files)
        rows = ledger.inventory.assets()
        for upload in migration.uploads:
            if self._open.isdisjoint(upload.addresses):
                self._note(upload, rows.get(upload.sha256))
        self._made: dict[ItemKey, StoryDraft | str | None] = {}
        self._context: DraftContext | None = None
        self._asked: set[str] = set()
        self._settled = asyncio.Event()
        if self.is_settled:
            self._settled.set()

    def settle(self, upload: UploadPlan) -> None:
        """Take note that nothing more will become of a file in this run."""
        self._open.difference_update(upload.addresses)
        self._note(upload, self._ledger.inventory.asset(upload.sha256))
        if self.is_settled:
            self._settled.set()

    @property
    def is_settled(self) -> bool:
        """Return whether no file is under way."""
        return not self._open

    async def all_settled(self) -> None:
        """Wait until no file is under way."""
        await self._settled.wait()

    def is_final(self, entry: Selected) -> bool:
        """Return whether an item's draft asks about no file that is under way.

        Makes the draft, since nothing else tells.
        """
        key = entry.item.key
        if key not in self._made:
            self._asked.clear()
            made = self._migration.draft(entry, self._context_now())
            if self._asked.isdisjoint(self._open):
                self._made[key] = made
        return key in self._made

    def draft(self, entry: Selected) -> StoryDraft | str | None:
        """Return a final draft, or why there is none; None without a content type."""
        if not self.is_final(entry):
            raise AssertionError(f"{entry.item.key} has files under way")
        return self._made[entry.item.key]

    def drafted(self) -> Drafted:
        """Return all drafts; every file is settled."""
        return Drafted.of(
            (each.item.key, self.draft(each)) for each in self._migration.selected
        )

    def _context_now(self) -> DraftContext:
        if self._context is None:
            self._context = self._migration.context(
                _Asked(self._homes, self._asked), _Asked(self._missing, self._asked)
            )
        return self._context

    def _note(self, upload: UploadPlan, row: AssetRow | None) -> None:
        if row is None:
            return
        if row.status == "proven":
            home = AssetHome(row.asset_id, row.content_url)
            self._homes.update(dict.fromkeys(upload.addresses, home))
        elif row.status == "failed":
            self._missing.update(dict.fromkeys(upload.addresses, row.explanation))


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


class _Asked(Mapping[str, V]):
    """A mapping that notes which keys were asked for, those not there too."""

    def __init__(self, found: Mapping[str, V], asked: set[str]) -> None:
        self._found = found
        self._asked = asked

    def __getitem__(self, key: str) -> V:
        self._asked.add(key)
        return self._found[key]

    def __iter__(self) -> Iterator[str]:
        raise NotImplementedError("a draft asks about addresses, one at a time")

    def __len__(self) -> int:
        raise NotImplementedError("a draft asks about addresses, one at a time")
