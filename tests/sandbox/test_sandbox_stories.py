from __future__ import annotations

import uuid

import pytest


@pytest.fixture(scope="session", autouse=True)
def note(shared_desk):
    """Make the content type that most stories here use."""
    shared_desk.component("note", {"text": {"type": "text"}})


def content(**more):
    return {"component": "note", "_uid": str(uuid.uuid4()), **more}


def test_a_story_is_made_and_read_back(desk):
    """A create answers 201 with ids, and a read brings the same content."""
    reply = desk.story("first", content(text="one"), position=-10, tag_list=["a"])
    assert reply.status_code == 201
    story = reply.json()["story"]
    assert story["id"] > 2**31
    assert str(uuid.UUID(story["uuid"])) == story["uuid"]
    read = desk.space.get(f"/stories/{story['id']}").json()["story"]
    assert read == story
    assert read["full_slug"] == "first"
    assert (read["published"], read["position"], read["tag_list"]) == (
        False,
        -10,
        ["a"],
    )


def test_slugs_are_unique_in_their_folder_only(desk):
    """The same slug is taken in one folder and free in another."""
    left, right = desk.folder("left"), desk.folder("right")
    assert desk.story("same", content(), parent_id=left).status_code == 201
    again = desk.story("same", content(), parent_id=left)
    other = desk.story("same", content(), parent_id=right)
    assert again.status_code == 422
    assert again.json() == {"slug": ["has already been taken"]}
    assert other.json()["story"]["full_slug"] == "right/same"
    assert other.json()["story"]["parent"]["slug"] == "right"
    assert other.json()["story"]["breadcrumbs"][0]["slug"] == "right"


def test_a_folder_and_its_start_page_share_a_path(desk):
    """A start page takes its folder's path, and there is only one of them."""
    folder = desk.folder("shop")
    page = desk.story("shop", content(), parent_id=folder, is_startpage=True)
    second = desk.story("else", content(), parent_id=folder, is_startpage=True)
    assert page.json()["story"]["full_slug"] == "shop/"
    assert second.status_code == 422
    assert desk.story("shop", content()).status_code == 422
    rows = desk.space.get("/stories", params={"with_slug": "shop"}).json()["stories"]
    assert sorted(row["is_folder"] for row in rows) == [False, True]


@pytest.mark.parametrize(
    ("slug", "message"),
    [
        ("a/b", "is invalid"),
        ("about#", "is invalid"),
        ("", "can't be blank"),
        ("a b", "is invalid"),
        ("..", "is invalid"),
        ("é", "is invalid"),
    ],
)
def test_unusable_slugs_are_refused(desk, slug, message):
    """A slug with a slash, blank or other sign is answered 422."""
    reply = desk.story(slug, content())
    assert reply.status_code == 422
    assert reply.json() == {"slug": [message]}


def test_the_wrapper_is_needed(desk):
    """A story without its wrapper is answered as the service does."""
    reply = desk.space.post("/stories", json={"name": "x", "slug": "x"})
    expected = "param is missing or the value is empty: story"
    assert (reply.status_code, reply.json()) == (422, {"error": expected})


@pytest.mark.parametrize("bad", [None, {}, {"text": "no component"}, "text"])
def test_content_needs_a_component(desk, bad):
    """Content without a component is refused and nothing is stored."""
    before = len(desk.handle.state.space.stories)
    assert desk.story("empty", bad).status_code == 422
    assert len(desk.handle.state.space.stories) == before


def test_unknown_things_are_missing(desk):
    """An unknown story, space or path is answered 404 with an array."""
    replies = [
        desk.space.get("/stories/1"),
        desk.space.get("/nothing"),
        desk.space.get(desk.handle.announcement["base_url"] + "/spaces/1/stories"),
    ]
    assert [reply.status_code for reply in replies] == [404] * 3
    assert replies[0].json() == ["This record could not be found"]


def test_put_replaces_content(desk):
    """After a PUT the content is what was sent and nothing of what was before."""
    own = desk.story("replaced", content(text="old")).json()["story"]["id"]
    fresh = {"component": "note", "_uid": "u"}
    put = desk.space.put(f"/stories/{own}", json={"story": {"content": fresh}})
    assert put.status_code == 200
    read = desk.space.get(f"/stories/{own}").json()["story"]
    assert read["content"] == fresh
    assert read["name"] == "replaced"


