"""Item sets of a service that ignores the offset or the order, or answers nonsense."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmsmig.cli.outcomes import shortfall
from cmsmig.errors import MalformedAnswerError
from cmsmig.events import Event, Noticed
from cmsmig.origin.cache import RawCache
from cmsmig.wire import http_library
from tests.steps.pull.test_pull import (
    is_third_page,
    read_items,
    run,
    run_killed,
    unread,
)
from tests.steps.pull.test_pull_files import FIELDS, serve
from tests.support.steps.pull_origin import FILES, FakeOrigin, item, project, tree

POSTS = "/v2/collections/posts/items"


def answered(items: list[dict[str, Any]], total: Any) -> httpx.Response:
    """Return a page with these items and this total."""
    paging = {"limit": 100, "offset": 0, "total": total}
    body = {"items": items, "pagination": paging}
    return httpx.Response(200, content=json.dumps(body).encode())


def lying(origin: FakeOrigin, page: Any) -> None:
    """Let the staged set of posts answer with what `page` makes of an offset."""

    def before(request: httpx.Request) -> httpx.Response | None:
        if request.url.path != POSTS:
            return None
        found: httpx.Response = page(int(request.url.params["offset"]))
        return found

    origin.before = before


@pytest.mark.parametrize("total", [250, 10**6, 10**400])
async def test_pages_that_repeat_end_in_a_sentence_and_keep_nothing_else(
    tmp_path: Path, total: int
) -> None:
    """The other sets come, and so do their files; the next pull reads it again."""
    photo = {"sheet": {"fileId": "x", "url": f"{FILES}/a.bin"}}
    origin = FakeOrigin(
        staged={"posts": [item(1)], "tags": [item(2, **photo)]}, fields=FIELDS
    )
    lying(origin, lambda offset: answered([item(each) for each in range(100)], total))
    report = await run(tmp_path, origin, files=serve({"/a.bin": b"bytes"}))
    assert "Posts (staged items) lead nowhere" in unread(report)["posts"]
    assert len(origin.page_requests("posts")) <= 6
    assert read_items(tmp_path, "tags") == ["i0002"]
    assert len(list(project(tmp_path).files.iterdir())) == 1
    assert read_items(tmp_path, "posts") == []
    origin.before = lambda request: None
    await run(tmp_path, origin, files=serve({"/a.bin": b"bytes"}))
    assert read_items(tmp_path, "posts") == ["i0001"]
    assert RawCache(project(tmp_path).raw).complete()


async def test_items_without_end_end_in_a_sentence(tmp_path: Path) -> None:
    """Each page has new items, and the total keeps ahead of them."""
    origin = FakeOrigin(staged={"posts": []})
    lying(
        origin,
        lambda offset: answered(
            [item(offset + each) for each in range(100)], offset + 500
        ),
    )
    with pytest.raises(MalformedAnswerError, match="lead nowhere"):
        await run(tmp_path, origin)
    assert len(origin.page_requests("posts")) < 100


async def test_a_total_beyond_the_items_is_reported(tmp_path: Path) -> None:
    """All that there is was read; the sentence has both numbers."""
    events: list[Event] = []
    origin = FakeOrigin(staged={"posts": []})
    lying(
        origin,
        lambda offset: answered([item(1), item(2)] if offset == 0 else [], 10**6),
    )
    await run(tmp_path, origin, observer=events.append)
    assert read_items(tmp_path, "posts") == ["i0001", "i0002"]
    said = [each.what for each in events if isinstance(each, Noticed)]
    assert "announces 1000000 items of the staged set and gives 2;" in said[0]


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, content=b"[]"),
        httpx.Response(200, content=b'{"items": 5}'),
        httpx.Response(200, content=b"[" * 100_000),
        httpx.Response(422, json={"message": "no"}),
        answered([{"id": "x"}], 1),
        answered([], -1),
    ],
)
async def test_one_answer_that_is_no_use_does_not_stop_the_others(
    tmp_path: Path, answer: httpx.Response
) -> None:
    """The other collections are read; the bad one is named and tried again."""
    others = {f"c{number}": [item(number, rank=number)] for number in range(2, 10)}
    origin = FakeOrigin(staged={"posts": [item(1)], **others})
    lying(origin, lambda offset: answer)

    async def far_away(request: httpx.Request) -> httpx.Response:
        for _ in range(5):
            await asyncio.sleep(0)
        return origin(request)

    report = await run(tmp_path, cast("FakeOrigin", far_away))
    assert "origin" in unread(report)["posts"]
    for number in range(2, 10):
        assert read_items(tmp_path, f"c{number}") == [f"i{number:04d}"]
    origin.before = lambda request: None
    await run(tmp_path, origin)
    assert read_items(tmp_path, "posts") == ["i0001"]


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    count=st.integers(0, 350),
    size=st.integers(0, 100),
    lie=st.sampled_from([-400, -1, 0, 1, 400, 10**9]),
    ignores=st.booleans(),
)
async def test_every_set_ends_whatever_its_pages_say(
    tmp_path_factory: pytest.TempPathFactory,
    count: int,
    size: int,
    lie: int,
    ignores: bool,
) -> None:
    """It is read whole, or refused in a sentence."""
    folder = tmp_path_factory.mktemp("set")
    origin = FakeOrigin(staged={"posts": []})

    def page(offset: int) -> httpx.Response:
        first = 0 if ignores else offset
        items = [item(each) for each in range(first, min(first + size, count))]
        return answered(items, max(0, count + lie))

    lying(origin, page)
    try:
        await run(folder, origin)
    except MalformedAnswerError:
        assert ignores
    else:
        if size and not ignores and lie >= 0:
            assert len(read_items(folder, "posts")) == count
    assert len(origin.page_requests("posts")) <= 3 * (count + 2)


class Stuffed(httpx.AsyncByteStream):
    """The body of a page whose large items have tens of kilobytes more."""

    def __init__(self, body: bytes, padding: int) -> None:
        self._body = body
        self._padding = padding

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body[:-1]
        for _ in range(self._padding):
            yield b" " * 10_240
        yield self._body[-1:]


@pytest.fixture
def small_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take answers of 400 KB, so that no test needs gigabytes."""
    monkeypatch.setattr(http_library, "ANSWER_BYTES", 40 * 10_240)


