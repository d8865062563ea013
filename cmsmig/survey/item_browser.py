"""Pages of items, what they can be narrowed by, and what refers to what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cmsmig.item_key import ItemKey
from cmsmig.origin.schema import Collection, Field
from cmsmig.survey.catalogue import Catalogue, Entry
from cmsmig.survey.catalogue_filter import (
    COLUMNS,
    FACET,
    Finding,
    conditions,
    finding_condition,
    is_counted,
    ordering,
)
from cmsmig.survey.value_facts import REFERENCE
from cmsmig.ui.query import Query

_VALUES = 60
"""Values of a field that are offered, the commonest first."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the wanted items, and how many there are."""

    entries: tuple[Entry, ...]
    first: int
    """The place of the first one, from 0."""
    count: int


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value of a field, and how many of the wanted items hold it."""

    value: str
    label: str
    items: int


@dataclass(frozen=True, slots=True)
class Facet:
    """A field that a list can be narrowed by."""

    field: Field
    values: tuple[FacetValue, ...]
    chosen: str
    left: int
    """How many values are not among these."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference from or to an item."""

    field: str
    """The slug of the field that holds it."""
    item_id: str
    """The id of the item at its other end."""
    entry: Entry | None
    """That item, in the same locale if it has that one; None where there is none."""
    cause: str
    """Why it would stay empty; or empty."""


