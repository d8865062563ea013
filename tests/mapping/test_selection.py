"""Which items are imported: the publication table and the four item sets."""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.mapping.decisions.choices import (
    CollectionChoice,
    CollectionsDecision,
    LocaleChoice,
)
from cmsmig.mapping.decisions.decision_files import from_text
from cmsmig.mapping.select.selection import (
    PublicationState,
    publication_state,
    select_items,
)
from cmsmig.origin.schema import Item
from tests.support.cases import cases
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
def test_each_row_of_the_publication_table_is_distinguished(
    state: PublicationState,
) -> None:
    """Flags, times and membership of the live set give each state."""
    assert publication_state(*TABLE[state]) is state


def test_an_item_saved_without_a_change_is_published() -> None:
    """Times alone do not make queued changes, since the contents are equal."""
    staged = make_item(published=EARLY, updated=LATE, data={"a": 1})
    live = make_item(published=EARLY, updated=LATE, data={"a": 1})
    assert publication_state(staged, live) is PublicationState.PUBLISHED


@cases(__file__, "selection.yaml")
def test_what_is_selected_and_why_the_rest_is_not(case: dict[str, Any]) -> None:
    """Selected and skipped together are every item, each skip with its sentence."""
    staged, live = sets()
    written = {"collection": "posts", "collection_id": "c1", **case["choice"]}
    text = yaml.safe_dump({"collections": [written]})
    (choice,) = from_text(text, "collections.yaml", CollectionsDecision).collections
    found = select_items(staged, live, choice, ())
    versions = {}
    for each in found.selected:
        seen = "live" if each.item in live and each.item not in staged else "staged"
        shown = (
            "staged" if each.public in staged else "live" if each.public else "hidden"
        )
        versions[each.item.key.item_id] = f"{seen}, {shown}"
    assert versions == case["selected"]
    skipped = {skip.key.item_id: skip for skip in found.skipped}
    assert {name: skip.reason for name, skip in skipped.items()} == case["skipped"]
    public = {each.item.key.item_id for each in found.selected if each.live}
    assert public == {*case["live"]}
    for skip in skipped.values():
        assert skip.sentence.endswith(".")
        assert ("stays live" in skip.sentence) == (skip.reason == "archived_live")


def test_locales_have_their_own_states_and_are_skipped_with_a_reason() -> None:
    """One id is live in one locale and a draft in the other; an item without a locale
    belongs to the primary one."""
    locales = [
        LocaleChoice(locale_id=tag, tag=tag, migrate=tag != "de", primary=tag == "en")
        for tag in ("en", "fr", "de")
    ]
    staged = [
        make_item("one", locale="en", published=EARLY),
        make_item("one", locale="fr", draft=True),
        *(make_item("two", locale=tag) for tag in ("", "de", "xx")),
    ]
    live = [make_item("one", locale="en", published=EARLY)]
    found = select_items(staged, live, CollectionChoice("posts", "c1"), locales)
    assert [(entry.item.key.locale_id, entry.live) for entry in found.selected] == [
        *(("en", True), ("fr", False), ("", False))
    ]
    assert [(skip.key.locale_id, skip.reason) for skip in found.skipped] == [
        *(("de", "locale_not_migrated"), ("xx", "locale_not_listed"))
    ]


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_sets_changes_nothing(shuffler: random.Random) -> None:
    """Pages may come in any order."""
    staged, live = sets()
    expected = select_items(staged, live, CollectionChoice("posts", "c1"), ())
    shuffler.shuffle(staged)
    shuffler.shuffle(live)
    assert select_items(staged, live, CollectionChoice("posts", "c1"), ()) == expected
