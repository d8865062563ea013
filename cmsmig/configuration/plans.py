"""What the services' plans allow, as they publish it."""

from __future__ import annotations

from dataclasses import dataclass

ORIGIN_RATES = {
    "starter": 60,
    "basic": 60,
    "cms": 120,
    "ecommerce": 120,
    "business": 120,
}
"""Requests per minute and API key. Spec: limits."""


_MEGABYTE = 1024 * 1024
_UNNAMED = "starter"


@dataclass(frozen=True, slots=True)
class PlanLimits:
    """What one destination plan allows; None means that no limit is published.

    What has a default is the same for every plan.
    """

    rate: int
    """Management API requests per second. Source: rate limit page."""
    components: int
    """Source: technical limits page, by plan; a space never holds more than 1,000."""
    monthly_requests: int | None
    """Reads included. Source: technical limits page."""
    older_stories: int | None
    older_folders: int | None
    """Stood on an older page under older plan names: warned by, never refused by."""
    component_groups: int = 100
    stories: int = 1_000_000
    folders: int = 1_000
    asset_bytes: int = 75 * _MEGABYTE
    """Largest single file."""
    story_bytes: int = 5 * _MEGABYTE
    """Largest story, as JSON. Source of these five: technical limits page."""


DESTINATION_PLANS = {
    "starter": PlanLimits(3, 200, 100_000, 25_000, 100),
    "growth": PlanLimits(6, 600, 1_000_000, 40_000, 500),
    "growth_plus": PlanLimits(6, 600, 4_000_000, 75_000, 1_000),
    "premium": PlanLimits(6, 1_000, None, None, None),
    "elite": PlanLimits(6, 1_000, None, None, None),
}
"""Source: the service's rate limit and technical limits pages, read 2026-11."""


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
