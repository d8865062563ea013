"""What a release holds, and its deployment."""

from __future__ import annotations

import itertools

import pytest

COUNT = itertools.count()


@pytest.fixture(scope="session", autouse=True)
def held(shared_desk):
    shared_desk.component("held", {"n": {"type": "number"}})


@pytest.fixture
def release(desk):
    """A release that is not deployed yet."""
    body = {"name": f"R{next(COUNT)}", "branches_to_deploy": [7]}
    reply = desk.space.post("/releases", json={"release": body})
    assert reply.status_code == 201
    return reply.json()["release"]


@pytest.fixture
def story(desk):
    """A published story."""
    content = {"component": "held", "_uid": "1", "n": "1"}
    own = desk.story(f"held-{next(COUNT)}", content).json()["story"]["id"]
    return desk.space.get(f"/stories/{own}/publish").json()["story"]


def content(number):
    return {"component": "held", "_uid": "1", "n": number}


def read(desk, story, **query):
    reply = desk.space.get(f"/stories/{story['id']}", params=query)
    return reply.json()["story"] if reply.is_success else reply.status_code


def listed(desk, **query):
    reply = desk.space.get("/stories", params={"per_page": 100, **query})
    return {row["id"]: row for row in reply.json()["stories"]}


def deploy(desk, release):
    body = {"release": {"name": release["name"]}, "do_release": True}
    return desk.space.put(f"/releases/{release['id']}", json=body).json()["release"]


def test_releases_are_listed_with_their_branches(desk, release):
    """Pending ones are not released; the one filter is the branch."""
    keys = {"id", "name", "released", "release_at", "uuid", "public"}
    assert keys | {"branches_to_deploy"} <= set(release)
    assert (release["released"], release["public"]) == (False, True)

    def ids(**query):
        reply = desk.space.get("/releases", params=query)
        assert set(reply.json()) == {"releases"}
        return [each["id"] for each in reply.json()["releases"]]

    assert release["id"] in ids()
    assert release["id"] in ids(branch_id=7, released="true")
    assert release["id"] not in ids(branch_id=8)
    blank = desk.space.post("/releases", json={"release": {"name": " "}})
    assert (blank.status_code, blank.json()) == (422, {"name": ["can't be blank"]})


@pytest.mark.parametrize("place", ["query", "body"])
def test_what_a_release_holds_is_not_seen_without_it(desk, release, story, place):
    """Neither by a read nor in a list, nor by visitors when it is published."""
    own = {"release_id": release["id"]}
    query, beside = (own, {}) if place == "query" else ({}, own)
    body = {"story": {"name": "Later", "content": content("2")}, "publish": 1, **beside}
    path = f"/stories/{story['id']}"
    put = desk.space.put(path, json=body, params=query)
    assert put.json()["story"]["content"] == content("2")
    plain, later = read(desk, story), read(desk, story, **own)
    assert (plain["content"], plain["name"]) == (content("1"), story["name"])
    assert (later["content"], later["name"]) == (content("2"), "Later")
    assert plain["updated_at"] == story["updated_at"]
    desk.space.get(f"{path}/publish", params=own)
    stored = desk.handle.state.space.stories[story["id"]]
    assert stored.published_content == content("1")
    rows = listed(desk, in_release=release["id"])
    assert [(own, row["name"]) for own, row in rows.items()] == [(story["id"], "Later")]
    row = listed(desk, by_ids=story["id"])[story["id"]]
    assert (row["name"], row["release_ids"]) == (story["name"], [release["id"]])


def test_deploying_replaces_the_draft_wholesale(desk, release, story):
    """A later edit of the draft is lost; the public version stays."""
    path, own = f"/stories/{story['id']}", {"release_id": release["id"]}
    held = {"story": {"name": "Held", "content": content("2")}}
    desk.space.put(path, json=held, params=own)
    late = {"story": {"name": "Edit", "content": content("3"), "tag_list": ["late"]}}
    desk.space.put(path, json=late)
    assert deploy(desk, release)["released"] is True
    after = read(desk, story)
    assert (after["content"], after["name"], after["tag_list"]) == (
        content("2"),
        "Held",
        [],
    )
    assert after["unpublished_changes"] is True
    assert listed(desk, in_release=release["id"]) == {}
    stored = desk.handle.state.space.stories[story["id"]]
    assert stored.published_content == content("1")


def test_a_story_can_be_in_a_release_alone(desk, release):
    """It is missing everywhere else until the deployment."""
    slug, own = f"alone-{next(COUNT)}", {"release_id": release["id"]}
    body = {"story": {"name": slug, "slug": slug, "content": content("1")}}
    made = desk.space.post("/stories", json={**body, **own}).json()["story"]
    assert read(desk, made) == 404
    assert read(desk, made, **own)["full_slug"] == slug
    assert listed(desk, by_ids=made["id"]) == listed(desk, with_slug=slug) == {}
    assert [*listed(desk, in_release=release["id"])] == [made["id"]]
    assert desk.space.put(f"/stories/{made['id']}", json=body).status_code == 404
    assert slug not in desk.public.get("/_sandbox/state").text
    deploy(desk, release)
    assert read(desk, made)["content"] == content("1")
    assert [*listed(desk, with_slug=slug)] == [made["id"]]


def test_a_release_is_validated_and_can_be_given_up(desk, release, story):
    """Its versions go with it; one that there is not is answered 404."""
    path, own = f"/stories/{story['id']}", {"release_id": release["id"]}

    def put(value):
        body = {"story": {"content": content(value)}}
        return desk.space.put(path, json=body, params=own).status_code

    assert (put(2), put("2")) == (422, 200)
    slug = f"given-up-{next(COUNT)}"
    body = {"story": {"name": slug, "slug": slug, "content": content("1")}}
    made = desk.space.post("/stories", json=body, params=own).json()["story"]
    assert desk.space.delete(f"/releases/{release['id']}").status_code == 200
    assert read(desk, story)["content"] == content("1")
    assert read(desk, story, **own) == read(desk, made) == 404