class ItemBrowser:
    """Answers questions about the items of a catalogue. Reads only."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._counts: dict[tuple[str, int, int], Mapping[str, int]] = {}

    def page(self, query: Query, first: int, size: int) -> Page:
        """Return up to `size` wanted items from a place on; the last ones for a
        place behind the end."""
        where, values = self._where(query)
        (count,) = self.catalogue.one(
            f"SELECT count(*) FROM entry e WHERE {where}", values
        )
        first = max(0, min(first, (int(count) - 1) // size * size))
        order, more = ordering(query)
        entries = self.catalogue.entries(
            f"WHERE {where} {order} LIMIT ? OFFSET ?", (*values, *more, size, first)
        )
        return Page(tuple(entries), first, int(count))

    def counts(self, query: Query, name: str) -> Mapping[str, int]:
        """Return how many of the wanted items have each value of a filter that occurs,
        whatever value is wanted."""
        where, values = self._where(query, without=name)
        rows = self.catalogue.all(
            f"SELECT {COLUMNS[name]}, count(*) FROM entry e WHERE {where} GROUP BY 1",
            values,
        )
        return {str(value): int(count) for value, count in rows}

    def findings(self, collection_id: str) -> Mapping[str, int]:
        """Return how many items of a collection, or of all, have each finding: none is
        an answer too.

        Dangling references come once more by cause, losses by kind; and what bodies
        are made of.
        """
        key = (collection_id, self.catalogue.seen, self._looked())
        if key not in self._counts:
            editions = self.catalogue.ids(collection_id)
            found = {str(each): self._count(each, editions) for each in Finding}
            causes = self.catalogue.all(
                "SELECT DISTINCT cause FROM cell WHERE cause <> ''"
            )
            named = sorted(f"{Finding.DANGLING}:{cause}" for (cause,) in causes)
            found |= {each: self._count(each, editions) for each in named}
            found |= self._noticed(editions)
            self._counts = {key: found}
        return self._counts[key]

    def facets(self, query: Query) -> tuple[Facet, ...]:
        """Return what the items of the wanted collection can be narrowed by."""
        collection = self.catalogue.collections.get(query.get("collection"))
        fields = collection.fields if collection else ()
        return tuple(
            self._facet(query, field) for field in fields if is_counted(field.type)
        )

    def cells(
        self, entries: Sequence[Entry], fields: Sequence[str]
    ) -> Mapping[tuple[int, str], str]:
        """Return what lists show of fields, by entry and field."""
        if not entries or not fields:
            return {}
        marks = ", ".join("?" * len(fields))
        rows = self.catalogue.all(
            "SELECT entry, field, kind, facet, shown FROM cell WHERE entry IN "
            f"({', '.join(str(each.entry_id) for each in entries)}) "
            f"AND field IN ({marks}) ORDER BY entry, field, ordinal",
            fields,
        )
        names = self.names(row[3] for row in rows if row[2] == REFERENCE)
        found: dict[tuple[int, str], list[str]] = {}
        for entry, field, kind, facet, shown in rows:
            text = names.get(facet, facet) if kind == REFERENCE else shown
            found.setdefault((int(entry), field), []).append(text)
        return {key: ", ".join(each) for key, each in found.items()}

    def names(self, item_ids: Iterable[str]) -> Mapping[str, str]:
        """Return the names of items, in the primary locale if they have that one."""
        ids = tuple(dict.fromkeys(item_ids))
        locales = self.catalogue.site.locales
        primary = locales[0].locale_id if locales else ""
        found: dict[str, str] = {}
        for start in range(0, len(ids), 500):
            some = ids[start : start + 500]
            rows = self.catalogue.all(
                "SELECT item, coalesce(nullif(name, ''), slug) FROM entry WHERE "
                f"edition IN {self.catalogue.ids()} AND item IN "
                f"({', '.join('?' * len(some))}) ORDER BY locale = ?",
                (*some, primary),
            )
            found.update((item, name) for item, name in rows)
        return found

    def references(self, entry: Entry) -> tuple[Reference, ...]:
        """Return what an item refers to, field by field."""
        rows = self.catalogue.all(
            "SELECT field, facet, cause FROM cell WHERE entry = ? AND kind = ? "
            "ORDER BY field, ordinal",
            (entry.entry_id, REFERENCE),
        )
        found = self._targets({row[1] for row in rows}, entry.key.locale_id)
        return tuple(
            Reference(field, target, found.get(target), cause)
            for field, target, cause in rows
        )

    def referring(self, entry: Entry, most: int) -> tuple[int, tuple[Reference, ...]]:
        """Return how many items of the same locale refer to an item, and the first
        `most` references."""
        of = (
            "FROM cell c JOIN entry e ON e.id = c.entry WHERE c.facet = ? AND "
            f"c.kind = ? AND e.edition IN {self.catalogue.ids()} AND e.locale = ?"
        )
        values = (entry.key.item_id, REFERENCE, entry.key.locale_id)
        (count,) = self.catalogue.one(f"SELECT count(DISTINCT e.id) {of}", values)
        rows = self.catalogue.all(
            f"SELECT c.field, c.entry {of} ORDER BY e.edition, e.sorted, e.id LIMIT ?",
            (*values, most),
        )
        found = tuple(
            Reference(field, other.key.item_id, other, "")
            for field, entry_id in rows
            for other in (self.catalogue.entry(int(entry_id)),)
        )
        return int(count), found

    def find(self, key: ItemKey) -> Entry | None:
        """Return the entry of an item, if there is one."""
        found = self.catalogue.entries(
            f"WHERE edition IN {self.catalogue.ids(key.collection_id)} AND item = ? "
            "AND locale = ?",
            (key.item_id, key.locale_id),
        )
        return found[0] if found else None

    def target(self, item_id: str, locale_id: str) -> Entry | None:
        """Return an item that a reference leads to, in a locale if it has that one."""
        return self._targets((item_id,), locale_id).get(item_id)

    def place(self, query: Query, entry_id: int, by: int) -> Entry | None:
        """Return the wanted item that stands `by` places behind another one."""
        where, values = self._where(query)
        order, more = ordering(query)
        ids = self.catalogue.all(
            f"SELECT e.id FROM entry e WHERE {where} {order}", (*values, *more)
        )
        listed = [int(row[0]) for row in ids]
        if entry_id not in listed:
            return None
        place = listed.index(entry_id) + by
        return self.catalogue.entry(listed[place]) if 0 <= place < len(listed) else None

    def other_locales(self, entry: Entry) -> tuple[Entry, ...]:
        """Return the same item in its other locales."""
        return tuple(
            self.catalogue.entries(
                f"WHERE edition IN {self.catalogue.ids(entry.key.collection_id)} AND "
                "item = ? AND id <> ? ORDER BY locale",
                (entry.key.item_id, entry.entry_id),
            )
        )

    def collection(self, entry: Entry) -> Collection:
        """Return the collection of an entry."""
        return self.catalogue.collections[entry.key.collection_id]

    def _targets(self, ids: Iterable[str], locale: str) -> dict[str, Entry]:
        """Return items by id, in a locale if they have that one."""
        known = tuple(ids)
        marks = ", ".join("?" * len(known))
        entries = self.catalogue.entries(
            f"WHERE edition IN {self.catalogue.ids()} AND item IN ({marks}) "
            "ORDER BY locale = ?",
            (*known, locale),
        )
        return {each.key.item_id: each for each in entries}

    def _facet(self, query: Query, field: Field) -> Facet:
        where, values = self._where(query, without=field.slug)
        rows = self.catalogue.all(
            "SELECT c.facet, max(c.shown), count(DISTINCT c.entry) FROM entry e "
            "JOIN cell c ON c.entry = e.id AND c.field = ? AND c.facet <> '' "
            f"WHERE {where} GROUP BY c.facet ORDER BY 3 DESC, 2, 1",
            (field.slug, *values),
        )
        chosen = query.get(f"{FACET}{field.slug}")
        shown = list(rows[:_VALUES])
        shown += [each for each in rows[_VALUES:] if each[0] == chosen]
        names: Mapping[str, str] = {}
        if field.type in ("Reference", "MultiReference"):
            names = self.names(value for value, _, _ in shown)
            listed = [
                FacetValue(value, names.get(value) or value, int(count))
                for value, _, count in shown
            ]
        else:
            listed = [FacetValue(value, text, int(n)) for value, text, n in shown]
        if chosen and all(each.value != chosen for each in listed):
            label = names.get(chosen) or self.names([chosen]).get(chosen, chosen)
            listed.append(FacetValue(chosen, label, 0))
        return Facet(field, tuple(listed), chosen, max(0, len(rows) - len(shown)))

    def _count(self, finding: str, editions: str) -> int:
        sql, values = finding_condition(finding, editions)
        (count,) = self.catalogue.one(
            f"SELECT count(*) FROM entry e WHERE e.edition IN {editions} AND {sql}",
            values,
        )
        return int(count)

    def _noticed(self, editions: str) -> Mapping[str, int]:
        """Return the kinds of losses, then the structures, the commonest first."""
        rows = self.catalogue.all(
            "SELECT n.finding, count(DISTINCT n.entry) FROM entry e "
            f"JOIN noticed n ON n.entry = e.id WHERE e.edition IN {editions} "
            "GROUP BY 1 ORDER BY substr(n.finding, 1, 5), 2 DESC, 1"
        )
        return {str(finding): int(count) for finding, count in rows}

    def _looked(self) -> int:
        """Return a number that changes when findings may have."""
        ids = self.catalogue.ids()
        (looked,) = self.catalogue.one(
            f"SELECT count(losses) FROM entry WHERE edition IN {ids}"
        )
        (decided,) = self.catalogue.one(
            f"SELECT count(*) FROM edition WHERE id IN {ids} AND decided <> ''"
        )
        return int(looked) * 1000 + int(decided)

    def _where(
        self, query: Query, *, without: str = ""
    ) -> tuple[str, tuple[str | int, ...]]:
        if query.words:
            self.catalogue.find(query.words)
        wanted = "" if without == "collection" else query.get("collection")
        editions = self.catalogue.ids(wanted)
        return conditions(query, editions, without=without)
