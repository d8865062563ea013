"""Which items are imported, in which version, and why the others are not; and what of
them visitors see. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import (
    ArchivedLiveRule,
    ArchiveRule,
    CollectionChoice,
    CollectionsDecision,
    DraftRule,
    ItemSet,
    LocaleChoice,
    PublishRule,
    QueuedRule,
    Take,
)
from cmsmig.origin.schema import Item


class PublicationState(StrEnum):
    """What an item is, by both sets.

    Source: Webflow, publishing: `isDraft` says nothing about being live, so
    membership of the live set, by id and locale, is the truth about that.
    """

    PUBLISHED = "published"
    CHANGES_IN_DRAFT = "changes_in_draft"
    """Live, while editors work on a newer version."""
    DRAFT = "draft"
    UNPUBLISHED = "unpublished"
    """Was live once and is not any more."""
    QUEUED = "queued"
    """Goes live with the next publish of the site; was never live."""
    QUEUED_CHANGES = "queued_changes"
    """Live, with newer content that goes live with the next publish."""
    ARCHIVED = "archived"
    ARCHIVED_LIVE = "archived_live"
    """Archived, and live until the next full publish."""
    LIVE_ONLY = "live_only"
    """Live, but no longer among the editors' items."""


@dataclass(frozen=True, slots=True)
class Selected:
    """An item to import."""

    item: Item
    """The version that editors of the destination are to see."""
    live: bool
    """Whether visitors see the item now, in whatever version."""
    state: PublicationState
    live_slug: str = ""
    """The slug its page has now; empty when it has none."""
    public: Item | None = None
    """The version that visitors are to see where the collection is published; None
    where they are to see nothing of it."""

    @property
    def shown(self) -> Item:
        """Return the version that what a story has once comes from, as its slug, folder
        and tags: the one that visitors are to see, if that is another one."""
        return (self.public if self.has_two_versions else None) or self.item

    @property
    def slug(self) -> str:
        """Return the slug that its story is to have."""
        return self.shown.slug

    @property
    def has_two_versions(self) -> bool:
        """Return whether visitors are to see something else than editors."""
        public = self.public
        return public is not None and public.data_hash != self.item.data_hash


@dataclass(frozen=True, slots=True)
class SkippedItem:
    """An item that is not imported."""

    key: ItemKey
    name: str
    reason: str
    """A stable code in lower case with underscores, such as `archived`."""
    sentence: str
    """The same for an editor."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Every item of one collection, once, in the order of (created, id, locale)."""

    selected: tuple[Selected, ...]
    skipped: tuple[SkippedItem, ...]


def publication_state(staged: Item | None, live: Item | None) -> PublicationState:
    """Return the state of an item from its record in either set.

    Raises `ValueError` when it is in neither.
    """
    if staged is None:
        if live is None:
            raise ValueError("an item must be in one of the sets")
        return PublicationState.LIVE_ONLY
    if staged.archived:
        return PublicationState.ARCHIVED_LIVE if live else PublicationState.ARCHIVED
    if live is None:
        if staged.last_published:
            return PublicationState.UNPUBLISHED
        return PublicationState.DRAFT if staged.draft else PublicationState.QUEUED
    if staged.draft:
        return PublicationState.CHANGES_IN_DRAFT
    # Times alone mislead: an item saved without a change looks queued by them.
    if (
        staged.last_published < staged.last_updated
        and staged.data_hash != live.data_hash
    ):
        return PublicationState.QUEUED_CHANGES
    return PublicationState.PUBLISHED


