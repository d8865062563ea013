"""Each call as it stands on the wire, and each answer as a record."""

from __future__ import annotations

import hashlib
import re
from typing import cast

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.connection import authorization
from cmsmig.destination.schema import content_url
from cmsmig.errors import MalformedAnswerError, OutcomeUnknownError, RejectedError
from cmsmig.events import Noticed
from tests.support.destination.scripted import Script

BIG = 1 << 50
S3 = "https://s3.amazonaws.com/a.storyblok.com"
FIELDS = {
    "key": "f/7/800x600/ab/hero.jpg",
    "x-amz-date": "20261121T000000Z",
    "acl": "public-read",
    "policy": "cG9saWN5",
    "Content-Type": "image/jpeg",
    "Expires": 3600,
}
SIGNED: JsonObject = {
    "id": "123",
    "pretty_url": "//a.storyblok.com/f/7/800x600/ab/hero.jpg",
    "public_url": f"{S3}/f/7/800x600/ab/hero.jpg",
    "fields": cast("JsonObject", FIELDS),
    "post_url": "http://upload.test/a",
    "locked": False,
}


def story(story_id: int = 5, **more: Json) -> JsonObject:
    """Return a story as the service answers."""
    return {
        "id": story_id,
        "uuid": f"uuid-{story_id}",
        "name": "Post",
        "slug": "post",
        "full_slug": "blog/post",
        "parent_id": 4,
        "is_folder": False,
        "published": True,
        "unpublished_changes": True,
        "updated_at": "2026-11-21T00:00:00.000Z",
        "content": {"component": "post", "_uid": "x"},
        **more,
    }


def row(story_id: int, **more: Json) -> JsonObject:
    """Return a story as a list shows it."""
    record = story(story_id, **more)
    del record["content"]
    return {**record, "content_type": "post"}


async def test_the_token_goes_out_as_given(script: Script) -> None:
    """A raw token has no scheme, one with a scheme keeps it."""
    script.says({"space": {"id": 7, "name": "S"}})
    await script.client().space()
    assert script.requests[0].headers["authorization"] == "secret-token"
    assert authorization("Bearer abc") == "Bearer abc"


async def test_a_space_is_read(script: Script) -> None:
    """Plan, languages and domain come out typed, and a lean answer is enough."""
    script.says(
        {
            "space": {
                "id": 7,
                "name": "S",
                "plan_level": 300,
                "domain": "https://x.test/",
                "languages": [{"code": "fr", "name": "French"}, {"code": "de"}],
            }
        }
    ).says({"space": {"id": BIG, "options": {"languages": [{"code": "fr"}]}}})
    client = script.client()
    space = await client.space()
    assert (space.plan_level, space.languages) == ("300", ("fr", "de"))
    lean = await client.space()
    assert (lean.space_id, lean.languages, lean.domain) == (str(BIG), ("fr",), "")
    assert script.lines == ["GET ", "GET "]


async def test_components_are_listed_created_and_changed(script: Script) -> None:
    """One unpaged list; bodies are wrapped; the record comes back whole."""
    body: JsonObject = {"name": "post", "schema": {"t": {"type": "text"}}}
    script.says({"components": [{"id": 1, **body}], "component_groups": []})
    script.says({"component": {"id": 2, **body}}, 201)
    script.says({"component": {"id": 2, **body}}).says(None, 204)
    client = script.client()
    listed = await client.components()
    assert listed[0].component_id == 1
    assert listed[0].body["schema"] == body["schema"]
    assert (await client.create_component(body)).component_id == 2
    assert script.sent == {"component": body}
    await client.update_component(2, body)
    assert script.sent == {"component": body}
    await client.delete_component(2)
    assert script.lines == [
        "GET /components",
        "POST /components",
        "PUT /components/2",
        "DELETE /components/2",
    ]


