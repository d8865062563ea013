"""The items of a site as rows of a list: what they are narrowed and sorted by, pages
and CSV."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.mapping.dates import parse_moment
from cmsmig.origin.schema import Field
from cmsmig.survey.catalogue import ENTRY, Catalogue, Entry
from cmsmig.survey.item_cells import (
    STATES,
    entry_cells,
    entry_texts,
    field_texts,
    findings_html,
    first_pictures,
)
from cmsmig.survey.item_findings import (
    Finding,
    Sighting,
    finding_name,
    in_order,
    select_findings,
    sightings,
)
from cmsmig.survey.references import item_names
from cmsmig.survey.thumbnails import Thumbnails
from cmsmig.survey.value_facts import FACET_TYPES, OPTION, REFERENCE, short
from cmsmig.ui import controls
from cmsmig.ui.html.safe_html import paragraph
from cmsmig.ui.query import Query, folded
from cmsmig.ui.relation import Column, Filter, Nouns, Page, Row
from cmsmig.ui.rows import Condition, SqlRelation, Value

_FOUND = "found"
"""The column with what was found; it is sorted by how much that is."""
_TITLES: Mapping[str, str] = {
    "slug": "Slug",
    "collection": "Collection",
    "locale": "Locale",
    "state": "State",
    "updated": "Changed",
    "left_out": "Import",
    "published": "Published",
    "created": "Created",
    "losses": "Losses",
    "path": "Story path",
    "id": "Id",
}
"""Columns next to the name, in their order."""
_NO_LOCALE = "-"
"""The filter `locale` of items without one."""
_SQL: Mapping[str, str] = {
    **{name: f"e.{name}" for name in _TITLES},
    "name": "e.sorted",
    "collection": "(SELECT d.collection FROM edition d WHERE d.id = e.edition)",
    "locale": f"coalesce(nullif(e.locale, ''), '{_NO_LOCALE}')",
    "id": "e.item",
}
"""What every item holds in each column."""
_MOST_FIRST = frozenset(("updated", "published", "created", "losses"))
_HIDDEN = frozenset(("published", "created", "losses", "path"))
_WHOLE = frozenset(("updated", "published", "created", "id"))
_FACET, _FIELD = "facet:", "field:"
"""Before the slug of a field whose values are filtered; that is a column."""
_QUIET = frozenset(("", Finding.SAME_NAME, Finding.SAME_SLUG, Finding.NO_SLUG))
"""Findings that need no column of their own."""
_LABEL = 40
"""Characters of an option that a drop-down shows."""
_VALUES = 60
"""Values of a field that are offered, the commonest first."""
_AT_ONCE = 200
_CSV_HEAD = (
    "Collection",
    "Name",
    "Slug",
    "Locale",
    "State",
    "Changed",
    "Story path",
    "Id",
)
_CSV_FOUND = ("Found in field", "Found")


def with_finding(query: Query, finding: str) -> Query:
    """Return a query with another finding, in the order that fits it: the most first,
    and equal slugs one below the other."""
    sort = "" if query.sort in (_FOUND, "slug") else query.sort
    if finding == Finding.SAME_SLUG:
        sort = "slug"
    elif finding in (Finding.LARGEST, Finding.LOSS) or ":" in finding:
        sort = _FOUND
    down = sort == _FOUND or sort in _MOST_FIRST
    return replace(query.having("finding", finding), sort=sort, descending=down)


class ItemRelation(SqlRelation):
    """The items of a catalogue."""

    nouns = Nouns("item", "items", "The site has no items.")
    table = "entry e"
    key = "e.id"
    texts = "SELECT entry AS key, text FROM searched"

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__()
        self.catalogue = catalogue
        self.thumbnails = Thumbnails(catalogue.files, catalogue.derived)
        self._listed: tuple[object, list[Filter]] = ((), [])
        """The filters, and what they were counted for: a page is turned often."""

    # What the list asks the rows.

    def select(self, sql: str, values: Iterable[Value] = ()) -> list[tuple[Any, ...]]:
        """Return what a query of the catalogue selects. Raises `CacheError`."""
        return self.catalogue.all(sql, values)

    def version(self) -> object:
        """Return how many items there are."""
        return self.catalogue.seen

    def _state(self) -> object:
        """Return what changes when items, or findings in them, may have."""
        ids = self.catalogue.ids()
        return self.catalogue.one(
            "SELECT count(*), count(losses), (SELECT count(*) FROM edition WHERE id IN "
            f"{ids} AND decided <> ''), (SELECT max(print) FROM part WHERE name = "
            f"'compared') FROM entry WHERE edition IN {ids}"
        )

    def expression(self, name: str) -> str:
        """Return what every item has in a column."""
        return _SQL.get(name, "")

    def values_of(self, name: str, value: str = "") -> Condition | None:
        """Return the findings in items, their references, and the values of a field."""
        if name == "finding":
            return select_findings(value), ()
        cells = "SELECT entry AS key, facet AS value FROM cell WHERE facet <> '' AND "
        if name == "target":
            return f"{cells}kind = ?", (REFERENCE,)
        slug = name.removeprefix(_FACET)
        return (f"{cells}field = ?", (slug,)) if slug != name else None

    def test(self, name: str, value: str) -> Condition | None:
        """Return a condition: also of an empty field, and of a day."""
        if name == "field":
            return "e.id NOT IN (SELECT entry FROM searched WHERE field = ?)", (value,)
        if name == "since":
            return "e.updated >= ?", (value,)
        if name == "collection":  # one of the editions, in `where`
            return None
        return super().test(name, value)

    def where(self, query: Query, *, without: str = "") -> Condition:
        """Return the condition of the wanted items, as the raw files are now."""
        sql, values = super().where(query, without=without)
        wanted = "" if without == "collection" else query.get("collection")
        return f"{sql} AND e.edition IN {self.catalogue.ids(wanted)}", values

    def order(self, query: Query) -> Condition:
        """Return what items are sorted by; what is empty comes last.

        By name those come first whose name holds what is searched for.
        """
        way = f"{'DESC' if query.descending else 'ASC'} NULLS LAST"
        slug = query.sort.removeprefix(_FIELD)
        if slug != query.sort:
            number = (
                "(SELECT number FROM cell c WHERE entry = e.id AND field = ? LIMIT 1)"
            )
            name = (
                "(SELECT coalesce(t.sorted, c.shown) FROM cell c LEFT JOIN entry t ON "
                f"c.kind = '{REFERENCE}' AND t.item = c.facet AND t.locale = e.locale "
                "WHERE c.entry = e.id AND c.field = ? LIMIT 1)"
            )
            return f"{number} {way}, {name} {way}, e.id", (slug, slug)
        if query.sort == _FOUND and (finding := query.get("finding")):
            much = (
                f"(SELECT max(much) FROM ({select_findings(finding)}) "
                "WHERE key = e.id AND value = ?)"
            )
            return f"{much} {way}, e.sorted, e.id", (finding,)
        column = _SQL.get(query.sort, _SQL["name"])
        words = folded(query.text) if query.sort in ("", "name") else ""
        named = "instr(e.sorted, ?) = 0, " if words else ""
        by = f"{named}nullif({column}, '') {way}, e.id"
        return by, (words,) if words else ()

    # What can be chosen.

    def columns(self, query: Query) -> Sequence[Column]:
        """Return the columns of every item, then the fields of the collection."""
        is_found = query.get("finding") not in _QUIET
        left_out = {
            *(["collection"] if query.get("collection") else []),
            *([] if self.catalogue.site.locales else ["locale"]),
        }
        return (
            Column("name", "Name"),
            *([Column(_FOUND, "Found", most_first=True)] if is_found else []),
            *(
                Column(
                    name,
                    title,
                    most_first=name in _MOST_FIRST,
                    optional=True,
                    hidden=name in _HIDDEN,
                    css="whole" if name in _WHOLE else "",
                )
                for name, title in _TITLES.items()
                if name not in left_out
            ),
            *(
                Column(f"{_FIELD}{e.slug}", e.display_name, optional=True, hidden=True)
                for e in self.catalogue.fields(query.get("collection"))
                if e.slug not in ("name", "slug")
            ),
        )

    def filters(self, query: Query) -> Sequence[Filter]:
        """Return the filters of every item, then those of the collection's fields."""
        counted_for = replace(query, sort="", descending=False), self._state()
        if counted_for != self._listed[0]:
            self._listed = counted_for, [*self._filters(query)]
        return self._listed[1]

    def _filters(self, query: Query) -> Iterator[Filter]:
        catalogue = self.catalogue
        counts = self.counts(query, "collection")
        names = {e: one.display_name for e, one in catalogue.collections.items()}
        yield _choice(query, ("collection", "Collection", "c"), counts, names)
        counts = {query.get("state"): 0, **self.counts(query, "state")}
        states = {str(each): text for each, text in STATES.items() if each in counts}
        yield _choice(query, ("state", "State", "s"), counts, states)
        if tags := {each.locale_id: each.tag for each in catalogue.site.locales}:
            counts = self.counts(query, "locale")
            locales = {**tags, _NO_LOCALE: "without"}
            yield _choice(query, ("locale", "Locale", "l"), counts, locales)
        found = in_order({query.get("finding"): 0, **self.counts(query, "finding")})
        findings = {each: finding_name(each) for each in found}
        yield _choice(query, ("finding", "Items with", "w"), found, findings)
        since = query.get("since")
        yield Filter("since", "Changed since", since, key="d", hint="2024-03-31")
        fields = catalogue.fields(query.get("collection"))
        if fields:
            slugs = [("any field", ""), *((f.display_name, f.slug) for f in fields)]
            yield Filter("field", "Empty", query.get("field"), slugs, "f", row=1)
        key = "v"
        for field in fields:
            if field.type in FACET_TYPES:
                values = self._values(query, field)
                if len(values) > 1:
                    name, label = f"{_FACET}{field.slug}", field.display_name
                    yield Filter(name, label, query.get(name), values, key, row=2)
                    key = ""

    def _values(self, query: Query, field: Field) -> list[tuple[str, str]]:
        """Return the values of a field, each with how many of the wanted items hold
        it."""
        name = f"{_FACET}{field.slug}"
        counts, chosen = self.counts(query, name), query.get(name)
        values = list(counts)
        shown = dict.fromkeys([*values[:_VALUES], *([chosen] if chosen else [])])
        left = len(counts.keys() - shown.keys())
        names = {"true": "yes", "false": "no"}
        if FACET_TYPES[field.type] == REFERENCE:
            names = {**item_names(self.catalogue, shown)}
        elif FACET_TYPES[field.type] == OPTION:
            names = dict(field.options)
        listed = [_option(names.get(e) or e, counts.get(e, 0), e) for e in shown]
        return [(f"any, {left:,} more values" if left else "any", ""), *listed]

    def narrowed(self, query: Query, name: str, value: str) -> Query:
        """Return a query with another value; what fits no longer is left out.

        Raises `UsageError` for a day that is none.
        """
        if name == "finding":
            return with_finding(query, value)
        if name == "since":
            return query.having(name, _parse_day(value))
        if name == "collection":
            facets = [each for each, _ in query.filters if each.startswith(_FACET)]
            sort = "" if query.sort.startswith(_FIELD) else query.sort
            return replace(query.without("field", *facets), sort=sort).having(
                name, value
            )
        return query.having(name, value)

    # What is shown.

    def entries(self, query: Query, first: int, size: int) -> list[Entry]:
        """Return up to `size` wanted items from a place on."""
        limit = f" LIMIT {size:d} OFFSET {first:d}"
        return self.catalogue.entries_of(self.listed(query, ENTRY, limit))

    def page(self, query: Query, first: int, size: int, shown: Sequence[str]) -> Page:
        """Return items from a place on."""
        count = self.count(query)
        first = self.start(count, first, size)
        entries = self.entries(query, first, size)
        slugs = _slugs(shown)
        values = field_texts(self.catalogue, entries, slugs)
        found = sightings(self.catalogue, query.get("finding"), entries)
        pictures = first_pictures(self.catalogue, self.thumbnails, entries)
        # So that all names begin at one place.
        no_picture = controls.thumbnail("") if pictures else ""
        rows = []
        for entry in entries:
            fields = {f"field:{s}": values.get((entry.entry_id, s), "") for s in slugs}
            found_in = findings_html(found[entry.entry_id])
            cell = {**entry_cells(self.catalogue, entry), **fields, _FOUND: found_in}
            picture = pictures.get(entry.entry_id, no_picture)
            rows.append(Row(str(entry.entry_id), entry.title, cell, picture))
        return Page(rows, first, count)

    def csv(self, query: Query, shown: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield a line for each item, or for each finding in one."""
        fields = _slugs(shown)
        finding = query.get("finding")
        yield (*_CSV_HEAD, *(_CSV_FOUND if finding else ()), *fields)
        for first in range(0, self.count(query), _AT_ONCE):
            entries = self.entries(query, first, _AT_ONCE)
            values = field_texts(self.catalogue, entries, fields)
            found_in = sightings(self.catalogue, finding, entries)
            for entry in entries:
                start = entry_texts(self.catalogue, entry)
                last = [values.get((entry.entry_id, each), "") for each in fields]
                if not finding:
                    yield (*start, *last)
                    continue
                for each in found_in[entry.entry_id] or [Sighting("", "")]:
                    yield (*start, each.field, each.what, *last)

    def file(self, query: Query) -> str:
        """Return the name of the collection, and of the finding that is listed."""
        collection = self.catalogue.collections.get(query.get("collection"))
        parts = (collection.slug if collection else "items", query.get("finding"))
        return "-".join(_plain(each) for each in parts if _plain(each)) or "items"

    def explained(self, query: Query) -> Markup:
        """Return what the items are listed for."""
        finding = query.get("finding")
        return paragraph(f"Listed: {finding_name(finding)}.") if finding else Markup("")


def _slugs(shown: Iterable[str]) -> list[str]:
    """Return the fields among the names of columns."""
    return [each.removeprefix("field:") for each in shown if "field:" in each]


def _parse_day(given: str) -> str:
    given = given.strip()
    if given and (len(given) < 8 or parse_moment(given) is None):
        raise UsageError(
            f"{given!r} is no day; write it as year, month and day: 2024-03-31."
        )
    return given


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:60]


def _choice(
    query: Query,
    about: tuple[str, str, str],
    counts: Mapping[str, int],
    names: Mapping[str, str],
) -> Filter:
    """Return a filter, its name, label and key first, with what it offers."""
    name, label, key = about
    listed = [_option(text, counts.get(e, 0), e) for e, text in names.items()]
    return Filter(name, label, query.get(name), [("any", ""), *listed], key)


def _option(label: str, count: int, value: str) -> tuple[str, str]:
    return f"{short(label, _LABEL)} ({count:,})", value
