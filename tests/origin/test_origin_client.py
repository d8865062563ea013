"""The origin's endpoints, as requests on the wire and as what is made of answers."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from cmsmig.errors import MalformedAnswerError, NotFoundError, RejectedError
from cmsmig.origin.client import OriginClient
from cmsmig.wire.session import Session

ITEM = {"id": "i1", "cmsLocaleId": None, "fieldData": {"name": "n", "slug": "s"}}


def client(
    answer: httpx.Response, asked: list[str], api_url: str = "https://api.test"
) -> OriginClient:
    """Return a client whose every request gets the same answer."""

    async def sleep(seconds: float) -> None:
        pass

    def handler(request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"] == "Bearer token-1"
        asked.append(f"{request.method} {request.url}")
        return answer

    session = Session(
        "origin",
        authorization="Bearer token-1",
        budget=None,
        in_flight=1,
        sleep=sleep,
        transport=httpx.MockTransport(handler),
    )
    return OriginClient(session, api_url)


@pytest.mark.parametrize(
    "api_url",
    [
        "https://api.test",
        "https://api.test/",
        "https://api.test/v2",
        "https://api.test/v2/",
    ],
)
async def test_the_version_segment_is_optional(api_url: str) -> None:
    """Whether the address has it or not, it is sent once."""
    asked: list[str] = []
    await client(httpx.Response(200, json={"sites": []}), asked, api_url).sites()
    assert asked == ["GET https://api.test/v2/sites"]


async def test_one_method_per_endpoint() -> None:
    """Addresses and parameters are those of the specification."""
    asked: list[str] = []
    page = {"items": [ITEM], "pagination": {"limit": 100, "offset": 0, "total": 7}}
    listed = client(httpx.Response(200, json=page), asked)
    staged = await listed.items("c1", live=False)
    await listed.items("c1", live=True, locales=("a", "b"), offset=100, limit=50)
    assert (staged.items, staged.total) == ([ITEM], 7)
    single = client(httpx.Response(200, json=ITEM), asked)
    await single.item("c1", "i1", live=False)
    await single.item("c1", "i1", live=True, locale="b")
    await single.collection("c 1/../x")
    await client(httpx.Response(200, json={"collections": []}), asked).collections("s1")
    base = "GET https://api.test/v2/collections/c1/items"
    order = "sortBy=createdOn&sortOrder=asc"
    assert asked == [
        f"{base}?offset=0&limit=100&{order}",
        f"{base}/live?offset=100&limit=50&{order}&cmsLocaleId=a%2Cb",
        f"{base}/i1",
        f"{base}/i1/live?cmsLocaleId=b",
        "GET https://api.test/v2/collections/c%201%2F..%2Fx",
        "GET https://api.test/v2/sites/s1/collections",
    ]


@pytest.mark.parametrize(("status", "ordered"), [(400, [True, False]), (409, [True])])
async def test_only_a_bad_request_is_asked_again_without_an_order(
    status: int, ordered: list[bool]
) -> None:
    """An older service refuses the order so; any other refusal is about the list."""
    asked: list[str] = []
    refused = httpx.Response(status, json={"message": "no"})
    with pytest.raises(RejectedError):
        await client(refused, asked).items("c1", live=False)
    assert ["sortBy" in each for each in asked] == ordered


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"items": [ITEM]}, id="no pagination"),
        pytest.param({"items": [ITEM], "pagination": {"total": None}}, id="no total"),
        pytest.param({"items": [ITEM], "pagination": {"total": "7"}}, id="text total"),
        pytest.param({"items": {}, "pagination": {"total": 1}}, id="no list"),
        pytest.param({"items": [3], "pagination": {"total": 1}}, id="no object"),
        pytest.param(
            {"items": [{"fieldData": {}}], "pagination": {"total": 1}}, id="no id"
        ),
        pytest.param(
            {"items": [{"id": "i"}], "pagination": {"total": 1}}, id="no fieldData"
        ),
        pytest.param([], id="a list"),
        pytest.param(
            {"rows": [], "pagination": {"total": 0}}, id="items under another name"
        ),
    ],
)
async def test_a_page_that_cannot_be_counted_is_malformed(body: Any) -> None:
    """Nothing is guessed where loss would be silent."""
    with pytest.raises(MalformedAnswerError, match="/v2/collections/c1/items"):
        await client(httpx.Response(200, json=body), []).items("c1", live=False)


async def test_a_missing_item_is_not_found() -> None:
    """The old error form of the service is understood too."""
    gone = httpx.Response(404, json={"msg": "not here", "code": 404, "err": "x"})
    with pytest.raises(NotFoundError, match="not here"):
        await client(gone, []).item("c1", "i1", live=False)
