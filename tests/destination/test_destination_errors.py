"""Every shape of error body becomes one exception that names the field."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json
from cmsmig.destination.problems import problems_of
from cmsmig.errors import (
    CredentialsError,
    FieldProblem,
    NotFoundError,
    RateLimitedError,
    RejectedError,
    ServiceError,
)
from cmsmig.masking import masked
from tests.support.destination.scripted import BASE, Script

JSON_SHAPES: list[tuple[int, Json, type[ServiceError], list[tuple[str, str]]]] = [
    (401, {"error": "Unauthorized"}, CredentialsError, [("", "Unauthorized")]),
    (403, {"error": "Forbidden"}, CredentialsError, [("", "Forbidden")]),
    (
        404,
        ["This record could not be found"],
        NotFoundError,
        [("", "This record could not be found")],
    ),
    (
        422,
        {"slug": ["has already been taken"]},
        RejectedError,
        [("slug", "has already been taken")],
    ),
    (
        422,
        {"name": ["has already been taken"]},
        RejectedError,
        [("name", "has already been taken")],
    ),
    (422, {"slug": ["is invalid"]}, RejectedError, [("slug", "is invalid")]),
    (422, {"error": {"base": ["too big"]}}, RejectedError, [("", "too big")]),
    (
        422,
        {"errors": {"title": ["can't be blank", "is short"], "slug": ["is invalid"]}},
        RejectedError,
        [
            ("title", "can't be blank"),
            ("title", "is short"),
            ("slug", "is invalid"),
        ],
    ),
    (422, {"error": "no"}, RejectedError, [("", "no")]),
    (422, {"error": ["no", "never"]}, RejectedError, [("", "no"), ("", "never")]),
    (
        422,
        {"error": "param is missing or the value is empty: story"},
        RejectedError,
        [("story", "param is missing or the value is empty: story")],
    ),
    (
        422,
        {"error": "The component(s) hero are not allowed in the field body"},
        RejectedError,
        [("body", "The component(s) hero are not allowed in the field body")],
    ),
    (
        422,
        {"content": {"body": {"base": ["is\n too  long"]}}, "id": 5, "none": None},
        RejectedError,
        [("content.body", "is too long"), ("id", "5")],
    ),
]


@pytest.mark.parametrize(("status", "body", "kind", "problems"), JSON_SHAPES)
async def test_a_json_error_names_its_field(
    script: Script,
    status: int,
    body: Json,
    kind: type[ServiceError],
    problems: list[tuple[str, str]],
) -> None:
    """The exception's class follows the status, its problems the body."""
    script.says(body, status)
    with pytest.raises(ServiceError) as caught:
        await script.client().create_story({"name": "A", "slug": "a"})
    assert type(caught.value) is kind
    assert caught.value.problems == tuple(FieldProblem(*pair) for pair in problems)
    assert caught.value.status == status
    message = str(caught.value)
    assert "create the story a" in message
    assert all(text in message for _, text in problems)
    assert all(f"{name}: " in message for name, _ in problems if name)
    assert "\n" not in message
    assert "secret-token" not in message
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (
            413,
            "<html><head><title>413 Request Entity Too Large</title></head>"
            "<script>track()</script><body><h1>413</h1></body></html>",
            "413 Request Entity Too Large 413",
        ),
        (400, "bad\r\nrequest", "bad request"),
        (
            403,
            "<?xml version='1.0'?><Error><Code>AccessDenied</Code>"
            "<Message>Policy expired</Message></Error>",
            "AccessDenied: Policy expired",
        ),
        (422, "{broken", "{broken"),
        (400, "", "(400)"),
        (400, "x" * 9000, "x" * 300),
    ],
)
async def test_a_body_that_is_no_json_is_survived(
    script: Script, status: int, body: str, says: str
) -> None:
    """HTML, XML, plain text and nothing at all come out as one short sentence."""
    script.answers.append(httpx.Response(status, text=body))
    with pytest.raises((RejectedError, CredentialsError)) as caught:
        await script.client().update_story(3, {"name": "A"})
    assert says in str(caught.value)
    assert "track()" not in str(caught.value)
    assert len(str(caught.value)) < 700


