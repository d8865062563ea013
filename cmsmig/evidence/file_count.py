"""What became of the files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from cmsmig.ledger.rows import AssetRow
from cmsmig.steps.decide.migration import Migration


@dataclass(frozen=True, slots=True)
class FileCount:
    """In = uploaded + failed + not downloaded + open, in files."""

    files: int
    uploaded: int
    failed: int
    not_downloaded: int
    open: int


def count_files(migration: Migration, assets: Mapping[str, AssetRow]) -> FileCount:
    """Return what became of the files; `assets` are the ledger's rows by hash."""
    states = Counter(
        row.status if (row := assets.get(upload.sha256)) else "open"
        for upload in migration.files.uploads
    )
    missing = len(migration.files.missing)
    return FileCount(
        files=states.total() + missing,
        uploaded=states["proven"],
        failed=states["failed"],
        not_downloaded=missing,
        open=states["open"] + states["signed"],
    )
