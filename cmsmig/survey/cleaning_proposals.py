"""The operations that are proposed for a site, and its missing alternative texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.mapping.cleaning.cleaner import lacks_text
from cmsmig.mapping.cleaning.findings import CLEAN
from cmsmig.mapping.decisions.cleaning import CleaningKind, Operation, Within
from cmsmig.origin.schema import Site
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.cleaning import add_operations, read_alts
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.cleaning_findings import clusters, trial_hosts
from cmsmig.survey.site_scan import scan_values
from cmsmig.ui.report_file import csv_text, write_text


def propose_cleaning(project: Project, settings: Settings) -> JsonObject:
    """Add the proposals to `cleaning.yaml`; return what was written. Raises
    `UnreadError` without a complete pull."""
    catalogue = Catalogue(project, settings.site_id)
    scan_values(catalogue)
    added = add_operations(project, proposals(project, catalogue))
    return {"proposals_added": added, "alt_texts_to_fill_in": str(_list_of(project))}


def proposals(project: Project, catalogue: Catalogue) -> list[Operation]:
    """Return the operations that the findings ask for, and that of the list of missing
    alternative texts, which is written where there is none, as far as it is filled in.

    Raises `UsageError` where the list is no such list any more.
    """
    path, head = _list_of(project), ("picture", "where", "alt")
    if not path.exists():
        write_text(path, csv_text(head, missing_alts(catalogue)))
    given = read_alts(path)
    return [*propose_operations(catalogue), *([given] if given.alts else [])]


def _list_of(project: Project) -> Path:
    return project.root / "lists" / "alt-texts.csv"


def missing_alts(catalogue: Catalogue) -> Iterator[tuple[str, str, str]]:
    """Yield the pictures without an alternative text, each place once, as rows of a
    CSV that `read_alts` takes once it is filled in."""
    rows = catalogue.all(
        "SELECT e.edition, e.slug, e.locale, h.field, h.address, h.alt FROM held_file h"
        f" JOIN entry e ON e.id = h.entry WHERE e.edition IN {catalogue.ids()} AND "
        "h.picture ORDER BY 1, 2, 3, 4, h.ordinal"
    )
    slugs = {
        edition: catalogue.collections[name].slug
        for name, edition in catalogue.editions.items()
    }
    tags = {each.locale_id: f"@{each.tag}" for each in catalogue.site.locales}
    seen = (
        (address, f"{slugs[edition]}/{slug}/{field}{tags.get(locale, '')}", "")
        for edition, slug, locale, field, address, alt in rows
        if lacks_text(alt, address)
    )
    yield from dict.fromkeys(seen)


def propose_operations(catalogue: Catalogue) -> tuple[Operation, ...]:
    """Return the operations that the findings ask for; each needs a person."""
    rows = catalogue.all(
        "SELECT DISTINCT finding FROM noticed n JOIN entry e ON e.id = n.entry WHERE "
        f"e.edition IN {catalogue.ids()}"
    )
    found = {name.removeprefix(CLEAN) for (name,) in rows}
    trims = Operation(kind=CleaningKind.TRIM)
    headings = CleaningKind.HEADINGS
    wanted = (
        ("blanks", trims),
        ("top-heading", Operation(kind=headings, top=2)),
        ("jump", Operation(kind=headings, close_jumps=True)),
        ("empty-heading", Operation(kind=headings, drop_empty=True)),
        *(("test-domain", each) for each in _domains(catalogue.site)),
    )
    merges = (
        Operation(
            kind=CleaningKind.MERGE_VALUES,
            values=(*each.counts,),
            to=next(iter(each.counts)),
            collections=(each.collection,),
            fields=(each.field,),
        )
        for each in clusters(catalogue)
    )
    return (*(each for name, each in wanted if name in found), *merges)


def _domains(site: Site) -> Iterator[Operation]:
    for host in sorted(trial_hosts(site)):
        yield Operation(
            kind=CleaningKind.REPLACE,
            find=f"//{host}",
            to=f"//{site.domains[0]}",
            within=Within.LINKS,
        )


def alternatives(operation: Operation, site: Site) -> Iterator[Operation]:
    """Yield what a person may choose in the place of a proposal: another spelling,
    another first level of headings, another domain of the site."""
    links = [f"//{each}" for each in site.domains]
    chosen = operation.values
    if operation.within is Within.LINKS:
        chosen = tuple(links) if operation.to in links else ()
    yield from (replace(operation, to=each) for each in chosen if each != operation.to)
    if operation.top:
        levels = (each for each in (1, 2, 3) if each != operation.top)
        yield from (replace(operation, top=each) for each in levels)
