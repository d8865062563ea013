"""Slugs and places: valid, unique in their folder, the same on every run."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.errors import UndecidedError
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import LocaleChoice
from cmsmig.mapping.draft import ExistingStory, Place
from cmsmig.mapping.select.selection import PublicationState, Selected
from cmsmig.mapping.select.slugs import LONGEST_SLUG, normalised_slug, slug_problem
from cmsmig.mapping.select.story_paths import ForeseenStories, assign_places
from cmsmig.origin.schema import Item
from tests.support.cases import cases
from tests.support.mapping.design_builders import make_design, make_item, make_type

LOCALES = (
    LocaleChoice(
        locale_id="en", tag="en", migrate=True, folder="", primary=True, name="English"
    ),
    LocaleChoice(locale_id="fr", tag="fr", migrate=True, folder="fr", name="French"),
)


def chosen(item: Item, live_slug: str = "") -> Selected:
    """Return an item as selected."""
    return Selected(item, bool(live_slug), PublicationState.PUBLISHED, live_slug)


@pytest.mark.parametrize(
    ("slug", "expected"),
    [
        ("aod---by-role", "aod---by-role"),
        ("-kept-as-it-is-", "-kept-as-it-is-"),
        ("Über uns", "uber-uns"),
        ("about#team", "about-team"),
        ("a/b", "a-b"),
        ("Straße", "strasse"),
        ("зимний-2024", "zimniy-2024"),
        ("ニュース", "niyusu"),
        ("שָׁלוֹם", "sahlvom"),
        ("أحمد سامي", "hmd-smy"),
        ("Đà Nẵng ½", "da-nang-1-2"),
        ("☃", ""),
        ("..", ""),
        ("x" * 300, "x" * LONGEST_SLUG),
    ],
)
def test_slugs_are_normalised_by_rule(slug: str, expected: str) -> None:
    """A slug that the destination takes is never touched."""
    assert normalised_slug(slug) == expected


SLUG = st.sampled_from(
    ["a", "A", "a-2", "a-3", "ä", "", "日", "b", "x" * 300]
) | st.text(max_size=6)


@given(st.lists(st.tuples(SLUG, st.integers(0, 3)), max_size=12), st.randoms())
def test_slugs_are_valid_unique_and_independent_of_order(
    rows: list[tuple[str, int]], shuffler: random.Random
) -> None:
    """Any slugs, any order of items: the same injective assignment."""
    items = [
        chosen(make_item(f"i{index}", slug=slug, created=f"2024-01-0{day + 1}"))
        for index, (slug, day) in enumerate(rows)
    ]
    design = make_design(make_type())
    found = assign_places({"c1": items}, design, ())
    slugs = [place.slug for place in found.places.values()]
    assert len(set(slugs)) == len(items) == len(found.places)
    assert [slug_problem(slug) for slug in slugs] == [""] * len(slugs)
    shuffler.shuffle(items)
    assert assign_places({"c1": items}, design, ()) == found


@cases(__file__, "places.yaml")
def test_where_the_stories_of_items_are(case: dict[str, Any]) -> None:
    items: dict[str, list[Selected]] = {}
    for each in case["items"]:
        about = {"collection": "c1", **each}
        live_slug, item_id = about.pop("live_slug", ""), about.pop("id")
        made = chosen(make_item(item_id, **about), live_slug)
        items.setdefault(about["collection"], []).append(made)
    types = [
        make_type(f"c{number}", **each)
        for number, each in enumerate(case["types"], start=1)
    ]
    locales = LOCALES if "locales" in case else ()
    found = assign_places(items, make_design(*types), locales)
    names = {key: f"{key.item_id} {key.locale_id}".strip() for key in found.places}
    paths = {names[key]: place.full_slug for key, place in found.places.items()}
    positions = {names[key]: place.position for key, place in found.places.items()}
    assert paths == case.get("places", paths)
    assert positions == case.get("positions", positions)
    changes = sorted([names[each.key], each.old, each.new] for each in found.changes)
    assert changes == case.get("changes", [])
    folders = [[each.path, each.name, each.default_root] for each in found.folders]
    assert folders == case.get("folders", folders)
    for each in found.folders:
        assert each.path == f"{each.parent}/{each.slug}".removeprefix("/")


def test_a_number_beyond_all_floats_is_an_order_too() -> None:
    numbers = {"a": 2, "h": 10**400, "i": -(10**400)}
    items = [chosen(make_item(name, data={"order": n})) for name, n in numbers.items()]
    design = make_design(make_type(order_field="order"))
    places = assign_places({"c1": items}, design, ()).places
    ranked = sorted(places, key=lambda key: places[key].position)
    assert [key.item_id for key in ranked] == ["i", "a", "h"]


def test_a_collection_without_a_design_is_undecided() -> None:
    """Its items would have no place, so nothing is assigned."""
    with pytest.raises(UndecidedError, match="c9"):
        assign_places({"c9": [chosen(make_item())]}, make_design(make_type()), ())


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
        key: ExistingStory.planned(key, PLACES[key]) for key in coming & PLACES.keys()
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
