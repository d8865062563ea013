"""Slugs and places: valid, unique in their folder, the same on every run."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.errors import UndecidedError
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import LocaleChoice
from cmsmig.mapping.select.selection import PublicationState, Selected
from cmsmig.mapping.select.slugs import LONGEST_SLUG, normalised_slug, slug_problem
from cmsmig.mapping.select.story_paths import assign_places
from cmsmig.origin.schema import Item
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
        ("日本", ""),
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


def test_the_oldest_of_equal_slugs_keeps_it_and_the_others_are_numbered() -> None:
    """Each change is recorded with the old address, for a redirect."""
    items = [
        chosen(make_item("late", slug="news", created="2024-03-01")),
        chosen(make_item("early", slug="news", created="2024-01-01")),
        chosen(make_item("other", slug="news-2", created="2024-05-01")),
    ]
    found = assign_places({"c1": items}, make_design(make_type()), ())
    slugs = {key.item_id: place.slug for key, place in found.places.items()}
    assert slugs == {"early": "news", "late": "news-3", "other": "news-2"}
    assert [(one.key.item_id, one.old, one.new) for one in found.changes] == [
        ("late", "news", "news-3")
    ]


def test_an_item_without_a_usable_slug_gets_one_of_its_name_or_id() -> None:
    """The name first, then the id."""
    items = [
        chosen(make_item("a1", slug="", name="Größe & Farbe")),
        chosen(make_item("B2", slug="日本", name="日本")),
    ]
    found = assign_places({"c1": items}, make_design(make_type()), ())
    assert {place.slug for place in found.places.values()} == {"grosse-farbe", "b2"}
    assert [change.old for change in found.changes] == ["日本", ""]


def test_a_live_page_under_an_older_slug_is_recorded_too() -> None:
    """Visitors know the live slug, editors have changed it since."""
    entry = chosen(make_item("one", slug="new"), live_slug="old")
    found = assign_places({"c1": [entry]}, make_design(make_type()), ())
    assert [(one.old, one.new) for one in found.changes] == [("old", "new")]


def test_the_new_path_equals_the_old_one() -> None:
    """The primary locale has no prefix, a secondary one its subdirectory."""
    items = [
        chosen(make_item("one", locale="en", slug="hello")),
        chosen(make_item("one", locale="fr", slug="bonjour")),
    ]
    found = assign_places({"c1": items}, make_design(make_type()), LOCALES)
    assert {place.full_slug for place in found.places.values()} == {
        "posts/hello",
        "fr/posts/bonjour",
    }


def test_folders_come_parents_first_with_what_new_stories_in_them_get() -> None:
    """A secondary locale has only the folders that its items need."""
    design = make_design(
        make_type("c1", component="post", folder="posts"),
        make_type("c2", component="person", folder="people"),
    )
    items = {"c1": [chosen(make_item("one", locale="fr"))], "c2": []}
    found = assign_places(items, design, LOCALES)
    assert [
        (folder.path, folder.parent, folder.slug, folder.default_root)
        for folder in found.folders
    ] == [
        ("fr", "", "fr", "post"),
        ("people", "", "people", "person"),
        ("posts", "", "posts", "post"),
        ("fr/posts", "fr", "posts", "post"),
    ]
    assert found.folders[0].name == "French"


def test_a_story_never_takes_the_slug_of_a_folder_beside_it() -> None:
    """A collection without a folder of its own lies beside the others' folders."""
    design = make_design(make_type("c1", folder=""), make_type("c2", folder="posts"))
    items = {"c1": [chosen(make_item("one", slug="posts"))]}
    found = assign_places(items, design, ())
    assert found.places[ItemKey("c1", "one", "")].full_slug == "posts-2"


def test_two_collections_may_share_a_folder() -> None:
    """Equal slugs meet there, and positions run on through both."""
    design = make_design(make_type("c1"), make_type("c2", component="page"))
    items = {
        "c1": [chosen(make_item("one", collection="c1", slug="a"))],
        "c2": [chosen(make_item("two", collection="c2", slug="a"))],
    }
    places = assign_places(items, design, ()).places.values()
    assert {place.full_slug for place in places} == {"posts/a", "posts/a-2"}
    assert Counter(place.position for place in places) == {10: 1, 20: 1}


def test_positions_follow_the_order_field_and_then_the_origin() -> None:
    """Items without a number come last, by creation; zero and halves count."""
    values: dict[str, object] = {
        "a": 2,
        "b": None,
        "c": 0,
        "d": 1.5,
        "e": True,
        "f": "1",
        "g": float("nan"),
        "h": 10**400,
        "i": -(10**400),
    }
    items = [
        chosen(make_item(name, created=f"2024-01-{31 - index}", data={"order": value}))
        for index, (name, value) in enumerate(values.items())
    ]
    design = make_design(make_type(order_field="order"))
    places = assign_places({"c1": items}, design, ()).places
    ranked = sorted(places, key=lambda key: places[key].position)
    assert "".join(key.item_id for key in ranked) == "icda" + "hgfeb"
    assert [places[key].position for key in ranked] == list(range(10, 100, 10))


def test_a_collection_without_a_design_is_undecided() -> None:
    """Its items would have no place, so nothing is assigned."""
    with pytest.raises(UndecidedError, match="c9"):
        assign_places({"c9": [chosen(make_item())]}, make_design(make_type()), ())
