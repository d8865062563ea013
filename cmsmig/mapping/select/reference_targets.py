"""What every reference leads to, known before the import."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum

from cmsmig.item_key import ItemKey
from cmsmig.mapping.draft import RelationUse
from cmsmig.origin.schema import Item


class DanglingCause(StrEnum):
    """Why a reference cannot be filled, from the most to the least specific."""

    TARGET_FAILED = "target_failed"
    """The target was to become a story and could not."""
    COLLECTION_NOT_LISTED = "collection_not_listed"
    """The site lists no such collection."""
    COLLECTION_NOT_MIGRATED = "collection_not_migrated"
    ARCHIVED = "archived"
    DRAFT_SKIPPED = "draft_skipped"
    """A draft that the collection's decision leaves out."""
    OTHER_SET = "other_set"
    """In the staged set and not in the live one that was decided for, or the
    other way round."""
    OTHER_LOCALE = "other_locale"
    """It exists, but not in the locale of the item that refers to it."""
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class DanglingReference:
    """One reference that stays empty, and why."""

    source: ItemKey
    field: str
    """Destination field key."""
    origin_field: str
    target: ItemKey
    cause: DanglingCause
    index: int
    """Position in the origin's list, from 0."""


@dataclass(frozen=True, slots=True)
class KnownItems:
    """Every item the pull saw, and what becomes of it."""

    selected: Set[ItemKey]
    """Items that become stories."""
    listed: frozenset[str]
    """Collections that the site lists."""
    migrated: frozenset[str]
    """Collections that have a content type."""
    seen: Set[ItemKey]
    """In the staged or the live set."""
    archived: Set[ItemKey]
    drafts: Set[ItemKey]
    variants: Set[tuple[str, str]]
    """(collection, item id) of everything seen, in any locale."""
    failed: Set[ItemKey] = field(default_factory=frozenset)


def known_items(
    items: Iterable[Item],
    *,
    selected: Set[ItemKey],
    listed: Iterable[str],
    migrated: Iterable[str],
    failed: Iterable[ItemKey] = (),
) -> KnownItems:
    """Return what `classify` needs; `items` are those of both sets, in any order."""
    seen: set[ItemKey] = set()
    archived: set[ItemKey] = set()
    drafts: set[ItemKey] = set()
    for item in items:
        seen.add(item.key)
        if item.archived:
            archived.add(item.key)
        if item.draft:
            drafts.add(item.key)
    return KnownItems(
        selected=selected,
        listed=frozenset(listed),
        migrated=frozenset(migrated),
        seen=seen,
        archived=archived,
        drafts=drafts,
        variants={(key.collection_id, key.item_id) for key in seen},
        failed=frozenset(failed),
    )


def classify(
    source: ItemKey, relations: Sequence[RelationUse], known: KnownItems
) -> tuple[DanglingReference, ...]:
    """Return the references of one draft that cannot be filled, in their order.

    A reference that is absent from the answer will be filled.
    """
    return tuple(
        DanglingReference(
            source, relation.field, relation.origin_field, target, cause, index
        )
        for relation in relations
        for index, target in enumerate(relation.targets)
        if (cause := cause_of(target, known)) is not None
    )


def cause_of(target: ItemKey, known: KnownItems) -> DanglingCause | None:
    """Return why nothing can refer to `target`, or None when something can."""
    if target in known.selected:
        return DanglingCause.TARGET_FAILED if target in known.failed else None
    if target.collection_id not in known.listed:
        return DanglingCause.COLLECTION_NOT_LISTED
    if target.collection_id not in known.migrated:
        return DanglingCause.COLLECTION_NOT_MIGRATED
    return _explain_skipped(target, known)


def _explain_skipped(target: ItemKey, known: KnownItems) -> DanglingCause:
    if target in known.archived:
        return DanglingCause.ARCHIVED
    if target in known.drafts:
        return DanglingCause.DRAFT_SKIPPED
    if target in known.seen:
        return DanglingCause.OTHER_SET
    if (target.collection_id, target.item_id) in known.variants:
        return DanglingCause.OTHER_LOCALE
    return DanglingCause.DELETED
