"""The findings of a plan's checks: what the destination would refuse, what follows, and
counts and sizes against what the service's plan allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.configuration.plans import (
    ANSWER,
    OLDER_FILE_BYTES,
    Counted,
    Limit,
    space_limits,
)
from cmsmig.destination.typed_records import Space
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.settings import Settings
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.snapshot import Snapshot


class PreflightKind(StrEnum):
    """What a finding is about; for an item that fails it is the reason, too."""

    NOT_DRAFTED = "not_drafted"
    """No story can be made of the item."""
    REQUIRED_FIELD = "required_field"
    FIELD_TYPE = "field_type"
    """A field of the space has a type that does not take the item's value."""
    FOLDER_CLOSED = "folder_closed"
    COMPONENT_NOT_ALLOWED = "component_not_allowed"
    ENTRY_NAME = "entry_name"
    """The destination refuses the name of a datasource entry."""
    STORY_SIZE = "story_size"
    FILE_SIZE = "file_size"
    ASSET_FIELD = "asset_field"
    """Files lack a field that the space requires of assets."""
    COUNT = "count"
    """More components, stories, folders or requests than the space allows."""
    LANGUAGE = "language"
    """The space lacks a language of translated fields."""
    WEBHOOKS = "webhooks"
    """Publishing notifies other systems."""
    TOKEN = "token"
    """The token lacks a scope that the import needs."""
    RELEASE = "release"
    """A release that is not deployed yet would replace drafts."""
    NOT_READ = "not_read"
    """Something that the plan wanted to know could not be read."""


LIMITS = frozenset((PreflightKind.COUNT, PreflightKind.FILE_SIZE))
"""Kinds that are about a limit of the space, or of the service's plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """One finding. What does not apply to it is empty."""

    kind: PreflightKind
    text: str
    """One sentence: what it is, and what to do."""
    fails: bool = False
    """Whether the items that it is about are not sent, since they would be refused."""
    collection: str = ""
    """The collection's slug at the origin."""
    item: str = ""
    full_slug: str = ""
    field: str = ""
    component: str = ""
    folder: str = ""
    count: int = 1
    """How many stories, files, entries or deliveries it is about."""

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` lists it."""
        return {**asdict(self), "kind": str(self.kind)}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an item is not sent."""

    reason: str
    """A stable code in lower case with underscores; `LEFT_OUT` is no failure."""
    text: str
    """The same for an editor."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The items that the destination would refuse, and the finding of each."""

    items: Mapping[ItemKey, Refusal] = field(default_factory=dict)
    findings: tuple[Preflight, ...] = ()


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
    """Return the calls of the management side that reading everything back takes once
    after the import: one for each story where the delivery side cannot be read."""
    looking = sum(
        count for name, count in snapshot.calls.items() if name not in _PREFLIGHT_CALLS
    )
    if snapshot.space.preview_token:
        return looking
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


def file_totals(migration: Migration) -> JsonObject:
    """Return how many files are to be uploaded, and how many bytes in all."""
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
