"""Which items a list holds, in which order: conditions over the catalogue's rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import TypeAlias

from cmsmig.mapping.select.reference_targets import EXPLAINED
from cmsmig.survey.census import STRUCTURES
from cmsmig.survey.value_facts import FACET_TYPES, REFERENCE
from cmsmig.ui.query import Query, folded

Condition: TypeAlias = "tuple[str, tuple[str | int, ...]]"
"""SQL over the entry `e`, and its values."""
LARGEST = 100
"""Files that count as the largest."""


LEAST_OF_LARGEST = (
    "max(1, coalesce((SELECT size FROM (SELECT DISTINCT sha256, size FROM held_file "
    f"WHERE size > 0) ORDER BY size DESC LIMIT 1 OFFSET {LARGEST - 1}), 1))"
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


FINDINGS: Mapping[Finding, str] = {
    Finding.CHANGED: "live, and changed since",
    Finding.LOSS: "losses in bodies",
    Finding.DANGLING: "dangling references",
    Finding.NO_ALT: "pictures without alternative text",
    Finding.LARGEST: f"large files: the {LARGEST} largest",
    Finding.NO_FILE: "missing files",
    Finding.SAME_NAME: "names that stand twice",
    Finding.SAME_SLUG: "slugs that stand twice",
    Finding.NO_SLUG: "no slug",
    Finding.LEFT_OUT: "no story: left out",
}
"""Findings in words, after "items with"; keys choose by the first letters."""
LOSS_OF = f"{Finding.LOSS}:"
"""Before the kind of a loss, such as `Script`."""
STRUCTURE = "structure:"
"""Before the name of a structure in bodies."""
_STRUCTURES = {each.name: each.title for each in STRUCTURES}


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
"""The column that tells what was found; it is sorted by how much that is."""
_MUCH: Mapping[str, str] = {
    Finding.NO_ALT: _LARGEST_FILE,
    Finding.LARGEST: _LARGEST_FILE,
    Finding.NO_FILE: _LARGEST_FILE,
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
    and the most first, and what stands twice one below the other."""
    sort = "" if query.sort in (FOUND, "slug") else query.sort
    if finding == Finding.SAME_SLUG:
        sort = "slug"
    elif finding in (Finding.LARGEST, Finding.LOSS) or is_noticed(finding):
        sort = FOUND
    return with_order(query.having("finding", finding), sort)


def with_order(query: Query, sort: str) -> Query:
    """Return a choice sorted by a column: days from the newest, numbers from the
    largest."""
    return replace(query, sort=sort, descending=sort in MOST_FIRST)


def conditions(query: Query, editions: str, *, without: str = "") -> Condition:
    """Return what tells the wanted items, those with the words as `Catalogue.find`
    found them; `without` leaves a filter out, to count what else there is."""
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
    if query.sort == FOUND and is_noticed(query.get("finding")):
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
    """Return what tells the items with a finding, or a dangling reference's cause."""
    name, _, cause = finding.partition(":")
    if is_noticed(finding):
        return "e.id IN (SELECT entry FROM noticed WHERE finding = ?)", (finding,)
    if cause:
        return "e.id IN (SELECT entry FROM cell WHERE cause = ?)", (cause,)
    twin = (
        f"({{0}} <> '' AND (e.edition, e.locale, {{0}}) IN (SELECT edition, locale, "
        f"{{1}} FROM entry WHERE edition IN {editions} GROUP BY 1, 2, 3 "
        "HAVING count(*) > 1))"
    )
    return {
        Finding.CHANGED: "e.differs",
        Finding.LOSS: "e.losses > 0",
        Finding.DANGLING: "e.id IN (SELECT entry FROM cell WHERE cause <> '')",
        Finding.NO_ALT: (
            "e.id IN (SELECT entry FROM held_file WHERE picture AND alt = '')"
        ),
        Finding.LARGEST: (
            f"e.id IN (SELECT entry FROM held_file WHERE size >= {LEAST_OF_LARGEST})"
        ),
        Finding.NO_FILE: "e.id IN (SELECT entry FROM held_file WHERE sha256 = '')",
        Finding.SAME_NAME: twin.format("e.sorted", "sorted"),
        Finding.SAME_SLUG: twin.format("e.slug", "slug"),
        Finding.NO_SLUG: "e.slug = ''",
        Finding.LEFT_OUT: "e.left_out <> ''",
    }[Finding(name)], ()


def is_noticed(finding: str) -> bool:
    """Return whether a finding is a kind of loss, or a structure, in a body."""
    return finding.startswith((LOSS_OF, STRUCTURE))


def finding_name(finding: str) -> str:
    """Return a finding in words."""
    name, _, cause = finding.partition(":")
    if finding.startswith(LOSS_OF):
        return f"{cause.lower()} (a loss)"
    if finding.startswith(STRUCTURE):
        return f"{_STRUCTURES.get(cause, cause).lower()} in a body"
    if cause:
        words = {str(each): text for each, text in EXPLAINED.items()}
        return f"dangling because {words.get(cause, cause)}"
    return FINDINGS[Finding(name)] if name else "anything"


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


def is_counted(field_type: str) -> bool:
    """Return whether the values of a field's type are offered with their counts."""
    return field_type in FACET_TYPES
