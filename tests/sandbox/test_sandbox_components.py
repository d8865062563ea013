from __future__ import annotations

import pytest


def test_a_component_is_made_shown_changed_and_deleted(desk):
    """The four calls answer with the wrapped record, and the list has it too."""
    own = desk.component("round_trip", {"title": {"type": "text", "pos": 0}})
    shown = desk.space.get(f"/components/{own}").json()["component"]
    assert shown["schema"]["title"]["type"] == "text"
    assert shown["is_root"] is True
    change = {"component": {"name": "round_trip", "schema": {}}}
    put = desk.space.put(f"/components/{own}", json=change)
    assert (put.status_code, put.json()["component"]["schema"]) == (200, {})
    listed = desk.space.get("/components").json()
    assert own in [one["id"] for one in listed["components"]]
    assert "component_groups" in listed
    assert desk.space.delete(f"/components/{own}").status_code == 200
    assert desk.space.get(f"/components/{own}").status_code == 404


def test_a_name_is_taken_once(desk):
    """The second component of a name is refused in the documented shape."""
    desk.component("twice", {})
    reply = desk.space.post("/components", json={"component": {"name": "twice"}})
    assert reply.status_code == 422
    assert reply.json() == {"name": ["has already been taken"]}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"component": {"name": ""}}, "name"),
        ({"component": {"name": "with blank"}}, "name"),
        ({"component": {"name": "s1", "schema": []}}, "schema"),
        ({"component": {"name": "s2", "schema": {"a": {}}}}, "schema"),
        ({"component": {"name": "s3", "schema": {"a": {"type": "colour"}}}}, "schema"),
        ({"component": {}}, "error"),
        ({"name": "unwrapped"}, "error"),
    ],
)
def test_unusable_bodies_are_refused(desk, body, field):
    """Names, schemas and wrappers that cannot work are answered 422."""
    reply = desk.space.post("/components", json=body)
    assert reply.status_code == 422
    assert field in reply.json()


def test_options_of_a_datasource_are_its_entries(desk):
    """An unknown datasource is noted, and then what is none of its entries."""
    field = {"type": "option", "source": "internal", "datasource_slug": "moods"}
    body = {"component": {"name": "moody", "is_root": True, "schema": {"mood": field}}}
    desk.component("moody_early", {"mood": field})
    assert desk.kinds == ["unknown_datasource"]
    desk.since += 1
    source = {"datasource": {"name": "Moods", "slug": "moods"}}
    made = desk.space.post("/datasources", json=source)
    assert made.status_code == 201
    owner = made.json()["datasource"]["id"]
    entry = {"datasource_entry": {"name": "Glad", "value": "g", "datasource_id": owner}}
    assert desk.space.post("/datasource_entries", json=entry).status_code == 201
    assert desk.space.post("/datasource_entries", json=entry).status_code == 422
    assert desk.space.post("/components", json=body).status_code == 201
    listed = desk.space.get("/datasource_entries", params={"datasource_id": owner})
    assert [one["value"] for one in listed.json()["datasource_entries"]] == ["g"]
    assert listed.headers["Total"] == "1"
    desk.story("m1", {"component": "moody", "_uid": "1", "mood": "g"})
    assert desk.kinds == []
    desk.story("m2", {"component": "moody", "_uid": "1", "mood": "h"})
    assert desk.kinds == ["option_value"]


def test_a_plugin_field_needs_its_plugin(desks):
    """A custom field is refused until its type is assigned to the space."""
    field = {"type": "custom", "field_type": "storyblok-colorpicker"}
    body = {"component": {"name": "painted", "schema": {"colour": field}}}
    with desks() as desk:
        reply = desk.space.post("/components", json=body)
    said = "The following field-type plugin(s) are not available in this space: "
    expected = {"error": {"base": [f"{said}storyblok-colorpicker"]}}
    assert (reply.status_code, reply.json()) == (422, expected)
    with desks(plugins=frozenset({"storyblok-colorpicker"})) as desk:
        assert desk.space.post("/components", json=body).status_code == 201


@pytest.mark.parametrize(
    ("schema", "more", "kind"),
    [
        ({"old": {"type": "image"}}, {}, "deprecated_field_type"),
        ({"old": {"type": "file"}}, {}, "deprecated_field_type"),
        ({"odd.key": {"type": "text"}}, {}, "field_key_form"),
        ({"s": {"type": "section", "keys": ["no"]}}, {}, "unknown_section_key"),
        ({}, {"universal": True}, "unknown_component_key"),
    ],
)
def test_what_a_component_should_not_hold_is_noted(desk, schema, more, kind):
    """The service takes it in silence and the sandbox's list names it."""
    name = f"silent_{kind}_{len(str(schema))}"
    desk.component(name, schema, **more)
    assert desk.kinds == [kind]


OPTION = {"_uid": "u", "name": "A", "value": "a"}
LISTS = {"component_whitelist": ["a"], "component_denylist": []}
OFF = {"restrict_components": False, "restrict_type": ""}


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ({"type": "option", "options": [OPTION]}, {}),
        ({"type": "option", "options": [{"name": "A", "value": "a"}]}, {}),
        ({"type": "bloks", **LISTS, "restrict_components": True}, {}),
        ({"type": "richtext", **LISTS, **OFF}, {}),
        ({"type": "bloks", **LISTS, **OFF}, {"type": "bloks", **OFF}),
        ({"type": "bloks", **LISTS}, {"type": "bloks"}),
        ({"type": "text", "extra": [1]}, {}),
    ],
)
def test_a_field_is_stored_as_it_was_sent(desk, sent, stored):
    """But for the names of a restriction of a list of blocks that is off."""
    own = desk.component(f"stored_{len(str(sent))}_{len(stored)}", {"f": sent})
    field = desk.space.get(f"/components/{own}").json()["component"]["schema"]["f"]
    assert field.pop("id")
    assert field == (stored or sent)


def test_groups_can_be_made_and_deleted(desk):
    """A group gets an id and a UUID and vanishes from its components."""
    made = desk.space.post(
        "/component_groups", json={"component_group": {"name": "Cards"}}
    )
    group = made.json()["component_group"]
    assert made.status_code == 201
    own = desk.component("carded", {}, component_group_uuid=group["uuid"])
    assert desk.space.delete(f"/component_groups/{group['id']}").status_code == 200
    shown = desk.space.get(f"/components/{own}").json()["component"]
    assert shown["component_group_uuid"] is None


def test_demo_space_holds_the_starter_content(desks):
    """With the option the space starts with four components and a home story."""
    with desks(demo_space=True) as desk:
        names = [c["name"] for c in desk.space.get("/components").json()["components"]]
        assert names == ["page", "teaser", "grid", "feature"]
        stories = desk.space.get("/stories").json()["stories"]
        assert [(s["full_slug"], s["content_type"]) for s in stories] == [
            ("home", "page")
        ]
        page = desk.space.get("/components").json()["components"][0]["id"]
        assert desk.space.delete(f"/components/{page}").status_code == 422
        assert desk.kinds == []
