"""Alternative texts of files: what we last wrote, what stands there, what we would
write. Pure.

Whatever else an asset's record holds (title, folder, tags) is theirs and never sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cmsmig.canonical import JsonObject
from cmsmig.destination.schema import Asset
from cmsmig.ledger.rows import AssetRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.mapping.decisions.conflicts import ConflictKind, ConflictsDecision, Side
from cmsmig.mapping.merge import Merged, merge_fields, take_sides, value_of
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.destination_survey import Survey
from cmsmig.steps.plan.edits.edit_conflicts import EditConflict, seen_of
from cmsmig.whole_text import whole_text

ALT: Final = "alt"
"""The field of an asset that both sides may change."""


@dataclass(frozen=True, slots=True)
class AssetText:
    """The alternative text of a file that is there, on three sides.

    Where nobody knows what we wrote, one that differs is a conflict.
    """

    upload: UploadPlan
    row: AssetRow
    there: Asset
    side: Side | None = None
    """What was decided about it."""

    @property
    def base(self) -> JsonObject:
        """Return what we last wrote."""
        return {ALT: _text(self.row.body[ALT])} if ALT in self.row.body else {}

    @property
    def ours(self) -> JsonObject:
        """Return what the origin has now."""
        return {ALT: whole_text(self.upload.alt)}

    @property
    def theirs(self) -> JsonObject:
        """Return what stands there."""
        return {ALT: self.there.alt}

    @property
    def merged(self) -> Merged:
        """Return what becomes of it, after what was decided."""
        merged = merge_fields(self.base, self.ours, self.theirs)
        return take_sides(merged, self.ours, lambda field: self.side)

    @property
    def is_written(self) -> bool:
        """Return whether ours is sent."""
        return ALT in self.merged.written

    @property
    def is_accepted(self) -> bool:
        """Return whether it was decided that theirs stays."""
        return self.side is Side.THEIRS

    @property
    def stands(self) -> str:
        """Return what is to stand there."""
        return str(self.merged.values[ALT])

    @property
    def body(self) -> JsonObject:
        """Return what counts as written by us from then on."""
        return {**self.row.body, **self.merged.next_base(self.base, self.ours)}

    @property
    def conflict(self) -> EditConflict | None:
        """Return what somebody has to decide, if anything."""
        if ALT not in self.merged.conflicts:
            return None
        return EditConflict(
            kind=ConflictKind.ASSET,
            what=self.upload.name,
            field=ALT,
            base=value_of(self.base, ALT),
            ours=self.ours[ALT],
            theirs=self.there.alt,
            seen=seen_of(self.there.alt),
        )


def asset_text(
    upload: UploadPlan, row: AssetRow, there: Asset, decided: ConflictsDecision
) -> AssetText:
    """Return the alternative text of a file with what was decided about it."""
    seen = seen_of(there.alt)
    side = decided.side(ConflictKind.ASSET, upload.name, ALT, seen)
    return AssetText(upload, row, there, side)


def texts_of(
    migration: Migration, ledger: Ledger, survey: Survey
) -> Iterator[AssetText]:
    """Yield those of the files that are there, as the space was listed."""
    rows = ledger.inventory.assets()
    for upload in migration.files.uploads:
        row = rows.get(upload.sha256)
        if row is not None and row.is_brought:
            text = listed_text(upload, row, survey, migration.decisions.conflicts)
            if text is not None:
                yield text


def listed_text(
    upload: UploadPlan, row: AssetRow, survey: Survey, decided: ConflictsDecision
) -> AssetText | None:
    """Return the text of a file whose record is ours and was listed, if any."""
    there = survey.assets.get(row.asset_id or 0)
    if there is None or there.ext_id != row.ext_id:
        return None
    return asset_text(upload, row, there, decided)


def _text(value: object) -> str:
    return whole_text(str(value))
