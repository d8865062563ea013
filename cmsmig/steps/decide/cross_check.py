"""All bodies of a site, converted by the official converter and by ours.

A body's documents are equal, or the conversion noted deviations, or nothing explains
the difference.

Compared are the bare conversions: without the map of assets, with the default
choices for embeds and without a project's own rules, none of which the official
converter knows. Reads nothing and writes nothing but the official package, which
is installed where it is not yet.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from cmsmig.errors import OfficialFailedError
from cmsmig.events import Observer, StepAdvanced, StepFinished, StepStarted, unobserved
from cmsmig.json_text import json_text
from cmsmig.official.bridge import IN_FLIGHT, PATIENCE, Official, open_official
from cmsmig.richtext.deviations import DEVIATIONS, Deviation
from cmsmig.richtext.engine import Lenient
from cmsmig.richtext.native import NativeEngine
from cmsmig.steps.worker_pool import StopSignal, together

STEP = "cross-check"
_ENGINE = Lenient(NativeEngine())
_KEPT = 20
"""Bodies of each verdict whose documents are kept."""
_LOOK = 0.1
"""Seconds until a person's stop is handled."""


@dataclass(frozen=True, slots=True)
class SiteBody:
    """One rich text or Markdown body as the origin holds it."""

    key: str
    """What names it in lists, unique in its site."""
    title: str
    text: str
    markdown: bool = False


class Verdict(StrEnum):
    """The result of comparing a body; each body has exactly one."""

    EQUAL = "equal"
    """Ours is the official document, byte for byte."""
    DIFFERENT = "different"
    """It is not, and the conversion noted deviations."""
    UNEXPLAINED = "unexplained"
    """It is not, and nothing says why."""
    OFFICIAL_FAILED = "official failed"
    """The official converter threw, hung or died; there is nothing to compare."""


@dataclass(frozen=True, slots=True)
class CheckedBody:
    """The comparison of one body, with its verdict."""

    key: str
    title: str
    verdict: Verdict
    deviations: tuple[Deviation, ...] = ()
    """Those that the conversion of a body with another document noted."""
    ours: str = ""
    """Both documents as JSON text, of the first bodies of a verdict."""
    official: str = ""
    why: str = ""
    """Why the official converter failed."""


@dataclass(frozen=True, slots=True)
class DeviationCount:
    """How many bodies with another document have one deviation."""

    name: Deviation
    official: str
    """What the official converter does, and what that loses."""
    instead: str
    bodies: int


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """How a site's bodies compare."""

    bodies: int
    """All there are; more than outcomes when it was stopped."""
    outcomes: tuple[CheckedBody, ...]

    @property
    def whole(self) -> bool:
        """Return whether every body was compared."""
        return len(self.outcomes) == self.bodies

    def count(self, verdict: Verdict) -> int:
        """Return how many bodies came to that."""
        return sum(each.verdict is verdict for each in self.outcomes)

    def of(self, verdict: Verdict) -> tuple[CheckedBody, ...]:
        """Return the bodies that came to that, in their order."""
        return tuple(each for each in self.outcomes if each.verdict is verdict)

    def deviations(self) -> tuple[DeviationCount, ...]:
        """Return the deviations of the bodies that differ, commonest first."""
        found = self.of(Verdict.DIFFERENT)
        count = Counter(name for each in found for name in each.deviations)
        counts = (
            DeviationCount(rule.name, rule.official, rule.instead, count[rule.name])
            for rule in DEVIATIONS
            if count[rule.name]
        )
        return tuple(sorted(counts, key=lambda each: -each.bodies))

    def __str__(self) -> str:
        said = ", ".join(f"{self.count(each):,} {each}" for each in Verdict)
        if not self.whole:
            return f"{len(self.outcomes):,} of {self.bodies:,} bodies: {said}"
        return f"{self.bodies:,} bodies: {said}"


async def cross_check(
    bodies: Sequence[SiteBody],
    *,
    cache: Path | None = None,
    environ: Mapping[str, str] | None = None,
    patience: float = PATIENCE,
    observer: Observer = unobserved,
    stop: StopSignal | None = None,
) -> CrossCheck:
    """Compare every body with the official converter's; one outcome each.

    `cache` and `environ` are where the official package lies and what Node runs
    with, `patience` the seconds that one body may take there. When `stop` is set it
    ends within moments, and returns the bodies compared so far. Raises
    `OfficialUnavailableError` where Node is missing or the package cannot be installed.
    """
    observer(StepStarted(STEP, len(bodies)))
    outcomes: dict[int, CheckedBody] = {}
    known = Counter[Verdict]()

    async def work() -> None:
        async with open_official(
            cache, environ=environ, observer=observer, patience=patience
        ) as official:
            waiting = iter(enumerate(bodies))

            async def some() -> None:
                for index, body in waiting:
                    found = await _outcome(official, body)
                    known[found.verdict] += 1
                    if known[found.verdict] > _KEPT:
                        found = replace(found, ours="", official="")
                    outcomes[index] = found
                    observer(StepAdvanced(STEP, body.title))

            await together(some() for _ in range(IN_FLIGHT))

    await _until_stopped(asyncio.create_task(work()), stop or StopSignal())
    found = CrossCheck(len(bodies), tuple(outcomes[at] for at in sorted(outcomes)))
    observer(StepFinished(STEP, str(found)))
    return found


async def _outcome(official: Official, body: SiteBody) -> CheckedBody:
    convert = official.markdown_text if body.markdown else official.convert_text
    try:
        text = await convert(body.text)
    except OfficialFailedError as error:
        verdict = Verdict.OFFICIAL_FAILED
        return CheckedBody(body.key, body.title, verdict, why=str(error))
    made = (_ENGINE.from_markdown if body.markdown else _ENGINE.from_html)(body.text)
    ours = json_text(made.document)
    if ours == text:
        return CheckedBody(body.key, body.title, Verdict.EQUAL)
    verdict = Verdict.DIFFERENT if made.deviations else Verdict.UNEXPLAINED
    return CheckedBody(body.key, body.title, verdict, made.deviations, ours, text)


async def _until_stopped(work: asyncio.Task[None], stop: StopSignal) -> None:
    """Wait for `work`, or end it when a person asks; raises what it raises."""
    try:
        while not work.done() and not stop.is_set():
            await asyncio.wait({work}, timeout=_LOOK)
    finally:
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
    if not work.cancelled():
        work.result()
