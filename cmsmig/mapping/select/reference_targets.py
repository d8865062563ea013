"""What every reference leads to, known before the import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import chain

from cmsmig.canonical import JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.draft import RelationUse
from cmsmig.mapping.select.selection import Selection
from cmsmig.mapping.select.translations import own_key
from cmsmig.origin.schema import Collection


class DanglingCause(StrEnum):
    """Why a reference cannot be filled, from the most to the least specific."""

    TARGET_FAILED = "target_failed"
    """The target was to become a story and could not."""
    GONE_AT_ORIGIN = "gone_at_origin"
    """It had a story, which was taken away since the origin no longer has the item."""
    COLLECTION_NOT_LISTED = "collection_not_listed"
    """The site lists no such collection."""
    COLLECTION_NOT_MIGRATED = "collection_not_migrated"
    COLLECTION_UNREAD = "collection_unread"
    """The origin did not give the collection."""
    ARCHIVED = "archived"
    DRAFT_SKIPPED = "draft_skipped"
    """A draft that the collection's decision leaves out."""
    OTHER_SET = "other_set"
    """In the staged set and not in the live one that was decided for, or the
    other way round."""
    OTHER_LOCALE = "other_locale"
    """It exists, but not in the locale of the item that refers to it."""
    DELETED = "deleted"
    """In neither set: it does not exist."""
    NOT_IN_PILOT = "not_in_pilot"
    """It will be there after an import of all: nothing dangles."""


EXPLAINED: Mapping[DanglingCause, str] = {
    DanglingCause.TARGET_FAILED: "the target could not become a story",
    DanglingCause.GONE_AT_ORIGIN: "the target is gone at the origin",
    DanglingCause.COLLECTION_NOT_LISTED: "the site lists no such collection",
    DanglingCause.COLLECTION_NOT_MIGRATED: "its collection is not migrated",
    DanglingCause.COLLECTION_UNREAD: "its collection could not be read",
    DanglingCause.ARCHIVED: "the target is archived",
    DanglingCause.DRAFT_SKIPPED: "the target is a draft, and those are skipped",
    DanglingCause.OTHER_SET: "the target is not in the chosen item set",
    DanglingCause.OTHER_LOCALE: "the target does not exist in this locale",
    DanglingCause.DELETED: "the target was deleted at the origin",
    DanglingCause.NOT_IN_PILOT: "the target is not in this pilot",
}
"""The causes in words, for everything that is shown."""


def explained(cause: str) -> str:
    """Return a cause in words; one of another version as it is written."""
    words = {str(each): text for each, text in EXPLAINED.items()}
    return words.get(cause, cause.replace("_", " "))


def unnamed(cause: str) -> str:
    """Return what a target is called whose name is not known."""
    gone = (DanglingCause.DELETED, DanglingCause.GONE_AT_ORIGIN)
    return "a deleted item" if cause in gone else "an unknown item"


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
    shown_instead: tuple[ItemKey, ...] = ()
    """What visitors of a language get instead where nothing of a translated field can
    be filled: what the field refers to in the primary language."""

    def as_json(self) -> JsonObject:
        """Return the reference as `plan --json` lists it."""
        return {
            **_listed(self),
            "cause": str(self.cause),
            "shown_instead": [str(each) for each in self.shown_instead],
        }


@dataclass(frozen=True, slots=True)
class BorrowedReference:
    """One reference that leads to the story in the primary language."""

    source: ItemKey
    origin_field: str
    target: ItemKey
    """In the language that it lacks."""
    index: int
    """Position in the origin's list, from 0."""

    def as_json(self) -> JsonObject:
        """Return the reference as `plan --json` lists it."""
        return _listed(self)


def _listed(each: DanglingReference | BorrowedReference) -> JsonObject:
    return {
        "item": str(each.source),
        "field": each.origin_field,
        "index": each.index,
        "target": str(each.target),
    }


@dataclass(frozen=True)
class KnownItems:
    """Every item that was pulled, and whether it becomes a story."""

    selected: Set[ItemKey]
    """Items that become stories."""
    listed: frozenset[str]
    """Collections that the site lists."""
    migrated: frozenset[str]
    """Collections that are migrated and have a content type."""
    skipped: Mapping[ItemKey, str]
    """Every other item of either set, with why it is left out, as the selection says
    it."""
    unread: frozenset[str] = frozenset()
    """Collections that the site lists and never gave."""
    failed: Set[ItemKey] = field(default_factory=frozenset)
    """Selected items that become none, as a plan found."""
    kept: Set[ItemKey] = field(default_factory=frozenset)
    """Items that are gone at the origin and whose stories stay."""
    left: Set[ItemKey] = field(default_factory=frozenset)
    """Items that are gone at the origin, and so are their stories, or will be."""
    outside: Set[ItemKey] = field(default_factory=frozenset)
    """Selected items that are not in the pilot."""
    replacement_locale: str | None = None
    """The locale whose stories replace those of a missing language."""

    def holds(self, key: ItemKey) -> bool:
        """Return whether an item is in the staged or the live set."""
        return key in self.selected or key in self.skipped

    @cached_property
    def variants(self) -> frozenset[tuple[str, str]]:
        """Return (collection, item id) of every item, in any locale. Found when it is
        asked for: only where a reference dangles."""
        keys = chain(self.selected, self.skipped)
        return frozenset((key.collection_id, key.item_id) for key in keys)


