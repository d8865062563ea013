from __future__ import annotations

from urllib.parse import parse_qsl

import httpx
import pytest

from cmsmig.sandbox.options import SandboxOptions


def read(sandbox, path, query):
    """Return what a reader gets who follows redirects."""
    return sandbox.public.get(f"/v2/cdn/{path}", params=query, follow_redirects=True)


def public_query(sandbox, **more):
    return {"token": sandbox.handle.state.space.public_token, **more}


def draft_query(sandbox, **more):
    token = sandbox.handle.state.space.preview_token
    return {"token": token, "version": "draft", **more}


def publish_note(sandbox, text, slug="note"):
    """Make a published story, or change it, and return it."""
    body = {"content": {"component": "note", "_uid": "1", "text": text}}
    body |= {"name": text, "slug": slug}
    rows = sandbox.space.get("/stories", params={"with_slug": slug}).json()["stories"]
    if rows:
        path, call = f"/stories/{rows[0]['id']}", sandbox.space.put
    else:
        path, call = "/stories", sandbox.space.post
    reply = call(path, json={"story": body, "publish": 1})
    assert reply.status_code < 300, reply.text
    return reply.json()["story"]


def text_in(reply):
    assert reply.status_code == 200, reply.text
    return reply.json()["story"]["content"]["text"]


@pytest.fixture(scope="session")
def related(desks):
    """Make 60 targets and a story that relates to them all."""
    with desks() as sandbox:
        many = {"type": "options", "source": "internal_stories"}
        sandbox.component("target", {})
        sandbox.component("hub", {"many": many})
        uuids = []
        for number in range(60):
            content = {"component": "target", "_uid": "1"}
            reply = sandbox.story(f"t-{number:02d}", content)
            uuids.append(reply.json()["story"]["uuid"])
        content = {"component": "hub", "_uid": "1", "many": uuids}
        sandbox.story("hub", content)
        few = {"component": "hub", "_uid": "1", "many": uuids[:3]}
        sandbox.story("small", few)
        token = sandbox.space.get("").json()["space"]["first_token"]
        query = {"token": token, "version": "draft", "resolve_relations": "hub.many"}
        yield sandbox, uuids, query


def test_at_most_fifty_stories_are_resolved(related):
    """Of 60 relations 50 are resolved and the UUIDs of all are named."""
    sandbox, uuids, query = related
    answer = sandbox.public.get("/v2/cdn/stories/hub", params=query).json()
    assert [story["uuid"] for story in answer["rels"]] == uuids[:50]
    assert answer["rel_uuids"] == uuids
    assert answer["story"]["content"]["many"] == uuids


def test_fewer_relations_are_resolved_whole(related):
    """Below the limit every related story comes along and no list of UUIDs."""
    sandbox, uuids, query = related
    answer = sandbox.public.get("/v2/cdn/stories/small", params=query).json()
    assert [story["uuid"] for story in answer["rels"]] == uuids[:3]
    assert "rel_uuids" not in answer
    plain = {name: said for name, said in query.items() if name != "resolve_relations"}
    assert (
        sandbox.public.get("/v2/cdn/stories/small", params=plain).json()["rels"] == []
    )


def test_delivery_needs_its_token_and_shows_what_is_public(related):
    """Without the token 401, without the draft version only published stories."""
    sandbox, _, query = related
    assert sandbox.public.get("/v2/cdn/stories/hub").status_code == 401
    public = {"token": query["token"]}
    assert read(sandbox, "stories/hub", public).status_code == 404
    rows = sandbox.space.get("/stories", params={"with_slug": "small"}).json()[
        "stories"
    ]
    sandbox.space.get(f"/stories/{rows[0]['id']}/publish")
    shown = read(sandbox, "stories", public)
    assert shown.headers["Total"] == "1"
    assert shown.json()["stories"][0]["slug"] == "small"


