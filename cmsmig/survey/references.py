"""What refers to what: one item, and which field of the site points where, with the
references that would stay empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import connect, translated
from cmsmig.mapping.convert.field_values import target_ids
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.propose.field_types import field_type
from cmsmig.mapping.select.reference_targets import (
    DanglingCause,
    cause_of,
    known_items,
    unnamed,
)
from cmsmig.mapping.select.selection import Selection
from cmsmig.origin.schema import Collection, Field, Item
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.survey.catalogue import Catalogue, Entry
from cmsmig.survey.value_facts import REFERENCE, REFERENCE_TYPES

_AT_ONCE = 500


def item_names(catalogue: Catalogue, item_ids: Iterable[str]) -> Mapping[str, str]:
    """Return the name of each item, in the primary locale if it has that one; of one
    that was deleted at the origin, the name that the ledger has, or that it was."""
    ids = tuple(dict.fromkeys(item_ids))
    locales = catalogue.site.locales
    primary = locales[0].locale_id if locales else ""
    found: dict[str, str] = {}
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        rows = catalogue.all(
            "SELECT item, coalesce(nullif(name, ''), slug) FROM entry WHERE "
            f"edition IN {catalogue.ids()} AND item IN "
            f"({', '.join('?' * len(some))}) ORDER BY locale = ?",
            (*some, primary),
        )
        found.update((item, name) for item, name in rows)
    if len(found) == len(ids):
        return found
    names = recorded_names(catalogue.project.ledger) | found
    return {each: names.get(each) or unnamed(DanglingCause.DELETED) for each in ids}


def find_target(catalogue: Catalogue, item_id: str, locale_id: str) -> Entry | None:
    """Return an item that a reference leads to, in a locale if it has that one."""
    found = catalogue.entries(
        f"WHERE edition IN {catalogue.ids()} AND item = ? "
        "ORDER BY locale = ? DESC LIMIT 1",
        (item_id, locale_id),
    )
    return found[0] if found else None


def empty_causes(catalogue: Catalogue, entry: Entry) -> Mapping[tuple[str, str], str]:
    """Return why references of an item would stay empty, by field and target; empty
    for those that would not."""
    rows = catalogue.all(
        "SELECT field, facet, cause FROM cell WHERE entry = ? AND kind = ?",
        (entry.entry_id, REFERENCE),
    )
    return {(field, target): cause for field, target, cause in rows}


def referring(
    catalogue: Catalogue, entry: Entry, most: int
) -> tuple[int, list[tuple[Entry, str]]]:
    """Return how many items of the same locale refer to an item, and the first `most`
    references: the other item and the slug of its field."""
    of = (
        "FROM cell c JOIN entry e ON e.id = c.entry WHERE c.facet = ? AND "
        f"c.kind = ? AND e.edition IN {catalogue.ids()} AND e.locale = ?"
    )
    values = (entry.key.item_id, REFERENCE, entry.key.locale_id)
    (count,) = catalogue.one(f"SELECT count(DISTINCT e.id) {of}", values)
    rows = catalogue.all(
        f"SELECT c.entry, c.field {of} ORDER BY e.edition, e.sorted, e.id LIMIT ?",
        (*values, most),
    )
    return count, [(catalogue.entry(other), field) for other, field in rows]


def other_locales(catalogue: Catalogue, entry: Entry) -> list[Entry]:
    """Return the same item in its other locales."""
    return catalogue.entries(
        f"WHERE edition IN {catalogue.ids(entry.key.collection_id)} AND "
        "item = ? AND id <> ? ORDER BY locale",
        (entry.key.item_id, entry.entry_id),
    )


def recorded_names(ledger: Path) -> dict[str, str]:
    """Return the names of the items that the ledger knows, by id: also of those that
    were deleted at the origin since.

    Raises `LedgerError` when the ledger is damaged.
    """
    if not ledger.is_file():
        return {}
    with closing(connect(ledger, durable=False)) as db, translated(ledger):
        return dict(db.execute("SELECT item_id, name FROM items"))


@dataclass(frozen=True, slots=True)
class Edge:
    """One reference field."""

    source: Collection
    field: Field
    references: int
    dangling: int

    @property
    def ends(self) -> tuple[str, str]:
        """Return the ids of its collection and of the one that it points into."""
        return self.source.collection_id, self.field.target_collection


@dataclass(frozen=True, slots=True)
class Dangling:
    """One reference that would stay empty."""

    item: Item
    field: str
    target: ItemKey
    target_name: str
    """Its name in whatever locale it has one, else that it is not known."""
    cause: DanglingCause


@dataclass(frozen=True, slots=True)
class ReferenceGraph:
    """All reference fields of a site, and the references that lead nowhere."""

    edges: tuple[Edge, ...]
    dangling: tuple[Dangling, ...]

    @property
    def causes(self) -> dict[DanglingCause, int]:
        """Return how many references dangle for each cause that occurs."""
        return dict(Counter(each.cause for each in self.dangling).most_common())


def reference_graph(
    origin: Origin,
    decision: CollectionsDecision,
    recorded: Mapping[str, str] = MappingProxyType({}),
) -> ReferenceGraph:
    """Return where references lead under these choices. Reads only.

    `recorded` are names that the ledger has, also of deleted items, by id.
    """
    selections = origin.select(decision)
    known = known_items(selections, decision, origin.collections)
    names = {
        (key.collection_id, key.item_id): item.name
        for key, item in origin.every_item().items()
    }
    edges: list[Edge] = []
    dangling: list[Dangling] = []
    for collection in origin.collections:
        fields = [each for each in collection.fields if each.type in REFERENCE_TYPES]
        counts: Counter[str] = Counter()
        lost: Counter[str] = Counter()
        found = selections.get(collection.collection_id)
        for item, field, target in _references(found, fields):
            counts[field] += 1
            if (cause := cause_of(target, known)) is not None:
                lost[field] += 1
                name = names.get((target.collection_id, target.item_id))
                name = name or recorded.get(target.item_id) or unnamed(cause)
                dangling.append(Dangling(item, field, target, name, cause))
        edges += [
            Edge(collection, each, counts[each.slug], lost[each.slug])
            for each in fields
        ]
    return ReferenceGraph(tuple(edges), tuple(dangling))


def _references(
    selection: Selection | None, fields: list[Field]
) -> Iterator[tuple[Item, str, ItemKey]]:
    for each in selection.selected if selection and fields else ():
        data = each.item.data
        for field in fields:
            multiple = field_type(field.type).several
            for target in target_ids(data.get(field.slug), multiple=multiple):
                locale = each.item.key.locale_id
                key = ItemKey(field.target_collection, target, locale)
                yield each.item, field.slug, key
