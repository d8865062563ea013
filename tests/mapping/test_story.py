"""Stories of items: their keys, losses, relations and links, and their determinism."""

from __future__ import annotations

import copy
import random
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json, canonical
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.convert.linking import link_story, resolve_links
from cmsmig.mapping.decisions.design import Encoding, LeftOutField
from cmsmig.mapping.draft import ExistingStory, Place
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from tests.support.cases import cases, part
from tests.support.mapping.drafting import (
    FILES,
    FR,
    TAGS,
    collection,
    content_type,
    context,
    draft_story,
    field,
    item,
    key,
    routes,
    uploaded_asset,
)

FIELDS = (
    field("one-tag", Encoding.RELATION, "Reference", target=TAGS),
    field("tags", Encoding.RELATIONS, "MultiReference", target=TAGS),
    field("link", Encoding.MULTILINK, "Link"),
    field("body", Encoding.RICHTEXT, "RichText"),
    field("text", Encoding.TEXTAREA),
    field("raw", Encoding.JSON_TEXT, "Sku"),
)
DESIGN = content_type(*FIELDS, field("film", Encoding.VIDEO_BLOCK, "VideoLink"))
DATA: dict[str, Json] = {
    "text": "T",
    "body": "<p>x</p><figure class='w-richtext-figure-type-video' data-rt-type='video'>"
    "<div><iframe src='https://v.example/1'></iframe></div></figure>",
    "one-tag": "p1",
    "tags": ["t3", "t1", "t2", "t1"],
    "film": "https://v.example/2",
    "raw": {"b": 1, "a": {"d": [2], "c": 3}},
    "stray": "kept nowhere",
}
PLACES = {
    key("one"): Place("posts", "one", 1),
    key("two"): Place("posts", "zwei", 2),
    key("two", locale=FR): Place("fr/posts", "deux", 1),
    **{key(name, collection=TAGS): Place("tags", name, 1) for name in "abcd"},
}
ROUTES = routes(PLACES, {key("two"): "two"})
THERE = {
    target: ExistingStory(f"uuid-{target.item_id}-{target.locale_id}", place.full_slug)
    for target, place in PLACES.items()
}
FILE = f"https://{FILES}/posts/two"
ASSETS = {FILE: uploaded_asset(FILE)}


@cases(__file__, "stories.yaml")
def test_what_an_item_becomes(case: dict[str, Any]) -> None:
    fields = FIELDS
    if "fields" in case:
        fields = tuple(
            field(each["origin"], Encoding(each["encoding"]), each.get("type", "Odd"))
            for each in case["fields"]
        )
    left_out = case.get("left_out", {}).items()
    design = replace(
        content_type(*fields, date_field=case.get("date_field", "")),
        left_out=tuple(LeftOutField(name, "PlainText", why) for name, why in left_out),
    )
    kinds = {each.origin: each.origin_type for each in fields}
    rules = case.get("rules", {}).items()
    schema = collection(*((name, kinds[name], rule) for name, rule in rules))
    around = context(
        design,
        assets=ASSETS,
        places=PLACES,
        time_zone=case.get("zone", "UTC"),
        schema=schema if rules else None,
    )
    made_of = item(case["data"], **case.get("item", {}))
    story = draft_story(made_of, design, around)
    existing = {} if "nothing_exists" in case else THERE
    links = resolve_links(story.draft, existing, ROUTES)
    linked = link_story(story, existing, ROUTES)
    found = {
        "name": story.name,
        "keys": [*story.content],
        "content": story.content,
        "losses": [{"field": e.field, **e.loss.as_json()} for e in story.losses],
        "dates": [story.draft.first_published_at, story.draft.sort_by_date],
        "relations": {
            use.field: [f"{each.item_id} in {each.locale_id}" for each in use.targets]
            for use in story.draft.relations
        },
        "linked": linked,
        "links": links.links,
        "left": {each.href: str(each.cause) for each in links.left},
        "pending": [each.item_id for each in links.pending],
        "changes": links.changes,
    }
    assert part(found, case["becomes"]) == case["becomes"]
    assert links.changes == (linked != story.content)
    foreseen = ROUTES.foreseen({}, ROUTES.places.keys())
    to_come = resolve_links(story.draft, foreseen, ROUTES).changes
    assert to_come == links.changes or "nothing_exists" in case


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


def draft(**data: Json) -> StoryDraft:
    """Return the story of an item with these values."""
    return draft_story(item(data), DESIGN, context(DESIGN))


@given(
    st.lists(st.sampled_from("abcdxy"), max_size=10), st.sets(st.sampled_from("abcd"))
)
def test_relations_are_filled_in_order(names: list[str], made: set[str]) -> None:
    """Element by element; dangling ones fall out, those to come are pending."""
    existing = {
        key(name, collection=TAGS): ExistingStory(f"u-{name}", f"tags/{name}")
        for name in made
    }
    story = draft(tags=list(names))
    wanted = [f"u-{name}" for name in names if name in made]
    assert link_story(story, existing, ROUTES)["tags"] == wanted
    found = resolve_links(story.draft, existing, ROUTES)
    assert found.relations == ((wanted,) if names else ())
    assert found.filled == len(wanted)
    assert set(found.pending) == {
        key(name, collection=TAGS) for name in names if name in "abcd"
    } - {key(name, collection=TAGS) for name in made}


@given(
    st.lists(st.sampled_from("abx"), max_size=4),
    st.lists(
        st.sampled_from(
            ("/posts/two", "/posts/two?a=1#b", "/about", "https://x.example", "#c", "")
        ),
        max_size=4,
    ),
)
def test_linking_changes_no_draft_and_is_idempotent(
    names: list[str], hrefs: list[str]
) -> None:
    """The draft stays as it was; what is linked is not linked again."""
    body = "".join(f'<p>t <a href="{href}">l</a></p>' for href in hrefs)
    first = draft(tags=list(names), link=hrefs[0] if hrefs else None, body=body)
    before = copy.deepcopy(first.content)
    linked = link_story(first, THERE, ROUTES)
    assert first.content == before
    again = link_story(replace(first, content=linked), THERE, ROUTES)
    assert again == linked
    assert list(linked) == list(first.content)


FILM = f"https://{FILES}/5f/film.mp4?a=1&b=2"
URL = FILM.replace("&", "&amp;")
BODY_ALONE = content_type(field("body", Encoding.RICHTEXT, "RichText"))


@pytest.mark.parametrize(
    "body",
    [
        f'<pre><a href="{URL}">x</a></pre>',
        f'<p>a</p><div class="w-embed"><video src="{URL}"></video></div>',
        f'<table><caption><a href="{URL}">x</a></caption><tr><td>a</td></tr></table>',
        f'<p><a href="{URL}" ping="{URL}" onclick="go()">x</a></p>',
    ],
)
@pytest.mark.parametrize("treatment", Treatment)
def test_losses_name_the_origins_addresses(body: str, treatment: Treatment) -> None:
    """No mark is left in them, wherever in the conversion they were noted."""
    treatments = dict.fromkeys(("embed", "media", "video"), treatment)
    asked = replace(
        context(
            BODY_ALONE,
            assets={FILM: uploaded_asset("https://a.storyblok.com/f/1/film.mp4")},
        ),
        embeds=EmbedPolicy(kinds=treatments),
    )
    story = draft_story(item({"body": body}), BODY_ALONE, asked)
    losses = [f"{each.loss.what} {each.loss.context}" for each in story.losses]
    assert not any(".invalid" in each for each in losses), losses
    assert ".invalid" not in str(story.content)
