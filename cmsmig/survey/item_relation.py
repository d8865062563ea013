"""The items of a site as rows of a list: columns, filters, pages and CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup

from cmsmig.counting import and_more
from cmsmig.errors import UsageError
from cmsmig.mapping.dates import iso_text, parse_moment, utc_day
from cmsmig.mapping.select.selection import PublicationState
from cmsmig.origin.schema import Field
from cmsmig.survey.catalogue import Entry
from cmsmig.survey.catalogue_filter import (
    FACET,
    FOUND,
    MOST_FIRST,
    NO_LOCALE,
    FieldTest,
    Finding,
    finding_name,
    with_finding,
)
from cmsmig.survey.item_browser import Facet, ItemBrowser
from cmsmig.survey.item_findings import Sighting, sightings
from cmsmig.ui import controls as cells
from cmsmig.ui.html.safe_html import escape, paragraph, stacked
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns, Page, Relation, Row

STATES: Mapping[PublicationState, str] = {
    PublicationState.PUBLISHED: "published",
    PublicationState.CHANGES_IN_DRAFT: "live, with newer edits in draft",
    PublicationState.DRAFT: "draft, never live",
    PublicationState.UNPUBLISHED: "was live, is not any more",
    PublicationState.QUEUED: "goes live with the next publish",
    PublicationState.QUEUED_CHANGES: "live, with changes that go live next",
    PublicationState.ARCHIVED: "archived",
    PublicationState.ARCHIVED_LIVE: "archived, still live",
    PublicationState.LIVE_ONLY: "live only, gone for editors",
}
"""States of items in words."""
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
_TESTS = (
    ("is empty", FieldTest.EMPTY),
    ("has any value", FieldTest.FILLED),
    ("holds the text", FieldTest.HOLDS),
    ("is exactly", FieldTest.IS),
)
_LABEL = 40
"""Characters of an option that a drop-down shows."""
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
_FIELD_FILTERS = ("field", "test", "value")


class ItemRelation(Relation):
    """The items of a catalogue."""

    nouns = Nouns("item", "items", "The site has no items.")

    def __init__(self, browser: ItemBrowser) -> None:
        self.browser = browser

    def columns(self, query: Query) -> Sequence[Column]:
        """Return the columns of every item, then the fields of the collection."""
        found = [Column(FOUND, "Found", True)] if _has_column(query) else []
        left_out = {
            *(["collection"] if query.get("collection") else []),
            *([] if self.browser.catalogue.site.locales else ["locale"]),
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
                for each in self._fields(query)
                if each.slug not in ("name", "slug")
            ),
        )

    def filters(self, query: Query) -> Sequence[Filter]:
        """Return the filters of every item, then those of the collection's fields."""
        locale = [self._locales(query)] if self.browser.catalogue.site.locales else []
        return (
            self._chosen(
                query, "collection", "Collection", self._collections(query), "c"
            ),
            self._chosen(query, "state", "State", self._states(query), "s"),
            *locale,
            self._chosen(query, "finding", "Items with", self._findings(query), "w"),
            Filter(
                "since",
                "Changed since",
                query.get("since"),
                key="d",
                hint="2024-03-31",
            ),
            Filter("order", "Sort by", query.sort or "name", self._orders(query), "o"),
            *self._field_filters(query),
            *self._facets(query),
        )

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

    def page(self, query: Query, first: int, size: int, shown: Sequence[str]) -> Page:
        """Return items from a place on."""
        page = self.browser.page(query, first, size)
        slugs = [each.removeprefix("field:") for each in shown if "field:" in each]
        values = self.browser.cells(page.entries, slugs)
        found = sightings(self.browser, query.get("finding"), page.entries)
        rows = []
        for entry in page.entries:
            fields = {f"field:{s}": values.get((entry.entry_id, s), "") for s in slugs}
            found_in = found_html(found.get(entry.entry_id, ()))
            cell = {**self._cells(entry), **fields, FOUND: found_in}
            rows.append(Row(str(entry.entry_id), entry.title, cell))
        return Page(rows, page.first, page.count)

    def place(self, query: Query, key: str, by: int) -> str:
        """Return the entry `by` places after another."""
        found = self.browser.place(query, int(key), by)
        return str(found.entry_id) if found else ""

    def csv(self, query: Query, shown: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield a line for each item, or for each finding in one."""
        fields = [each.removeprefix("field:") for each in shown if "field:" in each]
        finding = query.get("finding")
        found = ("Found in field", "Found") if finding else ()
        yield (*_CSV_HEAD, *found, *fields)
        first, count = 0, 1
        while first < count:
            page = self.browser.page(query, first, _AT_ONCE)
            values = self.browser.cells(page.entries, fields)
            found_in = sightings(self.browser, finding, page.entries)
            for entry in page.entries:
                last = [values.get((entry.entry_id, each), "") for each in fields]
                start = self._start(entry)
                if not finding:
                    yield (*start, *last)
                    continue
                for each in found_in.get(entry.entry_id) or [Sighting("", "")]:
                    yield (*start, each.field, each.what, *last)
            first, count = first + _AT_ONCE, page.count

    def file(self, query: Query) -> str:
        """Return the name of the collection, and of the finding that is listed."""
        collection = self.browser.catalogue.collections.get(query.get("collection"))
        parts = (collection.slug if collection else "items", query.get("finding"))
        return "-".join(_plain(each) for each in parts if _plain(each)) or "items"

    def explained(self, query: Query) -> Markup:
        """Return what the items are listed for."""
        finding = query.get("finding")
        return paragraph(f"Listed: {finding_name(finding)}.") if finding else Markup("")

    def locale_tag(self, entry: Entry) -> str:
        """Return the tag of an entry's locale."""
        locales = self.browser.catalogue.site.locales
        tags = {each.locale_id: each.tag for each in locales}
        return tags.get(entry.key.locale_id, entry.key.locale_id)

    def _cells(self, entry: Entry) -> Mapping[str, Markup | str | cells.Copied]:
        item_id = entry.key.item_id
        return {
            "slug": entry.slug,
            "collection": self.browser.collection(entry).display_name,
            "locale": self.locale_tag(entry),
            "state": STATES[entry.state],
            "updated": _day(entry.updated),
            "published": _day(entry.published),
            "created": _day(entry.created),
            "losses": "" if entry.losses is None else f"{entry.losses:,}",
            "path": entry.path,
            "id": cells.Copied(item_id, f"Copy the id of {entry.title}: {item_id}"),
        }

    def _start(self, entry: Entry) -> tuple[str, ...]:
        moment = parse_moment(entry.updated)
        return (
            self.browser.collection(entry).display_name,
            entry.name,
            entry.slug,
            self.locale_tag(entry),
            STATES[entry.state],
            iso_text(moment) if moment else entry.updated,
            entry.path,
            entry.key.item_id,
        )

    # Filters

    def _fields(self, query: Query) -> tuple[Field, ...]:
        collection = self.browser.catalogue.collections.get(query.get("collection"))
        return collection.fields if collection else ()

    @staticmethod
    def _chosen(
        query: Query, name: str, label: str, options: list[tuple[str, str]], key: str
    ) -> Filter:
        return Filter(name, label, query.get(name), options, key)

    def _collections(self, query: Query) -> list[tuple[str, str]]:
        catalogue = self.browser.catalogue
        counts = self.browser.counts(query, "collection")
        return [
            (f"all ({sum(counts.values()):,})", ""),
            *(
                (f"{_short(each.display_name)} ({counts.get(edition, 0):,})", name)
                for name, each in catalogue.collections.items()
                for edition in (str(catalogue.editions[name]),)
            ),
        ]

    def _states(self, query: Query) -> list[tuple[str, str]]:
        counts = self.browser.counts(query, "state")
        listed = [
            (f"{text} ({counts.get(each, 0):,})", str(each))
            for each, text in STATES.items()
            if each in (*counts, query.get("state"))
        ]
        return [("any", ""), *listed]

    def _locales(self, query: Query) -> Filter:
        counts = self.browser.counts(query, "locale")
        tags = {
            each.locale_id: each.tag for each in self.browser.catalogue.site.locales
        }
        options = [
            (f"{tag} ({counts.get(each, 0):,})", each or NO_LOCALE)
            for each, tag in {**tags, "": "without"}.items()
        ]
        return self._chosen(query, "locale", "Locale", [("all", ""), *options], "l")

    def _findings(self, query: Query) -> list[tuple[str, str]]:
        counts = {**self.browser.findings(query.get("collection"))}
        if query.get("finding"):
            counts.setdefault(query.get("finding"), 0)
        listed = [(f"{finding_name(name)} ({n:,})", name) for name, n in counts.items()]
        return [("anything", ""), *listed]

    def _orders(self, query: Query) -> list[tuple[str, str]]:
        return [(each.title, each.name) for each in self.columns(query)]

    def _field_filters(self, query: Query) -> Iterator[Filter]:
        fields = self._fields(query)
        if not fields:
            return
        names = [("any field", ""), *((f.display_name, f.slug) for f in fields)]
        yield Filter("field", "Field", query.get("field"), names, "f", row=1)
        if not query.get("field"):
            return
        test = query.get("test", FieldTest.EMPTY)
        tests = [(label, str(each)) for label, each in _TESTS]
        yield Filter("test", "", test, tests, row=1, about="The field")
        if test in (FieldTest.HOLDS, FieldTest.IS):
            yield Filter("value", "", query.get("value"), hint="a text", row=1)

    def _facets(self, query: Query) -> Iterator[Filter]:
        key = "v"
        for each in self.browser.facets(query):
            if each.values:
                name, label = f"{FACET}{each.field.slug}", each.field.display_name
                yield Filter(name, label, each.chosen, _values(each), key, row=2)
                key = ""


def found_html(found: Sequence[Sighting]) -> Markup:
    """Return what was found in an item, a line each."""
    lines = [
        f"{each.field}: {each.what}" if each.field else each.what
        for each in found[:_FOUND]
    ]
    lines.append(and_more(len(found), _FOUND, "… and "))
    return stacked(line for line in lines if line)


def _has_column(query: Query) -> bool:
    return query.get("finding") not in _QUIET


def _day(moment: str) -> Markup:
    found = parse_moment(moment)
    return cells.day(utc_day(found), moment) if found else escape(moment)


def _parse_day(given: str) -> str:
    given = given.strip()
    if given and (len(given) < 8 or parse_moment(given) is None):
        raise UsageError(
            f"{given!r} is no day; write it as year, month and day: 2024-03-31."
        )
    return given


def _values(facet: Facet) -> list[tuple[str, str]]:
    listed = [(f"{_short(e.label)} ({e.items:,})", e.value) for e in facet.values]
    left = f", {facet.left:,} more values" if facet.left else ""
    return [(f"any{left}", ""), *listed]


def _short(label: str) -> str:
    return label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:60]
