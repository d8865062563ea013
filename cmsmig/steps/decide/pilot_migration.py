"""A migration cut down to some of its items: what they need is made, and no more.

What an item becomes, and where, is the same as in the whole migration.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from cmsmig.item_key import ItemKey
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.propose.needed_components import needed_components
from cmsmig.mapping.select.pilot import WHOLE, Pilot, choose, needed_collections
from cmsmig.mapping.select.story_paths import Places
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.migration import Migration, open_migration


def open_pilot(project: Project, settings: Settings, pilot: Pilot) -> Migration:
    """Return the migration that the project folder describes, cut down to a pilot.

    Raises what `open_migration` raises, and `UsageError` when nothing fits.
    """
    whole = open_migration(project, settings, pilot=pilot)
    if pilot.is_whole:
        return whole
    collections = whole.origin.collections
    locales = whole.decisions.collections.locales
    chosen = choose(pilot, whole.selected, whole.skipped, collections, locales)
    needed = needed_collections(pilot, chosen, collections)
    return cut_down(whole, {each.item.key for each in chosen}, needed, pilot)


def as_begun(migration: Migration, ledger: Ledger) -> Migration:
    """Return the migration of what was begun to be imported: of what pilots brought,
    as long as there were only pilots, else all of it. Reads only."""
    if not ledger.only_pilots():
        return migration
    keys = migration.items.keys() & ledger.items.all().keys()
    return cut_down(migration, keys, {key.collection_id for key in keys})


def cut_down(
    migration: Migration,
    keys: Set[ItemKey],
    collections: Set[str],
    pilot: Pilot = WHOLE,
) -> Migration:
    """Return the migration of these items alone, with the components and folders of
    these collections."""
    selected = tuple(each for each in migration.selected if each.item.key in keys)
    public = {key: each for key, each in migration.public.items() if key in keys}
    items = [*(each.item for each in selected), *public.values()]
    files = migration.files.used_by(items)
    made = needed_components(migration.design, collections)
    asset_folder = migration.design.asset_folder if files.uploads else ""
    return replace(
        migration,
        pilot=pilot,
        design=replace(migration.design, made=made, asset_folder=asset_folder),
        selected=selected,
        skipped=(),
        places=_with_folders_of(migration.places, keys),
        files=files,
        known=replace(
            migration.known, outside=frozenset(migration.known.selected - keys)
        ),
        items={each.item.key: each.item for each in selected},
        to_publish=migration.to_publish & keys,
        public=public,
    )


def _with_folders_of(places: Places, keys: Set[ItemKey]) -> Places:
    """Return the places with the folders alone that some stories stand in or below."""
    needed: set[str] = set()
    for key in keys:
        path = places.places[key].folder if key in places.places else ""
        while path and path not in needed:
            needed.add(path)
            path = path.rpartition("/")[0]
    return replace(
        places, folders=tuple(each for each in places.folders if each.path in needed)
    )
