"""What the operations of `cleaning.yaml` change in stories, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cmsmig.counting import counted
from cmsmig.item_key import ItemKey
from cmsmig.mapping.cleaning.cleaner import cleaned_source
from cmsmig.mapping.decisions.cleaning import counted_places
from cmsmig.reconcile.rules.story_fields import CONTENT
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.wanted_stories import WantedStories


def cleaning_notes(wanted: WantedStories) -> Iterator[str]:
    """Yield what each operation changes, and in how many items an import would write
    that now; and that it finds nothing."""
    items = wanted.migration.items.items()
    sources = [(key, each) for key, item in items if (each := cleaned_source(item))]
    for number, operation in wanted.migration.cleaner.operations:
        places = {
            key: sum(count for n, _, count in each.changed if n == number)
            for key, each in sources
        }
        changed = [key for key, count in places.items() if count]
        fresh = sum(_is_written(wanted, key) for key in changed)
        said = counted_places(sum(places.values()), len(changed))
        new = counted(fresh, "item is", "items are")
        now = f"; {new} written with it now" if fresh else ""
        yield f"Cleaning, operation {number} ({operation.title}): {said}{now}."


def _is_written(wanted: WantedStories, key: ItemKey) -> bool:
    row, links = wanted.rows.get(key), wanted.links.get(key)
    record = row.story_record if row else None
    return links is not None and (record is None or links.is_needed(record))


def cleaned_fields(migration: Migration) -> Mapping[tuple[str, str], list[str]]:
    """Return the operations that changed a field of a story, by item and field."""
    titles = {n: f"cleaning: {each.title}" for n, each in migration.cleaner.operations}
    found: dict[tuple[str, str], list[str]] = {}
    for key, item in migration.items.items():
        made = migration.design.content_type(key.collection_id)
        source = cleaned_source(item)
        keys = {each.origin: each.key for each in made.fields} if made else {}
        for number, slug, _ in source.changed if source else ():
            for field in (slug, f"{CONTENT}{keys.get(slug, slug)}"):
                found.setdefault((str(key), field), []).append(titles[number])
    return found
