"""What the items of a site can be narrowed by, each value with its count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from cmsmig.mapping.select.selection import PublicationState
from cmsmig.origin.schema import Field
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.item_query import (
    COLUMNS,
    FACET,
    NO_LOCALE,
    FieldTest,
    Finding,
    conditions,
    finding_condition,
    finding_name,
)
from cmsmig.survey.references import item_names
from cmsmig.survey.value_facts import FACET_TYPES, REFERENCE, short
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Filter

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
_TESTS = (
    ("is empty", FieldTest.EMPTY),
    ("has any value", FieldTest.FILLED),
    ("holds the text", FieldTest.HOLDS),
    ("is exactly", FieldTest.IS),
)
_LABEL = 40
"""Characters of an option that a drop-down shows."""
_VALUES = 60
"""Values of a field that are offered, the commonest first."""


class ItemFilters:
    """The filters over the items of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._counts: tuple[object, Mapping[str, int]] = ((), {})
        """How many items have each finding, and what that was counted for."""
        self._listed: tuple[object, list[Filter]] = ((), [])
        """The filters, and what they were counted for: a page is turned often."""

    def of(self, query: Query, orders: Sequence[tuple[str, str]]) -> list[Filter]:
        """Return the filters of every item, then those of the collection's fields."""
        counted_for = query, orders, self._state()
        if counted_for != self._listed[0]:
            self._listed = counted_for, [*self._filters(query, orders)]
        return self._listed[1]

    def _filters(
        self, query: Query, orders: Sequence[tuple[str, str]]
    ) -> Iterator[Filter]:
        chosen = (
            ("collection", "Collection", self._collections(query), "c"),
            ("state", "State", self._states(query), "s"),
            ("locale", "Locale", self._locales(query), "l"),
            ("finding", "Items with", self._findings(query), "w"),
        )
        for name, label, options, key in chosen:
            if options:
                yield Filter(name, label, query.get(name), options, key)
        since = query.get("since")
        yield Filter("since", "Changed since", since, key="d", hint="2024-03-31")
        yield Filter("order", "Sort by", query.sort or "name", orders, "o")
        yield from self._field_filters(query)
        yield from self._facets(query)

    def _collections(self, query: Query) -> list[tuple[str, str]]:
        counts = self._counted(query, "collection")
        listed = (
            _option(
                each.display_name, counts.get(self._catalogue.editions[name], 0), name
            )
            for name, each in self._catalogue.collections.items()
        )
        return [_option("all", sum(counts.values()), ""), *listed]

    def _states(self, query: Query) -> list[tuple[str, str]]:
        counts = self._counted(query, "state")
        listed = (
            _option(text, counts.get(each, 0), each)
            for each, text in STATES.items()
            if each in (*counts, query.get("state"))
        )
        return [("any", ""), *listed]

    def _locales(self, query: Query) -> list[tuple[str, str]]:
        """Return the locales; nothing on a site without any."""
        counts = self._counted(query, "locale")
        tags = {each.locale_id: each.tag for each in self._catalogue.site.locales}
        listed = (
            _option(tag, counts.get(each, 0), each or NO_LOCALE)
            for each, tag in {**tags, "": "without"}.items()
        )
        return [("all", ""), *listed] if tags else []

    def _counted(self, query: Query, name: str) -> Mapping[str | int, int]:
        """Return how many of the wanted items have each value of a column that occurs,
        whatever value is wanted."""
        where, values = conditions(self._catalogue, query, without=name)
        rows = self._catalogue.all(
            f"SELECT {COLUMNS[name]}, count(*) FROM entry e WHERE {where} GROUP BY 1",
            values,
        )
        return dict(rows)

    def _findings(self, query: Query) -> list[tuple[str, str]]:
        counts = {**self._found(query)}
        if chosen := query.get("finding"):
            counts.setdefault(chosen, 0)
        listed = (
            _option(finding_name(name), count, name) for name, count in counts.items()
        )
        return [("anything", ""), *listed]

    def _found(self, query: Query) -> Mapping[str, int]:
        """Return how many of the wanted items have each finding, whatever finding is
        wanted: none is an answer too.

        Dangling references come once more by cause, losses by kind; and what bodies
        are made of, the commonest first.
        """
        others = replace(query.without("finding"), sort="", descending=False)
        counted_for = others, self._state()
        if counted_for != self._counts[0]:
            where, values = conditions(self._catalogue, others)
            editions = self._catalogue.ids(query.get("collection"))
            causes = self._catalogue.all(
                "SELECT DISTINCT cause FROM cell WHERE cause <> '' ORDER BY 1"
            )
            names = [*Finding, *(f"{Finding.DANGLING}:{cause}" for (cause,) in causes)]
            tests = [finding_condition(each, editions) for each in names]
            sums = ", ".join(f"coalesce(sum({sql}), 0)" for sql, _ in tests)
            row = self._catalogue.one(
                f"SELECT {sums} FROM entry e WHERE {where}",
                (*(each for _, given in tests for each in given), *values),
            )
            noticed = self._catalogue.all(
                "SELECT n.finding, count(DISTINCT n.entry) FROM entry e "
                f"JOIN noticed n ON n.entry = e.id WHERE {where} "
                "GROUP BY 1 ORDER BY substr(n.finding, 1, 5), 2 DESC, 1",
                values,
            )
            found = dict(zip(map(str, names), row, strict=True)) | dict(noticed)
            self._counts = counted_for, found
        return self._counts[1]

    def _state(self) -> tuple[object, ...]:
        """Return what changes when findings may have."""
        ids = self._catalogue.ids()
        return self._catalogue.one(
            "SELECT count(*), count(losses), (SELECT count(*) FROM edition WHERE id IN "
            f"{ids} AND decided <> ''), (SELECT max(print) FROM part WHERE name = "
            f"'compared') FROM entry WHERE edition IN {ids}"
        )

    def _field_filters(self, query: Query) -> Iterator[Filter]:
        fields = self._catalogue.fields(query.get("collection"))
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
        for field in self._catalogue.fields(query.get("collection")):
            chosen = query.get(f"{FACET}{field.slug}")
            options = self._offered(query, field, chosen)
            if len(options) > 1:
                name, label = f"{FACET}{field.slug}", field.display_name
                yield Filter(name, label, chosen, options, key, row=2)
                key = ""

    def _offered(
        self, query: Query, field: Field, chosen: str
    ) -> list[tuple[str, str]]:
        """Return the values of a field, each with how many of the wanted items hold
        it."""
        if field.type not in FACET_TYPES:
            return []
        where, values = conditions(self._catalogue, query, without=field.slug)
        rows = self._catalogue.all(
            "SELECT c.facet, max(c.shown), count(DISTINCT c.entry) FROM entry e "
            "JOIN cell c ON c.entry = e.id AND c.field = ? AND c.facet <> '' "
            f"WHERE {where} GROUP BY c.facet ORDER BY 3 DESC, 2, 1",
            (field.slug, *values),
        )
        shown = rows[:_VALUES] + [e for e in rows[_VALUES:] if e[0] == chosen]
        left = len(rows) - len(shown)
        if chosen and all(value != chosen for value, _, _ in shown):
            shown.append((chosen, chosen, 0))
        names: Mapping[str, str] = {}
        if FACET_TYPES[field.type] == REFERENCE:
            names = item_names(self._catalogue, (value for value, _, _ in shown))
            shown = [(value, value, count) for value, _, count in shown]
        return [
            (f"any, {left:,} more values" if left else "any", ""),
            *(
                _option(names.get(value) or text, count, value)
                for value, text, count in shown
            ),
        ]


def _option(label: str, count: int, value: str) -> tuple[str, str]:
    return f"{short(label, _LABEL)} ({count:,})", value
