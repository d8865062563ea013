"""What the services' plans allow, as they publish it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

ORIGIN_RATES = {
    "starter": 60,
    "basic": 60,
    "cms": 120,
    "ecommerce": 120,
    "business": 120,
}
"""Requests per minute and API key. Spec: limits."""


_UNNAMED = "starter"
_PAGE = "the service's technical limits page of November 2026"
ANSWER = "the space's own answer"


class Counted(StrEnum):
    """What a space may hold, or need, only so many of."""

    COMPONENTS = "components"
    STORIES = "stories"
    FOLDERS = "folders"
    REQUESTS = "requests a month"


@dataclass(frozen=True, slots=True)
class Limit:
    """How many of something a plan allows."""

    most: int | None = None
    """None where no maximum is published."""
    included: int | None = None
    """How many of them the plan includes; None where that is `most` as well."""
    source: str = _PAGE
    """Where it is known from."""

    def __str__(self) -> str:
        """Return it for a person, with its source."""
        most = "no maximum is published" if self.most is None else f"{self.most:,}"
        if self.included is not None:
            most = f"{self.included:,} included, at most {most}"
            most = most.replace("at most no", "no")
        return f"{most} ({self.source})"


@dataclass(frozen=True, slots=True)
class PlanLimits:
    """What one destination plan allows."""

    rate: int
    """Management API requests per second. Source: rate limit page."""
    counts: Mapping[Counted, Limit]


def _plan(
    rate: int, components: Limit, stories: Limit, folders: Limit, requests: Limit
) -> PlanLimits:
    return PlanLimits(
        rate,
        dict(zip(Counted, (components, stories, folders, requests), strict=True)),
    )


_UNLIMITED = _plan(6, Limit(), Limit(), Limit(2_000), Limit())
DESTINATION_PLANS = {
    "starter": _plan(3, Limit(200), Limit(20_000), Limit(100), Limit(100_000)),
    "growth": _plan(
        6, Limit(600), Limit(25_000), Limit(1_000), Limit(5_000_000, 1_000_000)
    ),
    "growth_plus": _plan(
        6, Limit(600), Limit(None, 100_000), Limit(1_000), Limit(15_000_000, 4_000_000)
    ),
    "premium": _UNLIMITED,
    "elite": _UNLIMITED,
}
"""Source: the service's rate limit and technical limits pages, read in November 2026;
stories and folders from an undated copy of that page."""

OLDER_STORY_BYTES = 5 * 1024 * 1024
"""JSON of one story. Source: an older page, to April 2025; warned by, never refused by:
the service publishes no such limit today."""
OLDER_FILE_BYTES = 500 * 1024 * 1024
"""One file, on the smaller plans; 1 GB on the others. Source: as above."""


def plan_name(text: str) -> str:
    """Return a plan's name in the one spelling that the tables use.

    Case, blanks and hyphens do not matter: `Growth Plus` is `growth_plus`.
    """
    return "_".join(text.lower().replace("-", " ").replace("_", " ").split())


def destination_limits(plan: str) -> PlanLimits:
    """Return a plan's limits; those of the smallest plan for an empty name.

    Assuming the smallest is safe: a request too slow costs time, one too fast
    costs a 429, whose text then names the real limit. Raises `KeyError` for a
    name that is in no table.
    """
    return DESTINATION_PLANS[plan_name(plan) or _UNNAMED]


def space_limits(
    setting: str, answered: str, known: Mapping[Counted, int]
) -> Mapping[Counted, Limit]:
    """Return what a space may hold: as it answers, else by its plan.

    The plan is that of the `setting`, else the `answered` one, else the smallest.
    """
    plans = (plan_name(setting), plan_name(answered))
    named = next((each for each in plans if each in DESTINATION_PLANS), "")
    source = (
        f"{_PAGE} for the plan {named}"
        if named
        else f"{_PAGE} for the smallest plan, since the space's plan is not known"
    )
    return {
        what: Limit(known[what], source=ANSWER)
        if what in known
        else replace(limit, source=source)
        for what, limit in destination_limits(named).counts.items()
    }
