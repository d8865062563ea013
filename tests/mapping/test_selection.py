"""Which items are imported: the publication table and the four item sets."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.mapping.decisions.choices import (
    ArchivedLiveRule,
    ArchiveRule,
    CollectionChoice,
    DraftRule,
    ItemChoice,
    ItemSet,
    LocaleChoice,
    QueuedRule,
    Take,
)
from cmsmig.mapping.select.selection import (
    PublicationState,
    publication_state,
    select_items,
)
from cmsmig.origin.schema import Item
from tests.support.mapping.design_builders import make_item

EARLY = "2024-01-02T00:00:00.000Z"
LATE = "2024-02-02T00:00:00.000Z"

TABLE: dict[PublicationState, tuple[Item | None, Item | None]] = {
    PublicationState.PUBLISHED: (
        make_item("published", published=EARLY),
        make_item("published", published=EARLY),
    ),
    PublicationState.CHANGES_IN_DRAFT: (
        make_item("changes_in_draft", draft=True, published=EARLY, updated=LATE),
        make_item("changes_in_draft", published=EARLY, data={"title": "old"}),
    ),
    PublicationState.DRAFT: (make_item("draft", draft=True), None),
    PublicationState.UNPUBLISHED: (
        make_item("unpublished", draft=True, published=EARLY),
        None,
    ),
    PublicationState.QUEUED: (make_item("queued"), None),
    PublicationState.QUEUED_CHANGES: (
        make_item("queued_changes", published=EARLY, updated=LATE, data={"a": 2}),
        make_item("queued_changes", published=EARLY, data={"a": 1}),
    ),
    PublicationState.ARCHIVED: (make_item("archived", archived=True), None),
    PublicationState.ARCHIVED_LIVE: (
        make_item("archived_live", archived=True, draft=True),
        make_item("archived_live", published=EARLY),
    ),
    PublicationState.LIVE_ONLY: (None, make_item("live_only", published=EARLY)),
}


def sets() -> tuple[list[Item], list[Item]]:
    """Return one item of each state, in both sets."""
    staged = [one for one, _ in TABLE.values() if one]
    live = [one for _, one in TABLE.values() if one]
    return staged, live


@pytest.mark.parametrize("state", TABLE)
def test_each_row_of_the_publication_table_is_told_apart(
    state: PublicationState,
) -> None:
    """Flags, times and membership of the live set give each state."""
    assert publication_state(*TABLE[state]) is state


def test_an_item_saved_without_a_change_is_published() -> None:
    """Times alone do not make queued changes, since the contents are equal."""
    staged = make_item(published=EARLY, updated=LATE, data={"a": 1})
    live = make_item(published=EARLY, updated=LATE, data={"a": 1})
    assert publication_state(staged, live) is PublicationState.PUBLISHED


EVERYTHING = {
    "published",
    "changes_in_draft",
    "draft",
    "unpublished",
    "queued",
    "queued_changes",
}
LIVE = {"published", "changes_in_draft", "queued_changes"}


@pytest.mark.parametrize(
    ("items", "drafts", "expected", "reasons"),
    [
        (
            ItemSet.STAGED,
            DraftRule.AS_DRAFTS,
            EVERYTHING,
            {"archived": 1, "archived_live": 1, "not_staged": 1},
        ),
        (
            ItemSet.MIRROR,
            DraftRule.AS_DRAFTS,
            EVERYTHING | {"live_only"},
            {"archived": 1, "archived_live": 1},
        ),
        (
            ItemSet.STAGED,
            DraftRule.SKIP,
            LIVE | {"queued"},
            {"archived": 1, "archived_live": 1, "draft": 2, "not_staged": 1},
        ),
        (
            ItemSet.STAGED_PUBLISHED_ONLY,
            DraftRule.AS_DRAFTS,
            LIVE,
            {"archived": 1, "archived_live": 1, "not_live": 3, "not_staged": 1},
        ),
        (
            ItemSet.LIVE,
            DraftRule.AS_DRAFTS,
            LIVE | {"live_only"},
            {"archived": 1, "archived_live": 1, "not_live": 3},
        ),
    ],
)
def test_each_item_set_takes_its_states_and_lists_the_rest(
    items: ItemSet, drafts: DraftRule, expected: set[str], reasons: dict[str, int]
) -> None:
    """Selected and skipped together are every item, each skip with its reason."""
    staged, live = sets()
    choice = CollectionChoice("posts", "c1", items=items, drafts=drafts)
    found = select_items(staged, live, choice, ())
    assert {entry.item.key.item_id for entry in found.selected} == expected
    counts: dict[str, int] = {}
    for skip in found.skipped:
        counts[skip.reason] = counts.get(skip.reason, 0) + 1
        assert skip.sentence.endswith(".")
    assert counts == reasons
    assert len(found.selected) + len(found.skipped) == len(TABLE)


def test_the_live_set_brings_the_version_that_visitors_see() -> None:
    """Staged edits of a live item stay out of the live set."""
    staged, live = sets()
    choice = CollectionChoice("posts", "c1", items=ItemSet.LIVE)
    found = select_items(staged, live, choice, ())
    by_id = {entry.item.key.item_id: entry for entry in found.selected}
    assert by_id["changes_in_draft"].item.data == {"title": "old"}
    assert by_id["queued_changes"].item.data == {"a": 1}


def test_liveness_is_membership_of_the_live_set() -> None:
    """Neither a draft flag nor its absence says whether an item is live."""
    staged, live = sets()
    found = select_items(staged, live, CollectionChoice("posts", "c1"), ())
    assert {entry.item.key.item_id for entry in found.selected if entry.live} == LIVE


def test_an_archived_item_that_is_live_says_so() -> None:
    """It has a reason of its own, which tells that its page is still there."""
    staged, live = sets()
    found = select_items(staged, live, CollectionChoice("posts", "c1"), ())
    sentences = {skip.key.item_id: skip.sentence for skip in found.skipped}
    assert "stays live" in sentences["archived_live"]
    assert "live" not in sentences["archived"]


def test_archived_items_come_along_when_that_is_decided() -> None:
    """The archive rule overrides the proposal, but not the item set."""
    staged, live = sets()
    choice = CollectionChoice("posts", "c1", archived=ArchiveRule.AS_DRAFTS)
    found = select_items(staged, live, choice, ())
    ids = {entry.item.key.item_id for entry in found.selected}
    assert {"archived", "archived_live"} <= ids


def versions(choice: CollectionChoice) -> dict[str, tuple[object, object]]:
    """Return what editors and what visitors are to see of each selected item."""
    staged, live = sets()
    found = select_items(staged, live, choice, ())
    return {
        entry.item.key.item_id: (
            "live" if entry.item in live and entry.item not in staged else "staged",
            None
            if entry.public is None
            else "staged"
            if entry.public in staged
            else "live",
        )
        for entry in found.selected
    }


def test_a_mirror_shows_visitors_what_they_see_and_editors_what_they_work_on() -> None:
    """Each state has its two versions; what nobody sees is shown to nobody."""
    found = versions(CollectionChoice("posts", "c1", items=ItemSet.MIRROR))
    assert found["changes_in_draft"] == ("staged", "live")
    assert found["queued_changes"] == ("staged", "live")
    assert found["live_only"] == ("live", "live")
    for name in ("draft", "unpublished", "queued"):
        assert found[name] == ("staged", None)


def test_queued_items_go_as_it_was_decided() -> None:
    """As drafts, left out, or as if the site were published now."""
    mirror = CollectionChoice("posts", "c1", items=ItemSet.MIRROR)
    shown = versions(replace(mirror, queued=QueuedRule.PUBLISH))
    assert shown["queued"] == shown["queued_changes"] == ("staged", "staged")
    left = versions(replace(mirror, queued=QueuedRule.SKIP))
    assert "queued" not in left
    assert left["queued_changes"] == ("staged", "live")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (ArchivedLiveRule.AS_ARCHIVED, None),
        (ArchivedLiveRule.SKIP, None),
        (ArchivedLiveRule.AS_DRAFTS, ("staged", None)),
        (ArchivedLiveRule.AS_LIVE, ("staged", "live")),
    ],
)
def test_what_is_archived_and_still_online_has_a_choice_of_its_own(
    rule: ArchivedLiveRule, expected: object
) -> None:
    """The other archived items follow theirs."""
    choice = CollectionChoice("p", "c1", items=ItemSet.MIRROR, archived_live=rule)
    found = versions(choice)
    assert found.get("archived_live") == expected
    assert "archived" not in found


@pytest.mark.parametrize(
    ("take", "expected"),
    [
        (Take.DRAFT, ("staged", None)),
        (Take.LIVE, ("live", "live")),
        (Take.STAGED, ("staged", "staged")),
        (Take.MIRROR, ("staged", "live")),
        (Take.SKIP, None),
    ],
)
def test_one_item_is_decided_apart(take: Take, expected: object) -> None:
    """Whatever its collection's choices say; the others are as they were."""
    plain = CollectionChoice("posts", "c1", drafts=DraftRule.SKIP)
    choice = replace(plain, apart=(ItemChoice("changes_in_draft", take),))
    found = versions(choice)
    assert found.pop("changes_in_draft", None) == expected
    others = versions(plain)
    del others["changes_in_draft"]
    assert found == others


