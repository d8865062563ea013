"""Which items a list holds, in which order: conditions over the catalogue's rows; and
what each finding of an item is: the picture, the reference, the field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from cmsmig.counting import counted
from cmsmig.mapping.cleaning.findings import CLEAN, FINDINGS
from cmsmig.mapping.select.reference_targets import explained
from cmsmig.survey.body_census import LOSS_OF, STRUCTURE, STRUCTURES
from cmsmig.survey.catalogue import Catalogue, Entry, Value
from cmsmig.survey.references import item_names
from cmsmig.survey.value_facts import REFERENCE, file_name, size_text
from cmsmig.ui.query import Query, folded

Condition: TypeAlias = tuple[str, tuple[Value, ...]]
"""SQL over the entry `e`, and its values."""
_LARGEST = 100
"""Files that count as the largest."""
_LEAST_OF_LARGEST = (
    "max(1, coalesce((SELECT size FROM (SELECT DISTINCT sha256, size FROM held_file "
    f"WHERE size > 0) ORDER BY size DESC LIMIT 1 OFFSET {_LARGEST - 1}), 1))"
)
"""The size of the smallest of the largest files."""


class FieldTest(StrEnum):
    """What a field is asked for."""

    EMPTY = "empty"
    FILLED = "filled"
    HOLDS = "holds"
    """Its text holds a text."""
    IS = "is"
    """Its value, as the list shows it, is a text."""


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
_LARGEST_FILE = "(SELECT max(size) FROM held_file h WHERE h.entry = e.id)"
COLUMNS: Mapping[str, str] = {
    "name": "e.sorted",
    "slug": "e.slug",
    "collection": "e.edition",
    "locale": "e.locale",
    "state": "e.state",
    "updated": "e.updated",
    "published": "e.published",
    "created": "e.created",
    "losses": "e.losses",
    "path": "e.path",
    "id": "e.item",
}
"""Columns that every item has, with what they are sorted by."""
FOUND = "found"
"""The column with what was found; it is sorted by how much that is."""
_MUCH: Mapping[str, str] = {
    **dict.fromkeys(_FILES, _LARGEST_FILE),
    Finding.LOSS: "e.losses",
}
MOST_FIRST = frozenset(("updated", "published", "created", "losses", FOUND))
"""Columns whose newest or largest values come first."""
NO_LOCALE = "-"
"""The filter `locale` of items without one."""
FACET = "facet:"
"""Before the slug of a field whose value is filtered."""


def with_finding(query: Query, finding: str) -> Query:
    """Return a choice with another finding, in the order that fits it: the largest
    and the most first, and equal ones one below the other."""
    sort = "" if query.sort in (FOUND, "slug") else query.sort
    if finding == Finding.SAME_SLUG:
        sort = "slug"
    elif finding in (Finding.LARGEST, Finding.LOSS) or _is_noticed(finding):
        sort = FOUND
    chosen = query.having("finding", finding)
    return replace(chosen, sort=sort, descending=sort in MOST_FIRST)


def conditions(catalogue: Catalogue, query: Query, *, without: str = "") -> Condition:
    """Return the condition of the wanted items; `without` leaves a filter out, to
    count what else there is."""
    if query.words:
        catalogue.find(query.words)
    wanted = "" if without == "collection" else query.get("collection")
    editions = catalogue.ids(wanted)
    found = [(f"e.edition IN {editions}", ()), *_conditions(query, editions, without)]
    return " AND ".join(sql for sql, _ in found), tuple(
        value for _, values in found for value in values
    )


def ordering(query: Query) -> Condition:
    """Return the order of the wanted items; what is empty comes last.

    By name those come first whose name holds what is searched for.
    """
    way = "DESC" if query.descending else "ASC"
    if query.sort.startswith("field:"):
        slug = query.sort.removeprefix("field:")
        first = "(SELECT {} FROM cell c WHERE c.entry = e.id AND c.field = ? LIMIT 1)"
        name = (
            "(SELECT coalesce(t.sorted, c.shown) FROM cell c LEFT JOIN entry t ON "
            f"c.kind = '{REFERENCE}' AND t.item = c.facet AND t.locale = e.locale "
            "WHERE c.entry = e.id AND c.field = ? LIMIT 1)"
        )
        by = f"{first.format('c.number')} {way} NULLS LAST, {name} {way} NULLS LAST"
        return f"ORDER BY {by}, e.id", (slug, slug)
    if query.sort == FOUND and _is_noticed(query.get("finding")):
        times = "SELECT sum(times) FROM noticed n WHERE n.entry = e.id AND finding = ?"
        return f"ORDER BY ({times}) {way}, e.sorted, e.id", (query.get("finding"),)
    much = _MUCH.get(query.get("finding"), COLUMNS["name"])
    column = much if query.sort == FOUND else COLUMNS.get(query.sort, "e.sorted")
    words = folded(query.text) if query.sort in ("", "name") else ""
    named = "instr(e.sorted, ?) = 0, " if words else ""
    return (
        f"ORDER BY {named}nullif({column}, '') {way} NULLS LAST, e.id",
        (words,) if words else (),
    )


def _conditions(query: Query, editions: str, without: str) -> Iterator[Condition]:
    if query.words:
        yield "e.id IN found", ()
    for name, value in query.filters:
        field = name.removeprefix(FACET)
        if without in (name, field):
            continue
        if field != name:
            yield (
                "e.id IN (SELECT entry FROM cell WHERE facet = ? AND field = ?)",
                (value, field),
            )
        elif name == "finding":
            yield finding_condition(value, editions)
        elif name == "field":
            yield _field_condition(value, query)
        elif name == "locale":
            yield "e.locale = ?", ("" if value == NO_LOCALE else value,)
        elif name in _FILTERS:
            yield _FILTERS[name], (value,)


_FILTERS = {
    "state": "e.state = ?",
    "since": "e.updated >= ?",
    "target": (
        f"e.id IN (SELECT entry FROM cell WHERE facet = ? AND kind = '{REFERENCE}')"
    ),
}
"""Filters with one value. `target`: the items that refer to one."""


def finding_condition(finding: str, editions: str) -> Condition:
    """Return the condition of the items with a finding, or with one of its kinds."""
    name, _, cause = finding.partition(":")
    if _is_noticed(finding):
        return "e.id IN (SELECT entry FROM noticed WHERE finding = ?)", (finding,)
    if cause:
        return "e.id IN (SELECT entry FROM cell WHERE cause = ?)", (cause,)
    if name in _FILES:
        return f"e.id IN (SELECT entry FROM held_file WHERE {_FILES[name]})", ()
    twin = (
        f"({{0}} <> '' AND (e.edition, e.locale, {{0}}) IN (SELECT edition, locale, "
        f"{{1}} FROM entry WHERE edition IN {editions} GROUP BY 1, 2, 3 "
        "HAVING count(*) > 1))"
    )
    return {
        Finding.CHANGED: "e.differs",
        Finding.LOSS: "e.losses > 0",
        Finding.DANGLING: "e.id IN (SELECT entry FROM cell WHERE cause <> '')",
        Finding.SAME_NAME: twin.format("e.sorted", "sorted"),
        Finding.SAME_SLUG: twin.format("e.slug", "slug"),
        Finding.NO_SLUG: "e.slug = ''",
        Finding.LEFT_OUT: "e.left_out <> ''",
    }[Finding(name)], ()


def _is_noticed(finding: str) -> bool:
    """Return whether a finding is a kind of loss, or a structure, in a body,
    or what may be cleaned."""
    return finding.startswith((CLEAN, LOSS_OF, STRUCTURE))


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


def _field_condition(field: str, query: Query) -> Condition:
    test, value = query.get("test", FieldTest.EMPTY), query.get("value").strip()
    held = "e.id {} (SELECT entry FROM {} WHERE field = ?{})"
    if test == FieldTest.EMPTY:
        return held.format("NOT IN", "searched", ""), (field,)
    if test == FieldTest.FILLED or not value:
        return held.format("IN", "searched", ""), (field,)
    if test == FieldTest.HOLDS:
        holds = held.format("IN", "searched", " AND instr(text, ?) > 0")
        return holds, (field, folded(value))
    equal = held.format("IN", "cell", " AND (facet = ? OR shown = ?)")
    return equal, (field, value, value)


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
    names = {
        (each.entry_id, field.slug): field.display_name
        for each in entries
        for field in catalogue.collection(each).fields
    }
    for entry_id, slug, what in _sighted(catalogue, finding, entries):
        field = names.get((entry_id, slug), slug)
        found[entry_id].append(Sighting(field, what))
    return found


def _sighted(
    catalogue: Catalogue, finding: str, entries: Sequence[Entry]
) -> Iterator[tuple[int, str, str]]:
    """Yield the entry's number, the slug of the field, and what is found there."""
    name, _, cause = finding.partition(":")
    ids = f"({', '.join(str(each.entry_id) for each in entries)})"
    if _is_noticed(finding):
        yield from _noticed(catalogue, finding, ids)
    elif name == Finding.DANGLING:
        yield from _dangling(catalogue, cause, ids)
    elif name in _FILES:
        yield from _files(catalogue, name, ids)
    for each in entries:
        if name == Finding.CHANGED:
            for slug in _changed_fields(catalogue, each):
                yield each.entry_id, slug, "changed since it was published"
        elif name == Finding.LEFT_OUT:
            yield each.entry_id, "", each.left_out
        elif finding == Finding.LOSS:
            yield each.entry_id, "", counted(each.losses or 0, "loss", "losses")


