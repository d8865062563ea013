"""What the sources disagree about: each entry can be set, and has an effect."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.assumed import STANDARD
from cmsmig.destination.client import DestinationClient
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    SettingsError,
)
from tests.support.destination.scripted import Script


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
Call = Callable[[DestinationClient], Awaitable[object]]


def sign(client: DestinationClient) -> Awaitable[object]:
    """Sign some upload."""
    return client.sign_upload(
        "a.jpg", size="1x1", ext_id="e", asset_folder_id=None, alt=""
    )


SIGNED: JsonObject = {
    "id": 1,
    "post_url": "http://x.test",
    "public_url": "u",
    "fields": {"k": ""},
}
REQUESTS: list[tuple[str, str, Call, Json, str]] = [
    (
        "publish_in",
        "body",
        lambda client: client.create_story({"name": "A"}, publish=True),
        {"story": RECORD},
        'POST /stories {"story":{"name":"A"},"publish":1}',
    ),
    (
        "publish_in",
        "query",
        lambda client: client.create_story({"name": "A"}, publish=True),
        {"story": RECORD},
        'POST /stories?publish=1 {"story":{"name":"A"}}',
    ),
    (
        "sign_in",
        "body",
        sign,
        SIGNED,
        'POST /assets {"filename":"a.jpg","size":"1x1","ext_id":"e"}',
    ),
    (
        "sign_in",
        "query",
        sign,
        SIGNED,
        "POST /assets?filename=a.jpg&size=1x1&ext_id=e",
    ),
    (
        "asset_update_method",
        "PUT",
        lambda client: client.update_asset(1, {"alt": "x"}),
        {},
        'PUT /assets/1 {"asset":{"alt":"x"}}',
    ),
    (
        "asset_update_method",
        "PATCH",
        lambda client: client.update_asset(1, {"alt": "x"}),
        {},
        'PATCH /assets/1 {"asset":{"alt":"x"}}',
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


@pytest.mark.parametrize(
    ("scheme", "sent"), [("raw", "secret-token"), ("bearer", "Bearer secret-token")]
)
async def test_the_credential_scheme_is_used(
    script: Script, scheme: str, sent: str
) -> None:
    """A bare token goes out as it is, or as a bearer token."""
    assumed = STANDARD.overridden({"credential_scheme": scheme})
    await script.says({"story": RECORD}).client(assumed).story(5)
    assert script.requests[0].headers["authorization"] == sent


async def test_what_is_in_the_trash_is_not_there(script: Script) -> None:
    """No list shows it, and a read that answers it is as good as a 404."""
    thrown: JsonObject = {**RECORD, "id": 6, "deleted_at": "t"}
    there: JsonObject = {**RECORD, "deleted_at": None}
    asset: JsonObject = {"id": 1, "filename": "a", "deleted_at": "t"}
    script.says({"stories": [thrown, there]}).says({"story": thrown})
    script.says({"stories": [thrown]}).says({"assets": [asset]}).says(asset)
    client = script.client()
    assert [row.story_id for row in await client.stories()] == [5]
    with pytest.raises(NotFoundError, match="`f/a` is in the destination's trash"):
        await client.story(6)
    assert [row.story_id for row in await client.stories(in_trash=True)] == [6]
    assert await client.assets() == []
    with pytest.raises(NotFoundError, match="asset 1 was deleted"):
        await client.asset(1)


def test_each_choice_has_a_test_of_its_effect() -> None:
    """No entry and no choice is dead; `test_shared_budget.py` has those of the rate."""
    tested = {case[:2] for case in REQUESTS}
    tested |= {("credential_scheme", "raw"), ("credential_scheme", "bearer")}
    tested |= {("rate_limit_scope", "token"), ("rate_limit_scope", "space")}
    listed = STANDARD.entries()
    assert {(each.name, choice) for each in listed for choice in each.choices} == tested


async def test_a_missing_key_says_what_to_check(script: Script) -> None:
    """The message names the key, and what may have changed."""
    script.says({"entries": []})
    with pytest.raises(MalformedAnswerError, match=r"`components`.*API has changed"):
        await script.client().components()


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"qqqqqq": "x"}, "take that line out. The table takes only credential_sch"),
        ({"story_path": "stories"}, "sets story_path, which is fixed now: take that"),
        ({"unset_value": "null"}, "sets unset_value, which is fixed now"),
        ({"publish_in": "header"}, "body, query"),
        ({"publish_in": ""}, "body, query"),
    ],
)
def test_a_wrong_override_is_one_sentence(values: dict[str, str], says: str) -> None:
    """A name of an older version or of none, and a value that is no choice."""
    with pytest.raises(SettingsError) as caught:
        STANDARD.overridden(values)
    assert says in str(caught.value)
    assert "[assumed]" in str(caught.value)


def test_overriding_changes_only_what_is_named() -> None:
    """The rest stays as it was, and the standard itself too."""
    changed = STANDARD.overridden({"sign_in": "query"})
    assert (changed.sign_in, changed.publish_in) == ("query", "body")
    assert changed.overridden({"sign_in": "body"}) == STANDARD
    assert STANDARD.overridden({}) == STANDARD
