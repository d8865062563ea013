"""The bridge to the official converter, against a program that acts as Node."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cmsmig.errors import OfficialFailedError, OfficialUnavailableError
from cmsmig.official.bridge import Official, open_official
from tests.support.official.fakenode import FakePrograms


@pytest.fixture
def programs(tmp_path: Path) -> FakePrograms:
    """Return a working Node and npm."""
    made = FakePrograms(tmp_path / "bin")
    made.node()
    made.npm()
    return made


@asynccontextmanager
async def opened(programs: FakePrograms, **options: float) -> AsyncIterator[Official]:
    """Open the converter with these programs alone."""
    async with open_official(
        programs.cache, environ=programs.environ, **options
    ) as official:
        yield official


async def outcome(answer: Awaitable[str]) -> object:
    """Return what was answered, or the sentence of the failure."""
    try:
        return json.loads(await answer)[1]
    except OfficialFailedError as error:
        return str(error)


async def outcomes(official: Official, *bodies: str) -> list[object]:
    """Ask for all the bodies at once."""
    return list(
        await asyncio.gather(*(outcome(official.convert_text(each)) for each in bodies))
    )


async def test_each_question_gets_its_own_answer(programs: FakePrograms) -> None:
    """Many questions at once are answered by one process, none mixed up."""
    bodies = [f"<p>body {number} \u2028 ü \ud800</p>\r\n" for number in range(50)]
    async with opened(programs) as official:
        assert await outcomes(official, *bodies) == bodies
    assert len(programs.starts()) == 1


async def test_several_are_on_their_way(programs: FakePrograms) -> None:
    """A second question is sent before the first one is answered."""
    async with opened(programs) as official:
        assert await outcomes(official, "pair", "behind") == ["pair", "behind"]


async def test_the_two_kinds_of_bodies(programs: FakePrograms) -> None:
    """The package receives the kind of each body, and its text returns unchanged."""
    async with opened(programs) as official:
        assert json.loads(await official.convert_text("document"))["type"] == "doc"
        assert json.loads(await official.markdown_text("# a"))[0] == "markdown"


async def test_stories_are_asked_about_together(programs: FakePrograms) -> None:
    """One answer for each content, or it is no answer."""
    async with opened(programs) as official:
        what, body = await official.validate([{"name": "page"}], [{}, {"a": 1}])
        assert what == "validate"
        assert json.loads(body) == {
            "blocks": [{"name": "page"}],
            "contents": [{}, {"a": 1}],
        }
        with pytest.raises(OfficialFailedError, match="did not answer for each story"):
            await official.validate([], [{}])


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("die", "was ended by signal 9"),
        ("leave", "ended with code 7: TypeError: out of memory"),
        ("half", "ended with code 0"),
        ("hang", "did not answer within 1 seconds"),
        ("garble", "answered what is not JSON"),
        ("list", "answered what is not a JSON object"),
        ("confuse", "answered what was not asked"),
    ],
)
async def test_a_broken_process_fails_one_body(
    programs: FakePrograms, body: str, why: str
) -> None:
    """Those before and behind it are answered, by a second process."""
    async with opened(programs, patience=1) as official:
        first, failed, *rest = await outcomes(official, "a", body, "b", "c", "d", "e")
        assert (first, rest) == ("a", ["b", "c", "d", "e"])
        assert failed == (
            f"The official converter failed on this body (its process {why}); others "
            "are not affected, so look at this one by eye."
        )
        assert len(programs.starts()) == 2


@pytest.mark.parametrize(
    ("body", "why"), [("throw", "Maximum depth"), ("nothing", "it gave no answer")]
)
async def test_a_body_that_throws_fails_alone(
    programs: FakePrograms, body: str, why: str
) -> None:
    """The process continues after an exception of the package."""
    async with opened(programs) as official:
        failed, behind = await outcomes(official, body, "a")
        assert f"({why})" in str(failed)
        assert behind == "a"
        assert len(programs.starts()) == 1


async def test_every_hanging_body_fails_by_itself(programs: FakePrograms) -> None:
    """Two bad bodies in a row are two failures, and the next is fine."""
    async with opened(programs, patience=1) as official:
        found = await outcomes(official, "hang", "die", "a")
    assert ["official" in str(each) for each in found] == [True, True, False]


async def test_what_a_package_prints_holds_nothing_up(programs: FakePrograms) -> None:
    """More on standard error than a pipe holds is read and dropped."""
    async with opened(programs) as official:
        assert await outcomes(official, "noise", "a") == ["noise", "a"]


async def test_a_large_body_passes_both_ways(programs: FakePrograms) -> None:
    """Bodies far over a pipe's size do not block each other."""
    bodies = [letter * 3_000_000 for letter in "abc"]
    async with opened(programs) as official:
        assert await outcomes(official, *bodies) == bodies


async def test_processes_are_replaced(programs: FakePrograms) -> None:
    """After so many bodies a new process answers, and no body notices."""
    bodies = [str(number) for number in range(10)]
    async with opened(programs, bodies_per_process=3) as official:
        assert await outcomes(official, *bodies) == bodies
        assert len(programs.starts()) == 4


async def test_no_process_is_left(programs: FakePrograms) -> None:
    """Closing ends the process, even one that hangs, and answers who waits."""
    async with opened(programs) as official:
        assert await outcomes(official, "a") == ["a"]
        waiting = asyncio.create_task(official.convert_text("hang"))
        await asyncio.sleep(0)
    with pytest.raises(OfficialUnavailableError, match="was closed"):
        await waiting
    with pytest.raises(OfficialUnavailableError, match="was closed"):
        await official.convert_text("a")
    for line in programs.starts():
        with pytest.raises(ProcessLookupError):
            os.kill(int(line.split()[0]), 0)


async def test_who_no_longer_waits_takes_no_answer_away(programs: FakePrograms) -> None:
    """A cancelled question leaves the answers of the others where they belong."""
    async with opened(programs) as official:
        assert await outcomes(official, "a") == ["a"]
        dropped = asyncio.create_task(official.convert_text("dropped"))
        await asyncio.sleep(0)
        dropped.cancel()
        assert await outcomes(official, "b", "c") == ["b", "c"]


async def test_settings_of_ours_stay_here(programs: FakePrograms) -> None:
    """Node gets the environment without our settings, tokens among them."""
    async with opened(programs) as official:
        await outcomes(official, "a")
    assert "HOME" in programs.starts()[0]
    assert "CMSMIG" not in programs.starts()[0]


async def test_a_process_that_never_gets_ready(programs: FakePrograms) -> None:
    """All who wait hear why, and nothing is started again and again."""
    programs.node(unready=True)
    async with opened(programs) as official:
        asked = [official.convert_text(each) for each in "abcdefgh"]
        found = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(each) for each in found} == {OfficialUnavailableError}
    assert "ended with code 1: Error: cannot find the package" in str(found[0])
    assert len(programs.starts()) == 1
