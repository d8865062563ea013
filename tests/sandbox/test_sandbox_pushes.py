"""Requests in the shapes that the service's official clients send."""

from __future__ import annotations

import pytest

BREADCRUMB = {
    "id",
    "name",
    "parent_id",
    "disble_fe_editor",
    "disable_fe_editor",
    "path",
    "slug",
    "translated_slugs",
}
SINGLE = frozenset(
    (
        "alternates",
        "breadcrumbs",
        "can_not_view",
        "content",
        "current_version_id",
        "default_root",
        "deleted_at",
        "disable_fe_editor",
        "disble_fe_editor",
        "expire_at",
        "favourite_for_user_ids",
        "first_published_at",
        "full_slug",
        "group_id",
        "ideas",
        "imported_at",
        "is_scheduled",
        "last_author",
        "last_author_id",
        "localized_paths",
        "meta_data",
        "parent",
        "path",
        "pinned",
        "position",
        "preview_token",
        "publish_at",
        "published_at",
        "scheduled_dates",
        "sort_by_date",
        "space_role_ids",
        "tag_list",
        "translated_slugs",
        "translated_stories",
        "unpublished_changes",
        "user_ids",
        "uuid",
    )
)


def test_stories_are_pushed_in_two_passes(desk):
    """Placeholders by path first, then whole stories; only `publish` publishes.

    The second pass sends read-only keys too, and flags in the query as words.
    """
    desk.component("jot", {"title": {"type": "text"}})
    wanted = {"by_slugs": "pushed,pushed/one", "page": 1, "per_page": 100}
    assert desk.space.get("/stories", params=wanted).json()["stories"] == []
    folder = {"slug": "pushed", "name": "Pushed", "is_folder": True}
    parent = desk.space.post("/stories", json={"story": folder}).json()["story"]["id"]
    start = {"_uid": "", "component": "jot"}
    hold = {"slug": "one", "name": "One", "is_folder": False, "content": start}
    made = desk.space.post("/stories", json={"story": {**hold, "parent_id": parent}})
    assert made.status_code == 201
    story = made.json()["story"]
    assert desk.kinds == ["missing_uid"]
    content = {"_uid": "1", "component": "jot", "title": "One"}
    whole = {**story, "content": content, "published": True, "alternates": []}
    path = f"/stories/{story['id']}"
    query = {"force_update": "false"}
    draft = desk.space.put(path, json={"story": whole}, params=query)
    assert (draft.status_code, draft.json()["story"]["published"]) == (200, False)
    query = {"force_update": "true", "publish": "true"}
    public = desk.space.put(path, json={"story": whole}, params=query)
    assert public.json()["story"]["published"] is True
    rows = desk.space.get("/stories", params=wanted).json()["stories"]
    assert [row["full_slug"] for row in rows] == ["pushed", "pushed/one"]
    kept = {"uuid", "id", "created_at"}
    shown = desk.space.get(path).json()["story"]
    assert {key: shown[key] for key in kept} == {key: story[key] for key in kept}


def test_a_story_has_every_documented_key(desk):
    """What typed clients rely on is there, in the story and in its breadcrumbs."""
    parent = desk.folder("keys")
    content = {"component": "jot", "_uid": "1"}
    story = desk.story("all", content, parent_id=parent).json()["story"]
    assert set(story) >= SINGLE
    assert set(story["breadcrumbs"][0]) >= BREADCRUMB
    assert story["preview_token"]["timestamp"].isdecimal()
    assert {"userid", "friendly_name"} <= set(story["last_author"])


def test_alternates_share_a_group(desk):
    """Stories of one group list each other, until one of them leaves."""
    content = {"component": "jot", "_uid": "1"}
    first = desk.story("alt-one", content).json()["story"]
    group = first["group_id"]
    second = desk.story("alt-two", content, group_id=group).json()["story"]
    keys = {"id", "name", "slug", "published", "full_slug", "is_folder", "parent_id"}
    alternate = second["alternates"][0]
    assert (alternate["id"], set(alternate)) == (first["id"], keys)
    path = f"/stories/{first['id']}"
    listed = desk.space.get(path).json()["story"]["alternates"]
    assert [one["slug"] for one in listed] == ["alt-two"]
    desk.space.delete(f"/stories/{second['id']}")
    assert desk.space.get(path).json()["story"]["alternates"] == []


