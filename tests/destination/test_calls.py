"""Each call as it is on the wire, and each answer as a record or an error."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cmsmig.canonical import JsonObject
from cmsmig.destination.assumed import STANDARD
from cmsmig.destination.space_connection import authorization, problems_of
from cmsmig.destination.typed_records import content_url
from cmsmig.errors import RejectedError, ServiceError, SettingsError
from cmsmig.events import Noticed
from cmsmig.masking import masked
from tests.support.cases import cases, part
from tests.support.destination.scripted import BASE, Script
from tests.support.wire.sessions import written


@cases(__file__, "calls.yaml", "errors.yaml")
async def test_a_call(script: Script, case: dict[str, Any]) -> None:
    """The requests, the body, and what comes of the answers."""
    script.answers += [written(**each) for each in case["answers"]]
    client = script.client(
        STANDARD.overridden(case.get("assumed", {})),
        space_id=case.get("space_id", "7"),
        base=case.get("base", BASE),
    )
    name, *arguments = case["call"]
    result, error = None, None
    try:
        result = await getattr(client, name)(*arguments, **case.get("with", {}))
    except ServiceError as raised:
        error = raised
    assert (type(error).__name__ if error else None) == case.get("error"), error
    assert script.lines == case["requests"]
    assert script.sent == case.get("sent", script.sent)
    assert part(result, case.get("result")) == case.get("result", result)
    if error is not None:
        said = str(error)
        assert [each for each in case.get("says", []) if each not in said] == [], said
        assert [each for each in case.get("never", []) if each in said] == []
        assert len(said) < 700
        found = [[problem.field, problem.message] for problem in error.problems]
        assert found == case.get("problems", found)
        assert error.exit_code == case.get("exit_code", error.exit_code)


@pytest.mark.parametrize("given_id", [10**400, "9" * 5000])
async def test_an_id_of_any_length_is_no_id(script: Script, given_id: object) -> None:
    """Digits beyond what Python reads are one sentence too."""
    script.says({"story": {"id": given_id, "uuid": "u"}}, 201)  # type: ignore[dict-item]
    with pytest.raises(ServiceError, match="lacks"):
        await script.client().create_story({"name": "P"})


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=20,
)


@example("x" * 9000)
@example("\n".join("y" * 900))
@example({"error": "x" * 9000})
@given(anything)
def test_any_body_is_read_without_raising(body: object) -> None:
    """Whatever a gateway says, problems come out as short single lines."""
    for problem in problems_of(body):
        assert len(problem.message) <= 300
        assert len(problem.message.splitlines()) <= 1


@pytest.mark.parametrize(
    ("scheme", "sent"), [("raw", "secret-token"), ("bearer", "Bearer secret-token")]
)
async def test_the_credential_scheme_is_an_assumption(
    script: Script, scheme: str, sent: str
) -> None:
    """A bare token goes out as it is, or as a bearer token; one with a scheme stays."""
    assumed = STANDARD.overridden({"credential_scheme": scheme})
    await script.says({"space": {"id": 7}}).client(assumed).space()
    assert script.requests[0].headers["authorization"] == sent
    assert authorization("Bearer abc") == "Bearer abc"


@pytest.mark.parametrize("status", [403, 404, 422])
async def test_rights_that_cannot_be_read_stop_nothing(
    script: Script, status: int
) -> None:
    """Where the service does not say what the token may do, that is known."""
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
    first, again = [await script.client().space() for _ in range(2)]
    assert first.preview_token == again.preview_token == secret
    assert secret not in f"{first!r} {first.name} {masked(secret)}"


FIELDS = {
    "key": "f/7/800x600/ab/hero.jpg",
    "x-amz-date": "20261121T000000Z",
    "acl": "public-read",
    "policy": "cG9saWN5",
    "Content-Type": "image/jpeg",
    "Expires": 3600,
}


@given(order=st.permutations(list(FIELDS.items())), data=st.binary(max_size=200))
async def test_the_upload_is_verbatim_in_the_order_of_its_signing(
    order: list[tuple[str, str | int]], data: bytes
) -> None:
    """Every field as it came, in its place, and the file last and whole."""
    signing: JsonObject = {
        "id": 1,
        "public_url": "https://a.test/hero.jpg",
        "fields": dict(order),
    }
    script = Script().says({**signing, "post_url": "http://upload.test/a"})
    client = script.client()
    signed = await client.sign_upload(
        "hero.jpg", size="", ext_id="e", asset_folder_id=None, alt=""
    )
    script.answers[:] = [httpx.Response(204)]
    await client.upload(signed, data, "image/png")
    request = script.requests[-1]
    assert str(request.url) == "http://upload.test/a"
    assert "authorization" not in request.headers
    boundary = request.headers["content-type"].partition("boundary=")[2].encode()
    _, *parts, end = request.content.split(b"--" + boundary)
    assert end == b"--\r\n"
    heads = [part.partition(b"\r\n\r\n") for part in parts]
    names = [re.findall(rb'name="([^"]*)"', head)[0].decode() for head, _, _ in heads]
    assert names == [*(name for name, _ in order), "file"]
    values = [body.removesuffix(b"\r\n") for _, _, body in heads]
    assert values == [*(str(value).encode() for _, value in order), data]
    assert b'filename="hero.jpg"' in heads[-1][0]
    assert b"Content-Type: image/jpeg" in heads[-1][0]


async def test_a_call_that_goes_away_is_noticed_once(script: Script) -> None:
    """A deprecation header reaches a person, not every request's log line."""
    script.says({"space": {"id": 7}}, Sunset="Sat, 01 Jan 2028 00:00:00 GMT")
    client = script.client()
    await client.space()
    await client.space()
    (noticed,) = [each for each in script.events if isinstance(each, Noticed)]
    assert "2028" in noticed.what


