"""What is proposed for a whole site, before anybody has looked at it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import JsonObject
from cmsmig.mapping.decisions.choices import (
    ArchiveRule,
    BlocksDecision,
    CollectionsDecision,
    DraftRule,
    ItemSet,
    PublishRule,
)
from cmsmig.mapping.decisions.design import (
    BlockRole,
    Design,
    Encoding,
    FieldDesign,
)
from cmsmig.mapping.propose.additions import with_missing_blocks
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.proposals import (
    propose_blocks,
    propose_bodies,
    propose_collections,
    propose_design,
    propose_embeds,
    propose_locales,
)
from cmsmig.origin.schema import Collection, Item, Locale, Site
from tests.support.mapping.design_builders import (
    SITE,
    make_collection,
    make_field,
    make_item,
    make_locale,
    make_type,
    source,
)


def site(*locales: Locale) -> Site:
    """Return a site with these locales."""
    return Site("s", "Site", "site", "America/Los_Angeles", (), locales)


def designed_for(
    *collections: Collection,
    items: dict[str, list[Item]] | None = None,
    space: SpaceFacts | None = None,
) -> Design:
    """Return the design that is proposed with the proposed collections."""
    return propose_design(
        SITE,
        collections,
        source(items or {}),
        propose_collections(SITE, collections),
        space or SpaceFacts(),
    )


def test_everything_staged_is_proposed_and_nothing_published() -> None:
    """Archived items stay behind, drafts come along, and the note counts."""
    items = source(
        {"c1": [make_item("a", published="2024"), make_item("b", draft=True)]},
        {"c1": [make_item("a", published="2024")]},
    )
    (choice,) = propose_collections(SITE, [make_collection()], items).collections
    assert (choice.migrate, choice.items) == (True, ItemSet.STAGED)
    assert (choice.drafts, choice.archived) == (DraftRule.AS_DRAFTS, ArchiveRule.SKIP)
    assert choice.publish is PublishRule.NOTHING
    assert choice.note == "2 items, 1 live: 1 published, 1 draft."


def test_one_locale_needs_no_folder() -> None:
    """Whatever its subdirectory is called."""
    (locale,) = propose_locales(site(make_locale("l1", "en", "en", True)))
    assert (locale.migrate, locale.folder, locale.primary) == (True, "", True)


def test_several_locales_get_the_folders_that_keep_the_old_paths() -> None:
    """No folder for the primary, the subdirectory for the others, else the tag."""
    off = Locale("l4", "es", "Spanish", "es", False, False)
    found = propose_locales(
        site(
            Locale("l1", "en", "English", "", False, True),
            make_locale("l2", "fr-FR", "fr", False),
            make_locale("l3", "de-AT", "", False),
            off,
        )
    )
    assert [(one.tag, one.migrate, one.folder) for one in found] == [
        ("en", True, ""),
        ("fr-FR", True, "fr"),
        ("de-AT", True, "de-at"),
        ("es", False, ""),
    ]


def test_a_collection_becomes_a_content_type_and_a_folder() -> None:
    """Name and slug are the story's own; the folder is the collection's slug."""
    collection = make_collection(
        "c1",
        make_field("title", "PlainText", validations={"singleLine": True}),
        make_field("component", "PlainText", validations={"singleLine": True}),
        slug="blog-posts",
        singular="Blog Post",
    )
    (found,) = designed_for(collection).content_types
    assert (found.component, found.folder) == ("blog_post", "blog-posts")
    assert [field.key for field in found.fields] == ["title", "component_field"]
    assert found.fields[1].note == (
        "Renamed from `component` to `component_field`: the destination keeps such "
        "keys for itself."
    )


def test_collections_that_are_not_migrated_are_not_designed() -> None:
    """And a relation into one says that it stays empty."""
    posts = make_collection(
        "c1", make_field("by", "Reference", validations={"collectionId": "c2"})
    )
    people = make_collection("c2", slug="people", singular="Person")
    decision = CollectionsDecision((), propose_collections(SITE, [posts]).collections)
    found = propose_design(SITE, [posts, people], source({}), decision, SpaceFacts())
    (content_type,) = found.content_types
    assert "not migrated" in content_type.fields[0].note


@pytest.mark.parametrize(
    ("slug", "values", "chosen"),
    [
        ("order", [1, 2], True),
        ("sort-order", [1], True),
        ("position", [0], True),
        ("order", [None], False),
        ("order-total", [1], False),
        ("price", [1], False),
    ],
)
def test_an_order_like_number_gives_the_position(
    slug: str, values: list[int | None], chosen: bool
) -> None:
    """By its name, and only when it is in use; the note says why."""
    items = [make_item(f"i{n}", data={slug: value}) for n, value in enumerate(values)]
    collection = make_collection("c1", make_field(slug, "Number"))
    (found,) = designed_for(collection, items={"c1": items}).content_types
    assert found.order_field == (slug if chosen else "")
    assert ("position" in found.fields[0].note) is chosen


@pytest.mark.parametrize(
    ("dates", "chosen"),
    [
        ({"publish-date": "2024-01-01T10:00:00Z"}, "publish-date"),
        ({"date": "2023-01-01T10:00:00Z"}, "date"),
        ({"date": "2030-01-01T10:00:00Z"}, ""),
        (
            {"date": "2023-01-01T10:00:00Z", "published-on": "2023-02-01T10:00:00Z"},
            "published-on",
        ),
        ({"birthday": "1990-01-01T00:00:00Z"}, ""),
        ({"publish-date": None}, ""),
    ],
)
def test_a_publication_date_is_found_by_name_and_values(
    dates: JsonObject, chosen: str
) -> None:
    """A plain date that lies ahead of the item's last change is an event's."""
    collection = make_collection(
        "c1", *(make_field(slug, "DateTime") for slug in dates)
    )
    items = {"c1": [make_item(data=dates)]}
    (found,) = designed_for(collection, items=items).content_types
    assert found.date_field == chosen


def test_few_publication_dates_are_enough_and_the_note_counts_the_rest() -> None:
    """The items without one go by their creation, and those without an order last."""
    collection = make_collection(
        "c1", make_field("published-on", "DateTime"), make_field("order", "Number")
    )
    items = [
        make_item("a", data={"published-on": "2023-01-01T10:30:00Z", "order": 1}),
        make_item("b"),
        make_item("c"),
    ]
    (found,) = designed_for(collection, items={"c1": items}).content_types
    assert (found.date_field, found.order_field) == ("published-on", "order")
    assert "the items without it (2 of 3) go by their creation" in found.fields[0].note
    assert "the items without it (2 of 3) come last" in found.fields[1].note


def test_field_groups_become_sections() -> None:
    """They list fields by id; a group without fields of ours is no section."""
    groups: tuple[JsonObject, ...] = (
        {"id": "g1", "displayName": "SEO", "fields": ["id-meta", "id-name"]},
        {"id": "g2", "displayName": "Own", "fields": ["id-slug"]},
    )
    collection = make_collection(
        "c1",
        make_field("title", "PlainText"),
        make_field("meta", "PlainText"),
        groups=groups,
    )
    (found,) = designed_for(collection).content_types
    assert [(one.key, one.display_name, one.fields) for one in found.sections] == [
        ("seo", "SEO", ("meta",))
    ]


POSTS = make_collection(
    "c1", make_field("by", "Reference", validations={"collectionId": "c2"})
)
PEOPLE = make_collection(
    "c2",
    make_field("bio", "RichText"),
    make_field("boss", "Reference", validations={"collectionId": "c2"}),
    slug="people",
    singular="Person",
)


def as_space(design: Design) -> dict[str, JsonObject]:
    """Return what the space holds once a design was prepared."""
    return {body.name: body.body for body in component_bodies(design)}


def test_equal_components_of_the_space_are_used_as_they_are() -> None:
    """A proposal after an import is the one before it, but for its notes."""
    before = designed_for(POSTS, PEOPLE)
    after = designed_for(POSTS, PEOPLE, space=SpaceFacts(as_space(before)))
    assert as_space(after) == as_space(before)
    assert "equal component `post`" in after.content_types[0].note


def test_a_different_component_of_the_space_is_never_touched() -> None:
    """Ours gets the collection's name; what points to it follows or moves too."""
    space = SpaceFacts({"person": {"name": "person", "schema": {}, "is_root": True}})
    found = designed_for(POSTS, PEOPLE, space=space)
    assert [one.component for one in found.content_types] == ["post", "people"]
    assert "different one" in found.content_types[1].note
    by = as_space(found)["post"]["schema"]
    assert isinstance(by, dict)
    assert isinstance(by["by"], dict)
    assert by["by"]["filter_content_type"] == ["people"]


