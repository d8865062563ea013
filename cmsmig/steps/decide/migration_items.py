"""The items of a migration: which are selected, in which languages, where their stories
go and what leads to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

from cmsmig.derived_file import DerivedFile
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import ItemSet
from cmsmig.mapping.decisions.conflicts import (
    ConflictAction,
    ConflictKind,
    ConflictsDecision,
)
from cmsmig.mapping.decisions.design import ContentTypeDesign
from cmsmig.mapping.draft import Place
from cmsmig.mapping.select.named_places import (
    FindItem,
    SubFolder,
    find_sub_folders,
    find_tags,
    item_finder,
)
from cmsmig.mapping.select.reference_targets import KnownItems, known_items
from cmsmig.mapping.select.routes import Routes
from cmsmig.mapping.select.selection import Selected, Selection
from cmsmig.mapping.select.story_paths import Places, assign_places, renamed_folder
from cmsmig.mapping.select.translations import (
    Translations,
    languages_of,
    merge_languages,
)
from cmsmig.origin.schema import Collection
from cmsmig.steps.decide.decision_store import Decisions
from cmsmig.steps.decide.pulled_origin import Origin, fields_translated


def translate(
    origin: Origin,
    decisions: Decisions,
    selections: Mapping[str, Selection],
    derived: DerivedFile,
) -> tuple[Origin, Decisions, Mapping[str, Selection]]:
    """Return the same with each item's languages as translated fields of one story,
    where that was decided."""
    locales = decisions.collections.translations
    if not locales:
        return origin, decisions, selections
    fields = {
        each.collection_id: fields_translated(origin, each.collection_id, derived)
        for each in origin.collections
    }
    merged = {
        name: merge_languages(each, decisions.collections.locales, fields[name])
        for name, each in selections.items()
    }
    made = Translations(locales, fields)
    entries = (entry for each in merged.values() for entry in each.selected)
    return (
        replace(origin, collections=tuple(map(made.of_schema, origin.collections))),
        replace(
            decisions,
            design=made.of_design(decisions.design),
            blocks=made.of_blocks(decisions.blocks, languages_of(entries)),
        ),
        merged,
    )


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
    chosen = [e for e in conflicts.conflicts if e.action is ConflictAction.RENAME]
    for choice in chosen:
        if choice.kind is ConflictKind.FOLDER and choice.rename_to:
            places = renamed_folder(places, choice.what, choice.rename_to)
    renames = {e.what: e.rename_to for e in chosen if e.kind is ConflictKind.STORY}
    renamed = {
        key: replace(place, slug=renames[place.full_slug])
        for key, place in places.places.items()
        if place.full_slug in renames
    }
    return replace(places, places={**places.places, **renamed}) if renamed else places


def find_routes(
    origin: Origin,
    decisions: Decisions,
    selected: tuple[Selected, ...],
    places: Mapping[ItemKey, Place],
    known: KnownItems,
) -> Routes:
    old = ((entry.item.key, entry.live_slug or entry.item.slug) for entry in selected)
    # Most keep theirs, and are known by it.
    slugs = {key: slug for key, slug in old if slug != places[key].slug}
    others = {
        each.key: each.slug
        for entry in selected
        for item in (entry.item, entry.public or entry.item)
        for each in item.languages
    }
    return Routes(
        origin.site,
        origin.collections,
        places,
        slugs | others,
        known,
        languages_of(selected),
        decisions.collections.followed_paths,
        decisions.collections.translations,
    )


def find_known(
    origin: Origin,
    decisions: Decisions,
    selections: Mapping[str, Selection],
    selected: Set[ItemKey],
) -> KnownItems:
    designed = {each.collection_id for each in decisions.design.content_types}
    known = known_items(selections, decisions.collections, origin.collections)
    return replace(known, selected=selected, migrated=known.migrated & designed)