@pytest.mark.parametrize(
    ("url", "stored"),
    [
        ("https://s3.amazonaws.com/a.storyblok.com/f/a", "https://a.storyblok.com/f/a"),
        ("//s3.amazonaws.com/a.storyblok.com/f/a", "https://a.storyblok.com/f/a"),
        ("s3.amazonaws.com/a.storyblok.com/f/a", "https://a.storyblok.com/f/a"),
        ("http://s3.amazonaws.com/a-us.storyblok.com/f", "https://a-us.storyblok.com/f"),
        ("//a.storyblok.com/f/7/a.jpg", "https://a.storyblok.com/f/7/a.jpg"),
        ("https://a.storyblok.com/f/7/a.jpg", "https://a.storyblok.com/f/7/a.jpg"),
        ("http://127.0.0.1:9/f/7/a.jpg", "http://127.0.0.1:9/f/7/a.jpg"),
        ("/f/7/a.jpg", "/f/7/a.jpg"),
        ("ftp://s3.amazonaws.com/a", "ftp://s3.amazonaws.com/a"),
        ("", ""),
    ],
)  # fmt: skip
def test_content_holds_one_form_of_an_address(url: str, stored: str) -> None:
    """Storage host and missing scheme are normalised, anything else is kept."""
    assert content_url(url) == stored
    assert content_url(stored) == stored


@pytest.mark.parametrize(
    ("status", "sha256"),
    [
        (200, "2cea274d"),
        (403, ""),
        (404, ""),
    ],
)
async def test_the_public_address_is_the_proof(
    script: Script, status: int, sha256: str
) -> None:
    """The digest is that of the bytes; an absent file is a status, not an error."""
    script.answers.append(httpx.Response(status, content=b"picture"))
    public = await script.client().public("https://a.storyblok.com/f/7/a.jpg")
    assert (public.status, public.sha256[:8]) == (status, sha256)
    assert "authorization" not in script.requests[0].headers


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


def test_every_assumption_is_named_sourced_and_explained() -> None:
    """A person can see what each value is for and where it comes from."""
    for entry in STANDARD.entries():
        assert entry.source, entry.name
        assert entry.meaning.endswith("."), entry.name
        assert entry.value, entry.name
        assert not entry.choices or entry.value in entry.choices, entry.name
        assert '"' not in entry.value, entry.name


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
