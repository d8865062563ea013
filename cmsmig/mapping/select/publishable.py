"""What visitors are to see of what was selected. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Set

from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import CollectionsDecision, PublishRule
from cmsmig.mapping.select.selection import Selected
from cmsmig.origin.schema import Item


def find_publishable(
    decision: CollectionsDecision, selected: Iterable[Selected]
) -> frozenset[ItemKey]:
    """Return the items whose stories are to be published, as was decided."""
    publishing = {
        choice.collection_id
        for choice in decision.collections
        if choice.publish is PublishRule.WHAT_IS_LIVE
    }
    return frozenset(
        entry.item.key
        for entry in selected
        if entry.public and entry.item.key.collection_id in publishing
    )


def find_public_versions(
    selected: Iterable[Selected], to_publish: Set[ItemKey]
) -> dict[ItemKey, Item]:
    """Return the versions that visitors are to see of the items of which editors are
    to see another one."""
    return {
        entry.item.key: entry.public
        for entry in selected
        if entry.public is not None
        and entry.has_two_versions
        and entry.item.key in to_publish
    }