@pytest.mark.parametrize("value", [1, 0, False, "", None])
def test_publish_publishes_whatever_its_value(desk, value):
    """The key in a body publishes, even with 0; without it a story is a draft."""
    slug = f"published-{value!r}".replace("'", "q")
    body = {"story": {"name": "x", "slug": slug, "content": content()}}
    made = desk.space.post("/stories", json={**body, "publish": value})
    story = made.json()["story"]
    assert story["published"] is True
    assert story["first_published_at"] == story["published_at"]


def test_a_change_of_a_published_story_waits_for_publishing(desk):
    """A PUT leaves unpublished changes, the publishing GET takes them along."""
    own = desk.story("waiting", content(text="1"), first_published_at="2020-01-01")
    path = f"/stories/{own.json()['story']['id']}"
    assert desk.space.get(f"{path}/publish").json()["story"]["published"] is True
    change = {"story": {"content": content(text="2"), "published": False}}
    put = desk.space.put(path, json=change).json()["story"]
    assert (put["published"], put["unpublished_changes"]) == (True, True)
    query = {"publish": "1", "force_update": "1", "lang": "en"}
    again = desk.space.put(path, json=change, params=query).json()["story"]
    assert (again["published"], again["unpublished_changes"]) == (True, False)
    assert again["first_published_at"] == "2020-01-01"
    assert desk.space.get(f"{path}/unpublish").json()["story"]["published"] is False


@pytest.mark.parametrize(
    ("kind", "value", "blank"),
    [
        ("boolean", False, False),
        ("number", "0", False),
        ("options", [], True),
        ("options", ["a"], False),
        ("asset", {"id": None, "filename": "", "fieldtype": "asset"}, True),
        ("multilink", {"id": "", "url": "", "cached_url": ""}, True),
        ("multilink", {"id": "", "url": "https://x", "cached_url": ""}, False),
        ("richtext", {"type": "doc", "content": [{"type": "paragraph"}]}, False),
        ("option", "", True),
    ],
)
def test_what_counts_as_blank(desk, kind, value, blank):
    """Empty texts, lists, assets and links are blank; false and zero are not."""
    name = f"blank_{kind}_{abs(hash(str(value)))}"
    desk.component(name, {"f": {"type": kind, "required": True}})
    reply = desk.story(name, {"component": name, "_uid": "1", "f": value})
    assert reply.status_code == (422 if blank else 201)


def test_a_closed_folder_refuses_other_content_types(desk):
    """A folder limited to some content types refuses a story of another."""
    closed = {"content_types": ["card"], "lock_subfolders_content_types": True}
    folder = desk.folder("closed", content=closed)
    assert desk.story("inside", content(), parent_id=folder).status_code == 422


@pytest.mark.parametrize(("locked", "status"), [(True, 422), (False, 201)])
def test_a_folder_that_locks_those_below_closes_them_too(desk, locked, status):
    """Unless it does, only its own stories are limited."""
    name = f"locking-{locked}".lower()
    closed = {"content_types": ["card"], "lock_subfolders_content_types": locked}
    above = desk.folder(name, content=closed)
    below = desk.folder("below", parent_id=above)
    assert desk.story("inside", content(), parent_id=below).status_code == status


