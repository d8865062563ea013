"""What the specification does not show: all of it assumed, all of it used."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import fields
from typing import cast

import httpx
import pytest

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.assumed import STANDARD, Assumed, Gap
from cmsmig.destination.client import DestinationClient
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    RejectedError,
    SettingsError,
)
from cmsmig.events import Noticed
from tests.support.destination.scripted import Script

NOT_SHOWN = {
    "Fields of a component schema definition beyond the flags": Gap.COMPONENT_FIELDS,
    "Fields of an asset record beyond id and filename": Gap.ASSET_FIELDS,
    "Fields of a story response beyond name, slug, content": Gap.STORY_FIELDS,
    "Transitions": Gap.STATES,
    "HTTP method and body of the components endpoint": Gap.COMPONENT_CALL,
    "Path and body of the story PUT request": Gap.STORY_PUT,
    "Path and body of the asset finish call": Gap.FINISH,
    "Response fields of the asset signing request": Gap.SIGNING,
    "Credential scheme of the destination": Gap.CREDENTIALS,
    "Events": Gap.EVENTS,
    "Error body shape and status codes other than 429": Gap.ERRORS,
    "Deprecation policy and change notification": Gap.DEPRECATION,
}
"""Every line of the specification that ends in "not shown", but for the name of the
array in an origin list: that service's OpenAPI document has it, so nothing is assumed
and nothing can be set (see `test_origin_client.py` for what another name comes to)."""


def test_every_gap_of_the_specification_is_filled() -> None:
    """No gap without an entry, and no entry without a gap."""
    filled = {entry.gap for entry in STANDARD.entries()}
    assert filled == set(Gap)
    assert set(NOT_SHOWN.values()) == set(Gap) - {Gap.CONTENT}
    assert len(NOT_SHOWN) == len(set(NOT_SHOWN.values()))


def test_every_entry_is_named_sourced_and_explained() -> None:
    """A person can see what each value is for and where it comes from."""
    for entry in STANDARD.entries():
        assert entry.source, entry.name
        assert entry.meaning.endswith("."), entry.name
        assert entry.value, entry.name
        assert not entry.choices or entry.value in entry.choices, entry.name
        assert '"' not in entry.value, entry.name


RECORD: JsonObject = {
    "id": 5,
    "uuid": "u",
    "name": "A",
    "slug": "a",
    "full_slug": "f/a",
    "published": True,
    "unpublished_changes": True,
    "updated_at": "t",
    "content": {"component": "page"},
}
BODY: JsonObject = {
    "name": "A",
    "default_root": "page",
    "content": {"component": "page", "x": "", "y": [{"z": ""}]},
}
Call = Callable[[DestinationClient], Awaitable[object]]


def sign(client: DestinationClient) -> Awaitable[object]:
    """Sign some upload."""
    return client.sign_upload(
        "a.jpg", size="1x1", ext_id="e", asset_folder_id=None, alt=""
    )


REQUESTS: list[tuple[str, str, Call, Json, str]] = [
    (
        "component_create_method",
        "PUT",
        lambda client: client.create_component({"name": "a"}),
        {"component": {"id": 1, "name": "a"}},
        'PUT /components {"component":{"name":"a"}}',
    ),
    (
        "component_update_method",
        "PATCH",
        lambda client: client.update_component(1, {"name": "a"}),
        {"component": {"id": 1, "name": "a"}},
        'PATCH /components/1 {"component":{"name":"a"}}',
    ),
    (
        "component_wrapper",
        "block",
        lambda client: client.create_component({"name": "a"}),
        {"block": {"id": 1, "name": "a"}},
        'POST /components {"block":{"name":"a"}}',
    ),
    (
        "component_schema_key",
        "fields",
        lambda client: client.create_component({"name": "a", "schema": {}}),
        {"component": {"id": 1, "name": "a", "fields": {}}},
        'POST /components {"component":{"name":"a","fields":{}}}',
    ),
    (
        "story_path",
        "entry/{id}/now",
        lambda client: client.story(5),
        {"story": RECORD},
        "GET /entry/5/now",
    ),
    (
        "story_wrapper",
        "entry",
        lambda client: client.create_story({"name": "A"}),
        {"entry": RECORD},
        'POST /stories {"entry":{"name":"A"}}',
    ),
    (
        "default_root_sent",
        "false",
        lambda client: client.create_story({"name": "A", "default_root": "p"}),
        {"story": RECORD},
        'POST /stories {"story":{"name":"A"}}',
    ),
    (
        "unset_value",
        "null",
        lambda client: client.create_story({"content": BODY["content"]}),
        {"story": RECORD},
        'POST /stories {"story":{"content":{"component":"page","x":null,'
        '"y":[{"z":null}]}}}',
    ),
    (
        "unset_value",
        "omit",
        lambda client: client.create_story({"content": BODY["content"]}),
        {"story": RECORD},
        'POST /stories {"story":{"content":{"component":"page","y":[{}]}}}',
    ),
    (
        "publish_in",
        "query",
        lambda client: client.create_story({"name": "A"}, publish=True),
        {"story": RECORD},
        'POST /stories?publish=1 {"story":{"name":"A"}}',
    ),
    (
        "publish_method",
        "POST",
        lambda client: client.publish_story(5),
        {"story": RECORD},
        "POST /stories/5/publish",
    ),
    (
        "publish_path",
        "publish/{id}",
        lambda client: client.publish_story(5),
        {"story": RECORD},
        "GET /publish/5",
    ),
    (
        "unpublish_path",
        "hide/{id}",
        lambda client: client.unpublish_story(5),
        {"story": RECORD},
        "GET /hide/5",
    ),
    (
        "sign_in",
        "query",
        sign,
        {"id": 1, "post_url": "http://x.test", "public_url": "u", "fields": {"k": ""}},
        "POST /assets?filename=a.jpg&size=1x1&ext_id=e",
    ),
    (
        "external_id_key",
        "outer",
        sign,
        {"id": 1, "post_url": "http://x.test", "public_url": "u", "fields": {"k": ""}},
        'POST /assets {"filename":"a.jpg","size":"1x1","outer":"e"}',
    ),
    (
        "finish_method",
        "POST",
        lambda client: client.finish_upload(1),
        {},
        "POST /assets/1/finish_upload",
    ),
    (
        "finish_path",
        "done/{id}",
        lambda client: client.finish_upload(1),
        {},
        "GET /done/1",
    ),
    (
        "asset_update_method",
        "PATCH",
        lambda client: client.update_asset(1, {"alt": "x"}),
        {},
        'PATCH /assets/1 {"asset":{"alt":"x"}}',
    ),
    (
        "asset_wrapper",
        "file",
        lambda client: client.update_asset(1, {"alt": "x"}),
        {},
        'PUT /assets/1 {"file":{"alt":"x"}}',
    ),
]


@pytest.mark.parametrize(("name", "value", "call", "answer", "line"), REQUESTS)
async def test_an_override_changes_the_request(
    script: Script, name: str, value: str, call: Call, answer: Json, line: str
) -> None:
    """The bytes that go out follow the assumption."""
    script.says(answer)
    await call(script.client(STANDARD.overridden({name: value})))
    body = script.requests[-1].content
    shown = json.dumps(json.loads(body), separators=(",", ":")) if body else ""
    assert f"{script.lines[-1]} {shown}".strip() == line


def assets(client: DestinationClient) -> Awaitable[object]:
    """List the assets."""
    return client.assets()


ANSWERS: list[tuple[str, Call, JsonObject, str, object]] = [
    (
        "components_key",
        lambda client: client.components(),
        {"renamed": [{"id": 1, "name": "a"}]},
        "name",
        "a",
    ),
    (
        "stories_key",
        lambda client: client.stories(),
        {"renamed": [RECORD]},
        "story_id",
        5,
    ),
    (
        "story_path_key",
        lambda client: client.stories(),
        {"stories": [{**RECORD, "renamed": "q"}]},
        "full_slug",
        "q",
    ),
    (
        "published_key",
        lambda client: client.stories(),
        {"stories": [{**RECORD, "renamed": False}]},
        "published",
        False,
    ),
    (
        "unpublished_changes_key",
        lambda client: client.stories(),
        {"stories": [{**RECORD, "renamed": False}]},
        "unpublished_changes",
        False,
    ),
    (
        "changed_key",
        lambda client: client.stories(),
        {"stories": [{**RECORD, "renamed": "q"}]},
        "updated_at",
        "q",
    ),
    ("assets_key", assets, {"renamed": [{"id": 1, "filename": "a"}]}, "asset_id", 1),
    (
        "asset_size_key",
        assets,
        {"assets": [{"id": 1, "filename": "a", "renamed": 9}]},
        "content_length",
        9,
    ),
    (
        "signed_id_key",
        sign,
        {"renamed": 4, "post_url": "p", "public_url": "u", "fields": {"k": ""}},
        "asset_id",
        4,
    ),
    (
        "signed_public_key",
        sign,
        {"id": 4, "post_url": "p", "renamed": "u", "fields": {"k": ""}},
        "public_url",
        "u",
    ),
    (
        "signed_pretty_key",
        sign,
        {"id": 4, "post_url": "p", "renamed": "//u/a", "fields": {"k": ""}},
        "content_url",
        "https://u/a",
    ),
]


@pytest.mark.parametrize(("name", "call", "answer", "attribute", "value"), ANSWERS)
async def test_an_override_changes_what_is_read(
    script: Script,
    name: str,
    call: Call,
    answer: JsonObject,
    attribute: str,
    value: object,
) -> None:
    """A key that the service names otherwise is found under its other name."""
    script.says(answer)
    got = await call(script.client(STANDARD.overridden({name: "renamed"})))
    record = got[0] if isinstance(got, list) else got
    assert getattr(record, attribute) == value


async def test_the_other_assumptions_are_used(script: Script) -> None:
    """Scheme, total, storage prefix, error wrappers, deprecation, merging."""
    assumed = STANDARD.overridden(
        {
            "credential_scheme": "bearer",
            "total_header": "X-Count",
            "asset_storage_prefix": "store.test/",
            "error_wrappers": "fault",
            "deprecation_headers": "x-gone",
        }
    )
    client = script.client(assumed)
    row: Json = {"id": 1, "filename": "https://store.test/cdn.test/a"}
    headers = {"X-Count": "2", "Total": "9", "X-Gone": "soon"}
    script.answers.append(httpx.Response(200, headers=headers, json={"assets": [row]}))
    script.says({"assets": [{"id": 2, "filename": "b"}]})
    found = await client.assets()
    assert [asset.asset_id for asset in found] == [1, 2]
    assert found[0].content_url == "https://cdn.test/a"
    assert script.requests[0].headers["authorization"] == "Bearer secret-token"
    assert any(isinstance(each, Noticed) for each in script.events)
    script.answers[:] = [httpx.Response(422, json={"fault": {"error": "no"}})]
    with pytest.raises(RejectedError) as caught:
        await client.create_story({"name": "A"})
    assert caught.value.problems[0].field == "error"


async def test_a_service_that_merges_is_told_what_goes(script: Script) -> None:
    """What the stored content has and the new one lacks is sent as null."""
    stored: JsonObject = {**RECORD, "content": {"component": "page", "old": 1, "x": 2}}
    script.says({"story": stored}).says({"story": RECORD})
    assumed = STANDARD.overridden({"put_replaces_content": "false"})
    await script.client(assumed).update_story(
        5, {"content": {"component": "page", "x": 3}}
    )
    assert script.lines == ["GET /stories/5", "PUT /stories/5"]
    sent = cast("JsonObject", cast("JsonObject", script.sent)["story"])
    assert sent["content"] == {"component": "page", "x": 3, "old": None}


async def test_what_is_in_the_trash_is_not_there(script: Script) -> None:
    """No list shows it, and a read that answers it is as good as a 404."""
    assumed = STANDARD.overridden({"deleted_key": "thrown_at"})
    thrown: JsonObject = {**RECORD, "id": 6, "thrown_at": "t", "deleted_at": None}
    there: JsonObject = {**RECORD, "thrown_at": None}
    asset: JsonObject = {"id": 1, "filename": "a", "thrown_at": "t"}
    script.says({"stories": [thrown, there]}).says({"story": thrown})
    script.says({"stories": [thrown]}).says({"assets": [asset]}).says(asset)
    client = script.client(assumed)
    assert [row.story_id for row in await client.stories()] == [5]
    with pytest.raises(NotFoundError, match="`f/a` is in the destination's trash"):
        await client.story(6)
    assert [row.story_id for row in await client.stories(in_trash=True)] == [6]
    assert await client.assets() == []
    with pytest.raises(NotFoundError, match="asset 1 was deleted"):
        await client.asset(1)


def test_each_entry_has_a_test_of_its_effect() -> None:
    """No entry is dead: each stands in one of the tables above."""
    tested = {case[0] for case in REQUESTS} | {case[0] for case in ANSWERS}
    tested |= {
        "credential_scheme",
        "total_header",
        "asset_storage_prefix",
        "error_wrappers",
        "deprecation_headers",
        "put_replaces_content",
        "deleted_key",
    }
    known = {entry.name for entry in fields(Assumed)}
    assert known == tested


async def test_a_renamed_key_says_where_to_override_it(script: Script) -> None:
    """The message names the missing key and the table."""
    script.says({"entries": []})
    with pytest.raises(MalformedAnswerError, match=r"`components`.*\[assumed\]"):
        await script.client().components()


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"storys_key": "x"}, "stories_key"),
        ({"qqqqqq": "x"}, "take it out"),
        ({"origin_items_key": "x"}, "which nothing reads: take it out"),
        ({"publish_in": "header"}, "body, query"),
        ({"put_replaces_content": "maybe"}, "true, false"),
        ({"stories_key": ""}, "empty"),
        ({"story_path": "stories"}, "{id}"),
    ],
)
def test_a_wrong_override_is_one_sentence(values: dict[str, str], says: str) -> None:
    """An unknown name, a value that is no choice, a path without its id."""
    with pytest.raises(SettingsError) as caught:
        STANDARD.overridden(values)
    assert says in str(caught.value)
    assert "[assumed]" in str(caught.value)


def test_overriding_changes_only_what_is_named() -> None:
    """The rest stays as it was, and the standard itself too."""
    changed = STANDARD.overridden({"stories_key": "rows"})
    assert changed.stories_key == "rows"
    assert changed.overridden({"stories_key": "stories"}) == STANDARD
    assert STANDARD.overridden({}) == STANDARD
