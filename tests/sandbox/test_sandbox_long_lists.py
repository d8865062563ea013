"""Lists that are remembered between pages, and content that is kept packed."""

from __future__ import annotations

import json
import uuid

import pytest


@pytest.fixture
def shelf(desks):
    """A space with a folder, its start page and two stories."""
    with desks() as desk:
        desk.component(
            "page", {"link": {"type": "multilink"}, "line": {"type": "text"}}
        )
        yield desk


def _story(shelf, slug, **more):
    content = {"component": "page", "_uid": slug}
    body = {"name": slug, "slug": slug, "content": content, **more}
    reply = shelf.space.post("/stories", json={"story": body})
    assert reply.status_code == 201, reply.text
    return reply.json()["story"]


def _slugs(shelf, **query):
    rows = shelf.space.get("/stories", params=query).json()["stories"]
    return [row["full_slug"] for row in rows]


def test_every_change_shows_in_the_next_list(shelf):
    """Nothing that was remembered outlives what changes it."""
    one = _story(shelf, "one")
    path = f"/stories/{one['id']}"
    lists = [{}, {"is_published": "1"}, {"with_slug": "two"}, {"in_trash": "1"}]

    def seen():
        return [_slugs(shelf, **query) for query in lists]

    assert seen() == [["one"], [], [], []]
    shelf.space.get(f"{path}/publish")
    assert seen() == [["one"], ["one"], [], []]
    shelf.space.get(f"{path}/unpublish")
    assert seen() == [["one"], [], [], []]
    shelf.space.put(path, json={"story": {"slug": "two"}})
    assert seen() == [["two"], [], ["two"], []]
    three = _story(shelf, "three")
    assert seen() == [["two", "three"], [], ["two"], []]
    fresh = str(uuid.uuid4())
    assert _slugs(shelf, by_uuids=fresh) == []
    shelf.space.put(f"/stories/{three['id']}/update_uuid", json={"uuid": fresh})
    assert _slugs(shelf, by_uuids=fresh) == ["three"]
    shelf.space.delete(path)
    assert seen() == [["three"], [], [], ["two"]]


def test_path_of_a_folder_names_its_start_page_too(shelf):
    """What an index leaves out was never meant; what it finds, every filter sees."""
    folder = shelf.folder("a")
    inner = _story(shelf, "b", parent_id=folder)
    _story(shelf, "b")
    start = _story(shelf, "start", parent_id=folder, is_startpage=True)
    assert _slugs(shelf, with_slug="a") == ["a", "a/"]
    assert _slugs(shelf, with_slug="/a/b/") == ["a/b"]
    assert _slugs(shelf, with_slug="b") == ["b"]
    assert _slugs(shelf, with_slug="a/c") == []
    assert _slugs(shelf, with_slug="a", story_only="1") == ["a/"]
    assert _slugs(shelf, with_parent=folder) == ["a/b", "a/"]
    both = f"{start['id']},{inner['id']}"
    assert _slugs(shelf, by_ids=both) == ["a/b", "a/"]
    shelf.space.put(f"/stories/{inner['id']}/move", params={"to_folder": 0, "x": 1})
    assert _slugs(shelf, with_slug="a/b") == ["a/b"], "the slug is taken at the root"
    shelf.space.delete(f"/stories/{folder}")
    assert _slugs(shelf, with_slug="a/b") == []
    assert len(_slugs(shelf, in_trash="1", with_slug="a")) == 2


def test_content_comes_back_as_it_was_sent(shelf):
    """Half a character, signs of JSON, numbers and links are what they were."""
    target = _story(shelf, "target")
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
    made = shelf.space.post("/stories", content=sent, headers=headers).json()["story"]
    assert made["content"] == content
    read = shelf.space.get(f"/stories/{made['id']}").json()["story"]
    assert read["content"]["link"]["cached_url"] == "target"
    assert {**read["content"], "link": None} == {**content, "link": None}
    renamed = shelf.space.put(f"/stories/{made['id']}", json={"story": {"name": "y"}})
    assert renamed.json()["story"]["content"] == content
    copied = shelf.space.put(
        f"/stories/{made['id']}/duplicate", json={"story": {"slug": "z"}}
    )
    assert copied.json()["story"]["content"] == content
