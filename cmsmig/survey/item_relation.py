"""The items of a site as rows of a list: columns, pages and CSV."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup

from cmsmig.counting import and_more
from cmsmig.errors import UsageError
from cmsmig.mapping.dates import iso_text, parse_moment, utc_day
from cmsmig.survey.catalogue import Catalogue, Entry
from cmsmig.survey.item_filters import STATES, ItemFilters
from cmsmig.survey.item_query import (
    FACET,
    FOUND,
    MOST_FIRST,
    Finding,
    Sighting,
    conditions,
    finding_name,
    ordering,
    sightings,
    with_finding,
)
from cmsmig.survey.references import item_names
from cmsmig.survey.thumbnails import Thumbnails
from cmsmig.survey.value_facts import REFERENCE
from cmsmig.ui import controls
from cmsmig.ui.html.safe_html import escape, paragraph, stacked
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns, Page, Relation, Row

_TITLES: Mapping[str, str] = {
    "slug": "Slug",
    "collection": "Collection",
    "locale": "Locale",
    "state": "State",
    "updated": "Changed",
    "published": "Published",
    "created": "Created",
    "losses": "Losses",
    "path": "Story path",
    "id": "Id",
}
"""Columns next to the name, in their order."""
_HIDDEN = frozenset(("published", "created", "losses", "path"))
_WHOLE = frozenset(("updated", "published", "created", "id"))
_FOUND = 4
"""Findings of one item that a list shows."""
_QUIET = frozenset(("", Finding.SAME_NAME, Finding.SAME_SLUG, Finding.NO_SLUG))
"""Findings that need no column of their own."""
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
_FIELD_FILTERS = ("field", "test", "value")


class ItemRelation(Relation):
    """The items of a catalogue."""

    nouns = Nouns("item", "items", "The site has no items.")

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.thumbnails = Thumbnails(catalogue.files, catalogue.derived)
        self._filters = ItemFilters(catalogue)

    def columns(self, query: Query) -> Sequence[Column]:
        """Return the columns of every item, then the fields of the collection."""
        found = (
            [Column(FOUND, "Found", True)] if query.get("finding") not in _QUIET else []
        )
        left_out = {
            *(["collection"] if query.get("collection") else []),
            *([] if self.catalogue.site.locales else ["locale"]),
        }
        return (
            Column("name", "Name"),
            *found,
            *(
                Column(
                    name,
                    title,
                    most_first=name in MOST_FIRST,
                    optional=True,
                    hidden=name in _HIDDEN,
                    css="whole" if name in _WHOLE else "",
                )
                for name, title in _TITLES.items()
                if name not in left_out
            ),
            *(
                Column(f"field:{each.slug}", each.display_name, False, True, True)
                for each in self.catalogue.fields(query.get("collection"))
                if each.slug not in ("name", "slug")
            ),
        )

    def filters(self, query: Query) -> Sequence[Filter]:
        """Return the filters of every item, then those of the collection's fields."""
        orders = [(each.title, each.name) for each in self.columns(query)]
        return self._filters.of(query, orders)

    def narrowed(self, query: Query, name: str, value: str) -> Query:
        """Return a query with another value; what fits no longer is left out.

        Raises `UsageError` for a day that is none.
        """
        if name == "finding":
            return with_finding(query, value)
        if name == "since":
            return query.having(name, _parse_day(value))
        if name == "collection":
            facets = [each for each, _ in query.filters if each.startswith(FACET)]
            sort = "" if query.sort.startswith("field:") else query.sort
            kept = replace(query.without(*_FIELD_FILTERS, *facets), sort=sort)
            return kept.having(name, value)
        return query.having(name, value)

    def count(self, query: Query) -> int:
        """Return how many items are wanted."""
        where, values = conditions(self.catalogue, query)
        (count,) = self.catalogue.one(
            f"SELECT count(*) FROM entry e WHERE {where}", values
        )
        return int(count)

    def entries(self, query: Query, first: int, size: int) -> list[Entry]:
        """Return up to `size` wanted items from a place on."""
        where, values = conditions(self.catalogue, query)
        order, more = ordering(query)
        return self.catalogue.entries(
            f"WHERE {where} {order} LIMIT ? OFFSET ?", (*values, *more, size, first)
        )

    def page(self, query: Query, first: int, size: int, shown: Sequence[str]) -> Page:
        """Return items from a place on."""
        count = self.count(query)
        first = max(0, min(first, (count - 1) // size * size))
        entries = self.entries(query, first, size)
        slugs = _slugs(shown)
        values = self._values(entries, slugs)
        found = sightings(self.catalogue, query.get("finding"), entries)
        pictures = self._pictures(entries)
        # So that all names begin at one place.
        no_picture = controls.thumbnail("") if pictures else ""
        rows = []
        for entry in entries:
            fields = {f"field:{s}": values.get((entry.entry_id, s), "") for s in slugs}
            found_in = _found_html(found[entry.entry_id])
            cell = {**self._cells(entry), **fields, FOUND: found_in}
            picture = pictures.get(entry.entry_id, no_picture)
            rows.append(Row(str(entry.entry_id), entry.title, cell, picture))
        return Page(rows, first, count)

    def place(self, query: Query, key: str, by: int) -> str:
        """Return the entry `by` places after another."""
        where, values = conditions(self.catalogue, query)
        order, more = ordering(query)
        rows = self.catalogue.all(
            f"SELECT e.id FROM entry e WHERE {where} {order}", (*values, *more)
        )
        keys = [str(entry_id) for (entry_id,) in rows]
        at = keys.index(key) + by if key in keys else -1
        return keys[at] if at in range(len(keys)) else ""

    def csv(self, query: Query, shown: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield a line for each item, or for each finding in one."""
        fields = _slugs(shown)
        finding = query.get("finding")
        yield (*_CSV_HEAD, *(_CSV_FOUND if finding else ()), *fields)
        for first in range(0, self.count(query), _AT_ONCE):
            entries = self.entries(query, first, _AT_ONCE)
            values = self._values(entries, fields)
            found_in = sightings(self.catalogue, finding, entries)
            for entry in entries:
                start = self._start(entry)
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

    def _cells(self, entry: Entry) -> Mapping[str, Markup | str | controls.Copied]:
        item_id = entry.key.item_id
        return {
            "slug": entry.slug,
            "collection": self.catalogue.collection(entry).display_name,
            "locale": self.catalogue.locale_tag(entry),
            "state": STATES[entry.state],
            "updated": _day(entry.updated),
            "published": _day(entry.published),
            "created": _day(entry.created),
            "losses": "" if entry.losses is None else f"{entry.losses:,}",
            "path": entry.path,
            "id": controls.Copied(item_id, f"Copy the id of {entry.title}: {item_id}"),
        }

    def _start(self, entry: Entry) -> tuple[str, ...]:
        moment = parse_moment(entry.updated)
        return (
            self.catalogue.collection(entry).display_name,
            entry.name,
            entry.slug,
            self.catalogue.locale_tag(entry),
            STATES[entry.state],
            iso_text(moment) if moment else entry.updated,
            entry.path,
            entry.key.item_id,
        )

    def _pictures(self, entries: Sequence[Entry]) -> Mapping[int, Markup]:
        """Return the first picture of each item that has a local copy of one: in its
        fields, else in its bodies; an empty place before that is drawn."""
        rows = self.catalogue.all(
            "SELECT entry, field, sha256, min(ordinal) FROM held_file WHERE entry IN "
            f"({', '.join(str(each.entry_id) for each in entries)}) "
            "AND picture AND sha256 <> '' GROUP BY entry, field"
        )
        held = {(entry, field): sha256 for entry, field, sha256, _ in rows}
        found = {}
        for each in entries:
            fields = self.catalogue.collection(each).fields
            for field in sorted(fields, key=lambda field: field.type == "RichText"):
                if sha256 := held.get((each.entry_id, field.slug)):
                    source = self.thumbnails.kept(sha256, small=True) or ""
                    found[each.entry_id] = controls.thumbnail(source)
                    break
        return found

    def _values(
        self, entries: Sequence[Entry], fields: Sequence[str]
    ) -> Mapping[tuple[int, str], str]:
        """Return what lists show of fields, by entry and field."""
        rows = self.catalogue.all(
            "SELECT entry, field, kind, facet, shown FROM cell WHERE entry IN "
            f"({', '.join(str(each.entry_id) for each in entries)}) "
            f"AND field IN ({', '.join('?' * len(fields))}) "
            "ORDER BY entry, field, ordinal",
            fields,
        )
        targets = (facet for _, _, kind, facet, _ in rows if kind == REFERENCE)
        names = item_names(self.catalogue, targets)
        found: dict[tuple[int, str], list[str]] = {}
        for entry, field, kind, facet, shown in rows:
            text = names.get(facet, facet) if kind == REFERENCE else shown
            found.setdefault((entry, field), []).append(text)
        return {key: ", ".join(each) for key, each in found.items()}


def _slugs(shown: Iterable[str]) -> list[str]:
    """Return the fields among the names of columns."""
    return [each.removeprefix("field:") for each in shown if "field:" in each]


def _found_html(found: Sequence[Sighting]) -> Markup:
    """Return what was found in an item, a line each."""
    lines = [
        f"{each.field}: {each.what}" if each.field else each.what
        for each in found[:_FOUND]
    ]
    lines.append(and_more(len(found), _FOUND, "… and "))
    return stacked(line for line in lines if line)


def _day(moment: str) -> Markup:
    found = parse_moment(moment)
    return controls.day(utc_day(found), moment) if found else escape(moment)


def _parse_day(given: str) -> str:
    given = given.strip()
    if given and (len(given) < 8 or parse_moment(given) is None):
        raise UsageError(
            f"{given!r} is no day; write it as year, month and day: 2024-03-31."
        )
    return given


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:60]
