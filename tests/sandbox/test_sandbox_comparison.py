from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def filled(desk, slugs, files):
    """Fill a space in the given order: related stories, files in a folder."""
    desk.component("node", {"next": {"type": "option", "source": "internal_stories"}})
    folder = desk.folder("home")
    uuids, ids, addresses = {}, {}, {}
    for name in files:
        signed = desk.sign(f"{name}.png", ext_id=name)
        desk.upload(signed, data=name.encode())
        addresses[name] = signed["public_url"]
    for slug in slugs:
        content = {"component": "node", "_uid": slug, "next": ""}
        story = desk.story(slug, content, parent_id=folder).json()["story"]
        uuids[slug], ids[slug] = story["uuid"], story["id"]
    for slug in slugs:
        other = "a" if slug == "b" else "b"
        content = {"component": "node", "_uid": slug, "next": uuids[other]}
        content["pic"] = addresses[other]
        body = {"story": {"content": content}}
        desk.space.put(f"/stories/{ids[slug]}", json=body)


def test_two_orders_of_work_compare_as_equal(desks):
    """Ids, UUIDs, addresses and times aside, the order of work leaves no trace."""
    states = []
    for order in ("ab", "ba"):
        with desks() as desk:
            filled(desk, order, order[::-1])
            states.append(desk.public.get("/_sandbox/state?comparable").content)
            plain = desk.public.get("/_sandbox/state").json()
    assert states[0] == states[1]
    assert len(plain["stories"]) == 3


@pytest.mark.parametrize("change", ["content", "published", "file", "folder"])
def test_a_difference_is_seen(desks, change):
    """Another content, state, file and folder of files each show."""
    with desks() as desk:
        filled(desk, "ab", "ab")
        before = desk.public.get("/_sandbox/state?comparable").content
        query = {"with_slug": "home/a"}
        row = desk.space.get("/stories", params=query).json()["stories"][0]
        if change == "content":
            body = {"story": {"content": {"component": "node", "_uid": "z"}}}
            desk.space.put(f"/stories/{row['id']}", json=body)
        elif change == "published":
            desk.space.get(f"/stories/{row['id']}/publish")
        elif change == "folder":
            body = {"asset_folder": {"name": "Old site"}}
            desk.space.post("/asset_folders", json=body)
        else:
            desk.upload(desk.sign("c.png"))
        assert desk.public.get("/_sandbox/state?comparable").content != before


KEYS = st.sampled_from(
    [
        "type",
        "attrs",
        "content",
        "marks",
        "text",
        "body",
        "component",
        "_uid",
        "linktype",
        "level",
        "keys",
        "options",
        "schema",
        "name",
        "slug",
        "parent_id",
        "source",
        "rich",
        "many",
        "link",
        "file",
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["doc", "link", "blok", "image", "heading", "hostile", "story"])
    | st.text(max_size=4)
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.fixture(scope="session")
def hostile(desks):
    """Open a space with a content type that takes everything in."""
    kinds = {"rich": "richtext", "many": "options", "link": "multilink"}
    kinds |= {"file": "asset", "body": "bloks", "text": "text", "level": "number"}
    with desks() as desk:
        schema = {key: {"type": kind} for key, kind in kinds.items()}
        desk.component("hostile", schema)
        yield desk


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(KEYS, ANYTHING, max_size=5), ANYTHING, st.integers(0, 10**9))
def test_no_body_brings_the_service_down(hostile, fields, whole, number):
    """Whatever JSON is sent, it is taken or refused, and never a crash."""
    content = {**fields, "component": "hostile"}
    story = {"name": "x", "slug": f"h-{number}", "content": content}
    component = {"name": f"h{number}", "schema": {"a": {"type": "text", **fields}}}
    replies = [
        hostile.space.post("/stories", json={"story": story}),
        hostile.space.post("/stories", json={"story": whole}),
        hostile.space.post("/components", json={"component": component}),
        hostile.space.post("/components", json={"component": whole}),
        hostile.space.post("/assets", json=whole),
    ]
    assert {reply.status_code for reply in replies} <= {200, 201, 422}
    assert hostile.public.get("/_sandbox/state?comparable").status_code == 200