async def test_datasources_and_entries(script: Script) -> None:
    """Lists are paged, creates are wrapped, entries name their datasource."""
    source: JsonObject = {"id": 1, "name": "Colours", "slug": "colours"}
    entry: JsonObject = {"id": 9, "name": "Red", "value": "red"}
    script.says({"datasources": [source]}, total="1")
    script.says({"datasource": source}, 201)
    script.says({"datasource_entries": [entry]}, total="1")
    script.says({"datasource_entry": entry}, 201)
    client = script.client()
    assert [one.slug for one in await client.datasources()] == ["colours"]
    assert (await client.create_datasource("Colours", "colours")).datasource_id == 1
    assert script.sent == {"datasource": {"name": "Colours", "slug": "colours"}}
    assert [one.value for one in await client.datasource_entries(1)] == ["red"]
    assert (await client.create_datasource_entry(1, "Red", "red")).entry_id == 9
    assert script.sent == {
        "datasource_entry": {"datasource_id": 1, "name": "Red", "value": "red"}
    }
    assert script.lines == [
        "GET /datasources?page=1&per_page=100",
        "POST /datasources",
        "GET /datasource_entries?datasource_id=1&page=1&per_page=100",
        "POST /datasource_entries",
    ]


async def test_a_story_is_created_and_updated_as_a_draft(script: Script) -> None:
    """The body is wrapped and whole, and `publish` is nowhere in it."""
    body: JsonObject = {
        "name": "Post",
        "slug": "post",
        "default_root": "post",
        "content": {"component": "post", "title": "", "tags": []},
    }
    script.says({"story": story()}, 201).says({"story": story()})
    client = script.client()
    made = await client.create_story(body)
    assert script.sent == {"story": body}
    assert made.row.uuid == "uuid-5"
    assert made.row.content_type == "post"
    assert made.row.published
    assert made.row.unpublished_changes
    assert made.content == {"component": "post", "_uid": "x"}
    await client.update_story(5, body)
    assert script.sent == {"story": body}
    assert script.lines == ["POST /stories", "PUT /stories/5"]


async def test_an_update_sends_the_group_in_both_places(script: Script) -> None:
    """Sources disagree about an update; a create has it inside `story` alone."""
    script.says({"story": story()})
    body: JsonObject = {"name": "P", "group_id": "g"}
    await script.client().update_story(5, body)
    assert script.sent == {"story": body, "group_id": "g"}
    await script.client().create_story(body)
    assert script.sent == {"story": body}


async def test_publishing_sends_one(script: Script) -> None:
    """Only a write that is to publish says so."""
    script.says({"story": story()})
    client = script.client()
    await client.create_story({"name": "P"}, publish=True)
    assert script.sent == {"story": {"name": "P"}, "publish": 1}
    await client.update_story(5, {"name": "P"}, publish=True)
    assert script.sent == {"story": {"name": "P"}, "publish": 1}
    await client.publish_story(5)
    await client.delete_story(5)
    assert script.lines[2:] == ["GET /stories/5/publish", "DELETE /stories/5"]


@pytest.mark.parametrize("said", [b"", b"{}", b'{"message":"published"}'])
async def test_a_publication_may_answer_without_the_story(
    script: Script, said: bytes
) -> None:
    """What it answers is not documented: then the story tells whether it is public."""
    script.answers.append(httpx.Response(200, content=said))
    script.says({"story": story()})
    published = await script.client().publish_story(5)
    assert published.row.published
    assert script.lines == ["GET /stories/5/publish", "GET /stories/5"]


async def test_a_publication_that_changed_nothing_is_none(script: Script) -> None:
    """An answer that says nothing, and a story that is a draft still."""
    script.says({}).says({"story": story(published=False)})
    with pytest.raises(MalformedAnswerError, match="lacks `story`"):
        await script.client().publish_story(5)


async def test_a_folder_needs_no_content(script: Script) -> None:
    """A folder answers with or without content; its path has no slashes at ends."""
    folder = story(8, is_folder=True, full_slug="blog/", content=None, parent_id=None)
    script.says({"story": folder}, 201)
    made = await script.client().create_story({"name": "Blog", "is_folder": True})
    assert made.content == {}
    assert made.row.full_slug == "blog"
    assert made.row.parent_id == 0
    assert made.row.is_folder


async def test_all_pages_of_a_list_are_read_once(script: Script) -> None:
    """The total in the header says how many pages there are."""
    rows = [row(number) for number in range(1, 251)]

    def page(request: httpx.Request) -> httpx.Response:
        number = int(request.url.params["page"])
        part = rows[100 * (number - 1) : 100 * number]
        return httpx.Response(200, headers={"Total": "250"}, json={"stories": part})

    script.answers.append(page)
    found = await script.client().stories(starts_with="blog/", folder_only=True)
    assert [one.story_id for one in found] == list(range(1, 251))
    assert sorted(script.lines) == [
        f"GET /stories?starts_with=blog%2F&folder_only=true&page={number}&per_page=100"
        for number in (1, 2, 3)
    ]


