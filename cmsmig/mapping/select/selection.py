"""Which items are imported, in which version, and why the others are not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import (
    ArchiveRule,
    CollectionChoice,
    DraftRule,
    ItemSet,
    LocaleChoice,
)
from cmsmig.origin.schema import Item


class PublicationState(StrEnum):
    """What an item is, told from both sets.

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
    """The version that was decided on."""
    live: bool
    """Whether visitors see the item now, in whatever version."""
    state: PublicationState
    live_slug: str = ""
    """The slug its page has now; empty when it has none."""


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
        reason = _skip_reason(item, state, decision, locales)
        if reason:
            skipped.append(
                SkippedItem(item.key, item.name, reason, _sentence(reason, state))
            )
            continue
        version = theirs if decision.items is ItemSet.LIVE else ours
        selected.append(
            Selected(
                item=version or item,
                live=theirs is not None,
                state=state,
                live_slug=theirs.slug if theirs else "",
            )
        )
    return Selection(tuple(selected), tuple(skipped))


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
_UNFINISHED = frozenset((PublicationState.DRAFT, PublicationState.UNPUBLISHED))
_ARCHIVED = frozenset((PublicationState.ARCHIVED, PublicationState.ARCHIVED_LIVE))


def _skip_reason(
    item: Item,
    state: PublicationState,
    decision: CollectionChoice,
    locales: Sequence[LocaleChoice],
) -> str:
    if not decision.migrate:
        return "collection_not_migrated"
    locale = locale_of(item.key, locales)
    if locales and locale is None:
        return "locale_not_listed"
    if locale is not None and not locale.migrate:
        return "locale_not_migrated"
    if state in _ARCHIVED and decision.archived is ArchiveRule.SKIP:
        return "archived"
    return _set_reason(state, decision)


def _set_reason(state: PublicationState, decision: CollectionChoice) -> str:
    """Return why the decided item set leaves an item out, or empty."""
    if decision.items is ItemSet.LIVE:
        return "not_live" if _is_private(state) else ""
    if state is PublicationState.LIVE_ONLY:
        return "not_staged"
    if decision.items is ItemSet.STAGED_PUBLISHED_ONLY and _is_private(state):
        return "not_live"
    if decision.drafts is DraftRule.SKIP and state in _UNFINISHED:
        return "draft"
    return ""


def _is_private(state: PublicationState) -> bool:
    return state in _NOT_LIVE or state is PublicationState.ARCHIVED


def _sentence(reason: str, state: PublicationState) -> str:
    if reason == "archived" and state is PublicationState.ARCHIVED_LIVE:
        return (
            "Archived, although its page stays live until the site is published again."
        )
    if reason == "not_live":
        return _NOT_LIVE_SENTENCES[state]
    return _SENTENCES[reason]


_SENTENCES = {
    "archived": "Archived at the origin.",
    "collection_not_migrated": "Its collection is not migrated, as was decided.",
    "draft": "A draft that is not live; drafts are skipped, as was decided.",
    "locale_not_listed": "It is in a locale that the site does not list.",
    "locale_not_migrated": "Its locale is not migrated, as was decided.",
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
