"""A part of an import, as a person names it. Asks no service."""

from __future__ import annotations

from collections.abc import Sequence

from cmsmig.counting import first_of
from cmsmig.errors import UsageError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.store import Ledger
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project
from cmsmig.steps.rollback.job import Subset

_SHOWN = 10


def named_subset(
    project: Project, collections: Sequence[str], items: Sequence[str]
) -> Subset:
    """Return the subset of collections, by slug or id, and of items, by id or key.

    Raises `UsageError` for what the ledger has never heard of.
    """
    if not collections and not items:
        return Subset()
    known = _keys(project)
    if not known:
        return Subset(frozenset(collections), frozenset(items))
    slugs = _slugs(project)
    ids = frozenset(slugs.get(each, each) for each in collections)
    there = {key.collection_id for key in known}
    if unknown := sorted(ids - there):
        raise UsageError(
            f"No collection `{unknown[0]}` was imported in this project; there are "
            f"{first_of(sorted(slugs) or sorted(there), _SHOWN)}."
        )
    named = {key.item_id for key in known} | {str(key) for key in known}
    if unknown := sorted(set(items) - named):
        raise UsageError(
            f"No item `{unknown[0]}` was imported in this project; `cmsmig status "
            "--json` and the ledger's view `items` know them by id."
        )
    return Subset(ids, frozenset(items))


def _keys(project: Project) -> set[ItemKey]:
    if not project.ledger.exists():
        return set()
    with Ledger.open_existing(project.ledger) as ledger:
        return set(ledger.items.all())


def _slugs(project: Project) -> dict[str, str]:
    cache = RawCache(project.raw)
    if not cache.holds_collections():
        return {}
    return {each.slug: each.collection_id for each in cache.collections()}