@pytest.mark.parametrize(("rows", "calls"), [(0, 1), (7, 1), (100, 2), (101, 2)])
async def test_a_list_without_a_total_ends_with_a_short_page(
    script: Script, rows: int, calls: int
) -> None:
    """Where no header tells the total, a full page asks for another one."""

    def page(request: httpx.Request) -> httpx.Response:
        first = 100 * (int(request.url.params["page"]) - 1)
        part = [row(number) for number in range(first, min(first + 100, rows))]
        return httpx.Response(200, json={"stories": part})

    script.answers.append(page)
    assert len(await script.client().stories()) == rows
    assert len(script.requests) == calls


async def test_a_service_with_smaller_pages_is_followed(script: Script) -> None:
    """Pages are counted by what the first one held, not by what was asked for."""

    def page(request: httpx.Request) -> httpx.Response:
        first = 25 * (int(request.url.params["page"]) - 1)
        part = [row(number) for number in range(first, min(first + 25, 60))]
        return httpx.Response(200, headers={"Total": "60"}, json={"stories": part})

    script.answers.append(page)
    assert len(await script.client().stories()) == 60
    assert len(script.requests) == 3


async def test_a_row_that_moved_across_pages_is_not_lost(script: Script) -> None:
    """A deletion between two pages hides a row once; the second reading has it."""
    calls = 0

    def page(request: httpx.Request) -> httpx.Response:
        nonlocal calls
        calls += 1
        number = int(request.url.params["page"])
        gone = calls > 1
        rows = [row(each) for each in range(150) if not (gone and each == 3)]
        part = rows[100 * (number - 1) : 100 * number]
        headers = {"Total": str(len(rows))}
        return httpx.Response(200, headers=headers, json={"stories": part})

    script.answers.append(page)
    found = {each.story_id for each in await script.client().stories()}
    assert found >= set(range(150)) - {3}


async def test_one_failing_page_fails_the_list(script: Script) -> None:
    """The list's error is the page's error, not a group of them."""

    def page(request: httpx.Request) -> httpx.Response:
        if request.url.params["page"] != "1":
            return httpx.Response(422, json={"error": "no"})
        rows = [row(number) for number in range(100)]
        return httpx.Response(200, headers={"Total": "900"}, json={"stories": rows})

    script.answers.append(page)
    with pytest.raises(Exception, match="list stories") as caught:
        await script.client().stories()
    assert not isinstance(caught.value, BaseExceptionGroup)


@pytest.mark.parametrize(
    "answer",
    [
        {"story": {**story(), "id": None}},
        {"story": {**story(), "id": 2**63}},
        {"story": {**story(), "id": -(2**63)}},
        {"story": {**story(), "id": 10**400}},
        {"story": {**story(), "id": "9" * 19}},
        {"story": {**story(), "id": "9" * 5000}},
        {"story": {**story(), "uuid": ""}},
        {"story": {**story(), "content": None}},
        {"story": []},
        {"item": story()},
        [],
    ],
)
async def test_a_success_without_its_record_is_malformed(
    script: Script, answer: Json
) -> None:
    """A created story whose id cannot be read is not taken for a success."""
    script.says(answer, 201)
    with pytest.raises(MalformedAnswerError, match="lacks"):
        await script.client().create_story({"name": "P"})


@pytest.mark.parametrize("status", [500, 502, 504])
async def test_creates_and_signings_are_never_repeated(
    script: Script, status: int
) -> None:
    """A gateway error leaves the outcome open, and one request was sent."""
    script.answers.append(httpx.Response(status, text="<html>bad gateway</html>"))
    client = script.client()
    for call in (
        client.create_story({"name": "P"}),
        client.create_component({"name": "p"}),
        client.create_datasource("a", "a"),
        client.create_datasource_entry(1, "a", "a"),
        client.create_asset_folder("a", None),
        client.sign_upload("a.jpg", size="", ext_id="e", asset_folder_id=None, alt=""),
    ):
        script.requests.clear()
        with pytest.raises(OutcomeUnknownError):
            await call
        assert len(script.requests) == 1