def known_items(
    selections: Mapping[str, Selection],
    decision: CollectionsDecision,
    collections: Sequence[Collection],
) -> KnownItems:
    """Return what `classify` needs of the items of a site's collections."""
    found = selections.values()
    return KnownItems(
        selected={entry.item.key for each in found for entry in each.selected},
        skipped={entry.key: entry.reason for each in found for entry in each.skipped},
        listed=frozenset(each.collection_id for each in collections),
        unread=frozenset(e.collection_id for e in collections if not e.is_known),
        migrated=frozenset(
            each.collection_id for each in decision.collections if each.migrate
        ),
        replacement_locale=decision.replacement_locale,
    )


_LACKS_LANGUAGE = frozenset(("locale_not_listed", "locale_not_migrated"))
"""Why an item is skipped whose story is to be there in no language but the primary."""


def replacement_for(target: ItemKey, known: KnownItems) -> ItemKey | None:
    """Return the selected item in the primary language, without a locale if need be,
    that replaces one that lacks its language; None where none does.

    A variant that is archived, or a draft that is skipped, is missing on purpose.
    """
    if known.replacement_locale is None or not _lacks_language(target, known):
        return None
    for each in (known.replacement_locale, ""):
        other = target._replace(locale_id=each)
        if other in known.selected:
            return other
    return None


def _lacks_language(target: ItemKey, known: KnownItems) -> bool:
    if target in known.selected:
        return False
    if target in known.skipped:
        return known.skipped[target] in _LACKS_LANGUAGE
    return (target.collection_id, target.item_id) in known.variants


def borrowed(
    source: ItemKey, relations: Sequence[RelationUse], known: KnownItems
) -> tuple[BorrowedReference, ...]:
    """Return the references of one draft that lead to another language."""
    return tuple(
        BorrowedReference(source, relation.origin_field, target, index)
        for relation in relations
        for index, target in enumerate(relation.targets)
        if target not in known.kept and replacement_for(target, known) is not None
    )


def classify(
    source: ItemKey, relations: Sequence[RelationUse], known: KnownItems
) -> tuple[DanglingReference, ...]:
    """Return the references of one draft that cannot be filled, in their order.

    A reference that is absent from the answer will be filled.
    """
    filled = {
        each.origin_field: tuple(
            target for target in each.targets if cause_of(target, known) is None
        )
        for each in relations
    }

    def shown_instead(field: str) -> tuple[ItemKey, ...]:
        # An empty translation is not shown.
        return () if filled[field] else filled.get(own_key(field), ())

    return tuple(
        DanglingReference(
            source,
            relation.field,
            relation.origin_field,
            target,
            cause,
            index,
            shown_instead(relation.origin_field),
        )
        for relation in relations
        for index, target in enumerate(relation.targets)
        if (cause := cause_of(target, known)) is not None
    )


def fields_replaced(dangling: Iterable[DanglingReference]) -> int:
    """Return in how many translated fields visitors get what the primary language
    refers to instead."""
    return len({(each.source, each.field) for each in dangling if each.shown_instead})


def cause_of(target: ItemKey, known: KnownItems) -> DanglingCause | None:
    """Return why nothing can refer to `target`, or None when something can."""
    if target in known.selected:
        if target in known.failed:
            return DanglingCause.TARGET_FAILED
        return DanglingCause.NOT_IN_PILOT if target in known.outside else None
    if target in known.kept:
        return None
    other = replacement_for(target, known)
    if other is not None:
        return cause_of(other, known)
    if target in known.left:
        return DanglingCause.GONE_AT_ORIGIN
    if target.collection_id not in known.listed:
        return DanglingCause.COLLECTION_NOT_LISTED
    if target.collection_id not in known.migrated:
        return DanglingCause.COLLECTION_NOT_MIGRATED
    if target.collection_id in known.unread:
        return DanglingCause.COLLECTION_UNREAD
    return _explain_skipped(target, known)


def _explain_skipped(target: ItemKey, known: KnownItems) -> DanglingCause:
    reason = known.skipped.get(target)
    if reason is not None:
        return _CAUSES.get(reason, DanglingCause.OTHER_SET)
    if (target.collection_id, target.item_id) in known.variants:
        return DanglingCause.OTHER_LOCALE
    return DanglingCause.DELETED


_CAUSES: Mapping[str, DanglingCause] = {
    "archived": DanglingCause.ARCHIVED,
    "archived_live": DanglingCause.ARCHIVED,
    "collection_not_migrated": DanglingCause.COLLECTION_NOT_MIGRATED,
    "draft": DanglingCause.DRAFT_SKIPPED,
    "locale_not_listed": DanglingCause.OTHER_LOCALE,
    "locale_not_migrated": DanglingCause.OTHER_LOCALE,
}
"""By the reason of the selection; other reasons are about the item sets."""
