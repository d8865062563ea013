"""Stories of one item in several languages: which group they are to be in."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.destination.typed_records import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.mapping.uids import derived_group
from cmsmig.steps.write.alternates import wanted_groups

NAMESPACE = "5b0c6a39-9c5c-5f4e-8f3b-3f7a6f0a2d11"
KEYS = tuple(ItemKey("c", "1", locale) for locale in ("de", "en", "fr"))


def item(key: ItemKey, story_record: StoryRecord | None) -> ItemRow:
    return ItemRow(key, "", "", "", "created", "", "", "linked", "", story_record)


def story_record(number: int, group: str) -> StoryRecord:
    return StoryRecord(number, f"u{number}", "p", True, "then", group_id=group)


def row(number: int, group: str) -> StoryRow:
    return StoryRow(
        story_id=number,
        uuid=f"u{number}",
        name="",
        slug="p",
        full_slug="p",
        parent_id=0,
        is_folder=False,
        is_startpage=False,
        published=False,
        unpublished_changes=False,
        updated_at="then",
        content_type="x",
        group_id=group,
    )


@pytest.mark.parametrize("selected", [*permutations(KEYS)])
def test_new_stories_share_what_derives_from_the_item(
    selected: tuple[ItemKey, ...],
) -> None:
    """In any order, and not for another item or one of one language."""
    lone_item = ItemKey("c", "2", "en")
    found = wanted_groups(NAMESPACE, [*selected, lone_item], {}, [])
    assert found == dict.fromkeys(KEYS, derived_group(NAMESPACE, KEYS[0]))
    assert derived_group(NAMESPACE, lone_item) != found[KEYS[0]]


@given(st.lists(st.sampled_from(["g", "h", "ours", ""]), min_size=3, max_size=3))
def test_all_languages_want_one_group_that_is_there_if_any_is(
    groups: list[str],
) -> None:
    """The derived one first, else the oldest story's; listed before remembered."""
    derived = derived_group(NAMESPACE, KEYS[0])
    there = [derived if group == "ours" else group for group in groups]
    rows = {
        key: item(key, story_record(number, "older"))
        for number, key in enumerate(KEYS)
        if there[number]
    }
    listed = [row(number, group) for number, group in enumerate(there) if group]
    found = wanted_groups(NAMESPACE, KEYS, rows, listed)
    assert len(set(found.values())) == 1
    present = [group for group in there if group]
    wanted = derived if derived in present or not present else present[0]
    assert set(found.values()) == {wanted}
    assert wanted_groups(NAMESPACE, reversed(KEYS), rows, reversed(listed)) == found
