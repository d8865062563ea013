"""The redirects of a project: where each old address leads, in the files of hosts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from cmsmig.evidence.host_files import host_files
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.redirects import RedirectAction, RedirectsDecision
from cmsmig.mapping.draft import path_in_language
from cmsmig.mapping.propose.decision_checks import check_against
from cmsmig.mapping.redirects.address_map import (
    AddressMap,
    KnownAddress,
    Outcome,
    Source,
)
from cmsmig.mapping.redirects.address_resolver import map_addresses
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.page_store import baseline_addresses
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.steps.decide.known_addresses import NewPaths, known_addresses
from cmsmig.steps.decide.migration import Migration, as_begun, open_migration
from cmsmig.steps.decide.pulled_origin import old_addresses
from cmsmig.steps.plan.edits.written_stories import language_paths
from cmsmig.ui.report_file import write_text

FOLDER = "redirects"
"""Below a run's folder."""


def address_map(
    project: Project,
    migration: Migration,
    existing: Mapping[ItemKey, str] | None = None,
    earlier: Mapping[ItemKey, Iterable[str]] | None = None,
    gone: Iterable[KnownAddress] = (),
) -> AddressMap:
    """Return where every old address leads. Reads the raw cache and the decisions.

    `existing` are the full slugs of the stories that exist, and of their pages in other
    languages; without them, the places that are planned. `earlier` are addresses that
    items had at the origin, and paths that their stories had; `gone` those of items
    that are gone. Raises `DecisionsError`.
    """
    if existing is None:
        places = migration.places.places.items()
        existing = {key: place.full_slug for key, place in places}
    existing = {**dict(_translated_stories(migration, existing)), **existing}
    stories = {key: f"/{path}" for key, path in existing.items()}
    folders = dict(_folders(migration))
    known = [
        *known_addresses(
            project,
            migration.origin,
            migration.decisions.collections,
            NewPaths(stories, folders),
        ),
        *baseline_addresses(project),
        *_earlier_addresses(migration, stories, earlier or {}),
        *(each for each in gone if each.old),
    ]
    pages = {path: key for key, path in sorted(stories.items(), reverse=True)}
    decided = decided_redirects(project)
    return map_addresses(known, pages, frozenset(folders.values()), decided)


def current_addresses(project: Project, migration: Migration) -> AddressMap:
    """Return where every old address leads by what is imported. Reads the ledger."""
    with Ledger.open_existing(project.ledger) as ledger:
        begun = as_begun(migration, ledger)
        return imported_addresses(project, begun, ledger, ledger.items.all())


def imported_addresses(
    project: Project,
    migration: Migration,
    ledger: Ledger,
    rows: Mapping[ItemKey, ItemRow],
) -> AddressMap:
    """Return the same for the rows of a ledger that is open."""
    existing = {
        key: record.full_slug
        for key, row in rows.items()
        if (record := row.current_record) is not None
    }
    existing |= dict(language_paths(migration, ledger, existing))
    # Visitors may know the addresses of items that are gone.
    gone = (
        KnownAddress(
            row.old_path,
            Source.GONE_ITEM,
            f"/{row.current_record.full_slug}" if row.current_record else "",
            key,
            row.name,
        )
        for key, row in rows.items()
        if row.gone is not None
    )
    earlier = ledger.items.earlier_paths()
    return address_map(project, migration, existing, earlier, gone)


def decided_redirects(project: Project) -> RedirectsDecision:
    """Return what is decided about old addresses. Raises `DecisionsError`."""
    decided = decision_in(project, RedirectsDecision) or RedirectsDecision()
    check_against(decided, ())
    return decided


def gone_addresses(project: Project, settings: Settings) -> frozenset[str]:
    """Return the old addresses that were decided to be gone.

    Raises what `open_migration` does, where there is any such decision.
    """
    decided = decided_redirects(project).addresses
    if all(each.action is not RedirectAction.GONE for each in decided):
        return frozenset()
    found = address_map(project, open_migration(project, settings))
    return frozenset(each.old for each in found.of(Outcome.GONE))


def _translated_stories(
    migration: Migration, existing: Mapping[ItemKey, str]
) -> Iterator[tuple[ItemKey, str]]:
    """Yield the planned paths of items whose story is the primary language's."""
    for entry in migration.selected:
        key = entry.item.key
        slugs = dict(migration.places.places[key].slugs)
        for each in entry.item.languages if key in existing else ():
            slug = slugs[each.code]
            yield each.key, path_in_language(existing[key], each.code, slug)


def _folders(migration: Migration) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the path of each collection's folder, in each locale."""
    decided = migration.decisions.collections
    # Folders below a collection's own come later, and are longer.
    for folder in sorted(migration.places.folders, key=lambda each: -len(each.path)):
        if folder.collection_id:
            yield (folder.collection_id, folder.locale_id), f"/{folder.path}"
            for each in decided.translations:
                path = f"/{each.code}/{folder.path}"
                yield (folder.collection_id, each.locale_id), path


def _earlier_addresses(
    migration: Migration,
    stories: Mapping[ItemKey, str],
    earlier: Mapping[ItemKey, Iterable[str]],
) -> Iterator[KnownAddress]:
    """Yield the addresses that items and stories had before."""
    paths = old_addresses(migration.origin)
    for key in sorted(earlier.keys() & stories.keys()):
        for path in earlier[key]:
            yield KnownAddress(f"/{path}", Source.EARLIER, stories[key], key)
            if key in paths:
                above = paths[key].rpartition("/")[0]
                old = f"{above}/{path.rpartition('/')[2]}"
                yield KnownAddress(old, Source.EARLIER, stories[key], key)


def write_redirects(folder: Path, addresses: AddressMap) -> tuple[Path, ...]:
    """Write the list of addresses and a file for each host below `folder`/redirects.

    Raises `StorageError` when the disk refuses.
    """
    return tuple(
        write_text(folder / FOLDER / each.name, each.text)
        for each in host_files(addresses)
    )
