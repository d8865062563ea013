"""Counts and sizes against what the service's plan allows, and what publishing tells
other systems. Nothing here keeps an item from being sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cmsmig.canonical import JsonObject
from cmsmig.configuration.plans import destination_limits
from cmsmig.counting import counted
from cmsmig.settings import Settings
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.destination_survey import Survey
from cmsmig.steps.plan.preflights.findings import Preflight, PreflightKind

_PAGE = "the service's page of technical limits"
_OLDER_PAGE = "an older page of limits, under the plan's older name"
_PUBLISHED = "story.published"
_PREFLIGHT_CALLS = (
    "read_folders",
    "read_webhooks",
    "read_releases",
    "list_released_stories",
)


@dataclass(frozen=True, slots=True)
class Count:
    """How many of something there would be, and how many are allowed."""

    what: str
    there: int
    added: int
    most: int | None
    """None where no limit is published."""
    older: int | None = None
    """What an older page allows for the plan; told, and not relied on."""

    @property
    def after(self) -> int:
        """Return how many there would be after the import."""
        return self.there + self.added

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` lists it."""
        return {
            "there": self.there,
            "added": self.added,
            "limit": self.most,
            "older_limit": self.older,
        }


def verification_calls(survey: Survey, calls: Mapping[str, int]) -> int:
    """Return the calls that reading everything back takes once after the import."""
    looking = sum(
        count for name, count in survey.calls.items() if name not in _PREFLIGHT_CALLS
    )
    stories = sum(1 for row in survey.stories if not row.is_folder)
    return looking + stories + calls.get("create_stories", 0)


def count_all(
    survey: Survey, settings: Settings, calls: Mapping[str, int]
) -> tuple[Count, ...]:
    """Return what the space would hold and need. Reads only."""
    limits = destination_limits(settings.destination_plan)
    folders = sum(1 for row in survey.stories if row.is_folder)
    groups = {each.body.get("component_group_uuid") for each in survey.components}
    return (
        Count(
            "components",
            len(survey.components),
            calls.get("create_components", 0),
            limits.components,
        ),
        Count("component groups", len(groups - {None, ""}), 0, limits.component_groups),
        Count(
            "stories",
            len(survey.stories) - folders,
            calls.get("create_stories", 0),
            limits.stories,
            limits.older_stories,
        ),
        Count(
            "folders",
            folders,
            calls.get("create_folders", 0),
            limits.folders,
            limits.older_folders,
        ),
        Count(
            "requests a month",
            0,
            sum(calls.values()) + verification_calls(survey, calls),
            limits.monthly_requests,
        ),
    )


def find_limits(
    migration: Migration, settings: Settings, counts: tuple[Count, ...]
) -> Iterator[Preflight]:
    """Yield where a limit of the service's plan would be exceeded."""
    for count in counts:
        if text := _exceeded(count):
            yield Preflight(kind=PreflightKind.COUNT, text=text, count=count.after)
    most = destination_limits(settings.destination_plan).asset_bytes
    sizes = {row.sha256: row.size for row in migration.origin.files.values()}
    for upload in migration.files.uploads:
        size = sizes.get(upload.sha256, 0)
        if size > most:
            yield Preflight(
                kind=PreflightKind.FILE_SIZE,
                text=(
                    f"{upload.name} is {size / 1024**2:.1f} MB, larger than the "
                    f"space's plan allows for a file: {most // 1024**2} MB by {_PAGE}."
                ),
            )


def find_deliveries(survey: Survey, publishes: int) -> Iterator[Preflight]:
    """Yield how many deliveries publishing triggers, and to which hosts.

    Source: destination, webhooks: one delivery for each story that is published.
    """
    if survey.webhooks is None:
        yield Preflight(
            kind=PreflightKind.NOT_READ,
            text=(
                "The webhooks of the space could not be read, since the token's role "
                "may not see them; ask an administrator of the space what publishing "
                f"{counted(publishes, 'story', 'stories')} triggers."
            ),
        )
        return
    told = [
        each
        for each in survey.webhooks
        if each.activated and _PUBLISHED in each.actions
    ]
    if told and publishes:
        hosts = ", ".join(sorted({each.host or "an unnamed host" for each in told}))
        deliveries = publishes * len(told)
        yield Preflight(
            kind=PreflightKind.WEBHOOKS,
            text=(
                f"Publishing {counted(publishes, 'story', 'stories')} triggers "
                f"{counted(deliveries, 'delivery', 'deliveries')} of webhooks, to "
                f"{hosts}; switch those webhooks off in the space for the time of the "
                "import if nothing is to be built or sent for each story."
            ),
            count=deliveries,
        )


def file_totals(migration: Migration) -> JsonObject:
    """Return how many files there are to bring, and how many bytes in all."""
    sizes = {row.sha256: row.size for row in migration.origin.files.values()}
    found = [sizes.get(each.sha256, 0) for each in migration.files.uploads]
    return {"files": len(found), "bytes": sum(found), "largest": max(found, default=0)}


def _exceeded(count: Count) -> str:
    said = f"The space would hold or need {count.after:,} {count.what}"
    if count.most is not None and count.after > count.most:
        return (
            f"{said}, and its plan allows {count.most:,} by {_PAGE}; ask for a larger "
            "plan first."
        )
    if count.older is not None and count.added and count.after > count.older:
        return (
            f"{said}; {_OLDER_PAGE}, allows {count.older:,}: ask the service before "
            "you rely on more."
        )
    return ""
