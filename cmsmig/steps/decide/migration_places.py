"""Where the stories of a migration go, as it was decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import ItemSet
from cmsmig.mapping.decisions.conflicts import (
    ConflictAction,
    ConflictKind,
    ConflictsDecision,
)
from cmsmig.mapping.decisions.design import ContentTypeDesign
from cmsmig.mapping.select.named_places import (
    FindItem,
    SubFolder,
    find_sub_folders,
    find_tags,
    item_finder,
)
from cmsmig.mapping.select.selection import Selected, Selection
from cmsmig.mapping.select.story_paths import Places, assign_places
from cmsmig.origin.schema import Collection
from cmsmig.steps.decide.decision_store import Decisions
from cmsmig.steps.decide.pulled_origin import Origin


def find_places(
    selections: Mapping[str, Selection], decisions: Decisions, origin: Origin
) -> Places:
    """Return where each story goes, with the slugs that people chose."""
    naming = _Naming(selections, decisions, origin)
    places = assign_places(
        {name: each.selected for name, each in selections.items()},
        decisions.design,
        decisions.collections.locales,
        dict(naming.folders()),
        dict(naming.tags()),
    )
    return _apply_renames(places, decisions.conflicts)


@dataclass(frozen=True)
class _Naming:
    """What fields name, where that was decided."""

    selections: Mapping[str, Selection]
    decisions: Decisions
    origin: Origin

    def folders(self) -> Iterator[tuple[ItemKey, SubFolder]]:
        for each in self._types():
            entries, schema = self._of(each)
            yield from find_sub_folders(entries, each, schema, self._find)

    def tags(self) -> Iterator[tuple[ItemKey, tuple[str, ...]]]:
        for each in self._types():
            entries, schema = self._of(each)
            yield from find_tags(entries, each, schema, self._find)

    def _types(self) -> list[ContentTypeDesign]:
        return [
            each
            for each in self.decisions.design.content_types
            if (each.folder_by or each.tags_by)
            and each.collection_id in self.selections
        ]

    def _of(self, made: ContentTypeDesign) -> tuple[Sequence[Selected], Collection]:
        own = made.collection_id
        schemas = {each.collection_id: each for each in self.origin.collections}
        return self.selections[own].selected, schemas[own]

    @cached_property
    def _find(self) -> FindItem:
        locales = self.decisions.collections.locales
        primary = next((each.locale_id for each in locales if each.primary), "")
        origin = self.origin
        # What is mirrored is called for visitors what it is called there now.
        shown = {
            each.collection_id: origin.live[each.collection_id]
            for each in self.decisions.collections.collections
            if each.items is ItemSet.MIRROR and each.collection_id in origin.live
        }
        return item_finder((shown, origin.staged, origin.live), primary)


def _apply_renames(places: Places, conflicts: ConflictsDecision) -> Places:
    """Return the places with the slugs that people chose where one was taken."""
    renames = {
        choice.what: choice.rename_to
        for choice in conflicts.conflicts
        if choice.kind is ConflictKind.STORY and choice.action is ConflictAction.RENAME
    }
    renamed = {
        key: replace(place, slug=renames[place.full_slug])
        for key, place in places.places.items()
        if place.full_slug in renames
    }
    return replace(places, places={**places.places, **renamed}) if renamed else places
