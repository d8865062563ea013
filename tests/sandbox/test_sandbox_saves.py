"""What else a save does: groups, folders, translations, names of entries."""

from __future__ import annotations

import itertools

import pytest

COUNT = itertools.count()
NOTE = {"component": "saved", "_uid": "1"}


@pytest.fixture(scope="session", autouse=True)
def saved(shared_desk):
    """Make a content type with a field that is translated and one that is not."""
    schema = {"text": {"type": "text", "translatable": True}, "own": {"type": "text"}}
    shared_desk.component("saved", schema)


def made(desk, **more):
    reply = desk.story(f"saved-{next(COUNT)}", NOTE, **more)
    assert reply.status_code == 201, reply.text
    return reply.json()["story"]


@pytest.mark.parametrize("place", ["both", "story", "body"])
def test_a_group_is_set_in_the_story_or_beside_it(desk, place):
    """A PUT has both places and a POST the story; either may be without effect."""
    desk.unknown(group_id_in=place)
    first = made(desk)
    group = first["group_id"]
    inside = place != "body"
    assert (made(desk, group_id=group)["group_id"] == group) is inside

    def put(inner, beside):
        story = {"name": "x", **inner}
        path = f"/stories/{made(desk)['id']}"
        return desk.space.put(path, json={"story": story, **beside}).json()["story"]

    assert (put({"group_id": group}, {})["group_id"] == group) is inside
    beside = put({}, {"group_id": group})
    assert (beside["group_id"] == group) is (place != "story")
    assert bool(beside["alternates"]) is (place != "story")
    both = put({"group_id": group}, {"group_id": group})
    assert first["id"] in [each["id"] for each in both["alternates"]]


@pytest.mark.parametrize("way", ["GET", "PUT"])
def test_publishing_a_folder_publishes_the_drafts_below(desk, way):
    """At every depth; what has nothing to publish is left alone."""
    outer = desk.folder(f"public-{way}".lower())
    inner = desk.folder("inner", parent_id=outer)
    live = made(desk, parent_id=outer)
    desk.space.get(f"/stories/{live['id']}/publish")
    before = desk.space.get(f"/stories/{live['id']}").json()["story"]
    changed = made(desk, parent_id=outer)
    desk.space.get(f"/stories/{changed['id']}/publish")
    change = {"story": {"content": {**NOTE, "text": "new"}}}
    desk.space.put(f"/stories/{changed['id']}", json=change)
    draft, beside = made(desk, parent_id=inner), made(desk)
    if way == "GET":
        desk.space.get(f"/stories/{outer}/publish")
    else:
        body = {"story": {"name": "x"}, "publish": 1}
        desk.space.put(f"/stories/{outer}", json=body)

    def state(story):
        shown = desk.space.get(f"/stories/{story['id']}").json()["story"]
        return shown["published"], shown["unpublished_changes"]

    assert [state(one) for one in (live, changed, draft)] == [(True, False)] * 3
    assert state(beside) == (False, False)
    after = desk.space.get(f"/stories/{live['id']}").json()["story"]
    assert after["published_at"] == before["published_at"]
    stories = desk.handle.state.space.stories
    assert stories[changed["id"]].published_content == change["story"]["content"]


def test_a_translated_key_has_its_region_behind_an_underscore(desk):
    """Another sign, or a field that is not translatable, leaves the default one."""
    content = {
        **NOTE,
        "text": "plain",
        "own": "plain",
        "text__i18n__pt-br": "dash",
        "own__i18n__pt_br": "region",
    }
    slug = f"translated-{next(COUNT)}"
    story = desk.story(slug, content).json()["story"]
    assert story["content"] == content
    assert sorted(desk.kinds) == ["not_translatable", "unknown_language"]
    token = desk.handle.state.space.preview_token

    def shown():
        query = {"token": token, "version": "draft", "language": "pt-br"}
        reply = desk.public.get(f"/v2/cdn/stories/{story['id']}", params=query)
        content = reply.json()["story"]["content"]
        return content["text"], content["own"], len(content.keys() - {"_editable"})

    assert shown() == ("plain", "plain", 4)
    change = {"story": {"content": {**content, "text__i18n__pt_br": "region"}}}
    desk.space.put(f"/stories/{story['id']}", json=change)
    assert shown() == ("region", "plain", 4)


@pytest.mark.parametrize("sign", ["-", "=", "@"])
def test_a_name_of_an_entry_never_begins_with_a_sign_of_formulas(desk, sign):
    """It is refused, made or renamed; elsewhere in the name the sign passes."""
    source = {"datasource": {"name": "s", "slug": f"signs-{ord(sign)}"}}
    owner = desk.space.post("/datasources", json=source).json()["datasource"]["id"]

    def entry(name):
        body = {"name": name, "value": name, "datasource_id": owner}
        return desk.space.post("/datasource_entries", json={"datasource_entry": body})

    refused = entry(f"{sign}a")
    assert (refused.status_code, refused.json()) == (
        422,
        {"error": ["Name is invalid"]},
    )
    fine = entry(f"a {sign}")
    assert fine.status_code == 201
    path = f"/datasource_entries/{fine.json()['datasource_entry']['id']}"
    renamed = {"datasource_entry": {"name": f" {sign}a"}}
    assert desk.space.put(path, json=renamed).status_code == 422
    shown = desk.space.get(path).json()["datasource_entry"]
    assert (shown["name"], shown["dimension_value"]) == (f"a {sign}", "")