def select_items(
    staged: Iterable[Item],
    live: Iterable[Item],
    decision: CollectionChoice,
    locales: Sequence[LocaleChoice],
) -> Selection:
    """Return which items of one collection are imported, and why not the others.

    Pure, and independent of the order of both sets. Each (id, locale) of either
    set ends up in exactly one of the two tuples.
    """
    edited = {item.key: item for item in staged}
    public = {item.key: item for item in live}
    selected: list[Selected] = []
    skipped: list[SkippedItem] = []
    for item in sorted((public | edited).values(), key=origin_order):
        ours, theirs = edited.get(item.key), public.get(item.key)
        state = publication_state(ours, theirs)
        take, reason = _decided(item, state, decision, locales)
        versions = _versions(take, ours, theirs)
        if versions is None and not reason:
            reason = "no_such_version"
        if reason or versions is None:
            skipped.append(
                SkippedItem(item.key, item.name, reason, _sentence(reason, state))
            )
            continue
        selected.append(
            Selected(
                item=versions[0],
                live=theirs is not None,
                state=state,
                live_slug=theirs.slug if theirs else "",
                public=versions[1],
            )
        )
    return Selection(tuple(selected), tuple(skipped))


def _versions(
    take: Take, staged: Item | None, live: Item | None
) -> tuple[Item, Item | None] | None:
    """Return the versions that editors and visitors of the destination are to see;
    None where there is none as it was decided."""
    if take is Take.LIVE or (take is Take.MIRROR and staged is None):
        return (live, live) if live else None
    if staged is None:
        return None
    if take is Take.DRAFT:
        return staged, None
    return staged, live if take is Take.MIRROR else staged


def origin_order(item: Item) -> tuple[str, str, str]:
    """Return the sort key of the origin's order: creation, then id and locale."""
    return (item.created_on, item.key.item_id, item.key.locale_id)


def locale_of(key: ItemKey, locales: Sequence[LocaleChoice]) -> LocaleChoice | None:
    """Return the locale that an item belongs to; without any name, the primary."""
    return next(
        (
            locale
            for locale in locales
            if locale.locale_id == key.locale_id
            or (locale.primary and not key.locale_id)
        ),
        None,
    )


_NOT_LIVE = frozenset(
    (PublicationState.DRAFT, PublicationState.UNPUBLISHED, PublicationState.QUEUED)
)
_LIVE_ALONE = frozenset((ItemSet.LIVE, ItemSet.STAGED_PUBLISHED_ONLY))


def _decided(
    item: Item,
    state: PublicationState,
    decision: CollectionChoice,
    locales: Sequence[LocaleChoice],
) -> tuple[Take, str]:
    """Return what is taken of an item; or `SKIP` and why."""
    if not decision.migrate:
        return Take.SKIP, "collection_not_migrated"
    locale = locale_of(item.key, locales)
    if locales and locale is None:
        return Take.SKIP, "locale_not_listed"
    if locale is not None and not locale.migrate:
        return Take.SKIP, "locale_not_migrated"
    apart = decision.take(item.key.item_id, item.key.locale_id)
    if apart is not None:
        return apart, "left_out" if apart is Take.SKIP else ""
    return _by_state(state, decision)


def _by_state(state: PublicationState, decision: CollectionChoice) -> tuple[Take, str]:
    """Return what the choices of a collection say about an item in a state."""
    if state is PublicationState.ARCHIVED:
        return _archived(decision)
    if state is PublicationState.ARCHIVED_LIVE:
        return _archived_live(decision)
    if state in _NOT_LIVE:
        return _private(state, decision)
    if state is PublicationState.LIVE_ONLY:
        if decision.items in (ItemSet.LIVE, ItemSet.MIRROR):
            return Take.LIVE, ""
        return Take.SKIP, "not_staged"
    queued = state is PublicationState.QUEUED_CHANGES
    if decision.items is ItemSet.MIRROR:
        if queued and decision.queued is QueuedRule.PUBLISH:
            return Take.STAGED, ""
        return Take.MIRROR, ""
    return (Take.LIVE if decision.items is ItemSet.LIVE else Take.STAGED), ""


