"""The stories that exist and those to come, as one mapping."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cmsmig.item_key import ItemKey
from cmsmig.mapping.draft import ExistingStory, Place
from cmsmig.mapping.select.story_paths import ForeseenStories

KEYS = [ItemKey("posts", str(number), "") for number in range(6)]
PLACES = {key: Place("blog", key.item_id, 0) for key in KEYS[:5]}
THERE = st.dictionaries(
    st.sampled_from(KEYS),
    st.sampled_from([ExistingStory("a", "blog/a"), ExistingStory("b", "b")]),
)
COMING = st.sets(st.sampled_from(KEYS))


def listed(
    there: dict[ItemKey, ExistingStory], coming: set[ItemKey]
) -> dict[ItemKey, ExistingStory]:
    """Return the same as a dictionary that holds everything."""
    planned = {
        key: ExistingStory.planned(key, PLACES[key].full_slug)
        for key in coming & PLACES.keys()
    }
    return planned | there


@given(THERE, COMING)
def test_it_says_what_a_dictionary_of_all_would_say(
    there: dict[ItemKey, ExistingStory], coming: set[ItemKey]
) -> None:
    """Items, number, membership and lookups; foreseen stories hide no real one."""
    found = ForeseenStories(there, coming, PLACES)
    wanted = listed(there, coming)
    assert dict(found) == wanted
    assert len(found) == len(wanted)
    for key in KEYS:
        assert found.get(key) == wanted.get(key)
        assert (key in found) == (key in wanted)


@given(THERE, COMING, THERE, COMING)
def test_two_are_equal_as_dictionaries_are(
    there: dict[ItemKey, ExistingStory],
    coming: set[ItemKey],
    other_there: dict[ItemKey, ExistingStory],
    other_coming: set[ItemKey],
) -> None:
    """With the same places, with equal ones, and with a dictionary."""
    one = ForeseenStories(there, coming, PLACES)
    other = listed(other_there, other_coming)
    wanted = listed(there, coming) == other
    assert (one == ForeseenStories(other_there, other_coming, PLACES)) == wanted
    assert (one == ForeseenStories(other_there, other_coming, {**PLACES})) == wanted
    assert (one == other) == wanted
    assert (other == one) == wanted