def test_a_taken_block_name_moves_and_keeps_its_role() -> None:
    """The conversion asks the design for the block by its role."""
    found = designed_for(POSTS, space=SpaceFacts({"embed": {"is_nestable": True}}))
    assert [block.component for block in found.blocks] == [
        "html_embed",
        "embed_2",
        "figure",
    ]


def test_blocks_keep_their_names_from_content_types() -> None:
    """Front ends know blocks by fixed names, also those that come later."""
    quotes = make_collection("c1", slug="quotes", singular="Quote")
    figures = make_collection("c2", slug="figure", singular="Figure")
    found = designed_for(quotes, figures)
    components = [each.component for each in found.content_types]
    assert components == ["quotes", "figure_2"]
    notes = [each.note for each in found.content_types]
    assert "Not named `quote`, since a block has that name." in notes[0]
    assert "Not named `figure`, since another has it." in notes[1]
    assert "figure" in [block.component for block in found.blocks]


NAMES = st.sampled_from(["Post", "post", "POST", "Embed", "日本", "", "Page"])


@given(
    st.lists(NAMES, max_size=5),
    st.sets(st.sampled_from(["post", "posts", "page", "embed", "post_2"])),
)
def test_component_names_never_collide(names: list[str], taken: set[str]) -> None:
    """Neither with each other nor with what the space holds."""
    collections = [
        make_collection(f"c{index}", slug="posts", singular=name)
        for index, name in enumerate(names)
    ]
    space = SpaceFacts({name: {"is_root": False} for name in taken})
    found = designed_for(*collections, space=space)
    components = [body.name for body in component_bodies(found)]
    assert len(set(components)) == len(names) + 3
    assert not taken & set(components)
    folders = [one.folder for one in found.content_types]
    assert len(set(folders)) == len(names)