async def test_an_update_is_not_repeated_after_a_gateway_error(
    script: Script,
) -> None:
    """An editor may have saved since: the same content again would be over theirs."""
    script.answers.append(httpx.Response(502, text="<html>"))
    script.says({"story": story()})
    with pytest.raises(OutcomeUnknownError):
        await script.client().update_story(5, {"name": "P"})
    assert script.lines == ["PUT /stories/5"]


async def test_signing_asks_for_what_is_known(script: Script) -> None:
    """Size, external id, folder and alt go along; what is empty does not."""
    script.says(SIGNED)
    client = script.client()
    signed = await client.sign_upload(
        "hero.jpg", size="800x600", ext_id="e", asset_folder_id=3, alt="Hero"
    )
    assert script.sent == {
        "filename": "hero.jpg",
        "size": "800x600",
        "ext_id": "e",
        "asset_folder_id": 3,
        "alt": "Hero",
    }
    assert signed.asset_id == 123
    assert signed.content_url == ("https://a.storyblok.com/f/7/800x600/ab/hero.jpg")
    assert [name for name, _ in signed.fields] == list(FIELDS)
    await client.sign_upload(
        "a.pdf", size="", ext_id="e", asset_folder_id=None, alt="", replace=9
    )
    assert script.sent == {"filename": "a.pdf", "ext_id": "e", "id": 9}
    assert script.lines == ["POST /assets", "POST /assets"]


orders = st.permutations(list(FIELDS.items()))


@given(order=orders, data=st.binary(max_size=200))
async def test_the_upload_is_verbatim_in_the_order_of_its_signing(
    order: list[tuple[str, str | int]], data: bytes
) -> None:
    """Every field as it came, in its place, and the file last and whole."""
    script = Script().says({**SIGNED, "fields": cast("JsonObject", dict(order))})
    client = script.client()
    signed = await client.sign_upload(
        "hero.jpg", size="", ext_id="e", asset_folder_id=None, alt=""
    )
    script.answers[:] = [httpx.Response(204)]
    await client.upload(signed, data, "image/png")
    request = script.requests[-1]
    assert str(request.url) == "http://upload.test/a"
    assert "authorization" not in request.headers
    assert request.headers["content-length"] == str(len(request.content))
    boundary = request.headers["content-type"].partition("boundary=")[2].encode()
    parts = request.content.split(b"--" + boundary)
    assert parts[-1] == b"--\r\n"
    heads = [part.partition(b"\r\n\r\n") for part in parts[1:-1]]
    names = [re.search(rb'name="([^"]*)"', head) for head, _, _ in heads]
    assert [found and found.group(1).decode() for found in names] == [
        *(name for name, _ in order),
        "file",
    ]
    values = [body.removesuffix(b"\r\n") for _, _, body in heads]
    assert values == [*(str(value).encode() for _, value in order), data]
    assert b'filename="hero.jpg"' in heads[-1][0]
    assert b"Content-Type: image/jpeg" in heads[-1][0]


@pytest.mark.parametrize(
    "broken",
    [
        {"fields": {}},
        {"fields": None},
        {"fields": {"key": ["a"]}},
        {"post_url": ""},
        {"id": None},
        {"public_url": "", "pretty_url": None},
    ],
)
async def test_a_signing_that_cannot_be_used_is_malformed(
    script: Script, broken: JsonObject
) -> None:
    """Nothing is uploaded with half a signature."""
    script.says({**SIGNED, **broken})
    with pytest.raises(MalformedAnswerError):
        await script.client().sign_upload(
            "a.jpg", size="", ext_id="e", asset_folder_id=None, alt=""
        )


async def test_assets_are_read_wrapped_and_unwrapped(script: Script) -> None:
    """Both forms of an answer give the same record."""
    record: JsonObject = {
        "id": 1,
        "filename": f"{S3}/f/7/a.jpg",
        "ext_id": "e",
        "alt": None,
        "asset_folder_id": None,
        "content_length": 12,
    }
    script.says({"asset": record}).says(record)
    client = script.client()
    wrapped = await client.asset(1)
    assert wrapped == await client.asset(1)
    assert wrapped.content_url == "https://a.storyblok.com/f/7/a.jpg"
    assert (wrapped.alt, wrapped.content_length) == ("", 12)


