"""The rows of listed stories, their texts shared with what is in memory already.

A space has a row for every story, and most of them say what the ledger says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from cmsmig.destination.schema import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.mapping.draft import Place

Sharing: TypeAlias = Callable[[StoryRow], StoryRow]


def share_texts(
    rows: Mapping[ItemKey, ItemRow], places: Mapping[ItemKey, Place]
) -> Sharing:
    """Return what makes an equal row of a listed story, whose texts are those of the
    story's record and of its item's place where they say the same."""
    items = {row.home.story_id: row for row in rows.values() if row.home is not None}
    parents: dict[int, int] = {}

    def shared(row: StoryRow) -> StoryRow:
        parent = parents.setdefault(row.parent_id, row.parent_id)
        item = items.get(row.story_id)
        if item is None or item.home is None:
            return replace(row, parent_id=parent)
        return _shared(row, item, item.home, parent, places.get(item.key))

    return shared


def _shared(
    row: StoryRow, item: ItemRow, home: StoryRecord, parent: int, place: Place | None
) -> StoryRow:
    return replace(
        row,
        story_id=home.story_id,
        uuid=_one(row.uuid, home.uuid),
        name=_one(row.name, item.name),
        slug=_one(row.slug, place.slug) if place else row.slug,
        full_slug=_one(row.full_slug, home.full_slug),
        parent_id=parent,
        updated_at=_one(row.updated_at, home.updated_at),
        group_id=_one(row.group_id, home.group_id),
    )


def _one(text: str, same: str) -> str:
    """Return a text, as one object with another that says the same."""
    return same if text == same else text
