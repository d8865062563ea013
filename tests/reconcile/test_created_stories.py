"""The record that a story is created with."""

from __future__ import annotations

from cmsmig.canonical import JsonObject
from cmsmig.reconcile.rules.story_fields import story_to_create

BARE: JsonObject = {"name": "One", "slug": "one", "folder": "", "content.n": "2"}


def test_a_story_is_created_with_all_that_is_wanted_and_never_published() -> None:
    """Folder, position, dates, group, languages, start page, tags and content."""
    fields = BARE | {
        "position": 10,
        "first_published_at": "2023-04-05T06:07:08.090Z",
        "sort_by_date": "2023-04-05",
        "start page": True,
        "tags": ["red"],
        "name in fr": "Un",
        "slug in fr": "un",
    }
    assert story_to_create(fields, parent_id=42, group_id="g") == {
        "name": "One",
        "slug": "one",
        "parent_id": 42,
        "position": 10,
        "first_published_at": "2023-04-05T06:07:08.090Z",
        "sort_by_date": "2023-04-05",
        "group_id": "g",
        "translated_slugs_attributes": [{"lang": "fr", "name": "Un", "slug": "un"}],
        "is_startpage": True,
        "tag_list": ["red"],
        "content": {"n": "2"},
    }


def test_a_story_is_created_without_empty_keys() -> None:
    """At the root it has no folder."""
    assert [*story_to_create(BARE, parent_id=0)] == ["name", "slug", "content"]
