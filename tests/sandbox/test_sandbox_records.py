from __future__ import annotations

import pytest


def test_the_token_has_an_owner(desk):
    """The login check of official clients is answered with the wrapped user."""
    base = desk.handle.announcement["base_url"]
    reply = desk.space.get(f"{base}/users/me")
    user = reply.json()["user"]
    assert reply.status_code == 200
    assert isinstance(user["id"], int)
    assert {"email", "friendly_name", "userid", "org", "notified"} <= set(user)
    assert desk.public.get("/v1/users/me").status_code == 401


def test_the_list_of_spaces_takes_a_trailing_slash(desk):
    """Both spellings of the path answer the one space, its id an integer."""
    base = desk.handle.announcement["base_url"]
    for path in ("/spaces", "/spaces/"):
        spaces = desk.space.get(base + path).json()["spaces"]
        assert [space["id"] for space in spaces] == [290512]


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("workflows", "workflows"),
        ("space_roles", "space_roles"),
        ("shared_assets", "assets"),
        ("shared_asset_folders", "shared_asset_folders"),
        ("shared_internal_tags", "internal_tags"),
    ],
)
def test_lists_of_what_is_not_simulated_are_empty(desk, path, key):
    """Clients that ask for them first find an empty list and not an error."""
    reply = desk.space.get(f"/{path}", params={"page": 1})
    assert (reply.status_code, reply.json()) == (200, {key: []})


def test_webhooks_are_made_listed_and_switched_off(desk):
    """On from the start; one that is told of nothing is refused."""
    address = "https://build.example.com/hook?secret=1"
    wanted = {"name": "Build", "endpoint": address, "actions": ["story.published"]}
    path = "/webhook_endpoints"
    made = desk.space.post(path, json={"webhook_endpoint": wanted}).json()
    made = made["webhook_endpoint"]
    assert made["activated"] is True
    assert wanted.items() <= made.items()
    off = {"webhook_endpoint": {"activated": False}}
    assert desk.space.put(f"{path}/{made['id']}", json=off).status_code == 200
    (listed,) = desk.space.get(path).json()["webhook_endpoints"]
    assert (listed["id"], listed["activated"]) == (made["id"], False)
    empty = {"webhook_endpoint": {**wanted, "actions": []}}
    assert desk.space.post(path, json=empty).status_code == 422
    assert desk.space.delete(f"{path}/{made['id']}").status_code == 200


def test_component_groups_are_shown_moved_and_deleted(desk):
    """A group's parent is named by id, and a group can't go below itself."""

    def made(**body):
        reply = desk.space.post("/component_groups", json={"component_group": body})
        assert reply.status_code == 201
        return reply.json()["component_group"]

    outer = made(id=11, name="Outer folder", uuid="foreign", parent_id=None)
    assert (outer["id"], outer["uuid"]) != (11, "foreign")
    inner = made(name="Inner folder")
    path = f"/component_groups/{inner['id']}"
    body = {"component_group": {"name": "Deep", "parent_id": outer["id"]}}
    put = desk.space.put(path, json=body)
    assert put.status_code == 200
    assert put.json()["component_group"]["parent_uuid"] == outer["uuid"]
    assert desk.space.get(path).json() == put.json()
    query = {"with_parent": outer["id"], "search": "dee"}
    found = desk.space.get("/component_groups", params=query).json()
    assert found["component_groups"] == [put.json()["component_group"]]
    circle = {"component_group": {"parent_id": inner["id"]}}
    reply = desk.space.put(f"/component_groups/{outer['id']}", json=circle)
    assert reply.status_code == 422
    own = desk.component("grouped", {}, component_group_uuid=inner["uuid"])
    listed = desk.space.get("/components", params={"in_group": inner["uuid"]}).json()
    assert [one["id"] for one in listed["components"]] == [own]
    assert desk.space.delete(path).status_code == 200
    assert desk.space.get(path).status_code == 404


def test_presets_belong_to_components(desk):
    """Each call answers the wrapped preset, and the component lists its own."""
    own = desk.component("with_presets", {"title": {"type": "text"}})
    body = {"name": "Big", "component_id": own, "preset": {"title": "x"}}
    made = desk.space.post("/presets", json={"preset": body})
    preset = made.json()["preset"]
    assert made.status_code == 201
    assert (preset["space_id"], preset["preset"]) == (290512, {"title": "x"})
    path = f"/presets/{preset['id']}"
    put = desk.space.put(path, json={"preset": {"name": "Bigger"}})
    assert (put.status_code, put.json()["preset"]["name"]) == (200, "Bigger")
    assert desk.space.get(path).json() == put.json()
    listed = desk.space.get("/presets", params={"component_id": own}).json()
    assert [one["name"] for one in listed["presets"]] == ["Bigger"]
    shown = desk.space.get(f"/components/{own}").json()["component"]
    assert [one["id"] for one in shown["all_presets"]] == [preset["id"]]
    lost = desk.space.post("/presets", json={"preset": {**body, "component_id": 5}})
    assert (lost.status_code, lost.json()) == (422, {"component": ["must exist"]})
    gone = desk.space.delete(path)
    assert (gone.status_code, gone.json()["preset"]["id"]) == (200, preset["id"])
    assert desk.space.get(path).status_code == 404