def test_a_version_that_is_not_there_is_named_and_not_guessed() -> None:
    """A draft cannot be taken as what visitors see."""
    staged, live = sets()
    apart = (ItemChoice("draft", Take.LIVE),)
    found = select_items(staged, live, CollectionChoice("p", "c1", apart=apart), ())
    reasons = {skip.key.item_id: skip.reason for skip in found.skipped}
    assert reasons["draft"] == "no_such_version"


def test_locales_have_their_own_states() -> None:
    """One id is live in one locale and a draft in the other."""
    locales = (
        LocaleChoice(locale_id="en", tag="en", migrate=True, folder="", primary=True),
        LocaleChoice(locale_id="fr", tag="fr", migrate=True, folder="fr"),
    )
    staged = [
        make_item("one", locale="en", published=EARLY),
        make_item("one", locale="fr", draft=True),
    ]
    live = [make_item("one", locale="en", published=EARLY)]
    found = select_items(staged, live, CollectionChoice("posts", "c1"), locales)
    assert [(entry.item.key.locale_id, entry.live) for entry in found.selected] == [
        ("en", True),
        ("fr", False),
    ]


def test_locales_that_are_not_migrated_or_listed_are_skipped_with_a_reason() -> None:
    """An item without a locale belongs to the primary one."""
    locales = (
        LocaleChoice(locale_id="en", tag="en", migrate=True, folder="", primary=True),
        LocaleChoice(locale_id="fr", tag="fr", migrate=False, folder=""),
    )
    staged = [
        make_item("one", locale=""),
        make_item("one", locale="fr"),
        make_item("one", locale="xx"),
    ]
    found = select_items(staged, [], CollectionChoice("posts", "c1"), locales)
    assert [entry.item.key.locale_id for entry in found.selected] == [""]
    assert [skip.reason for skip in found.skipped] == [
        "locale_not_migrated",
        "locale_not_listed",
    ]


def test_a_collection_that_is_not_migrated_is_accounted_for() -> None:
    """Every item of it is listed."""
    staged, live = sets()
    found = select_items(
        staged, live, CollectionChoice("posts", "c1", migrate=False), ()
    )
    assert not found.selected
    assert {skip.reason for skip in found.skipped} == {"collection_not_migrated"}


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_sets_changes_nothing(shuffler: random.Random) -> None:
    """Pages may come in any order."""
    staged, live = sets()
    expected = select_items(staged, live, CollectionChoice("posts", "c1"), ())
    shuffler.shuffle(staged)
    shuffler.shuffle(live)
    assert select_items(staged, live, CollectionChoice("posts", "c1"), ()) == expected
