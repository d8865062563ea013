"""What may be cleaned in a site, kept with the rows of its catalogue."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from cmsmig.canonical import Json
from cmsmig.counting import first_of
from cmsmig.mapping.cleaning.findings import CLEAN, findings_in
from cmsmig.mapping.cleaning.likeness import near_pairs, sketch, spellings
from cmsmig.origin.schema import Field, Site
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.value_facts import short

Notice: TypeAlias = tuple[int, str, str, int, str, str, str]
"""What one value holds of one sort, as in the table `noticed`: the entry, the finding,
the field, how often, and of the first one what it is, where and why."""
NOTICE = "INSERT OR REPLACE INTO noticed VALUES (?, ?, ?, ?, ?, ?, ?)"
CHANGED = "changed"
"""The finding of an item that was changed since it was published, field by field."""
_WORDS = 80
_LONGEST = 60
"""Characters of a value that may be one of several spellings."""
_NEAR, _SPELLINGS = f"{CLEAN}near-equal", f"{CLEAN}spellings"


def trial_hosts(site: Site) -> frozenset[str]:
    """Return the hosts on which the site was tried out, next to its own."""
    return frozenset(each for each in site.domains[1:] if each.endswith(".webflow.io"))


def noticed_in(
    entry: int | None, field: Field, value: Json, hosts: frozenset[str]
) -> Iterator[Notice]:
    """Yield what may be cleaned in a value."""
    for name, places in findings_in(field, value, hosts) if entry else ():
        first = short(places[0], _WORDS)
        yield entry or 0, f"{CLEAN}{name}", field.slug, len(places), first, "", ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Spellings of one value, the commonest first."""

    collection: str
    """Its slug."""
    field: str
    counts: Mapping[str, int]
    """How many items hold each."""
    edition: int


def clusters(catalogue: Catalogue) -> Iterator[Cluster]:
    """Yield the values of options and of short texts that are spelled in several
    ways."""
    kinds = {
        (catalogue.editions[name], field.slug): each.slug
        for name, each in catalogue.collections.items()
        for field in each.fields
        if field.type in ("PlainText", "Option") and field.slug not in ("name", "slug")
    }
    rows = catalogue.all(
        "SELECT e.edition, c.field, c.shown, count(*) FROM entry e JOIN cell c ON "
        f"c.entry = e.id WHERE e.edition IN {catalogue.ids()} AND c.shown <> '' AND "
        "length(c.shown) <= ? GROUP BY 1, 2, 3 ORDER BY 1, 2",
        (_LONGEST,),
    )
    for place, listed in groupby(rows, key=lambda row: (row[0], row[1])):
        counts = {value: count for _, _, value, count in listed}
        for values in spellings(counts) if place in kinds else ():
            found = {each: counts[each] for each in values}
            yield Cluster(kinds[place], place[1], found, place[0])


def compare_values(catalogue: Catalogue) -> Iterator[int]:
    """Note nearly equal bodies, and values that are spelled in several ways; yield how
    many texts are left. Done once for the rows as they are."""
    made_of = f"{catalogue.ids()} {catalogue.seen}"
    if catalogue.derived.part("compared", 0, made_of) is not None:
        return
    found = [*_near(catalogue), *_spelled(catalogue)]
    yield 0

    def write(db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM noticed WHERE finding IN (?, ?)", (_NEAR, _SPELLINGS))
        db.executemany(NOTICE, found)

    catalogue.change(write)
    catalogue.derived.keep_parts("compared", made_of, [])


def _spelled(catalogue: Catalogue) -> Iterator[Notice]:
    for each in clusters(catalogue):
        marks = ", ".join("?" * len(each.counts))
        rows = catalogue.all(
            "SELECT e.id FROM entry e JOIN cell c ON c.entry = e.id WHERE e.edition = ?"
            f" AND c.field = ? AND c.shown IN ({marks})",
            (each.edition, each.field, *each.counts),
        )
        what = first_of([f"“{v}” ({n})" for v, n in each.counts.items()], 5)
        for (entry,) in rows:
            yield entry, _SPELLINGS, each.field, 1, what, "", ""


def _near(catalogue: Catalogue) -> Iterator[Notice]:
    bodies = {
        (catalogue.editions[name], field.slug)
        for name, each in catalogue.collections.items()
        for field in each.fields
        if field.type == "RichText"
    }
    rows = catalogue.all(
        "SELECT e.id, e.name, e.item, e.edition, s.field, s.text FROM searched s "
        f"JOIN entry e ON e.id = s.entry WHERE e.edition IN {catalogue.ids()}"
    )
    texts = [row for row in rows if (row[3], row[4]) in bodies]
    sketches = {number: sketch(row[5]) for number, row in enumerate(texts)}
    near: dict[int, list[tuple[int, float]]] = {}
    for one, other, share in near_pairs(sketches):
        # An item in another language may not be translated.
        if texts[one][2] != texts[other][2]:
            near.setdefault(one, []).append((other, share))
            near.setdefault(other, []).append((one, share))
    for number, others in near.items():
        entry, _, _, _, field, _ = texts[number]
        names = [f"{texts[e][1]} ({share:.0%} equal)" for e, share in others]
        yield entry, _NEAR, field, 1, first_of(names, 3), "", ""
