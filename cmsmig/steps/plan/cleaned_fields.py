"""What the operations of `cleaning.yaml` change in stories, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from cmsmig.counting import counted
from cmsmig.item_key import ItemKey
from cmsmig.mapping.cleaning.cleaner import cleaned_sources
from cmsmig.mapping.decisions.cleaning import counted_places
from cmsmig.mapping.select.translations import translated_key
from cmsmig.reconcile.rules.story_fields import CONTENT
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.wanted_stories import WantedStories


def cleaning_notes(wanted: WantedStories) -> Iterator[str]:
    """Yield what each operation changes, and in how many items an import would write
    that now; and that it finds nothing."""
    items = wanted.migration.items.items()
    sources = [(key, each) for key, item in items for _, each in cleaned_sources(item)]
    for number, operation in wanted.migration.cleaner.operations:
        places = Counter[ItemKey]()
        for key, each in sources:
            places[key] += sum(count for n, _, count in each.changed if n == number)
        changed = [key for key, count in places.items() if count]
        fresh = sum(_is_written(wanted, key) for key in changed)
        said = counted_places(sum(places.values()), len(changed))
        new = counted(fresh, "item is", "items are")
        now = f"; {new} written with it now" if fresh else ""
        yield f"Cleaning, operation {number} ({operation.title}): {said}{now}."


def _is_written(wanted: WantedStories, key: ItemKey) -> bool:
    row, story = wanted.rows.get(key), wanted.planned.get(key)
    record = row.story_record if row else None
    return story is not None and (record is None or story.is_needed(record))


def cleaned_fields(migration: Migration) -> Mapping[tuple[str, str], list[str]]:
    """Return the operations that changed a field of a story, by item and field."""
    titles = {n: f"cleaning: {each.title}" for n, each in migration.cleaner.operations}
    found: dict[tuple[str, str], list[str]] = {}
    for key, item in migration.items.items():
        made = migration.design.content_type(key.collection_id)
        keys = {each.origin: each.key for each in made.fields} if made else {}
        for code, source in cleaned_sources(item):
            for number, slug, _ in source.changed:
                for field in _names_of(slug, keys.get(slug, slug), code):
                    found.setdefault((str(key), field), []).append(titles[number])
    return found


def _names_of(slug: str, key: str, code: str) -> tuple[str, str]:
    """Return the names of a story's field in a language: around its content, in it."""
    if not code:
        return slug, f"{CONTENT}{key}"
    return f"{slug} in {code}", f"{CONTENT}{translated_key(key, code)}"