@pytest.mark.usefixtures("small_answers")
@pytest.mark.parametrize("large", [{40}, {1}, {7, 8}, set(range(1, 250, 13))])
async def test_a_page_that_is_too_large_is_asked_for_in_parts(
    tmp_path: Path, large: set[int]
) -> None:
    """Items of 30 units are read one by one, one of 50 is named and left out."""
    origin = FakeOrigin(staged={"posts": [item(each) for each in range(1, 251)]})
    size = dict.fromkeys(large, 30) | {250: 50}

    async def stuffed(request: httpx.Request) -> httpx.Response:
        answer = origin(request)
        body = json.loads(answer.content)
        listed = body.get("items", []) if request.url.path == POSTS else []
        padding = sum(size.get(int(each["id"][1:]), 0) for each in listed)
        return httpx.Response(200, stream=Stuffed(answer.content, padding))

    events: list[Event] = []
    report = await run(tmp_path, cast("FakeOrigin", stuffed), observer=events.append)
    assert read_items(tmp_path, "posts") == [f"i{each:04d}" for each in range(1, 250)]
    said = [each.what for each in events if isinstance(each, Noticed)]
    assert said[0].startswith("the item i0250 of the staged set is left out: it alone")
    assert len([each for each in said if "left out" in each]) == 1
    assert len(report.left_out) == 1
    code, sentence = shortfall(report) or (0, "")
    assert code == 1
    assert "i0250" in sentence
    assert len(origin.page_requests("posts")) < 15 * (len(large) + 2)