async def test_a_refused_token_says_what_to_check(script: Script) -> None:
    """Expiry, the end of tokens without scopes and the region are named."""
    script.says({"error": "Unauthorized"}, 401)
    with pytest.raises(CredentialsError) as caught:
        await script.client().space()
    for part in ("expired", "2026-11-30", "Personal access tokens", "region"):
        assert part in str(caught.value)
    assert caught.value.exit_code == 7


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        (
            "Insufficient scope: stories:write is required",
            "lacks the scope stories:write",
        ),
        ("This token does not have access to this space", "does not cover space 7"),
        ("This token is restricted to specific spaces", "does not cover space 7"),
        ("This endpoint does not support this token type", "no personal access token"),
    ],
)
async def test_a_403_about_the_token_says_what_it_lacks(
    script: Script, said: str, advice: str
) -> None:
    """Each of the service's texts about tokens leads to the account settings."""
    script.says({"error": said}, 403)
    with pytest.raises(CredentialsError) as caught:
        await script.client().components()
    assert advice in str(caught.value)
    assert "the account settings under Personal access tokens" in str(caught.value)


@pytest.mark.parametrize("said", ["Unauthorized", "Forbidden", "No scope for editors"])
async def test_any_other_403_is_about_the_user(script: Script, said: str) -> None:
    """The role of the token's user does not allow it: another token does not help."""
    script.says({"error": said}, 403)
    with pytest.raises(CredentialsError) as caught:
        await script.client().components()
    assert "not about the token" in str(caught.value)
    assert "administrator" in str(caught.value)
    assert "Personal access tokens" not in str(caught.value)


@pytest.mark.parametrize("status", [403, 404, 422])
async def test_rights_that_cannot_be_read_stop_nothing(
    script: Script, status: int
) -> None:
    """Where the service does not tell what the token may do, that is known."""
    script.says({"error": "Not found"}, status)
    rights = await script.client().token_rights()
    assert str(script.requests[0].url) == f"{BASE}/tokens/validate"
    assert rights.allows("stories:publish")
    assert str(status) in rights.unread


async def test_the_preview_token_is_masked_as_soon_as_it_is_read(
    script: Script,
) -> None:
    """It is in no repr, and the rest of the answer does not repeat it."""
    secret = "preview-b1c5e2f0a7d94e36"
    space = {"id": 7, "name": f"of {secret}", "first_token": secret}
    script.says({"space": space})
    first = await script.client().space()
    again = await script.client().space()
    assert first.preview_token == again.preview_token == secret
    assert secret not in f"{first!r} {first.name} {masked(secret)}"


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_wrong_region_is_the_first_suspicion(
    script: Script, status: int
) -> None:
    """A space behind another region's base is told with the right base."""
    script.says(["no"], status)
    client = script.client(space_id="1000001", base="https://mapi.storyblok.com/v1")
    with pytest.raises(ServiceError, match=r"https://api-us\.storyblok\.com/v1"):
        await client.space()


async def test_a_429_waits_and_goes_again(script: Script) -> None:
    """A create that was refused for its pace is sent again, and once only works."""
    limit = {"error": "Rate limit of 6 request per second reached. Retry later."}
    script.says(limit, 429).says(limit, 429).says({"story": STORY}, 201)
    story = await script.client().create_story({"name": "A", "slug": "a"})
    assert story.row.story_id == 5
    assert len(script.requests) == 3


async def test_429s_without_end_are_an_error(script: Script) -> None:
    """Patience ends, and the exception says which."""
    script.says({"error": "Rate limit of 6 request per second reached."}, 429)
    with pytest.raises(RateLimitedError):
        await script.client().create_story({"name": "A", "slug": "a"})


STORY: Json = {
    "id": 5,
    "uuid": "u",
    "name": "A",
    "slug": "a",
    "full_slug": "a",
    "content": {"component": "page"},
}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=20,
)


@given(anything)
def test_any_body_is_read_without_raising(body: object) -> None:
    """Whatever a gateway says, problems come out as short single lines."""
    for problem in problems_of(body):
        assert len(problem.message) <= 300
        assert len(problem.message.splitlines()) <= 1