async def test_assets_are_found_by_external_id(script: Script) -> None:
    """A service that ignores the filter does not mislead."""
    rows = [
        {"id": 1, "filename": "https://x.test/a", "ext_id": "e"},
        {"id": 2, "filename": "https://x.test/b", "ext_id": None},
    ]
    script.says({"assets": cast("Json", rows)}, total="2")
    found = await script.client().assets(ext_id="e")
    assert [asset.asset_id for asset in found] == [1]
    assert script.lines == ["GET /assets?ext_id=e&page=1&per_page=100"]


async def test_the_other_asset_calls(script: Script) -> None:
    """Finish, update and delete answer without a body; folders are wrapped."""
    folder: JsonObject = {"id": 4, "name": "Site", "parent_id": None}
    script.says({"id": 1})
    client = script.client()
    await client.finish_upload(1)
    script.answers[:] = [httpx.Response(204)]
    await client.update_asset(1, {"alt": "x"})
    assert script.sent == {"asset": {"alt": "x"}}
    await client.delete_asset(1)
    await client.delete_asset_folder(4)
    script.answers.clear()
    script.says({"asset_folders": [folder]}).says({"asset_folder": folder}, 201)
    assert (await client.asset_folders())[0].name == "Site"
    assert (await client.create_asset_folder("Site", 2)).folder_id == 4
    assert script.sent == {"asset_folder": {"name": "Site", "parent_id": 2}}
    assert script.lines == [
        "GET /assets/1/finish_upload",
        "PUT /assets/1",
        "DELETE /assets/1",
        "DELETE /asset_folders/4",
        "GET /asset_folders",
        "POST /asset_folders",
    ]


@pytest.mark.parametrize("status", [200, 403, 404])
async def test_the_public_address_is_the_proof(script: Script, status: int) -> None:
    """The digest is that of the bytes; an absent file is a status, not an error."""
    script.answers.append(httpx.Response(status, content=b"picture"))
    public = await script.client().public("https://a.storyblok.com/f/7/a.jpg")
    assert public.status == status
    stored = hashlib.sha256(b"picture").hexdigest() if status == 200 else ""
    assert public.sha256 == stored
    assert "authorization" not in script.requests[0].headers


async def test_a_call_that_goes_away_is_noticed_once(script: Script) -> None:
    """A deprecation header reaches a person, not every request's log line."""
    script.says({"space": {"id": 7}}, Sunset="Sat, 01 Jan 2028 00:00:00 GMT")
    client = script.client()
    await client.space()
    await client.space()
    noticed = [each for each in script.events if isinstance(each, Noticed)]
    assert len(noticed) == 1
    assert "2028" in noticed[0].what


@pytest.mark.parametrize(
    ("url", "stored"),
    [
        (f"{S3}/f/7/a.jpg", "https://a.storyblok.com/f/7/a.jpg"),
        ("//s3.amazonaws.com/a.storyblok.com/f/a", "https://a.storyblok.com/f/a"),
        ("s3.amazonaws.com/a.storyblok.com/f/a", "https://a.storyblok.com/f/a"),
        (
            "http://s3.amazonaws.com/a-us.storyblok.com/f",
            "https://a-us.storyblok.com/f",
        ),
        ("//a.storyblok.com/f/7/a.jpg", "https://a.storyblok.com/f/7/a.jpg"),
        ("https://a.storyblok.com/f/7/a.jpg", "https://a.storyblok.com/f/7/a.jpg"),
        ("http://127.0.0.1:9/f/7/a.jpg", "http://127.0.0.1:9/f/7/a.jpg"),
        ("/f/7/a.jpg", "/f/7/a.jpg"),
        ("ftp://s3.amazonaws.com/a", "ftp://s3.amazonaws.com/a"),
        ("", ""),
    ],
)
def test_content_holds_one_form_of_an_address(url: str, stored: str) -> None:
    """Storage host and missing scheme are normalised, anything else is kept."""
    assert content_url(url) == stored
    assert content_url(stored) == stored


async def test_a_rehearsed_space_shows_files_at_its_own_port_alone(
    script: Script,
) -> None:
    """An address of a file comes from the service: it opens no other port here."""
    script.answers.append(httpx.Response(200, content=b"bytes"))
    client = script.client(base="http://127.0.0.1:8002/v1")
    assert (await client.public("http://127.0.0.1:8002/a/f.jpg")).size == 5
    for elsewhere in ("http://127.0.0.1:8003/a", "http://10.0.0.1:8002/a"):
        with pytest.raises(RejectedError, match="private network"):
            await client.public(elsewhere)
    assert len(script.requests) == 1
