"""What an operator looks for in items: each finding is rows of one shape, so that lists
count, choose, sort and show all of them alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from cmsmig.counting import counted
from cmsmig.mapping.cleaning.findings import CLEAN, FINDINGS
from cmsmig.mapping.select.reference_targets import explained
from cmsmig.survey.body_census import LOSS_OF, STRUCTURE, STRUCTURES
from cmsmig.survey.catalogue import Catalogue, Entry
from cmsmig.survey.references import item_names
from cmsmig.survey.value_facts import file_name, size_text

_LARGEST = 100
"""Files that count as the largest."""
_LEAST_OF_LARGEST = (
    "max(1, coalesce((SELECT size FROM (SELECT DISTINCT sha256, size FROM held_file "
    f"WHERE size > 0) ORDER BY size DESC LIMIT 1 OFFSET {_LARGEST - 1}), 1))"
)
"""The size of the smallest of the largest files."""


class Finding(StrEnum):
    """What an operator looks for in items; each is a list of its own."""

    CHANGED = "changed"
    LOSS = "loss"
    DANGLING = "dangling"
    NO_ALT = "no-alt"
    LARGEST = "largest"
    NO_FILE = "no-file"
    SAME_NAME = "same-name"
    SAME_SLUG = "same-slug"
    NO_SLUG = "no-slug"
    LEFT_OUT = "left-out"


_NAMES: Mapping[Finding, str] = {
    Finding.CHANGED: "live, and changed since",
    Finding.LOSS: "losses in bodies",
    Finding.DANGLING: "dangling references",
    Finding.NO_ALT: "pictures without alternative text",
    Finding.LARGEST: f"large files: the {_LARGEST} largest",
    Finding.NO_FILE: "missing files",
    Finding.SAME_NAME: "names that occur twice",
    Finding.SAME_SLUG: "slugs that occur twice",
    Finding.NO_SLUG: "no slug",
    Finding.LEFT_OUT: "no story: left out",
}
"""Findings in words, after "items with"; keys choose by the first letters."""
_STRUCTURES = {each.name: each.title for each in STRUCTURES}
_FILES: Mapping[str, str] = {
    Finding.NO_ALT: "picture AND alt = ''",
    Finding.LARGEST: f"size >= {_LEAST_OF_LARGEST}",
    Finding.NO_FILE: "sha256 = ''",
}
"""Which files of an item a finding is about."""
_DANGLES = f"{Finding.DANGLING}:"
"""Before the cause that references dangle for."""
_DANGLING = "SELECT entry, {}, field, 1, 1, facet, cause FROM cell WHERE cause <> ''"
_WHOLE = "SELECT id, '{}', '', {}, 1, {}, '' FROM entry WHERE {}"
_TWIN = (
    "{0} <> '' AND (edition, locale, {0}) IN (SELECT edition, locale, {0} FROM entry "
    "GROUP BY 1, 2, 3 HAVING count(*) > 1)"
)
_NOTICED = (
    "SELECT entry AS key, finding AS value, field, times AS much, times, what, "
    "'' AS cause FROM noticed"
)
"""The entry, the finding, the field, how much it is, how often, what it is, and why a
reference dangles; the names are those of all that follow."""
_SELECTS: Mapping[str, str] = {
    **{
        name: f"SELECT entry, '{name}', field, size, 1, address, '' FROM held_file "
        f"WHERE {held}"
        for name, held in _FILES.items()
    },
    Finding.DANGLING: " UNION ALL ".join(
        _DANGLING.format(each)
        for each in (f"'{Finding.DANGLING}'", f"'{_DANGLES}' || cause")
    ),
    Finding.LOSS: _WHOLE.format(Finding.LOSS, "losses", "''", "losses > 0"),
    Finding.SAME_NAME: _WHOLE.format(
        Finding.SAME_NAME, 1, "''", _TWIN.format("sorted")
    ),
    Finding.SAME_SLUG: _WHOLE.format(Finding.SAME_SLUG, 1, "''", _TWIN.format("slug")),
    Finding.NO_SLUG: _WHOLE.format(Finding.NO_SLUG, 1, "''", "slug = ''"),
    Finding.LEFT_OUT: _WHOLE.format(Finding.LEFT_OUT, 1, "left_out", "left_out <> ''"),
}
"""What selects findings that are not noticed value by value."""


def select_findings(finding: str = "") -> str:
    """Return the SQL that selects all findings, or those that hold one."""
    if finding:
        is_dangling = finding.startswith(_DANGLES)
        selects = _SELECTS.get(Finding.DANGLING if is_dangling else finding)
        return f"{_NOTICED} WHERE 0 UNION ALL {selects}" if selects else _NOTICED
    return " UNION ALL ".join((_NOTICED, *_SELECTS.values()))


def finding_name(finding: str) -> str:
    """Return a finding in words."""
    name, _, cause = finding.partition(":")
    if finding.startswith(LOSS_OF):
        return f"{cause.lower()} (a loss)"
    if finding.startswith(CLEAN):
        return FINDINGS.get(cause, cause)
    if finding.startswith(STRUCTURE):
        return f"{_STRUCTURES.get(cause, cause).lower()} in a body"
    return f"dangling because {explained(cause)}" if cause else _NAMES[Finding(name)]


def in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """Return findings with their counts as they are offered: those that every site is
    asked for, then dangling references by cause, then kind by kind."""
    kinds = (_DANGLES, CLEAN, LOSS_OF, STRUCTURE)
    more = [each for kind in kinds for each in counts if each.startswith(kind)]
    return {str(each): counts.get(each, 0) for each in (*Finding, *more)}


@dataclass(frozen=True, slots=True)
class Sighting:
    """One finding in one item."""

    field: str
    """The field's name; empty for what concerns the item as a whole."""
    what: str


def sightings(
    catalogue: Catalogue, finding: str, entries: Sequence[Entry]
) -> Mapping[int, list[Sighting]]:
    """Return what a finding is in each of some items, by the entry's number."""
    found: dict[int, list[Sighting]] = {each.entry_id: [] for each in entries}
    if not finding:
        return found
    rows = catalogue.all(
        "SELECT key, field, much, times, what, cause FROM "
        f"({select_findings(finding)}) WHERE value = ? AND key IN "
        f"({', '.join(map(str, found))}) ORDER BY key, much DESC, field",
        (finding,),
    )
    fields = {
        (each.entry_id, field.slug): field.display_name
        for each in entries
        for field in catalogue.collection(each).fields
    }
    names = item_names(catalogue, (what for *_, what, cause in rows if cause))
    for key, slug, much, times, what, cause in rows:
        if cause:
            said = f"{names[what]}: {explained(cause)}"
        elif finding == Finding.LOSS:
            said = counted(much, "loss", "losses")
        elif finding in _FILES:
            said = file_name(what) + (f" ({size_text(much)})" if much else "")
        else:
            said = first_of_several(times, what)
        found[key].append(Sighting(fields.get((key, slug)) or slug, said))
    return found


def first_of_several(times: int, what: str) -> str:
    """Return what was found in a body, with how often if that is several times."""
    return f"{times:,} times, first {what}" if times > 1 else what
