"""Counts and sizes against what the service's plan allows, and what publishing tells
other systems. Nothing here keeps an item from being sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cmsmig.canonical import JsonObject
from cmsmig.configuration.plans import (
    ANSWER,
    OLDER_FILE_BYTES,
    Counted,
    Limit,
    space_limits,
)
from cmsmig.counting import and_more, counted, noun_for
from cmsmig.destination.schema import Space
from cmsmig.destination.token_rights import TokenRights
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.settings import Settings
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.preflights.findings import Preflight, PreflightKind
from cmsmig.steps.snapshot import Snapshot
from cmsmig.steps.token_check import missing_sentences

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
    limit: Limit

    @property
    def after(self) -> int:
        """Return how many there would be after the import."""
        return self.there + self.added

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` lists it."""
        return {
            "there": self.there,
            "added": self.added,
            "limit": self.limit.most,
            "included": self.limit.included,
            "limit_source": self.limit.source,
        }


def verification_calls(snapshot: Snapshot, calls: Mapping[str, int]) -> int:
    """Return the calls that reading everything back takes once after the import."""
    looking = sum(
        count for name, count in snapshot.calls.items() if name not in _PREFLIGHT_CALLS
    )
    stories = sum(1 for row in snapshot.stories if not row.is_folder)
    return looking + stories + calls.get("create_stories", 0)


def count_all(
    snapshot: Snapshot, settings: Settings, calls: Mapping[str, int]
) -> tuple[Count, ...]:
    """Return what the space would hold and need. Reads only."""
    space = snapshot.space
    limits = space_limits(settings.destination_plan, space.plan, space.limits)
    folders = sum(1 for row in snapshot.stories if row.is_folder)
    stories = len(snapshot.stories) - folders
    requests = sum(calls.values()) + verification_calls(snapshot, calls)
    held = {
        Counted.COMPONENTS: (
            len(snapshot.components),
            calls.get("create_components", 0),
        ),
        Counted.STORIES: (stories, calls.get("create_stories", 0)),
        Counted.FOLDERS: (folders, calls.get("create_folders", 0)),
        Counted.REQUESTS: (0, requests),
    }
    return tuple(Count(str(what), *held[what], limits[what]) for what in Counted)


def find_limits(
    migration: Migration, space: Space, counts: tuple[Count, ...]
) -> Iterator[Preflight]:
    """Yield where a limit of the space, or of the service's plan, would be exceeded."""
    for count in counts:
        if text := _exceeded(count):
            yield Preflight(kind=PreflightKind.COUNT, text=text, count=count.after)
    most = space.upload_bytes or OLDER_FILE_BYTES
    for upload, size in _file_sizes(migration):
        if size > most:
            text = f"{upload.name} is {size / 1024**2:.1f} MB, {_too_large(space)}"
            yield Preflight(kind=PreflightKind.FILE_SIZE, text=text)


def _too_large(space: Space) -> str:
    if space.upload_bytes:
        return (
            f"and by {ANSWER} it takes {space.upload_bytes // 1024**2:,} MB in a file; "
            "make the file smaller in the origin and pull again, or have the limit "
            "raised."
        )
    return (
        "and an older page allowed 500 MB or 1 GB by plan; the service publishes no "
        "limit today, so the file is sent and may be refused."
    )


def find_asset_fields(
    migration: Migration, space: Space, uploads: int
) -> Iterator[Preflight]:
    """Yield the fields that the space requires of assets and that files lack.

    An import gives a file no field but `alt`. Source: destination, space.
    """
    files = migration.files.uploads if uploads else ()
    for name in space.required_asset_fields:
        lacking = [each.name for each in files if name != "alt" or not each.alt]
        if lacking:
            yield Preflight(
                kind=PreflightKind.ASSET_FIELD,
                text=(
                    f"The space requires `{name}` of an asset, and "
                    f"{counted(len(lacking), 'file')} of {len(files):,} "
                    f"{noun_for(len(lacking), 'has', 'have')} none "
                    f"({', '.join(lacking[:3])}{and_more(len(lacking), 3)}); "
                    f"{_fill_in(name)}, or take the requirement off in the space's "
                    "settings until the import is over. Whether the service refuses "
                    "such a file is not documented."
                ),
                field=name,
                count=len(lacking),
            )


def _fill_in(name: str) -> str:
    if name == "alt":
        return "write the alternative texts in the origin and pull again"
    return "fill it in there after the import"


def find_deliveries(snapshot: Snapshot, publishes: int) -> Iterator[Preflight]:
    """Yield how many deliveries publishing triggers, and to which hosts.

    Source: destination, webhooks: one delivery for each story that is published.
    """
    if snapshot.webhooks is None:
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
        for each in snapshot.webhooks
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


def find_missing_scopes(
    rights: TokenRights, space_id: str, publishes: int
) -> Iterator[Preflight]:
    """Yield each scope that the token lacks for the import.

    Source: destination, scoped tokens.
    """
    for text in missing_sentences(
        rights, space_id, "import", publishes=bool(publishes)
    ):
        yield Preflight(kind=PreflightKind.TOKEN, text=text)


def file_totals(migration: Migration) -> JsonObject:
    """Return how many files there are to bring, and how many bytes in all."""
    found = [size for _, size in _file_sizes(migration)]
    return {"files": len(found), "bytes": sum(found), "largest": max(found, default=0)}


def _file_sizes(migration: Migration) -> Iterator[tuple[UploadPlan, int]]:
    sizes = {row.sha256: row.size for row in migration.origin.files.values()}
    for upload in migration.files.uploads:
        yield upload, sizes.get(upload.sha256, 0)


def _exceeded(count: Count) -> str:
    said = f"The space would hold or need {count.after:,} {count.what}"
    limit = count.limit
    if limit.most is not None and count.after > limit.most:
        return (
            f"{said}, and {limit.most:,} are allowed by {limit.source}; ask for a "
            "larger plan first."
        )
    if limit.included is not None and count.added and count.after > limit.included:
        return (
            f"{said}, and {limit.included:,} are included by {limit.source}; ask the "
            "service what more of them costs."
        )
    return ""