def test_published_reads_are_sent_to_the_present_cache_version(desks):
    """No version, none that the edge holds, 0 and a future one: one redirect each."""
    with desks() as sandbox:
        publish_note(sandbox, "one")
        query = public_query(sandbox, by_slugs="note", per_page="25")
        version = sandbox.handle.state.space.version
        for asked in ({}, {"cv": "0"}, {"cv": str(version - 1)}, {"cv": "9999999999"}):
            sent = sandbox.public.get("/v2/cdn/stories", params={**query, **asked})
            assert (sent.status_code, sent.content) == (301, b"")
            there = httpx.URL(sent.headers["Location"])
            assert (there.host, there.port) == (
                sandbox.public.base_url.host,
                sent.url.port,
            )
            assert there.path == "/v2/cdn/stories"
            kept = dict(parse_qsl(there.query.decode()))
            assert kept == {**query, "cv": str(version)}
        reply = sandbox.public.get(there)
        assert reply.json()["cv"] == version
        assert reply.json()["stories"][0]["content"]["text"] == "one"
        shown = sandbox.public.get(
            "/v2/cdn/spaces/me", params=public_query(sandbox)
        ).json()
        assert shown["space"]["version"] == version


def test_an_old_cache_version_that_is_held_shows_the_old_story(desks):
    """It is the same answer for a week; an address that is not held is sent on."""
    with desks() as sandbox:
        publish_note(sandbox, "one")
        old = read(sandbox, "stories/note", public_query(sandbox))
        assert (text_in(old), old.headers["X-Cache"]) == ("one", "Miss from cloudfront")
        publish_note(sandbox, "two")
        held = sandbox.public.get(old.url)
        assert (text_in(held), held.headers["X-Cache"]) == (
            "one",
            "Hit from cloudfront",
        )
        assert held.json()["cv"] == old.json()["cv"]
        assert text_in(read(sandbox, "stories/note", public_query(sandbox))) == "two"
        pinned = public_query(sandbox, cv=str(old.json()["cv"]), language="default")
        sent = sandbox.public.get("/v2/cdn/stories/note", params=pinned)
        assert sent.status_code == 301


def test_an_answer_is_held_for_a_week(desks, clock):
    with desks(clock=clock) as sandbox:
        publish_note(sandbox, "one")
        old = read(sandbox, "stories/note", public_query(sandbox))
        publish_note(sandbox, "two")
        clock.now += 7 * 86_400 - 1
        assert text_in(sandbox.public.get(old.url)) == "one"
        clock.now += 1
        assert sandbox.public.get(old.url).status_code == 301


def test_drafts_ignore_the_cache_version_and_are_never_kept(desks):
    """They carry the marks of the editor, and a policy that is no rate."""
    schema = {"body": {"type": "bloks"}, "text": {"type": "richtext"}}
    with desks() as sandbox:
        sandbox.component("page", schema)
        blok = {"component": "page", "_uid": "3"}
        node = {"type": "blok", "attrs": {"id": "1", "body": [blok]}}
        content = {
            "component": "page",
            "_uid": "1",
            "body": [{"component": "page", "_uid": "2"}],
            "text": {"type": "doc", "content": [node]},
        }
        own = sandbox.story("page", content).json()["story"]
        query = draft_query(sandbox, cv="1")
        first, second = (
            sandbox.public.get("/v2/cdn/stories/page", params=query) for _ in range(2)
        )
        assert second.headers["X-Cache"] == "Miss from cloudfront"
        policy = second.headers["X-RateLimit-Policy"]
        assert policy == '"space-concurrent-requests";q=30'
        shown = first.json()["story"]["content"]
        nested = shown["text"]["content"][0]["attrs"]["body"][0]
        for block, uid in ((shown, "1"), (shown["body"][0], "2"), (nested, "3")):
            assert block.pop("_editable") == (
                f'<!--#storyblok#{{"name": "page", "space": "{own_space(sandbox)}", '
                f'"uid": "{uid}", "id": "{own["id"]}"}}-->'
            )
        assert shown == content
        sandbox.space.get(f"/stories/{own['id']}/publish")
        published = read(sandbox, "stories/page", public_query(sandbox))
        assert published.json()["story"]["content"] == content
        assert "X-RateLimit-Policy" not in published.headers


