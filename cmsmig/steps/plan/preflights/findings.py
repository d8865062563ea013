"""What a plan tells beforehand: what the destination would refuse, or what follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.item_key import ItemKey


class PreflightKind(StrEnum):
    """What a finding is about; for an item that fails it is the reason, too."""

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
    """Publishing tells other systems."""
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
    """A stable code in lower case with underscores."""
    text: str
    """The same for an editor."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The items that the destination would refuse, and the finding of each."""

    items: Mapping[ItemKey, Refusal] = field(default_factory=dict)
    findings: tuple[Preflight, ...] = ()
