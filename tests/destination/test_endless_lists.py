"""Lists of a service that ignores pages or lies about how many rows there are."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmsmig.errors import MalformedAnswerError
from tests.destination.test_destination_client import row
from tests.support.destination.scripted import Script

LIES = (250, 10**6, 10**14, 10**400)
Paging = Callable[[int], tuple[range, int | None]]


def serve(script: Script, paging: Paging) -> None:
    """Answer page numbers with rows and a total."""

    def page(request: httpx.Request) -> httpx.Response:
        rows, total = paging(int(request.url.params["page"]))
        headers = {} if total is None else {"Total": str(total)}
        return httpx.Response(
            200, headers=headers, json={"stories": [row(number) for number in rows]}
        )

    script.answers.append(page)


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