def _archived(decision: CollectionChoice) -> tuple[Take, str]:
    if decision.archived is ArchiveRule.SKIP:
        return Take.SKIP, "archived"
    if decision.items in _LIVE_ALONE:
        return Take.SKIP, "not_live"
    return Take.DRAFT, ""


def _archived_live(decision: CollectionChoice) -> tuple[Take, str]:
    rule = decision.archived_live
    if rule is ArchivedLiveRule.AS_ARCHIVED:
        skipped = decision.archived is ArchiveRule.SKIP
        rule = ArchivedLiveRule.SKIP if skipped else ArchivedLiveRule.AS_LIVE
    if rule is ArchivedLiveRule.SKIP:
        return Take.SKIP, "archived_live"
    if rule is ArchivedLiveRule.AS_DRAFTS:
        return Take.DRAFT, ""
    return _by_state(PublicationState.CHANGES_IN_DRAFT, decision)


def _private(state: PublicationState, decision: CollectionChoice) -> tuple[Take, str]:
    """Return what is taken of an item that visitors do not see."""
    if decision.items in _LIVE_ALONE:
        return Take.SKIP, "not_live"
    if state is PublicationState.QUEUED:
        if decision.queued is QueuedRule.SKIP:
            return Take.SKIP, "queued"
        is_shown = decision.queued is QueuedRule.PUBLISH
        return (Take.STAGED if is_shown else Take.DRAFT), ""
    if decision.drafts is DraftRule.SKIP:
        return Take.SKIP, "draft"
    return Take.DRAFT, ""


def _sentence(reason: str, state: PublicationState) -> str:
    if reason == "not_live":
        return _NOT_LIVE_SENTENCES[state]
    return _SENTENCES[reason]


_SENTENCES = {
    "archived": "Archived at the origin.",
    "archived_live": (
        "Archived, although its page stays live until the site is published again; "
        "its visitors find nothing then. Choose under `Archived, still online` in "
        "notebook 01."
    ),
    "collection_not_migrated": "Its collection is not migrated, as was decided.",
    "draft": "A draft that is not live; drafts are skipped, as was decided.",
    "locale_not_listed": "It is in a locale that the site does not list.",
    "locale_not_migrated": "Its locale is not migrated, as was decided.",
    "left_out": "It was decided that this item stays behind.",
    "no_such_version": (
        "It has no version as it was decided for it: it is not live, or no longer "
        "among the editors' items; decide about it again."
    ),
    "queued": "Waiting to be published; such items are skipped, as was decided.",
    "not_staged": (
        "It is live, but editors no longer have it; only the live set would "
        "bring it along."
    ),
}

_NOT_LIVE_SENTENCES = {
    PublicationState.ARCHIVED: "Archived and not live; only live items are taken.",
    PublicationState.DRAFT: "A draft that is not live; only live items are taken.",
    PublicationState.QUEUED: (
        "Waiting to be published and not live yet; only live items are taken."
    ),
    PublicationState.UNPUBLISHED: (
        "No longer live since it was unpublished; only live items are taken."
    ),
}

NO_LONGER_LIVE = frozenset(("archived", "draft", "not_live", "queued"))
"""Reasons of items that visitors of the origin do not see."""


def find_publishable(
    decision: CollectionsDecision, selected: Iterable[Selected]
) -> frozenset[ItemKey]:
    """Return the items whose stories are to be published, as was decided."""
    publishing = {
        choice.collection_id
        for choice in decision.collections
        if choice.publish is PublishRule.WHAT_IS_LIVE
    }
    return frozenset(
        entry.item.key
        for entry in selected
        if entry.public and entry.item.key.collection_id in publishing
    )


def find_live_versions(
    selected: Iterable[Selected], to_publish: Set[ItemKey]
) -> dict[ItemKey, Item]:
    """Return the public versions of the items whose editors are to see another one."""
    return {
        entry.item.key: entry.public
        for entry in selected
        if entry.public is not None
        and entry.has_two_versions
        and entry.item.key in to_publish
    }
