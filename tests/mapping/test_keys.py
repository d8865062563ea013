"""Destination keys: valid, never reserved, never two alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.mapping.propose.field_keys import assign_keys, key_problem

SLUGS = st.text(
    st.sampled_from("abcé1_- 日i8n") | st.characters(), max_size=12
) | st.sampled_from(
    [
        "component",
        "_uid",
        "_editable",
        "a-b",
        "a_b",
        "a_b_2",
        "3d",
        "i18n",
        "a--i18n--fr",
    ]
)


@given(st.lists(SLUGS, unique=True, max_size=12))
def test_keys_are_valid_and_all_different(slugs: list[str]) -> None:
    """Whatever the slugs are, each field has its own key."""
    choices = assign_keys(slugs)
    keys = [choice.key for choice in choices]
    assert len(set(keys)) == len(slugs)
    assert [choice.slug for choice in choices] == slugs
    assert [key_problem(key) for key in keys] == [""] * len(keys)


@given(st.lists(SLUGS, unique=True, max_size=8))
def test_a_changed_key_is_explained(slugs: list[str]) -> None:
    """Only a hyphen that becomes an underscore needs no note."""
    for choice in assign_keys(slugs):
        plain = choice.slug.replace("-", "_") == choice.key
        assert bool(choice.note) is not plain


@pytest.mark.parametrize(
    ("slug", "key"),
    [
        ("main-image", "main_image"),
        ("component", "component_field"),
        ("_uid", "field_uid"),
        ("_editable", "field_editable"),
        ("3d-model", "field_3d_model"),
        ("catégorie", "categorie"),
        ("цена", "field"),
        ("title--i18n--fr", "title_i18n_fr"),
    ],
)
def test_a_slug_becomes_a_key_by_rule(slug: str, key: str) -> None:
    """Reserved and digit-first keys get a word, letters lose their accents."""
    assert assign_keys([slug])[0].key == key


def test_a_slug_that_is_a_good_key_keeps_it() -> None:
    """The field whose slug needs no change is not the one that is renamed."""
    assert [choice.key for choice in assign_keys(["a-b", "a_b", "a.b"])] == [
        "a_b_2",
        "a_b",
        "a_b_3",
    ]
