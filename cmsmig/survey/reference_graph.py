"""The reference graph: which field points where, and what would stay empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.field_values import target_ids
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.select.reference_targets import DanglingCause, cause_of, known_items
from cmsmig.origin.schema import Field, Item
from cmsmig.steps.decide.pulled_origin import Origin


@dataclass(frozen=True, slots=True)
class Edge:
    """One reference field."""

    source: str
    """The collection's name."""
    source_id: str
    field: str
    multiple: bool
    target: str
    """The other collection's name, or its id where the site lists none."""
    target_id: str
    references: int
    dangling: int
    note: str
    """`to itself`, `in both directions`, or empty."""


@dataclass(frozen=True, slots=True)
class Dangling:
    """One reference that would stay empty."""

    item: Item
    field: str
    target: ItemKey
    target_name: str
    """Its name in whatever locale it has one, or its id."""
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


def reference_graph(origin: Origin, decision: CollectionsDecision) -> ReferenceGraph:
    """Return where references lead under these choices. Reads only."""
    selections = origin.select(decision)
    known = known_items(selections, decision, origin.collections)
    names = {
        (key.collection_id, key.item_id): item.name
        for key, item in origin.every_item().items()
    }
    edges: list[Edge] = []
    dangling: list[Dangling] = []
    for collection, fields in _reference_fields(origin).items():
        counts: Counter[str] = Counter()
        lost: dict[str, list[Dangling]] = {field.slug: [] for field in fields}
        found = selections.get(collection)
        chosen = [each.item for each in found.selected] if found else []
        for item, field, target in _references(chosen, fields):
            counts[field.slug] += 1
            if (cause := cause_of(target, known)) is not None:
                name = names.get((target.collection_id, target.item_id), "")
                lost[field.slug].append(
                    Dangling(item, field.slug, target, name or target.item_id, cause)
                )
        for field in fields:
            slug = field.slug
            edges.append(
                _edge(origin, collection, field, counts[slug], len(lost[slug]))
            )
            dangling += lost[slug]
    return ReferenceGraph(tuple(edges), tuple(dangling))


def _reference_fields(origin: Origin) -> dict[str, list[Field]]:
    """Return the fields that refer to items, by collection."""
    return {
        collection.collection_id: [
            field
            for field in collection.fields
            if field.type in ("Reference", "MultiReference")
        ]
        for collection in origin.collections
    }


def _references(
    items: list[Item], fields: list[Field]
) -> Iterator[tuple[Item, Field, ItemKey]]:
    for item in items if fields else ():
        data = item.data
        for field in fields:
            multiple = field.type == "MultiReference"
            for each in target_ids(data.get(field.slug), multiple=multiple):
                key = ItemKey(field.target_collection, each, item.key.locale_id)
                yield item, field, key


def _edge(
    origin: Origin, collection: str, field: Field, count: int, dangling: int
) -> Edge:
    names = {each.collection_id: each.display_name for each in origin.collections}
    back = any(
        one.target_collection == collection
        for one in _reference_fields(origin).get(field.target_collection, ())
    )
    itself = field.target_collection == collection
    return Edge(
        source=names[collection],
        source_id=collection,
        field=field.display_name,
        multiple=field.type == "MultiReference",
        target=names.get(field.target_collection, field.target_collection),
        target_id=field.target_collection,
        references=count,
        dangling=dangling,
        note="to itself" if itself else "in both directions" if back else "",
    )
