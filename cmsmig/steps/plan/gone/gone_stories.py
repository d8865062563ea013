"""Stories whose items are gone at the origin, as the ledger has them."""

from __future__ import annotations

from collections.abc import Mapping

from cmsmig.canonical import JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.ledger.gone_items import DELETE, UNPUBLISH
from cmsmig.ledger.rows import GoneState, ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.steps.decide.migration import Migration

REMOVALS: Mapping[GoneState, str] = {
    GoneState.TO_UNPUBLISH: UNPUBLISH,
    GoneState.TO_DELETE: DELETE,
}
"""What is still to be done, and the kind of its intent."""


def removed_by_us(ledger: Ledger) -> frozenset[ItemKey]:
    """Return the items whose stories this import deleted, or was about to. Reads
    only. Such a story is not missed where it is not there."""
    deleting = {each.subject for each in ledger.intents.open(DELETE)}
    return frozenset(
        row.key
        for row in ledger.gone.rows()
        if str(row.key) in deleting
        or (row.gone is not None and row.gone.state is GoneState.DELETED)
    )


def to_remove(ledger: Ledger) -> tuple[ItemRow, ...]:
    """Return the rows whose stories are to be unpublished or deleted. Reads only."""
    return tuple(
        row
        for row in ledger.gone.rows()
        if row.gone is not None and row.gone.state in REMOVALS
    )


def standing_in_the_way(migration: Migration, ledger: Ledger) -> tuple[ItemRow, ...]:
    """Return the rows of stories to be deleted whose places other items take."""
    wanted = {place.full_slug for place in migration.places.places.values()}
    return tuple(
        row
        for row in to_remove(ledger)
        if row.gone is not None
        and row.gone.state is GoneState.TO_DELETE
        and row.home is not None
        and row.home.full_slug in wanted
    )


def gone_json(row: ItemRow) -> JsonObject:
    """Return what is gone at the origin as the JSON outputs list it."""
    gone = row.gone
    return {
        "item": str(row.key),
        "name": row.name,
        "full_slug": row.home.full_slug if row.home else row.full_slug,
        "reason": gone.reason if gone else "",
        "explanation": gone.sentence if gone else "",
        "story": str(gone.state) if gone else "",
        "note": gone.note if gone else "",
    }


def gone_sentence_of(row: ItemRow) -> str:
    """Return what is gone at the origin and what becomes of its story."""
    gone = row.gone
    assert gone is not None
    path = row.home.full_slug if row.home else row.full_slug
    note = f" {gone.note}" if gone.note else ""
    return f"{path}: {gone.sentence} {_STATES[gone.state]}{note}"


_STATES = {
    GoneState.KEPT: "Its story is kept.",
    GoneState.UNDECIDED: "Its story is kept until somebody decides.",
    GoneState.TO_UNPUBLISH: "Its story is to be unpublished.",
    GoneState.TO_DELETE: "Its story is to be deleted.",
    GoneState.UNPUBLISHED: "Its story is not published.",
    GoneState.DELETED: "Its story is in the trash.",
}