@pytest.mark.parametrize("beside", [False, True])
def test_a_story_joins_a_group_with_a_change_of_its_content(desk, beside: bool):
    """`group_id` in the same PUT, in the story or beside it; content alone keeps it."""
    content = {"component": "jot", "_uid": "1"}
    first = desk.story(f"join-one-{beside}", content).json()["story"]
    second = desk.story(f"join-two-{beside}", content).json()["story"]
    assert first["group_id"] != second["group_id"]
    group = {"group_id": first["group_id"]}
    story = {"content": {**content, "title": "x"}}
    body = {"story": story, **group} if beside else {"story": {**story, **group}}
    path = f"/stories/{second['id']}"
    joined = desk.space.put(path, json=body).json()["story"]
    assert [one["id"] for one in joined["alternates"]] == [first["id"]]
    later = desk.space.put(path, json={"story": {"content": content}}).json()["story"]
    assert later["group_id"] == first["group_id"]
    slugs = f"join-one-{beside},join-two-{beside}"
    asked = desk.space.get("/stories", params={"by_slugs": slugs})
    listed = asked.json()["stories"]
    shown = {one["id"]: one["alternates"] for one in listed}
    assert [one["id"] for one in shown[first["id"]]] == [second["id"]]


def test_a_duplicate_is_a_draft_and_an_alternate(desk):
    """The copy has the content, a place of its own, and nothing public."""
    content = {"component": "jot", "_uid": "1", "title": "x"}
    story = desk.space.post(
        "/stories",
        json={
            "story": {"name": "A", "slug": "dup-a", "content": content},
            "publish": 1,
        },
    ).json()["story"]
    path = f"/stories/{story['id']}/duplicate"
    reply = desk.space.put(path, json={"story": {"name": "B", "slug": "dup-b"}})
    copy = reply.json()["story"]
    assert reply.status_code == 200
    assert (copy["content"], copy["published"]) == (content, False)
    assert copy["first_published_at"] is None
    assert [one["id"] for one in copy["alternates"]] == [story["id"]]
    taken = desk.space.put(path, json={"story": {"name": "B", "slug": "dup-b"}})
    assert taken.json() == {"slug": ["has already been taken"]}


def test_translated_slugs_are_merged_by_language(desk):
    """Each gets an id, by which it is changed or taken away again."""
    rows = [
        {"lang": "de", "slug": "hallo", "name": "Hallo"},
        {"lang": "fr", "slug": "bonjour", "name": "Bonjour"},
    ]
    content = {"component": "jot", "_uid": "1"}
    more = {"translated_slugs_attributes": rows}
    story = desk.story("hello", content, **more).json()["story"]
    shown = story["translated_slugs"]
    assert [(one["lang"], one["slug"]) for one in shown] == [
        ("de", "hallo"),
        ("fr", "bonjour"),
    ]
    assert [one["path"] for one in story["localized_paths"]] == ["hallo", "bonjour"]
    changes = [
        {"id": shown[0]["id"], "slug": "servus"},
        {"id": shown[1]["id"], "_destroy": True},
        {"lang": "it", "slug": "ciao"},
    ]
    body = {"story": {"translated_slugs_attributes": changes}}
    put = desk.space.put(f"/stories/{story['id']}", json=body).json()["story"]
    found = {one["lang"]: (one["slug"], one["name"]) for one in put["translated_slugs"]}
    assert found == {"de": ("servus", "Hallo"), "it": ("ciao", None)}
    assert put["translated_slugs"][0]["id"] == shown[0]["id"]


@pytest.fixture
def tag(desk, request):
    body = {"name": request.node.name, "object_type": "asset"}
    made = desk.space.post("/internal_tags", json={"internal_tag": body})
    return made.json()["internal_tag"]


