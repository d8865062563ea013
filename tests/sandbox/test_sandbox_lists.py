from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def desk(desks):
    """Fill a space of its own: two folders, 30 stories each, some published."""
    with desks() as desk:
        desk.component("book", {"body": {"type": "bloks"}})
        desk.component("leaf", {}, is_nestable=True)
        for folder in ("a", "b"):
            parent = desk.folder(folder)
            for number in range(30):
                nested = [{"component": "leaf", "_uid": "2"}] if number == 3 else []
                body = {"component": "book", "_uid": "1", "body": nested}
                desk.story(f"s-{number:02d}", body, parent_id=parent)
        first = desk.space.get("/stories", params={"with_slug": "a/s-01"}).json()
        own = first["stories"][0]["id"]
        desk.space.get(f"/stories/{own}/publish")
        yield desk


def slugs(desk, **query):
    rows = desk.space.get("/stories", params={"per_page": 100, **query}).json()
    return [row["full_slug"] for row in rows["stories"]]


def test_rows_have_no_content_and_paging_is_in_headers(desk):
    """A list brings 25 rows without content; the total is a header only."""
    reply = desk.space.get("/stories")
    assert set(reply.json()) == {"stories"}
    assert len(reply.json()["stories"]) == 25
    assert (reply.headers["Total"], reply.headers["Per-Page"]) == ("62", "25")
    row = reply.json()["stories"][1]
    assert "content" not in row
    assert row["content_type"] == "book"


def test_pages_hold_every_row_once(desk):
    """All pages together are the whole list, and a page is never above 100."""
    seen = []
    for page in range(1, 8):
        query = {"page": page, "per_page": 10}
        rows = desk.space.get("/stories", params=query).json()["stories"]
        seen += [row["id"] for row in rows]
    assert len(seen) == len(set(seen)) == 62
    capped = desk.space.get("/stories", params={"per_page": 1000})
    assert capped.headers["Per-Page"] == "100"
    assert desk.space.get("/stories", params={"page": 9}).json()["stories"] == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"starts_with": "a/"}, 30),
        ({"with_slug": "b/s-07"}, 1),
        ({"by_slugs": "a/s-0*,b/s-29"}, 11),
        ({"by_slugs": "a/s-0*", "excluding_slugs": "a/s-01"}, 9),
        ({"with_parent": "0"}, 2),
        ({"folder_only": "1"}, 2),
        ({"story_only": "1"}, 60),
        ({"root_folders_only": "true"}, 2),
        ({"search": "s-11"}, 2),
        ({"contain_component": "leaf"}, 2),
        ({"contain_component": "book,leaf"}, 60),
        ({"is_published": "true"}, 1),
        ({"is_published": "false"}, 61),
        ({"in_trash": "true"}, 0),
        ({"with_tag": "none"}, 0),
    ],
)
def test_filters(desk, query, expected):
    """Each filter names exactly its rows."""
    assert len(slugs(desk, **query)) == expected


def test_ids_and_uuids(desk):
    """Rows can be asked for by id, by UUID, and in the order of the UUIDs."""
    rows = desk.space.get("/stories", params={"starts_with": "b/"}).json()["stories"]
    chosen = [rows[5], rows[2], rows[9]]
    uuids = ",".join(row["uuid"] for row in chosen)
    expected = [row["full_slug"] for row in chosen]
    assert slugs(desk, by_uuids_ordered=uuids) == expected
    assert sorted(slugs(desk, by_uuids=uuids)) == sorted(expected)
    ids = ",".join(str(row["id"]) for row in chosen)
    assert sorted(slugs(desk, by_ids=ids)) == sorted(expected)
    assert len(slugs(desk, excluding_ids=ids)) == 59


def test_sorting(desk):
    """A list is sorted by a key of its rows in either direction."""
    down = slugs(desk, sort_by="slug:desc", starts_with="a/")
    assert down == sorted(down, reverse=True)
