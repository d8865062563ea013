"""What a plan brings of each collection, what stays behind, and the files it needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from enum import StrEnum

from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.mapping.select.translations import IN_PRIMARY_STORY
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.plan_details import PlanDetails

_FAILED: Mapping[str, str] = {
    "conflict": "A story that somebody else made stands in its place.",
}
_OTHERWISE = "It cannot become a story as it is; the list of findings says why."


class Showing(StrEnum):
    """What visitors of the new site see of a story after the import."""

    PUBLISHED = "published"
    HELD = "held"
    """Nothing, although they see its page at the origin now."""
    DRAFT = "draft"
    """Nothing, as at the origin."""


@dataclass(frozen=True, slots=True)
class FileTotal:
    """Files to be uploaded, each content once."""

    files: int = 0
    size: int = 0
    """Bytes."""


@dataclass(slots=True)
class CollectionPlan:
    """What becomes of the items of one collection, each language counted."""

    name: str
    stories: Counter[Showing] = field(default_factory=Counter)
    """Those that are there already, too."""
    languages: Counter[str] = field(default_factory=Counter)
    """Items that arrive, by the name of their language; empty: the site has one."""
    translations: int = 0
    """Items whose values become part of the story in the primary language."""
    left: Counter[str] = field(default_factory=Counter)
    """Items that stay behind, by the reason as a sentence."""
    files: FileTotal = FileTotal()
    """Those that its stories use; other collections may use them too."""

    @property
    def items(self) -> int:
        """Return how many items the origin has."""
        return self.stories.total() + self.translations + self.left.total()


def plan_collections(details: PlanDetails) -> tuple[CollectionPlan, ...]:
    """Return what becomes of each collection, in the origin's order."""
    migration = details.migration
    found = {
        each.collection_id: CollectionPlan(each.display_name)
        for each in migration.origin.collections
    }
    behind = _count_left(found, details.left_behind())
    names = {
        each.locale_id: each.display_name for each in migration.origin.site.locales
    }
    primary = next(
        (e.display_name for e in migration.origin.site.locales if e.primary), ""
    )
    for entry in migration.selected:
        key = entry.item.key
        if key not in behind:
            made = found[key.collection_id]
            made.stories[_showing(migration, key, live=entry.live)] += 1
            made.languages[names.get(key.locale_id, primary)] += 1
    for skip in migration.skipped:
        if skip.reason == IN_PRIMARY_STORY:
            made = found[skip.key.collection_id]
            made.translations += 1
            made.languages[names.get(skip.key.locale_id, primary)] += 1
    _count_files(found, migration, behind)
    return tuple(each for each in found.values() if each.items)


def all_files(migration: Migration) -> FileTotal:
    """Return the files of all collections together."""
    return _total(migration, {each.sha256 for each in migration.files.uploads})


def _count_left(
    found: Mapping[str, CollectionPlan], rows: Iterable[ItemRow]
) -> Set[ItemKey]:
    """Count the items that stay behind; return them."""
    sentences: dict[str, str] = {}
    behind: set[ItemKey] = set()
    for row in rows:
        behind.add(row.key)
        if row.reason == IN_PRIMARY_STORY:
            continue
        said = row.explanation
        if row.status == "failed":
            said = _FAILED.get(row.reason, _OTHERWISE)
        # What differs from item to item is in the list of findings.
        said = sentences.setdefault(row.reason, said)
        found[row.key.collection_id].left[said] += 1
    return behind


def _showing(migration: Migration, key: ItemKey, *, live: bool) -> Showing:
    if key in migration.to_publish:
        return Showing.PUBLISHED
    return Showing.HELD if live else Showing.DRAFT


def _count_files(
    found: Mapping[str, CollectionPlan], migration: Migration, behind: Set[ItemKey]
) -> None:
    hashes = {
        address: each.sha256
        for each in migration.files.uploads
        for address in each.addresses
    }
    used: dict[str, set[str]] = {}
    for use in migration.files.uses:
        if use.address in hashes and use.key not in behind:
            used.setdefault(use.key.collection_id, set()).add(hashes[use.address])
    for collection_id, files in used.items():
        found[collection_id].files = _total(migration, files)


def _total(migration: Migration, wanted: Set[str]) -> FileTotal:
    sizes = {each.sha256: each.size for each in migration.origin.files.values()}
    return FileTotal(len(wanted), sum(sizes.get(each, 0) for each in wanted))
