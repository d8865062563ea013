"""What became of the items, by collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from cmsmig.ledger.rows import DELETED_THERE, Accounting, GoneState, ItemRow
from cmsmig.steps.decide.migration import Migration

_GONE = "gone "
_WORDS = {
    GoneState.UNPUBLISHED: "unpublished",
    GoneState.DELETED: "deleted",
    GoneState.UNDECIDED: "undecided",
}
_STATUSES = ("created", "reused", "skipped", "failed", "selected")


@dataclass(frozen=True, slots=True)
class CollectionCount:
    """What became of the items of one collection."""

    name: str
    accounting: Accounting


def count_collections(
    migration: Migration, rows: Iterable[ItemRow]
) -> tuple[CollectionCount, ...]:
    """Return what became of the items of each collection that the ledger knows."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counted = counts.setdefault(row.key.collection_id, Counter())
        if row.gone is None or row.gone.reason != DELETED_THERE:
            counted[row.status] += 1
        if row.gone is not None:
            counted[_GONE + _WORDS.get(row.gone.state, "kept")] += 1
    names = {
        each.collection_id: each.display_name for each in migration.origin.collections
    }
    return tuple(
        CollectionCount(
            names.get(collection_id, collection_id),
            Accounting(
                items=sum(found[status] for status in _STATUSES),
                created=found["created"],
                reused=found["reused"],
                skipped=found["skipped"],
                failed=found["failed"],
                open=found["selected"],
                gone_kept=found[f"{_GONE}kept"],
                gone_unpublished=found[f"{_GONE}unpublished"],
                gone_deleted=found[f"{_GONE}deleted"],
                gone_undecided=found[f"{_GONE}undecided"],
            ),
        )
        for collection_id, found in counts.items()
    )
