"""Routes: where the old site's addresses lead."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cmsmig.mapping.decisions.choices import FormerPath
from cmsmig.mapping.draft import Place
from cmsmig.mapping.propose.former_paths import find_renamed
from cmsmig.mapping.select.routes import RouteTarget
from tests.support.cases import cases
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


NAMES = {"one": ONE, "un": ONE_FR, "tag": TAG, "cafe": CAFE, "two": key("two")}


@cases(__file__, "routes.yaml")
def test_where_an_address_leads(case: dict[str, Any]) -> None:
    """To an item, to a page that stays, or out of the site."""
    listed = {"posts": POSTS, "tags": TAGS}
    former = [
        FormerPath(path, name, listed[name]) for path, name in case.get("former", [])
    ]
    places, slugs = PLACES, SLUGS
    if "slugs" in case:
        slugs = {NAMES[name]: slug for name, slug in case["slugs"].items()}
        places = {each: Place("posts", f"s{n}", n) for n, each in enumerate(slugs)}
    known = routes(places, slugs, former=former, secondary=case.get("secondary", "fr"))
    page = case.get("page", "")
    found = known.resolve(case["href"], case.get("locale", EN), page)
    led: list[str | None] = [None]
    if isinstance(found, RouteTarget):
        led = [next(name for name in NAMES if NAMES[name] == found.key)]
        led += [found.anchor, found.query]
    elif found is not None:
        led = [str(found.cause), found.path]
    wanted = case["leads"] if isinstance(case["leads"], list) else [case["leads"]]
    assert led == wanted + [""] * (len(led) - len(wanted))


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
