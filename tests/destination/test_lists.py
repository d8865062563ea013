"""Lists of a service that may ignore pages or lie about how many rows it has."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmsmig.canonical import JsonObject
from cmsmig.errors import MalformedAnswerError
from tests.support.destination.scripted import Script

LIES = (250, 10**6, 10**14, 10**400)
Paging = Callable[[int], tuple[range, int | None]]


def row(story_id: int) -> JsonObject:
    """Return a story as a list shows it."""
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
        "content_type": "post",
    }


def serve(script: Script, paging: Paging) -> None:
    """Answer page numbers with rows and a total."""

    def page(request: httpx.Request) -> httpx.Response:
        rows, total = paging(int(request.url.params["page"]))
        headers = {} if total is None else {"Total": str(total)}
        return httpx.Response(
            200, headers=headers, json={"stories": [row(number) for number in rows]}
        )

    script.answers.append(page)


@pytest.mark.parametrize(
    ("rows", "size", "total", "calls"),
    [
        # The total in the header says how many pages there are.
        (250, 100, 250, 3),
        # Pages are counted by what the first one held, not by what was asked for.
        (60, 25, 60, 3),
        # Where no header has the total, a full page asks for another one.
        *((0, 100, None, 1), (7, 100, None, 1), (100, 100, None, 2)),
        (101, 100, None, 2),
    ],
)
async def test_all_pages_of_a_list_are_read_once(
    script: Script, rows: int, size: int, total: int | None, calls: int
) -> None:
    """Every row, in its order."""
    serve(
        script,
        lambda number: (range(size * (number - 1), min(size * number, rows)), total),
    )
    found = await script.client().stories()
    assert [each.story_id for each in found] == list(range(rows))
    assert len(script.requests) == calls


async def test_a_row_that_moved_across_pages_is_not_lost(script: Script) -> None:
    """A deletion between two pages hides a row once; the second reading has it."""

    def page(request: httpx.Request) -> httpx.Response:
        number = int(request.url.params["page"])
        left = [each for each in range(150) if each != 3 or len(script.requests) == 1]
        rows = [row(each) for each in left[100 * (number - 1) : 100 * number]]
        headers = {"Total": str(len(left))}
        return httpx.Response(200, headers=headers, json={"stories": rows})

    script.answers.append(page)
    found = {each.story_id for each in await script.client().stories()}
    assert found >= set(range(150)) - {3}


@pytest.mark.parametrize("total", LIES[:3])
async def test_pages_that_repeat_the_first_one_end_in_a_sentence(
    script: Script, total: int
) -> None:
    """A service that ignores `page`: a part of the list is not taken for all of it."""
    serve(script, lambda number: (range(100), total))
    with pytest.raises(MalformedAnswerError, match=r"list of stories leads nowhere"):
        await script.client().stories()
    assert len(script.requests) <= 2 * 51


async def test_rows_without_end_end_in_a_sentence(script: Script) -> None:
    """Each page has new rows, and the total keeps ahead of them."""
    serve(
        script,
        lambda number: (range(100 * number, 100 * number + 100), 100 * number + 500),
    )
    with pytest.raises(MalformedAnswerError, match=r"leads nowhere"):
        await script.client().stories()
    assert len(script.requests) < 200


@pytest.mark.parametrize("total", LIES)
async def test_a_total_beyond_all_rows_ends_with_the_rows(
    script: Script, total: int
) -> None:
    """Empty pages end a list whose total lies, or the lie is beyond all belief."""
    serve(script, lambda number: (range(100) if number == 1 else range(0), total))
    if total == 10**14:
        with pytest.raises(MalformedAnswerError, match=r"leads nowhere"):
            await script.client().stories()
    else:
        assert len(await script.client().stories()) == 100
    assert len(script.requests) <= 2 * 51


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(0, 260),
    size=st.integers(1, 100),
    lie=st.integers(-300, 300),
    ignores=st.booleans(),
)
async def test_every_list_ends_whatever_its_pages_say(
    rows: int, size: int, lie: int, ignores: bool
) -> None:
    """It is read, or refused; what is read holds at least what was announced, if
    there was as much."""
    script = Script()
    total = max(0, rows + lie)

    def paging(number: int) -> tuple[range, int]:
        first = 0 if ignores else size * (number - 1)
        return range(first, min(first + size, rows)), total

    serve(script, paging)
    try:
        found = await script.client().stories()
    except MalformedAnswerError:
        assert ignores
    else:
        seen = min(rows, size) if ignores else rows
        assert len(found) >= min(total, seen)
    assert len(script.requests) <= 2 * (rows + 52)