def test_assets_are_signed_by_query_and_tagged_by_patch(desk, tag):
    """An empty body, words for flags, nested texts; then metadata by PATCH."""
    folder = desk.space.post("/asset_folders", json={"asset_folder": {"name": "Q"}})
    own = folder.json()["asset_folder"]
    query = {
        "filename": "q.png",
        "asset_folder_id": own["id"],
        "is_private": "false",
        "size": "4x3",
        "meta_data[alt]": "A picture",
        "internal_tag_ids[]": tag["id"],
    }
    signed = desk.space.post("/assets", params=query).json()
    assert isinstance(signed["id"], int)
    assert desk.upload(signed).status_code == 204
    path = f"/assets/{signed['id']}"
    assert desk.space.get(f"{path}/finish_upload").status_code == 200
    record = desk.space.get(path).json()
    assert record["meta_data"] == {"alt": "A picture"}
    assert (record["is_private"], record["asset_folder_id"]) == (False, own["id"])
    assert record["internal_tags_list"] == [{"id": tag["id"], "name": tag["name"]}]
    body = {"asset": {"title": "t", "meta_data": {}, "internal_tag_ids": []}}
    reply = desk.space.patch(path, json=body)
    assert (reply.status_code, reply.content) == (204, b"")
    assert desk.space.get(path).json()["internal_tag_ids"] == []
    body = {"asset": {"internal_tag_ids": [5]}}
    refused = desk.space.patch(path, json=body)
    assert refused.status_code == 422
    assert "internal_tag_ids" in refused.json()
    found = desk.space.get("/asset_folders", params={"by_uuids": own["uuid"]}).json()
    assert [one["id"] for one in found["asset_folders"]] == [own["id"]]


def test_a_lone_tag_is_not_a_list(desk, tag):
    """`internal_tag_ids=1` without brackets names no tags, as it is no list."""
    query = {"filename": "lone.png", "internal_tag_ids": tag["id"]}
    signed = desk.space.post("/assets", params=query)
    assert signed.status_code == 200
    record = desk.space.get(f"/assets/{signed.json()['id']}").json()
    assert record["internal_tag_ids"] == []


def test_asset_lists_take_the_documented_filters(desk, tag):
    """Tags by id and name, texts, privacy, ids, times and an order."""
    rows = [
        desk.sign(f"f{n}.png", alt=f"Alt {n}", ext_id="filters", is_private=n == 2)
        for n in range(3)
    ]
    ids = [row["id"] for row in rows]
    tagged = {"asset": {"internal_tag_ids": [tag["id"]]}}
    desk.space.patch(f"/assets/{ids[1]}", json=tagged)

    def found(**query):
        named = {"ext_id": "filters", **query}
        assets = desk.space.get("/assets", params=named).json()["assets"]
        return [ids.index(asset["id"]) for asset in assets]

    assert found(with_tags=tag["name"]) == found(with_tags=str(tag["id"])) == [1]
    assert found(by_alt="alt 2") == found(is_private="true") == [2]
    assert found(by_ids=f"{ids[0]},{ids[2]}") == [0, 2]
    assert found(sort_by="short_filename:desc") == found(sort_by="id:desc") == [2, 1, 0]
    assert found(created_at_gte="2020-01-01T00:00:00Z") == [0, 1, 2]
    assert found(created_at_lte="2020-01-01T00:00:00Z") == []
    counted = {"with_assets_count": "true", "by_ids": tag["id"]}
    tags = desk.space.get("/internal_tags", params=counted).json()["internal_tags"]
    assert [one["assets_count"] for one in tags] == [1]


def test_many_assets_are_moved_deleted_and_restored(desk):
    """The bulk calls answer a message, and take at most a hundred ids."""
    folder = desk.space.post("/asset_folders", json={"asset_folder": {"name": "B"}})
    own = folder.json()["asset_folder"]["id"]
    signed = desk.sign("bulk.png")
    desk.upload(signed)
    ids, path = [signed["id"]], f"/assets/{signed['id']}"

    def bulk(action, **more):
        reply = desk.space.post(f"/assets/bulk_{action}", json={"ids": ids, **more})
        assert reply.status_code == 200
        assert str(signed["id"]) in reply.json()["message"]

    bulk("update", asset={"asset_folder_id": own})
    assert desk.space.get(path).json()["asset_folder_id"] == own
    bulk("destroy")
    assert desk.space.get(path).status_code == 404
    assert desk.public.get(signed["public_url"]).status_code == 404
    bulk("restore")
    assert desk.space.get(path).json()["deleted_at"] is None
    assert desk.public.get(signed["public_url"]).content == b"bytes"
    many = {"ids": list(range(101))}
    for action in ("destroy", "restore"):
        reply = desk.space.post(f"/assets/bulk_{action}", json=many)
        assert reply.status_code == 422
    nowhere = {"ids": ids, "asset": {"asset_folder_id": 5}}
    assert desk.space.post("/assets/bulk_update", json=nowhere).status_code == 422
