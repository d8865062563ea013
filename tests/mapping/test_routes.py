"""Routes: where the old site's addresses lead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.mapping.draft import Place
from cmsmig.mapping.select.routes import PageCause, RouteTarget, StaticPage
from tests.support.mapping.drafting import EN, FR, TAGS, key, routes

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


@given(st.text(max_size=80))
def test_no_address_raises(href: str) -> None:
    """Links are typed by people."""
    known = routes(PLACES, SLUGS)
    known.resolve(href, EN)
    known.resolve(f"https://www.harbour.example/{href}", FR)