def own_space(sandbox):
    return sandbox.handle.state.space.space_id


def test_languages_are_asked_for_by_one_name(desks):
    """`language` puts the texts in place, `lang` does nothing; no raw key comes."""
    with desks(languages=("pt-br",)) as sandbox:
        sandbox.component("note", {"text": {"type": "text", "translatable": True}})
        content = {"component": "note", "_uid": "1", "text": "one"}
        content |= {"text__i18n__pt_br": "um", "own__i18n__pt_br": "so"}
        sandbox.story("note", content)
        sandbox.folder("folder")
        texts = {}
        for name in ("language", "lang"):
            query = draft_query(sandbox, **{name: "pt-br"})
            shown = sandbox.public.get("/v2/cdn/stories/note", params=query).json()
            assert "__i18n__" not in str(shown)
            texts[name] = shown["story"]["content"]["text"]
        assert texts == {"language": "um", "lang": "one"}
        listed = sandbox.public.get(
            "/v2/cdn/stories", params=draft_query(sandbox)
        ).json()
        assert [story["slug"] for story in listed["stories"]] == ["note"]


def test_which_empty_translations_are_served_can_be_switched(desks):
    """Texts and lists are not; `false` and empty objects are in two readings."""
    link = {"fieldtype": "multilink", "linktype": "story", "id": "", "url": ""}
    link["cached_url"] = ""
    empty = {
        "text": ("one", ""),
        "switch": (True, False),
        "link": ({**link, "linktype": "url", "url": "/x", "cached_url": "/x"}, link),
        "body": (
            {"type": "doc", "content": [{"type": "horizontal_rule"}]},
            {"type": "doc", "content": []},
        ),
    }
    kinds = {"text": "text", "switch": "boolean", "link": "multilink"}
    with desks(languages=("pt-br",)) as sandbox:
        schema = {
            name: {"type": kinds.get(name, "richtext"), "translatable": True}
            for name in empty
        }
        sandbox.component("note", schema)
        content = {"component": "note", "_uid": "1"}
        for name, (own, other) in empty.items():
            content |= {name: own, f"{name}__i18n__pt_br": other}
        sandbox.story("note", content)
        shown = {}
        for reading in ("texts", "all", "none"):
            sandbox.unknown(empty_translation=reading)
            story = read(
                sandbox, "stories/note", draft_query(sandbox, language="pt-br")
            )
            got = story.json()["story"]["content"]
            shown[reading] = {name for name in empty if got[name] == empty[name][1]}
    assert shown == {
        "texts": {"switch", "link", "body"},
        "all": set(),
        "none": set(empty),
    }


def test_the_path_of_a_link_is_that_of_the_language(desks):
    """Of the link's target; the other reading keeps the default language's."""
    with desks(languages=("pt-br",)) as sandbox:
        sandbox.component("note", {"link": {"type": "multilink"}})
        named = [{"lang": "pt-br", "slug": "nota", "name": "Nota"}]
        target = sandbox.story(
            "target",
            {"component": "note", "_uid": "1"},
            translated_slugs_attributes=named,
        )
        uuid = target.json()["story"]["uuid"]
        link = {"fieldtype": "multilink", "linktype": "story", "id": uuid, "url": ""}
        content = {"component": "note", "_uid": "2", "link": {**link, "cached_url": ""}}
        sandbox.story("note", content)
        paths = []
        for language, reading in (("", True), ("pt-br", True), ("pt-br", False)):
            sandbox.unknown(links_in_language=reading)
            query = draft_query(sandbox, language=language)
            story = read(sandbox, "stories/note", query).json()["story"]
            paths.append(story["content"]["link"]["cached_url"])
        assert paths == ["target", "pt-br/nota", "target"]


