"""The cross-check of a site, against a program that acts as Node."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from random import Random

import pytest

from cmsmig.errors import OfficialUnavailableError
from cmsmig.events import Event, StepAdvanced, StepFinished, StepStarted
from cmsmig.richtext.deviations import Deviation
from cmsmig.steps.decide.cross_check import (
    CheckedBody,
    CrossCheck,
    SiteBody,
    Verdict,
    cross_check,
)
from cmsmig.steps.worker_pool import StopSignal
from tests.support.official.fakenode import FakeConverter
from tests.support.timelimit import crowding

PARTS = (
    "<p>plain</p>",
    "<h2 id=a>One</h2>",
    "<p>\u200d</p>",
    "<figure><img src=i><figcaption>c</figcaption></figure>",
    "<a href=mailto:a@b.example>mail</a>",
    "<ul><li>x<b>y</ul>",
)


@pytest.fixture
def node(tmp_path: Path) -> FakeConverter:
    """Return a Node that converts as ours does, but for what deviates."""
    return FakeConverter(tmp_path / "bin")


def site(*texts: str, markdown: bool = False) -> tuple[SiteBody, ...]:
    """Return bodies with these texts."""
    return tuple(
        SiteBody(str(number), f"Body {number}", text, markdown)
        for number, text in enumerate(texts)
    )


async def checked(
    node: FakeConverter, bodies: tuple[SiteBody, ...], **options: object
) -> CrossCheck:
    """Cross-check bodies with this Node alone."""
    return await cross_check(bodies, cache=node.cache, environ=node.environ, **options)


async def only(node: FakeConverter, text: str, **options: object) -> CheckedBody:
    """Return what comes of one body."""
    [outcome] = (await checked(node, site(text), **options)).outcomes
    return outcome


async def test_each_body_gets_exactly_one_outcome(node: FakeConverter) -> None:
    """In the order of the bodies, whatever is in them; the counts add up."""
    chance = Random(5)
    words = (*PARTS, *PARTS[:1] * 4, "<p>(other)</p>", "(throw)")
    texts = ["".join(chance.choices(words, k=3)) for _ in range(120)]
    found = await checked(node, site(*texts))
    assert [each.key for each in found.outcomes] == [str(n) for n in range(120)]
    assert sum(map(found.count, Verdict)) == found.bodies == 120
    assert found.whole
    assert all(map(found.count, Verdict))
    for text, each in zip(texts, found.outcomes, strict=True):
        assert (each.verdict is Verdict.OFFICIAL_FAILED) == ("(throw)" in text)
        assert each.deviations == () or each.verdict is Verdict.DIFFERENT
        assert bool(each.why) == (each.verdict is Verdict.OFFICIAL_FAILED)
        if each.verdict is Verdict.UNEXPLAINED:
            assert "(other)" in text
            assert "(another)" in each.official
        if each.verdict is Verdict.EQUAL:
            assert "(other)" not in text


async def test_what_deviates_is_named(node: FakeConverter) -> None:
    """With what the official does, and how often."""
    found = await checked(node, site(PARTS[0], PARTS[1] + PARTS[2], PARTS[2]))
    assert str(found) == (
        "3 bodies: 1 equal, 2 different, 0 unexplained, 0 official failed"
    )
    spacer, anchor = found.deviations()
    assert (spacer.name, spacer.bodies) == (Deviation.SPACER, 2)
    assert (anchor.name, anchor.bodies) == (Deviation.ANCHOR, 1)
    assert "invisible character" in spacer.official


async def test_a_difference_that_nothing_explains_is_unexplained(
    node: FakeConverter,
) -> None:
    """With both documents."""
    outcome = await only(node, "<p>a</p><p>b (other)</p>")
    assert outcome.verdict is Verdict.UNEXPLAINED
    assert outcome.deviations == ()
    assert '"b (other)"' in outcome.ours
    assert '"b (another)"' in outcome.official


async def test_documents_of_many_bodies_are_not_kept(node: FakeConverter) -> None:
    """Of twenty of a verdict they are; what is noted is kept of all."""
    outcomes = (await checked(node, site(*[PARTS[1]] * 25))).outcomes
    assert sum(bool(each.ours and each.official) for each in outcomes) == 20
    assert all(each.deviations == (Deviation.ANCHOR,) for each in outcomes)


async def test_markdown_is_asked_as_markdown(node: FakeConverter) -> None:
    """A Markdown body is compared with what the official reads in Markdown."""
    found = await checked(node, site("# One\n\n*two*", "(other)", markdown=True))
    assert [each.verdict for each in found.outcomes] == [
        Verdict.EQUAL,
        Verdict.UNEXPLAINED,
    ]


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("(die)", "was ended by signal 9"),
        ("(hang)", "did not answer within 1 seconds"),
        ("(throw)", "Maximum call stack size exceeded"),
    ],
)
async def test_a_broken_node_is_one_failed_body(
    node: FakeConverter, word: str, why: str
) -> None:
    """The others are compared, and the failed one is no fault of ours."""
    texts = ["<p>a</p>"] * 4 + [word] + ["<p>b</p>"] * 4
    found = await checked(node, site(*texts), patience=1)
    assert found.count(Verdict.EQUAL) == 8
    [failed] = found.of(Verdict.OFFICIAL_FAILED)
    assert failed.key == "4"
    assert why in failed.why
    assert found.count(Verdict.UNEXPLAINED) == 0


async def test_a_person_can_stop_it(node: FakeConverter) -> None:
    """It ends within moments although Node hangs; what was compared is returned."""
    stop, events = StopSignal(), []

    def observer(event: Event) -> None:
        events.append(event)
        if isinstance(event, StepAdvanced) and event.what == "Body 1":
            stop.set()

    bodies = site("<p>a</p>", "<p>b</p>", *["(hang)"] * 9)
    found = await asyncio.wait_for(
        checked(node, bodies, stop=stop, observer=observer), 8 * crowding()
    )
    assert [each.key for each in found.outcomes] == ["0", "1"]
    assert not found.whole
    assert str(found).startswith("2 of 11 bodies: 2 equal")
    assert events[0] == StepStarted("cross-check", 11)
    assert isinstance(events[-1], StepFinished)
    for process in node.processes():
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


async def test_without_node_it_is_unavailable(tmp_path: Path) -> None:
    """The message is one sentence; it names the version of an old Node."""
    with pytest.raises(OfficialUnavailableError, match="needs Node, which is not"):
        await cross_check(site("<p>a</p>"), cache=tmp_path, environ={"PATH": ""})
    old = FakeConverter(tmp_path / "old", version="v18.0.0")
    with pytest.raises(OfficialUnavailableError, match=r"is v18\.0\.0"):
        await checked(old, site("<p>a</p>"))


async def test_a_site_without_bodies(node: FakeConverter) -> None:
    """Nothing is asked, and nothing is wrong."""
    found = await checked(node, ())
    assert (found.bodies, found.whole, found.deviations()) == (0, True, ())
