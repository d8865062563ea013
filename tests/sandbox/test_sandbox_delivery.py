from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def related(desks):
    """Make 60 targets and a story that relates to them all."""
    with desks() as desk:
        many = {"type": "options", "source": "internal_stories"}
        desk.component("target", {})
        desk.component("hub", {"many": many})
        uuids = []
        for number in range(60):
            content = {"component": "target", "_uid": "1"}
            reply = desk.story(f"t-{number:02d}", content)
            uuids.append(reply.json()["story"]["uuid"])
        content = {"component": "hub", "_uid": "1", "many": uuids}
        desk.story("hub", content)
        few = {"component": "hub", "_uid": "1", "many": uuids[:3]}
        desk.story("small", few)
        token = desk.space.get("").json()["space"]["first_token"]
        query = {"token": token, "version": "draft", "resolve_relations": "hub.many"}
        yield desk, uuids, query


def test_at_most_fifty_stories_are_resolved(related):
    """Of 60 relations 50 are resolved and the UUIDs of all are named."""
    desk, uuids, query = related
    answer = desk.public.get("/v2/cdn/stories/hub", params=query).json()
    assert [story["uuid"] for story in answer["rels"]] == uuids[:50]
    assert answer["rel_uuids"] == uuids
    assert answer["story"]["content"]["many"] == uuids


def test_fewer_relations_are_resolved_whole(related):
    """Below the limit every related story comes along and no list of UUIDs."""
    desk, uuids, query = related
    answer = desk.public.get("/v2/cdn/stories/small", params=query).json()
    assert [story["uuid"] for story in answer["rels"]] == uuids[:3]
    assert "rel_uuids" not in answer
    plain = {name: said for name, said in query.items() if name != "resolve_relations"}
    assert desk.public.get("/v2/cdn/stories/small", params=plain).json()["rels"] == []


def test_delivery_needs_its_token_and_shows_what_is_public(related):
    """Without the token 401, without the draft version only published stories."""
    desk, _, query = related
    assert desk.public.get("/v2/cdn/stories/hub").status_code == 401
    public = {"token": query["token"]}
    assert desk.public.get("/v2/cdn/stories/hub", params=public).status_code == 404
    rows = desk.space.get("/stories", params={"with_slug": "small"}).json()["stories"]
    desk.space.get(f"/stories/{rows[0]['id']}/publish")
    shown = desk.public.get("/v2/cdn/stories", params=public)
    assert shown.headers["Total"] == "1"
    assert shown.json()["stories"][0]["slug"] == "small"