def test_internal_tags_are_kept_by_kind(desk):
    """A tag is made, renamed by either method and deleted without a body."""
    body = {"id": 21, "name": "core", "object_type": "component"}
    made = desk.space.post("/internal_tags", json={"internal_tag": body})
    tag = made.json()["internal_tag"]
    assert made.status_code == 200
    assert tag == {"id": tag["id"], "name": "core", "object_type": "component"}
    assert tag["id"] != 21
    again = desk.space.post("/internal_tags", json={"internal_tag": body})
    assert again.json() == {"name": ["has already been taken"]}
    other = {"internal_tag": {"name": "core", "object_type": "asset"}}
    assert desk.space.post("/internal_tags", json=other).status_code == 200
    path = f"/internal_tags/{tag['id']}"
    for method in ("PUT", "PATCH"):
        renamed = {"internal_tag": {"name": method}}
        reply = desk.space.request(method, path, json=renamed)
        assert reply.json()["internal_tag"]["name"] == method
    query = {"by_object_type": "component", "page": 1}
    listed = desk.space.get("/internal_tags", params=query)
    assert [one["id"] for one in listed.json()["internal_tags"]] == [tag["id"]]
    assert listed.headers["Total"] == "1"
    gone = desk.space.delete(path)
    assert (gone.status_code, gone.content) == (204, b"")


def test_components_name_their_tags_as_text(desk):
    """Tag ids go in as numbers and come back as text; an unknown one is refused."""
    body = {"internal_tag": {"name": "shown", "object_type": "component"}}
    tag = desk.space.post("/internal_tags", json=body).json()["internal_tag"]["id"]
    own = desk.component("tagged", {}, internal_tag_ids=[tag])
    shown = desk.space.get(f"/components/{own}").json()["component"]
    assert shown["internal_tag_ids"] == [str(tag)]
    assert shown["internal_tags_list"] == [{"id": tag, "name": "shown"}]
    change = {"component": {"internal_tag_ids": [str(tag), "78"]}}
    reply = desk.space.put(f"/components/{own}", json=change)
    assert reply.status_code == 422
    assert "not found in our database" in reply.json()["internal_tag_ids"][0]
    desk.space.delete(f"/internal_tags/{tag}")
    shown = desk.space.get(f"/components/{own}").json()["component"]
    assert shown["internal_tag_ids"] == []


def test_renaming_a_component_can_rename_it_in_content(desk):
    """With `update_content` the blocks follow the new name, at every depth."""
    own = desk.component("before_name", {"body": {"type": "bloks"}})
    inner = {"_uid": "2", "component": "before_name"}
    outer = {"_uid": "1", "component": "before_name", "body": [inner]}
    story = desk.story("renamed-blocks", outer).json()["story"]["id"]
    change = {"component": {"name": "after_name"}}
    query = {"update_content": "true"}
    desk.space.put(f"/components/{own}", json=change, params=query)
    content = desk.space.get(f"/stories/{story}").json()["story"]["content"]
    assert content["component"] == content["body"][0]["component"] == "after_name"


@pytest.fixture
def source(desk, request):
    slug = f"moods-of-{len(request.node.name)}"
    body = {
        "id": 41,
        "name": "Moods of all",
        "slug": slug,
        "dimensions_attributes": [{"name": "German", "entry_value": "de"}],
    }
    made = desk.space.post("/datasources", json={"datasource": body})
    assert made.status_code == 201
    return made.json()["datasource"]


def test_datasources_are_found_by_slug_and_changed(desk, source):
    """Id and slug name the same record, and both methods change it."""
    assert source["id"] != 41
    dimension = source["dimensions"][0]
    assert (dimension["name"], dimension["entry_value"]) == ("German", "de")
    by_slug = desk.space.get(f"/datasources/{source['slug']}").json()
    assert by_slug["datasource"] == source
    path = f"/datasources/{source['id']}"
    for method in ("PUT", "PATCH"):
        reply = desk.space.request(method, path, json={"datasource": {"name": method}})
        assert reply.json()["datasource"]["name"] == method
    rows = [{"id": dimension["id"], "_destroy": True}]
    change = {"datasource": {"dimensions_attributes": rows}}
    changed = desk.space.patch(path, json=change).json()["datasource"]
    assert changed["dimensions"] == []
    search = {"search": source["slug"]}
    listed = desk.space.get("/datasources", params=search).json()["datasources"]
    assert [one["id"] for one in listed] == [source["id"]]
    gone = desk.space.delete(path)
    assert (gone.status_code, gone.content) == (204, b"")


def test_entries_are_changed_without_an_answer_body(desk, source):
    """An entry's dimension value is written and read by the dimension's id."""

    def made(name, position):
        body = {"id": 61, "name": name, "value": name, "position": position}
        body["datasource_id"] = source["id"]
        return desk.space.post("/datasource_entries", json={"datasource_entry": body})

    last, first = made("Sad", 2), made("Glad", 1)
    own = first.json()["datasource_entry"]["id"]
    assert (first.status_code, own != 61) == (201, True)
    again = made("Sad", 3)
    assert again.status_code == 422
    assert again.json() == {"error": ["Name has already been taken"]}
    path, dimension = f"/datasource_entries/{own}", source["dimensions"][0]["id"]
    change = {"datasource_entry": {"name": "Glad", "dimension_value": "froh"}}
    reply = desk.space.patch(path, json=change, params={"dimension_id": dimension})
    assert (reply.status_code, reply.content) == (204, b"")
    query = {"datasource_id": source["id"], "dimension": dimension, "page": 1}
    listed = desk.space.get("/datasource_entries", params=query).json()
    values = [one["dimension_value"] for one in listed["datasource_entries"]]
    assert values == ["froh", ""]
    plain = desk.space.get(path).json()["datasource_entry"]
    assert (plain["value"], plain["dimension_value"]) == ("Glad", "")
    assert set(plain) >= {"id", "name", "value", "dimension_value"}
    other = last.json()["datasource_entry"]["id"]
    clash = {"datasource_entry": {"name": "Glad"}}
    assert desk.space.put(f"/datasource_entries/{other}", json=clash).status_code == 422
    unknown = desk.space.patch(path, json=change, params={"dimension_id": 5})
    assert unknown.status_code == 404
