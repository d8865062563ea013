"""Stories of one item in several languages: they share a group.

Source: destination, delivery, alternates: stories with one `group_id` are the same
page in other languages. It is sent with a create or an update that is made anyway,
never for its own sake.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import TypeAlias

from cmsmig.destination.typed_records import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.mapping.uids import derived_group

ItemId: TypeAlias = tuple[str, str]
"""An item's collection and id: what its languages have in common."""


def wanted_groups(
    namespace: str,
    selected: Iterable[ItemKey],
    rows: Mapping[ItemKey, ItemRow],
    listed: Iterable[StoryRow],
) -> dict[ItemKey, str]:
    """Return the group of each story whose item has a story in another language, or
    will have one; items of one language are not in it.

    A later language joins the group of the stories that exist.
    """
    existing = {
        key: row.story_record
        for key, row in rows.items()
        if row.story_record is not None
    }
    several = group_languages({*selected, *existing})
    if not several:
        return {}
    groups = {row.story_id: row.group_id for row in listed}
    found: dict[ItemKey, str] = {}
    for languages in several.values():
        there = {
            key: groups.get(story_record.story_id) or story_record.group_id
            for key in languages
            if (story_record := existing.get(key)) is not None
        }
        oldest_first = sorted(there, key=lambda each: existing[each].story_id)
        group = common_group(
            namespace, languages[0], [there[key] for key in oldest_first]
        )
        found |= dict.fromkeys(languages, group)
    return found


def group_languages(keys: Iterable[ItemKey]) -> dict[ItemId, list[ItemKey]]:
    """Return the keys of each item that is there in several languages."""
    found: dict[ItemId, list[ItemKey]] = {}
    for item, same in groupby(
        sorted(keys), lambda key: (key.collection_id, key.item_id)
    ):
        if len(languages := list(same)) > 1:
            found[item] = languages
    return found


def common_group(namespace: str, key: ItemKey, there: Iterable[str]) -> str:
    """Return the group for all languages of an item: that of the stories that are
    there, oldest first, else the one derived from the item."""
    derived = derived_group(namespace, key)
    groups = [group for group in there if group]
    return derived if derived in groups or not groups else groups[0]
