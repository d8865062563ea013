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


@dataclass(frozen=True, slots=True)
class PlanLimits:
    """What one destination plan allows; None means that no limit is published."""

    rate: int
    """Management API requests per second."""
    components: int | None
    stories: int | None
    folders: int | None
    monthly_requests: int | None
    asset_bytes: int
    """Largest single file."""


_MEGABYTE = 1024 * 1024
_UNNAMED = "starter"

DESTINATION_PLANS = {
    "starter": PlanLimits(3, 200, 25_000, 100, 100_000, 500 * _MEGABYTE),
    "growth": PlanLimits(6, 600, 40_000, 500, 1_000_000, 500 * _MEGABYTE),
    "growth_plus": PlanLimits(6, 600, 75_000, 1000, 4_000_000, 1024 * _MEGABYTE),
    "premium": PlanLimits(6, None, None, None, None, 1024 * _MEGABYTE),
    "elite": PlanLimits(6, None, None, None, None, 1024 * _MEGABYTE),
}
"""Source: the service's rate limit and technical limits pages. The numbers of
stories and folders stood on an older page under older plan names: warn by them,
refuse nothing by them."""


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
