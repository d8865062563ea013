"""Story drafts: their keys, their order, their losses, their determinism."""

from __future__ import annotations

import random
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json, canonical
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.design import Encoding, LeftOutField
from cmsmig.mapping.draft import Place
from tests.support.mapping.drafting import (
    FR,
    TAGS,
    collection,
    content_type,
    context,
    draft_story,
    field,
    item,
    key,
    kinds,
    uploaded_asset,
)

DESIGN = content_type(
    field("title-text", Encoding.TEXT),
    field("body", Encoding.RICHTEXT, "RichText"),
    field("author", Encoding.RELATION, "Reference", target="c-people"),
    field("tags", Encoding.RELATIONS, "MultiReference", target=TAGS),
    field("film", Encoding.VIDEO_BLOCK, "VideoLink"),
    field("raw", Encoding.JSON_TEXT, "Sku"),
)
DATA: dict[str, Json] = {
    "title-text": "T",
    "body": "<p>x</p><figure class='w-richtext-figure-type-video' data-rt-type='video'>"
    "<div><iframe src='https://v.example/1'></iframe></div></figure>",
    "author": "p1",
    "tags": ["t3", "t1", "t2", "t1"],
    "film": "https://v.example/2",
    "raw": {"b": 1, "a": {"d": [2], "c": 3}},
    "stray": "kept nowhere",
}


def shuffled(value: Json, seed: random.Random) -> Json:
    """Return the same JSON with the keys of its objects in another order."""
    if isinstance(value, dict):
        names = list(value)
        seed.shuffle(names)
        return {name: shuffled(value[name], seed) for name in names}
    if isinstance(value, list):
        return [shuffled(each, seed) for each in value]
    return value


@given(st.randoms(use_true_random=False))
def test_a_draft_depends_on_content_not_on_order(seed: random.Random) -> None:
    """Neither the order of keys nor a second run changes a byte."""
    mixed = shuffled(dict(DATA), seed)
    assert isinstance(mixed, dict)
    around = context(DESIGN)
    first = draft_story(item(DATA), DESIGN, around)
    second = draft_story(item(mixed), DESIGN, context(DESIGN))
    assert list(first.content) == list(second.content)
    assert canonical(first.content) == canonical(second.content)
    assert first == second


def test_keys_come_in_the_designs_order_after_component_and_uid() -> None:
    """A reader of the JSON finds the fields as the editor shows them."""
    draft = draft_story(item(DATA), DESIGN, context(DESIGN))
    assert list(draft.content) == [
        "component",
        "_uid",
        "title_text",
        "body",
        "author",
        "tags",
        "film",
        "raw",
    ]
    assert draft.content["component"] == "post"
    assert draft.content["author"] == ""
    assert draft.content["tags"] == []


def test_relations_are_collected_in_the_origins_order() -> None:
    """Doubles too; targets are of the item's own locale."""
    places = {key("one", locale=FR): Place("fr/posts", "one", 10)}
    draft = draft_story(item(DATA, locale=FR), DESIGN, context(DESIGN, places=places))
    assert [(each.field, each.multiple) for each in draft.draft.relations] == [
        ("author", False),
        ("tags", True),
    ]
    assert draft.draft.relations[1].targets == tuple(
        ItemKey(TAGS, name, FR) for name in ("t3", "t1", "t2", "t1")
    )


@given(st.lists(st.sampled_from("abcdefgh"), max_size=12))
def test_the_order_of_a_multi_reference_is_kept(names: list[str]) -> None:
    """Element by element."""
    draft = draft_story(item({"tags": list(names)}), DESIGN, context(DESIGN))
    found = [each.item_id for use in draft.draft.relations for each in use.targets]
    assert found == names


def test_every_block_has_a_uid_of_its_own() -> None:
    """Root, blocks in bodies and embed blocks; another item's all differ."""
    other = item(DATA, name="two")
    places = {key("one"): Place("posts", "one", 1), key("two"): Place("posts", "2", 2)}
    around = context(DESIGN, places=places)
    found = [
        re.findall(
            rb'"_uid":"([^"]+)"', canonical(draft_story(each, DESIGN, around).content)
        )
        for each in (item(DATA), other)
    ]
    assert len(found[0]) == 3
    assert len({*found[0], *found[1]}) == 6


def test_values_that_no_field_takes_are_listed() -> None:
    """Unknown keys with their text; left-out fields with the reviewer's reason."""
    design = replace(
        content_type(),
        left_out=(
            LeftOutField("notes", "PlainText", "Internal."),
            LeftOutField("mood", "PlainText", ""),
        ),
    )
    data: dict[str, Json] = {
        "stray": {"b": 1},
        "notes": "call back",
        "mood": "good",
        "blank": "",
        "nothing": None,
        "none": [],
        "off": False,
    }
    draft = draft_story(item(data), design, context(design))
    assert [
        (each.field, each.loss.kind, each.loss.what, each.loss.why, each.loss.severity)
        for each in draft.losses
    ] == [
        (
            "mood",
            "left-out-field",
            "good",
            "It was decided to leave this field out.",
            "meaning",
        ),
        ("notes", "left-out-field", "call back", "Internal.", "meaning"),
        (
            "stray",
            "unmapped-field",
            '{"b": 1}',
            "No field of the design takes this value.",
            "content",
        ),
    ]


def test_envelope_values_are_text() -> None:
    """The optional section holds what the origin's envelope says."""
    design = content_type(
        *(
            field(name, Encoding.ENVELOPE, "envelope")
            for name in ("id", "createdOn", "lastPublished", "isDraft", "isArchived")
        )
    )
    draft = draft_story(item({}, draft=True), design, context(design))
    assert list(draft.content.values())[2:] == [
        "one",
        "2023-04-05T06:07:08.090Z",
        "",
        "true",
        "false",
    ]


def test_a_nameless_item_is_called_by_its_slug() -> None:
    """The destination refuses a story without a name."""
    around = context(DESIGN)
    assert draft_story(item({"name": " "}), DESIGN, around).name == "one"
    odd = draft_story(item({"name": {"en": "One"}}), DESIGN, around)
    assert odd.name == "one"
    assert kinds(odd) == ["unmapped-field"]


def test_the_schema_is_only_needed_for_its_rules() -> None:
    """Without a schema values are carried; with it they are checked as well."""
    design = content_type(field("n", Encoding.NUMBER, "Number"))
    schema = collection(("n", "Number", {"maxValue": 1}))
    value = item({"n": 2})
    assert kinds(draft_story(value, design, context(design))) == []
    checked = draft_story(value, design, context(design, schema=schema))
    assert checked.content["n"] == "2"
    assert kinds(checked) == ["validation"]


def test_the_asset_map_is_what_bodies_are_written_with() -> None:
    """A new map gives new content, and nothing else changes."""
    body = "<p>x</p><img src='https://files.example.net/a.png' alt='A'>"
    design = content_type(field("body", Encoding.RICHTEXT, "RichText"))
    address = "https://files.example.net/a.png"
    with_file = draft_story(
        item({"body": body}),
        design,
        context(design, assets={address: uploaded_asset(address)}),
    )
    without = draft_story(item({"body": body}), design, context(design))
    assert b"a.storyblok.com" in canonical(with_file.content)
    assert kinds(with_file) == []
    assert kinds(without) == ["missing-file"]