def test_bodies_stay_one_richtext_field() -> None:
    """Only RichText fields are bodies."""
    found = propose_bodies(designed_for(POSTS, PEOPLE))
    assert [(one.collection_slug, one.field) for one in found.bodies] == [
        ("people", "bio")
    ]


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_items_changes_no_proposal(shuffler: random.Random) -> None:
    """A proposal is a function of the set of items."""
    values: list[JsonObject] = [
        {"a": "x", "b": 1},
        {"a": "x\ny", "c": {"z": 1}},
        {"a": None, "extra": "kept"},
        {"b": 2.5, "c": "text"},
    ]
    items = [make_item(f"i{n}", data=value) for n, value in enumerate(values)]
    collection = make_collection(
        "c1",
        make_field("a", "PlainText"),
        make_field("b", "Number"),
        make_field("c", "Odd"),
    )
    expected = designed_for(collection, items={"c1": list(items)})
    shuffler.shuffle(items)
    assert designed_for(collection, items={"c1": items}) == expected


def test_a_design_with_videos_gets_the_block_that_they_become() -> None:
    """Where a project without rich text has none yet."""
    film = FieldDesign("film", "VideoLink", "film", Encoding.VIDEO_BLOCK, "Film")
    bare = Design((make_type("c1", film),), ())
    grown, added = with_missing_blocks(
        bare, BlocksDecision(()), propose_embeds(), SpaceFacts()
    )
    assert [(each.kind, each.name) for each in added] == [("block", "embed")]
    assert grown.blocks == tuple(
        each for each in propose_blocks() if each.role is BlockRole.EMBED
    )
