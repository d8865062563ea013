"""How many stories are published, and why the others are not, by collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from cmsmig.canonical import JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.steps.decide.migration import Migration


@dataclass(frozen=True, slots=True)
class PublicationCount:
    """Stories = published + held + due + drafts, in one collection or in all."""

    name: str
    stories: int
    published: int
    held: int
    """Live at the origin, and not published, as was decided."""
    due: int
    """Decided to be published, and not published yet."""
    drafts: int
    """Not live at the origin either."""

    @property
    def unpublished(self) -> int:
        """Return how many stories of live items are not published."""
        return self.held + self.due

    def as_json(self) -> JsonObject:
        """Return the counts as report.json lists them."""
        return {
            "name": self.name,
            "stories": self.stories,
            "published": self.published,
            "held_by_decision": self.held,
            "still_to_publish": self.due,
            "not_live_at_origin": self.drafts,
        }


def count_publication(
    migration: Migration, rows: Mapping[ItemKey, ItemRow], public: Collection[ItemKey]
) -> tuple[PublicationCount, ...]:
    """Return what is published of the stories that the import made, by collection;
    `public` are the stories that were read back as published, by anyone."""
    live = {entry.item.key for entry in migration.selected if entry.live}
    counts: dict[str, Counter[str]] = {}
    for key, row in rows.items():
        if row.current_record is None or not row.current_record.made:
            continue
        found = counts.setdefault(key.collection_id, Counter())
        if row.published or key in public:
            found["published"] += 1
        elif key in migration.to_publish:
            found["due"] += 1
        else:
            found["held" if key in live else "drafts"] += 1
    names = {
        each.collection_id: each.display_name for each in migration.origin.collections
    }
    return tuple(
        PublicationCount(
            names.get(collection_id, collection_id),
            found.total(),
            found["published"],
            found["held"],
            found["due"],
            found["drafts"],
        )
        for collection_id, found in counts.items()
    )


def sum_publication(counts: tuple[PublicationCount, ...]) -> PublicationCount:
    """Return the counts of all collections together."""
    return PublicationCount(
        "All",
        sum(each.stories for each in counts),
        sum(each.published for each in counts),
        sum(each.held for each in counts),
        sum(each.due for each in counts),
        sum(each.drafts for each in counts),
    )
