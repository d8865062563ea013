"""What is proposed for a whole site, before anybody has looked at it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import JsonObject
from cmsmig.mapping.decisions.choices import (
    ArchiveRule,
    BlocksDecision,
    DraftRule,
    ItemSet,
    PublishRule,
)
from cmsmig.mapping.decisions.decision_records import record_body
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
    propose_block_designs,
    propose_bodies,
    propose_collections,
    propose_design,
    propose_embeds,
    propose_locales,
)
from cmsmig.mapping.propose.text_marks import BodyMarks
from cmsmig.origin.schema import Collection, Item, Locale, Site
from tests.support.cases import cases, part
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


@cases(__file__, "designs.yaml")
def test_what_is_designed(case: dict[str, Any]) -> None:
    collections, items = [], {}
    for number, each in enumerate(case["collections"], start=1):
        fields = []
        for slug, kind in each.get("fields", {}).items():
            name, _, target = kind.partition(" into ")
            validations = {"collectionId": target, "singleLine": True}
            fields.append(make_field(slug, name, validations=validations))
        made = {name: each[name] for name in ("slug", "singular")}
        groups = tuple(each.get("groups", ()))
        collections.append(
            make_collection(f"c{number}", *fields, groups=groups, **made)
        )
        listed = enumerate(each.get("items", ()))
        items[f"c{number}"] = [make_item(f"i{n}", data=data) for n, data in listed]
    left_out = [each for each in case["collections"] if "migrated" in each]
    migrated = propose_collections(SITE, collections[: -len(left_out) or None])
    space = SpaceFacts(case.get("space", {}))
    found = propose_design(SITE, collections, source(items), migrated, space)
    assert part(record_body(found), case["design"]) == case["design"]
    assert case.get("without", "(nothing)") not in str(found.content_types[0].fields)
    wanted = case.get("components", {})
    assert part(as_space(found), wanted) == wanted


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


def test_several_locales_get_the_folders_that_keep_the_old_paths() -> None:
    """No folder for the primary or the only one, the subdirectory for the others, else
    the tag."""
    (locale,) = propose_locales(site(make_locale("l1", "en", "en", True)))
    assert (locale.migrate, locale.folder, locale.primary) == (True, "", True)
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


@pytest.mark.parametrize(
    ("tag", "rtl"),
    [
        ("he-IL", True),
        ("ar", True),
        ("pa-Arab-PK", True),
        ("es-AR", None),
        ("ar-Latn", None),
        ("en", None),
    ],
)
def test_texts_of_a_language_from_right_to_left_are_edited_so(
    tag: str, rtl: bool | None
) -> None:
    home = site(make_locale("l1", tag, "", True), make_locale("l2", "fa", "fa", False))
    collection = make_collection(
        "c1", make_field("about", "PlainText"), make_field("tint", "Color")
    )
    choices = propose_collections(home, [collection])
    design = propose_design(home, [collection], source({}), choices, SpaceFacts())
    schema = as_space(design)["post"]["schema"]
    assert isinstance(schema, dict)
    found = {
        key: body.get("rtl") for key, body in schema.items() if isinstance(body, dict)
    }
    assert found["about"] is rtl
    assert found["tint"] is None


def test_bodies_stay_one_richtext_field() -> None:
    """Only RichText fields are bodies."""
    found = propose_bodies(designed_for(POSTS, PEOPLE))
    assert [(one.collection_slug, one.field) for one in found.bodies] == [
        ("people", "bio")
    ]


@pytest.mark.processor_time(5)
@pytest.mark.parametrize("unit", ["<a ", "<span ", "<a href=", "<A\n<SPAN\t"])
def test_tags_that_never_end_are_looked_at_once(unit: str) -> None:
    """In a body of 60 KB; a class within the first of them is still found."""
    body = unit * (60_000 // len(unit))
    marks = BodyMarks()
    marks.add(body)
    assert marks.rules() == {}
    marks.add(f'{body}<p><span class="x">y</span></p>')
    (found,) = marks.rules().values()
    assert found == [{"name": "x", "value": "x"}]


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
        each for each in propose_block_designs() if each.role is BlockRole.EMBED
    )