@pytest.mark.usefixtures("small_answers")
async def test_nothing_but_pages_that_are_too_large_ends(tmp_path: Path) -> None:
    """The collection is the pull's error; the others are read."""
    origin = FakeOrigin(staged={"posts": [item(1)], "tags": [item(2)]})
    lying(
        origin,
        lambda offset: httpx.Response(200, stream=Stuffed(b'{"items": []}', 41)),
    )
    report = await run(tmp_path, origin)
    assert "its answer is larger" in unread(report)["posts"]
    assert read_items(tmp_path, "tags") == ["i0002"]


def site(**more: Any) -> FakeOrigin:
    """Return an older origin with a set of three pages, in an order of its own."""
    posts = [item(number * 101 % 250) for number in range(250)]
    return FakeOrigin(staged={"posts": posts, "tags": [item(1)]}, **more)


def noticed(events: list[Event], word: str) -> list[Noticed]:
    return [each for each in events if isinstance(each, Noticed) and word in each.what]


async def test_a_refused_order_is_reported_once(tmp_path: Path) -> None:
    """All items come, in four sets; the order is not asked for in each page."""
    origin, events = site(refuses_order=True), list[Event]()
    await run(tmp_path, origin, observer=events.append)
    assert sorted(read_items(tmp_path, "posts")) == [f"i{n:04d}" for n in range(250)]
    assert [each.where for each in noticed(events, "creation")] == ["origin"]
    asked = [each.url.params for each in origin.requests if "items" in each.url.path]
    bare = [each for each in asked if "sortBy" not in each]
    assert len(bare) == 6
    # Sets are read side by side: each may have asked before the first answer came.
    assert len(asked) - len(bare) <= 4
    assert not any("sortOrder" in each for each in bare)


async def test_an_ignored_order_is_reported_once(tmp_path: Path) -> None:
    """Answers in another order are noticed, and every item is taken all the same."""
    origin, events = site(), list[Event]()
    origin.live["posts"] = [item(2), item(1)]
    await run(tmp_path, origin, observer=events.append)
    assert len(set(read_items(tmp_path, "posts"))) == 250
    assert [each.where for each in noticed(events, "another order")] == ["origin"]


async def test_a_page_that_came_in_another_order_does_not_hide_items(
    tmp_path: Path,
) -> None:
    """An order that is refused in the middle of a set has the set read again."""
    posts = [item(number) for number in range(250)]
    origin = FakeOrigin(staged={"posts": posts})

    def before(request: httpx.Request) -> httpx.Response | None:
        if request.url.path == POSTS and request.url.params["offset"] == "100":
            origin.refuses_order = True
            posts.reverse()
            origin.before = lambda request: None
        return None

    origin.before = before
    await run(tmp_path, origin)
    assert len(set(read_items(tmp_path, "posts"))) == 250
    assert origin.page_requests("posts") == [0, 100, 100, 200, 0, 100, 200]


async def test_a_killed_pull_of_an_older_origin_continues(tmp_path: Path) -> None:
    """It asks for the pages that it lacks, and ends with what a whole one has."""
    await run(tmp_path / "whole", site(refuses_order=True))
    origin = site(refuses_order=True)
    await run_killed(tmp_path / "killed", origin, is_third_page)
    assert not RawCache(project(tmp_path / "killed").raw).complete()
    again = site(refuses_order=True)
    await run(tmp_path / "killed", again)
    assert again.page_requests("posts") == [200, 200]
    whole, killed = (
        tree(project(tmp_path / each).root / "raw") for each in ("whole", "killed")
    )
    assert killed == whole


async def test_an_item_that_nests_too_deep_is_named_and_left_out(
    tmp_path: Path,
) -> None:
    """The others of its page are read."""
    origin = FakeOrigin(staged={"posts": [item(1), item(2, deep="a text"), item(3)]})
    deep = "[" * 300 + "]" * 300

    async def nested(request: httpx.Request) -> httpx.Response:
        body = origin(request).content
        return httpx.Response(200, content=body.replace(b'"a text"', deep.encode()))

    report = await run(tmp_path, cast("FakeOrigin", nested))
    assert read_items(tmp_path, "posts") == ["i0001", "i0003"]
    (said,) = report.left_out
    assert "i0002" in said
    assert "deeper than 200 levels" in said