def _changed_fields(catalogue: Catalogue, entry: Entry) -> Iterator[str]:
    """Yield the fields in which visitors see something else than editors."""
    if entry.staged is not None and entry.live is not None:
        staged, live = entry.staged.read(), entry.live.read()
        known = [each.slug for each in catalogue.collection(entry).fields]
        for slug in dict.fromkeys((*known, *staged, *live)):
            if staged.get(slug) != live.get(slug):
                yield slug


def _noticed(
    catalogue: Catalogue, finding: str, ids: str
) -> Iterator[tuple[int, str, str]]:
    rows = catalogue.all(
        "SELECT entry, field, times, what FROM noticed WHERE finding = ? AND entry IN "
        f"{ids} ORDER BY entry, field",
        (finding,),
    )
    for entry, field, times, what in rows:
        yield entry, field, first_of_several(times, what)


def first_of_several(times: int, what: str) -> str:
    """Return what was found in a body, with how often if that is several times."""
    return f"{times:,} times, first {what}" if times > 1 else what


def _dangling(
    catalogue: Catalogue, cause: str, ids: str
) -> Iterator[tuple[int, str, str]]:
    rows = catalogue.all(
        "SELECT entry, field, facet, cause FROM cell "
        f"WHERE entry IN {ids} AND cause <> '' AND ? IN ('', cause) "
        "ORDER BY entry, field, ordinal",
        (cause,),
    )
    names = item_names(catalogue, (row[2] for row in rows))
    for entry, field, target, why in rows:
        yield entry, field, f"{names.get(target) or target}: {explained(why)}"


def _files(catalogue: Catalogue, name: str, ids: str) -> Iterator[tuple[int, str, str]]:
    rows = catalogue.all(
        "SELECT entry, field, address, size FROM held_file "
        f"WHERE entry IN {ids} AND {_FILES[name]} "
        "ORDER BY entry, size DESC, field, ordinal"
    )
    for entry, field, address, size in rows:
        size_said = f" ({size_text(size)})" if size else ""
        yield entry, field, f"{file_name(address)}{size_said}"
