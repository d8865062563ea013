"""Routes: where the old site's addresses lead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.mapping.decisions.choices import FormerPath
from cmsmig.mapping.draft import Place
from cmsmig.mapping.propose.former_paths import find_renamed
from cmsmig.mapping.select.routes import PageCause, RouteTarget, StaticPage
from tests.support.mapping.drafting import (
    EN,
    FR,
    POSTS,
    TAGS,
    collection,
    item,
    key,
    routes,
    site,
)

ONE = key("one")
ONE_FR = key("one", locale=FR)
TAG = key("t1", collection=TAGS)
CAFE = key("cafe")
PLACES = {
    ONE: Place("posts", "one", 1),
    ONE_FR: Place("fr/posts", "un", 1),
    TAG: Place("tags", "one", 1),
    CAFE: Place("posts", "cafe", 2),
}
SLUGS = {ONE: "One", ONE_FR: "un", TAG: "one", CAFE: "café"}


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("/posts/One", RouteTarget(ONE, "", "")),
        ("/posts/one/", RouteTarget(ONE, "", "")),
        ("/POSTS/ONE?ref=a&b=c#part", RouteTarget(ONE, "part", "ref=a&b=c")),
        ("/tags/one", RouteTarget(TAG, "", "")),
        ("/posts/caf%C3%A9", RouteTarget(CAFE, "", "")),
        ("/posts/café#été", RouteTarget(CAFE, "été", "")),
        ("/fr/posts/un", RouteTarget(ONE_FR, "", "")),
        ("https://www.harbour.example/posts/One", RouteTarget(ONE, "", "")),
        ("http://harbour.example/posts/One", RouteTarget(ONE, "", "")),
        ("HTTPS://Harbour-News.webflow.io/fr/posts/un", RouteTarget(ONE_FR, "", "")),
        ("//www.harbour.example:443/posts/One", RouteTarget(ONE, "", "")),
        (" /posts/One ", RouteTarget(ONE, "", "")),
        ("/", StaticPage("/", PageCause.STATIC)),
        ("https://harbour.example", StaticPage("/", PageCause.STATIC)),
        ("/about?x=1", StaticPage("/about", PageCause.STATIC)),
        ("/posts", StaticPage("/posts", PageCause.TEMPLATE)),
        ("/fr/posts/", StaticPage("/fr/posts/", PageCause.TEMPLATE)),
        ("/posts/two", StaticPage("/posts/two", PageCause.UNLISTED)),
        ("/fr/tags/one", StaticPage("/fr/tags/one", PageCause.UNLISTED)),
        ("https://other.example/posts/One", None),
        ("https://www.harbour.example.evil.example/posts/One", None),
        ("https://www.harbour.example@evil.example/posts/One", None),
        ("mailto:a@harbour.example", None),
        ("tel:+44", None),
        ("#part", None),
        ("?x=1", None),
        ("posts/One", None),
        ("", None),
    ],
)
def test_where_an_address_leads(
    href: str, target: RouteTarget | StaticPage | None
) -> None:
    """To an item, to a page that stays, or out of the site."""
    assert routes(PLACES, SLUGS).resolve(href, EN) == target


def test_a_path_of_two_locales_means_the_primarys_item() -> None:
    """Without a subdirectory of its own a locale is told by who links."""
    shared = routes(
        {ONE: Place("posts", "one", 1), ONE_FR: Place("posts", "un", 1)},
        {ONE: "one", ONE_FR: "one"},
        secondary="",
    )
    alone = routes({ONE_FR: Place("posts", "un", 1)}, {ONE_FR: "one"}, secondary="")
    assert shared.resolve("/posts/one", FR) == RouteTarget(ONE, "", "")
    assert alone.resolve("/posts/one", FR) == RouteTarget(ONE_FR, "", "")


def test_slugs_that_differ_in_case_are_told_apart() -> None:
    """The exact path wins over the one that only looks alike."""
    other = key("two")
    places = {ONE: Place("posts", "one", 1), other: Place("posts", "one-2", 2)}
    found = routes(places, {ONE: "one", other: "One"})
    assert found.resolve("/posts/one", EN) == RouteTarget(ONE, "", "")
    assert found.resolve("/posts/One", EN) == RouteTarget(other, "", "")


POSTS_BEFORE = FormerPath("/news/all", "posts", POSTS)


@pytest.mark.parametrize(
    ("href", "former", "target"),
    [
        ("/news/all/one?a=b#c", [POSTS_BEFORE], RouteTarget(ONE, "c", "a=b")),
        ("/fr/News/ALL/un/", [POSTS_BEFORE], RouteTarget(ONE_FR, "", "")),
        ("/fr/news/all/one", [POSTS_BEFORE], None),
        ("/news/one", [POSTS_BEFORE], None),
        ("/news/all", [POSTS_BEFORE], None),
        ("/news/all/cafe", [POSTS_BEFORE], None),
        ("/One", [FormerPath("/", "posts", POSTS)], RouteTarget(ONE, "", "")),
        ("/", [FormerPath("/", "posts", POSTS)], None),
        ("/news/all/one", [POSTS_BEFORE, FormerPath("news/all", "tags", TAGS)], None),
        ("/tags/cafe", [FormerPath("/tags", "posts", POSTS)], None),
    ],
)
def test_where_a_former_path_leads(
    href: str, former: list[FormerPath], target: RouteTarget | None
) -> None:
    """To the one item below it, in the language of the address; a collection's own
    path is none, and a slug of two collections says nothing."""
    found = routes(PLACES, SLUGS, former=former).resolve(href, EN)
    assert (found if isinstance(found, RouteTarget) else None) == target


def test_former_paths_are_proposed_by_the_slugs_of_one_collection() -> None:
    """Most links first; a slug that items of two collections have says nothing."""
    body = (
        '<a href="/news/first">1</a><a href="/fr/news/second">2</a>'
        '<a href="https://www.harbour.example/Old/third">3</a>'
        '<a href="/news/both">4</a>'
        '<a href="/posts/first">5</a><a href="/news/none">6</a><a href="/first">7</a>'
    )
    posts = collection(("slug", "PlainText"), ("text", "RichText"), slug="posts")
    tags = collection(("slug", "PlainText"), ("to", "Link"), slug="tags")
    items = [
        item({"slug": "first", "text": body}, name="1"),
        item({"slug": "second"}, name="2"),
        item({"slug": "both"}, name="3"),
        item({"slug": "both"}, name="4", collection_id=TAGS),
        item({"slug": "third", "to": "/old/third"}, name="5", collection_id=TAGS),
    ]
    found = find_renamed(site(), (posts, tags), items)
    assert [(each.decision, each.links, each.examples) for each in found] == [
        (FormerPath("/Old", "tags", TAGS), 2, ("/Old/third",)),
        (FormerPath("/news", "posts", POSTS), 2, ("/news/first", "/news/second")),
        (FormerPath("/", "posts", POSTS), 1, ("/first",)),
    ]
    assert [each.in_bulk for each in found] == [True, True, False]


@given(st.text(max_size=80))
def test_no_address_raises(href: str) -> None:
    """Links are typed by people."""
    known = routes(PLACES, SLUGS, former=[FormerPath("/", "posts", POSTS)])
    known.resolve(href, EN)
    known.resolve(f"https://www.harbour.example/{href}", FR)
