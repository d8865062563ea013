"""Phase two: relations in order, links to stories, nothing written needlessly."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json, canonical
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.convert.linking import LeftLink, link_story, resolve_links
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.mapping.draft import ExistingStory, Place
from cmsmig.mapping.select.routes import PageCause
from tests.support.mapping.drafting import (
    EN,
    FILES,
    FR,
    TAGS,
    content_type,
    context,
    draft_story,
    field,
    item,
    key,
    routes,
    uploaded_asset,
)

DESIGN = content_type(
    field("one-tag", Encoding.RELATION, "Reference", target=TAGS),
    field("tags", Encoding.RELATIONS, "MultiReference", target=TAGS),
    field("link", Encoding.MULTILINK, "Link"),
    field("body", Encoding.RICHTEXT, "RichText"),
    field("text", Encoding.TEXTAREA),
)


def tag(name: str) -> ItemKey:
    """Return a tag's key."""
    return key(name, collection=TAGS)


PLACES = {
    key("one"): Place("posts", "one", 1),
    key("two"): Place("posts", "zwei", 2),
    key("two", locale=FR): Place("fr/posts", "deux", 1),
    **{tag(name): Place("tags", name, 1) for name in "abcd"},
}
ROUTES = routes(PLACES, {key("two"): "two"})
HOMES = {
    target: ExistingStory(f"uuid-{target.item_id}-{target.locale_id}", place.full_slug)
    for target, place in PLACES.items()
}


def draft(**data: Json) -> StoryDraft:
    """Return the draft of an item with these values; `_` stands for `-`."""
    values = {name.replace("_", "-"): value for name, value in data.items()}
    return draft_story(item(values), DESIGN, context(DESIGN))


@given(
    st.lists(st.sampled_from("abcdxy"), max_size=10), st.sets(st.sampled_from("abcd"))
)
def test_relations_are_filled_in_order(names: list[str], made: set[str]) -> None:
    """Element by element; dangling ones fall out, those to come are pending."""
    existing = {tag(name): ExistingStory(f"u-{name}", f"tags/{name}") for name in made}
    story = draft(tags=list(names))
    wanted = [f"u-{name}" for name in names if name in made]
    assert link_story(story, existing, ROUTES)["tags"] == wanted
    found = resolve_links(story.draft, existing, ROUTES)
    assert found.relations == ((wanted,) if names else ())
    assert found.filled == len(wanted)
    assert set(found.pending) == {tag(name) for name in names if name in "abcd"} - {
        tag(name) for name in made
    }


def test_a_single_relation_is_one_uuid() -> None:
    """Text, not a list; empty while there is nothing to refer to."""
    assert link_story(draft(one_tag="a"), HOMES, ROUTES)["one_tag"] == (f"uuid-a-{EN}")
    assert link_story(draft(one_tag="x"), HOMES, ROUTES)["one_tag"] == ""
    assert link_story(draft(one_tag="a"), {}, ROUTES)["one_tag"] == ""


@pytest.mark.parametrize(
    ("href", "link"),
    [
        ("/posts/two", {"url": "", "cached_url": "posts/zwei"}),
        (
            "https://harbour.example/posts/two/#part",
            {"url": "", "cached_url": "posts/zwei", "anchor": "part"},
        ),
        (
            "/posts/two?ref=1#part",
            {"url": "/posts/zwei?ref=1", "cached_url": "posts/zwei", "anchor": "part"},
        ),
    ],
)
def test_link_fields_lead_to_stories(href: str, link: dict[str, Json]) -> None:
    """UUID, path and anchor; a query stands beside them."""
    story = draft(link=href)
    assert link_story(story, HOMES, ROUTES)["link"] == {
        "id": f"uuid-two-{EN}",
        "linktype": "story",
        "fieldtype": "multilink",
        **link,
    }
    found = resolve_links(story.draft, HOMES, ROUTES)
    assert (found.links, found.left, found.pending) == (1, (), ())


def test_links_in_bodies_lead_to_stories() -> None:
    """Marks with UUID and path, also inside of blocks; the locale is the path's."""
    body = (
        '<p><a href="/posts/two?x=1#y">a</a> <a href="/fr/posts/deux">b</a>'
        '<a href="https://other.example/">c</a></p>'
        '<figure class="w-richtext-figure-type-image"><a href="/posts/two"><div>'
        f'<img src="https://{FILES}/a.png" alt="A"></div></a></figure>'
    )
    story = draft(body=body)
    text = canonical(link_story(story, HOMES, ROUTES)["body"]).decode()
    assert resolve_links(story.draft, HOMES, ROUTES).links == 3
    assert '"href":"/posts/zwei?x=1"' in text
    assert '"anchor":"y"' in text
    assert f'"uuid":"uuid-two-{FR}"' in text
    assert f'"id":"uuid-two-{EN}"' in text
    assert "https://other.example/" in text
    assert "/posts/two" not in text


def test_links_that_stay_are_told_by_cause() -> None:
    """Static pages, collection pages and items that are not migrated."""
    body = (
        '<p><a href="/about">a</a><a href="/posts">b</a><a href="/posts/no">c</a></p>'
    )
    first = draft(body=body, link="/")
    assert link_story(first, HOMES, ROUTES) == first.content
    assert set(resolve_links(first.draft, HOMES, ROUTES).left) == {
        LeftLink("/", PageCause.STATIC),
        LeftLink("/about", PageCause.STATIC),
        LeftLink("/posts", PageCause.TEMPLATE),
        LeftLink("/posts/no", PageCause.UNLISTED),
    }


def test_a_link_to_a_story_to_come_stays_and_is_pending() -> None:
    """The next run fills it; until then the old address stands."""
    first = draft(link="/posts/two", body='<p><a href="/posts/two">a</a></p>')
    assert link_story(first, {}, ROUTES) == first.content
    assert resolve_links(first.draft, {}, ROUTES).pending == (key("two"),)


@pytest.mark.parametrize(
    ("data", "needed"),
    [
        ({}, False),
        ({"tags": ["x"], "one_tag": "y"}, False),
        ({"link": "https://other.example/"}, False),
        ({"link": "/about"}, False),
        ({"text": '<a href="/posts/two">verbatim</a>'}, False),
        ({"tags": ["x", "a"]}, True),
        ({"one_tag": "a"}, True),
        ({"link": "/posts/two"}, True),
        ({"body": '<p><a href="/posts/two">a</a></p>'}, True),
    ],
)
def test_only_what_has_something_to_fill_needs_an_update(
    data: dict[str, Json], needed: bool
) -> None:
    """Known before any story exists, and equal once they all do."""
    first = draft(**data)
    for existing in (ROUTES.foreseen({}, ROUTES.places.keys()), HOMES):
        assert (link_story(first, existing, ROUTES) != first.content) is needed
        assert resolve_links(first.draft, existing, ROUTES).changes is needed


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
    linked = link_story(first, HOMES, ROUTES)
    assert first.content == before
    again = link_story(replace(first, content=linked), HOMES, ROUTES)
    assert again == linked
    assert list(linked) == list(first.content)


def test_links_to_uploaded_files_are_no_routes() -> None:
    """An asset's address is left alone, wherever it is."""
    address = f"https://{FILES}/posts/two"
    around = context(DESIGN, assets={address: uploaded_asset(address)})
    first = draft_story(item({"link": address}), DESIGN, around)
    assert link_story(first, HOMES, ROUTES) == first.content
