"""What the operations of `cleaning.yaml` change in stories, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from cmsmig.counting import counted
from cmsmig.mapping.cleaning.cleaner import cleaned_source
from cmsmig.mapping.decisions.cleaning import counted_places
from cmsmig.reconcile.rules.story_fields import CONTENT
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.wanted_stories import WantedStories


def cleaning_notes(wanted: WantedStories) -> Iterator[str]:
    """Yield what each operation changes, and in how many items an import would write
    that now; and that it finds nothing."""
    migration = wanted.migration
    places: Counter[int] = Counter()
    items: Counter[int] = Counter()
    fresh: Counter[int] = Counter()
    for key, item in migration.items.items():
        source = cleaned_source(item)
        changed = source.changed if source else ()
        for number, _, count in changed:
            places[number] += count
        numbers = {number for number, _, _ in changed}
        items.update(numbers)
        row, links = wanted.rows.get(key), wanted.links.get(key)
        record = row.story_record if row else None
        if links and (record is None or links.is_needed(record)):
            fresh.update(numbers)
    for number, each in migration.cleaner.operations:
        said = counted_places(places[number], items[number])
        new = counted(fresh[number], "item is", "items are")
        now = f"; {new} written with it now" if fresh[number] else ""
        yield f"Cleaning, operation {number} ({each.title}): {said}{now}."


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
