"""Lists that are remembered between pages, and content that is kept packed."""

from __future__ import annotations

import json
import uuid

import pytest


@pytest.fixture
def desk(desks):
    """A space with a folder, its start page and two stories."""
    with desks() as desk:
        desk.component(
            "page", {"link": {"type": "multilink"}, "line": {"type": "text"}}
        )
        yield desk


def _story(desk, slug, **more):
    content = {"component": "page", "_uid": slug}
    body = {"name": slug, "slug": slug, "content": content, **more}
    reply = desk.space.post("/stories", json={"story": body})
    assert reply.status_code == 201, reply.text
    return reply.json()["story"]


def _slugs(desk, **query):
    rows = desk.space.get("/stories", params=query).json()["stories"]
    return [row["full_slug"] for row in rows]


def test_every_change_shows_in_the_next_list(desk):
    """Nothing that was remembered outlives what changes it."""
    one = _story(desk, "one")
    path = f"/stories/{one['id']}"
    lists = [{}, {"is_published": "1"}, {"with_slug": "two"}, {"in_trash": "1"}]

    def seen():
        return [_slugs(desk, **query) for query in lists]

    assert seen() == [["one"], [], [], []]
    desk.space.get(f"{path}/publish")
    assert seen() == [["one"], ["one"], [], []]
    desk.space.get(f"{path}/unpublish")
    assert seen() == [["one"], [], [], []]
    desk.space.put(path, json={"story": {"slug": "two"}})
    assert seen() == [["two"], [], ["two"], []]
    three = _story(desk, "three")
    assert seen() == [["two", "three"], [], ["two"], []]
    fresh = str(uuid.uuid4())
    assert _slugs(desk, by_uuids=fresh) == []
    desk.space.put(f"/stories/{three['id']}/update_uuid", json={"uuid": fresh})
    assert _slugs(desk, by_uuids=fresh) == ["three"]
    desk.space.delete(path)
    assert seen() == [["three"], [], [], ["two"]]


def test_path_of_a_folder_names_its_start_page_too(desk):
    """What an index leaves out was never meant; what it finds, every filter sees."""
    folder = desk.folder("a")
    inner = _story(desk, "b", parent_id=folder)
    _story(desk, "b")
    start = _story(desk, "start", parent_id=folder, is_startpage=True)
    assert _slugs(desk, with_slug="a") == ["a", "a/"]
    assert _slugs(desk, with_slug="/a/b/") == ["a/b"]
    assert _slugs(desk, with_slug="b") == ["b"]
    assert _slugs(desk, with_slug="a/c") == []
    assert _slugs(desk, with_slug="a", story_only="1") == ["a/"]
    assert _slugs(desk, with_parent=folder) == ["a/b", "a/"]
    both = f"{start['id']},{inner['id']}"
    assert _slugs(desk, by_ids=both) == ["a/b", "a/"]
    desk.space.put(f"/stories/{inner['id']}/move", params={"to_folder": 0, "x": 1})
    assert _slugs(desk, with_slug="a/b") == ["a/b"], "the slug is taken at the root"
    desk.space.delete(f"/stories/{folder}")
    assert _slugs(desk, with_slug="a/b") == []
    assert len(_slugs(desk, in_trash="1", with_slug="a")) == 2


def test_content_comes_back_as_it_was_sent(desk):
    """Half a character, signs of JSON, numbers and links are what they were."""
    target = _story(desk, "target")
    content = {
        "component": "page",
        "_uid": "1",
        "line": 'a "quote" \\ – \u2028 \ud83d',
        "number": 1.5,
        "link": {
            "fieldtype": "multilink",
            "linktype": "story",
            "id": target["uuid"],
            "url": "",
            "cached_url": "an old path",
        },
    }
    sent = json.dumps({"story": {"name": "x", "slug": "x", "content": content}})
    headers = {"Content-Type": "application/json"}
    made = desk.space.post("/stories", content=sent, headers=headers).json()["story"]
    assert made["content"] == content
    read = desk.space.get(f"/stories/{made['id']}").json()["story"]
    assert read["content"]["link"]["cached_url"] == "target"
    assert {**read["content"], "link": None} == {**content, "link": None}
    renamed = desk.space.put(f"/stories/{made['id']}", json={"story": {"name": "y"}})
    assert renamed.json()["story"]["content"] == content
    copied = desk.space.put(
        f"/stories/{made['id']}/duplicate", json={"story": {"slug": "z"}}
    )
    assert copied.json()["story"]["content"] == content