def test_a_story_beyond_five_megabytes_is_refused(desk):
    """By the content alone, in bytes; what is just below is taken."""
    long = 5 * 1024 * 1024 - 200
    assert desk.story("large", content(body="x" * long)).status_code == 201
    refused = desk.story("larger", content(body="ü" * (long // 2 + 200)))
    assert refused.status_code == 422


def test_deleting_goes_to_the_trash(desk):
    """A deleted folder takes its stories along, and their slugs are free again."""
    folder = desk.folder("doomed")
    inner = desk.story("inner", content(), parent_id=folder).json()["story"]["id"]
    assert desk.space.delete(f"/stories/{folder}").status_code == 200
    trash = desk.space.get("/stories", params={"in_trash": "true"}).json()["stories"]
    assert {folder, inner} <= {row["id"] for row in trash}
    assert desk.folder("doomed") != folder


def test_a_story_in_the_trash_is_shown_with_its_old_path(desk):
    """By its number, with the time of its deletion; no list names it."""
    folder = desk.folder("lost")
    own = desk.story("inner", content(), parent_id=folder).json()["story"]["id"]
    desk.space.delete(f"/stories/{folder}")
    reply = desk.space.get(f"/stories/{own}")
    shown = reply.json()["story"]
    assert (reply.status_code, shown["full_slug"]) == (200, "lost/inner")
    assert shown["deleted_at"]
    rows = desk.space.get("/stories", params={"by_ids": own}).json()["stories"]
    assert rows == []
    assert desk.space.put(f"/stories/{own}", json={"story": {"name": "x"}}).is_error
    desk.unknown(shows_trash=False)
    assert desk.space.get(f"/stories/{own}").status_code == 404


def test_moving_changes_the_path_of_all_below(desk):
    """A moved folder takes its stories' paths along and never into itself."""
    outer, inner = desk.folder("outer"), desk.folder("inner")
    own = desk.story("leaf", content(), parent_id=inner).json()["story"]["id"]
    move = desk.space.put(f"/stories/{inner}/move", params={"to_folder": outer})
    assert move.status_code == 200
    path = desk.space.get(f"/stories/{own}").json()["story"]["full_slug"]
    assert path == "outer/inner/leaf"
    loop = desk.space.put(f"/stories/{outer}/move", params={"to_folder": inner})
    assert loop.status_code == 422


def test_a_uuid_can_be_set_once(desk):
    """A story takes a given UUID, unless it is none or another has it."""
    first = desk.story("uuid-1", content()).json()["story"]
    second = desk.story("uuid-2", content()).json()["story"]
    path = f"/stories/{first['id']}/update_uuid"
    wanted = str(uuid.uuid4())
    done = desk.space.put(path, params={"uuid": wanted})
    assert done.json()["story"]["uuid"] == wanted
    taken = desk.space.put(path, params={"uuid": second["uuid"]})
    broken = desk.space.put(path, params={"uuid": "no_uuid"})
    assert (taken.status_code, broken.status_code) == (422, 422)


def test_slugs_can_be_asked_for(desk):
    """validate_slugs says whether a slug is free and makes nothing."""
    desk.story("asked", content())
    path = "/stories/validate_slugs"
    taken = desk.space.post(path, json={"story": {"slug": "asked"}})
    free = desk.space.post(path, json={"story": {"slug": "asked-2"}})
    assert taken.status_code == 422
    assert free.json() == {"success": True}


def test_reading_refreshes_the_paths_of_links(desk):
    """A read shows the present path of a linked story, however it was stored."""
    desk.component("linked", {"to": {"type": "multilink"}})
    target = desk.story("target", content()).json()["story"]
    link = {"fieldtype": "multilink", "linktype": "story", "id": target["uuid"]}
    link |= {"url": "", "cached_url": "stale"}
    body = {"component": "linked", "_uid": "1", "to": link}
    own = desk.story("linking", body).json()["story"]["id"]
    read = desk.space.get(f"/stories/{own}").json()["story"]["content"]
    assert read["to"]["cached_url"] == "target"
    assert desk.kinds == []


def test_tokens_are_told_apart(desk):
    """A personal token goes raw, an OAuth one as bearer, a narrow one may read."""
    tokens = desk.handle.state.tokens

    def status(method, header):
        headers = {"Authorization": header}
        return desk.space.request(method, "/stories", headers=headers).status_code

    assert status("GET", f"Bearer {tokens.destination}") == 401
    assert status("GET", "") == 401
    assert status("GET", f"Bearer {tokens.oauth}") == 200
    assert status("GET", tokens.read_only) == 200
    assert status("POST", tokens.read_only) == 403
    assert desk.public.get(f"/v1/spaces/{desk.handle.state.space.space_id}").json() == {
        "error": "Unauthorized"
    }


def test_half_a_surrogate_pair_comes_back_escaped(desk):
    """A text that has no UTF-8 form is answered as valid JSON all the same."""
    body = b'{"story": {"name": "x", "slug": "half", "content": '
    body += b'{"component": "note", "_uid": "1", "text": "\\ud83d"}}}'
    reply = desk.space.post("/stories", content=body)
    assert reply.status_code == 201
    assert reply.json()["story"]["content"]["text"] == "\ud83d"