def test_the_answer_about_the_space_is_two_seconds_old_at_most(desks, clock):
    with desks(clock=clock) as sandbox:

        def version():
            reply = sandbox.public.get(
                "/v2/cdn/spaces/me", params=public_query(sandbox)
            )
            return reply.json()["space"]["version"], reply.headers["X-Cache"].split()[0]

        before, first = version()
        publish_note(sandbox, "one")
        clock.now += 1.9
        assert version() == (before, "Hit")
        clock.now += 0.1
        after, last = version()
        assert (after > before, first, last) == (True, "Miss", "Miss")


def test_a_minimum_cache_makes_the_cache_version_lag(desks, clock):
    """The version goes in steps and stays behind; an answer is kept for one step."""
    with desks(clock=clock, minimum_cache=600) as sandbox:
        publish_note(sandbox, "one")
        first = read(sandbox, "stories/note", public_query(sandbox))
        version = sandbox.handle.state.space.version
        assert first.json()["cv"] == version - version % 600 < version
        publish_note(sandbox, "two")
        clock.now += 599
        assert text_in(read(sandbox, "stories/note", public_query(sandbox))) == "one"
        clock.now += 1
        again = read(sandbox, "stories/note", public_query(sandbox))
        assert text_in(again) == "two"
        assert again.json()["cv"] < sandbox.handle.state.space.version


@pytest.mark.parametrize(
    ("rows", "rate"), [(25, 50), (50, 15), (75, 10), (100, 6)], ids=str
)
def test_larger_pages_may_be_read_less_often(desks, clock, rows, rate):
    """Beyond the rate a 429 comes that says nothing more; kept answers are free."""
    with desks(clock=clock) as sandbox:
        publish_note(sandbox, "one")
        query = draft_query(sandbox, per_page=str(rows))
        replies = [
            sandbox.public.get("/v2/cdn/stories", params=query) for _ in range(rate + 1)
        ]
        assert [reply.status_code for reply in replies] == [200] * rate + [429]
        names = {name.lower() for name in replies[-1].headers}
        assert not {name for name in names if "ratelimit" in name or "retry" in name}
        assert replies[-1].headers["X-Cache"] == "Error from cloudfront"
        clock.now += 1
        public = public_query(sandbox, per_page=str(rows))
        public["cv"] = str(sandbox.handle.state.space.version)
        statuses = {
            sandbox.public.get("/v2/cdn/stories", params=public).status_code
            for _ in range(rate + 5)
        }
        assert statuses == {200}


def test_a_lagging_reader_sees_the_space_of_some_seconds_ago(desks, clock):
    """Drafts, what is published, new stories, moved ones and those in the trash."""
    with desks(clock=clock, delivery_lag=5) as sandbox:
        publish_note(sandbox, "one")
        gone = publish_note(sandbox, "gone", "gone")
        folder = sandbox.folder("before")
        inner = sandbox.story(
            "in", {"component": "note", "_uid": "1"}, parent_id=folder
        )
        assert read(sandbox, "stories/note", public_query(sandbox)).status_code == 404
        clock.now += 5
        version = sandbox.handle.state.space.version

        def seen():
            """Return the paths and texts of drafts, and of what is published."""
            return [
                {
                    story["full_slug"]: story["content"].get("text")
                    for story in read(sandbox, "stories", query).json()["stories"]
                }
                for query in (draft_query(sandbox), public_query(sandbox))
            ]

        public = {"note": "one", "gone": "gone"}
        assert seen() == [{**public, "before/in": None}, public]
        publish_note(sandbox, "two")
        publish_note(sandbox, "new", "new")
        sandbox.space.delete(f"/stories/{gone['id']}")
        renamed = {"story": {"name": "x", "slug": "after"}}
        assert sandbox.space.put(f"/stories/{folder}", json=renamed).status_code == 200
        sandbox.space.get(f"/stories/{inner.json()['story']['id']}/publish")
        clock.now += 4.5
        assert seen() == [{**public, "before/in": None}, public]
        clock.now += 0.5
        public = {"note": "two", "new": "new", "after/in": None}
        assert seen() == [public, public]
        assert sandbox.handle.state.space.version > version


def test_the_delivery_side_does_not_lag_by_default():
    options = SandboxOptions()
    assert (options.delivery_lag, options.minimum_cache) == (0, 0)
