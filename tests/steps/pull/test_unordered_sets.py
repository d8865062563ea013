"""Item sets of an origin that does not list items by their creation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from cmsmig.errors import RejectedError
from cmsmig.events import Event, Noticed
from cmsmig.origin.cache import RawCache
from tests.steps.pull.test_pull import KilledError, read_items, run
from tests.support.steps.pull_origin import FakeOrigin, item, project, tree

POSTS = "/v2/collections/posts/items"


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


async def test_an_accepted_order_costs_nothing_and_is_not_mentioned(
    tmp_path: Path,
) -> None:
    """One request for each page, and not a word."""
    posts = [item(number) for number in range(250)]
    origin, events = FakeOrigin(staged={"posts": posts}), list[Event]()
    await run(tmp_path, origin, observer=events.append)
    assert origin.page_requests("posts") == [0, 100, 200]
    assert noticed(events, "creation") == []


async def test_an_ignored_order_is_reported_once(tmp_path: Path) -> None:
    """Answers in another order are noticed, and every item is taken all the same."""
    origin, events = site(), list[Event]()
    origin.live["posts"] = [item(2), item(1)]
    await run(tmp_path, origin, observer=events.append)
    assert len(set(read_items(tmp_path, "posts"))) == 250
    assert [each.where for each in noticed(events, "another order")] == ["origin"]


async def test_a_refusal_of_something_else_stays_an_error(tmp_path: Path) -> None:
    """A request that fails without an order too ends with the service's message."""
    origin = site()
    origin.before = lambda request: (
        httpx.Response(400, json={"code": "bad", "message": "offset is no number"})
        if request.url.path == POSTS
        else None
    )
    with pytest.raises(RejectedError, match="offset is no number"):
        await run(tmp_path, origin)
    assert read_items(tmp_path, "tags") == ["i0001"]


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

    def kill(request: httpx.Request) -> httpx.Response | None:
        if request.url.path == POSTS and request.url.params["offset"] == "200":
            raise KilledError
        return None

    origin.before = kill
    with pytest.raises(KilledError):
        await run(tmp_path / "killed", origin)
    assert not RawCache(project(tmp_path / "killed").raw).complete()
    again = site(refuses_order=True)
    await run(tmp_path / "killed", again)
    assert again.page_requests("posts") == [200, 200]
    whole, killed = (
        tree(project(tmp_path / each).root / "raw") for each in ("whole", "killed")
    )
    assert killed == whole
