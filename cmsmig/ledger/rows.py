"""The ledger's rows as dataclasses."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.item_key import ItemKey

GONE = "deleted_since"
"""Why something failed that was made or reused and is no longer there."""
TEXT_NOT_WRITTEN = "text_not_written"
"""Why a file is listed as failed that is there, with another alternative text."""
COMPONENT_MISSING = "component_missing"
"""Why an item failed: the space lacks a component or a field of its story."""
OPTION_MISSING = "option_missing"
"""Why an item failed: a datasource lacks an option that its story holds."""
FOLDER_MISSING = "folder_missing"
"""Why an item or a file failed: its folder was not made."""
LEFT_OUT = "left_out"
"""Why an item is skipped whose story is no longer there: it was decided so."""
STAYS_AWAY = "Its story was deleted at the destination; it stays away, as was decided."
"""The same for an editor."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a ledger belongs to; another site, space or host is refused."""

    site_id: str
    base_url: str
    space_id: str


class GoneState(StrEnum):
    """What became of a story whose item the origin no longer has, or whose item is
    no longer chosen."""

    KEPT = "kept"
    UNDECIDED = "undecided"
    """What was decided about it is not for something that is gone at the origin."""
    TO_UNPUBLISH = "to_unpublish"
    TO_DELETE = "to_delete"
    UNPUBLISHED = "unpublished"
    DELETED = "deleted"


DELETED_THERE = "deleted"
"""Reason of what the origin has in neither of its item sets."""
_STORY_STAYS = (GoneState.KEPT, GoneState.UNDECIDED)


@dataclass(frozen=True, slots=True)
class GoneItem:
    """That an item is gone at the origin."""

    state: GoneState
    reason: str
    """`DELETED_THERE`, or why the selection leaves it out."""
    sentence: str
    """The same for an editor."""
    note: str = ""
    """Why its story is kept although something else was decided."""

    @property
    def has_left(self) -> bool:
        """Return whether nothing is to lead to its story any more."""
        return self.state not in _STORY_STAYS

    @property
    def is_pending(self) -> bool:
        """Return whether a decision about it is missing or not carried out."""
        return bool(self.note) or self.state is GoneState.UNDECIDED


@dataclass(frozen=True, slots=True)
class ItemRow:
    """An item's state."""

    key: ItemKey
    name: str
    full_slug: str
    origin_hash: str
    status: str
    """`selected`, `created`, `reused`, `skipped` or `failed`."""
    reason: str = ""
    explanation: str = ""
    link_state: str = "open"
    """`open`, `nothing` (to fill), `pending` (a target is missing) or `linked`."""
    published: str = ""
    story_record: StoryRecord | None = None
    gone: GoneItem | None = None
    """That it has a story, and the origin no longer gives it one."""
    old_path: str = ""
    """Of one that is gone at the origin: its address there while it was live, empty if
    that is not known."""

    @property
    def current_record(self) -> StoryRecord | None:
        """Return the story that others may refer to, if there is one."""
        left = self.is_left_out or (self.gone is not None and self.gone.has_left)
        return None if left else self.story_record

    @property
    def own_story(self) -> StoryRecord | None:
        """Return the story that this ledger created, if it is there."""
        is_own = (
            self.story_record is not None
            and self.story_record.made
            and not self.is_gone
        )
        return self.story_record if is_own else None

    @property
    def is_gone(self) -> bool:
        """Return whether its story was there once and is no longer."""
        return self.reason in (GONE, LEFT_OUT)

    @property
    def is_left_out(self) -> bool:
        """Return whether it was decided that its story, which is gone, stays away."""
        return self.reason == LEFT_OUT


@dataclass(frozen=True, slots=True)
class StoryRecord:
    """The story that an item became, or shares with others."""

    story_id: int
    uuid: str
    full_slug: str
    made: bool
    """Whether this ledger created it."""
    updated_at: str
    """What the destination said of our last write."""
    group_id: str = ""
    """Its group after that write; empty in ledgers that did not keep it."""
    record_hash: str = ""
    """Fingerprint of everything that was asked for of it, its content included; empty
    in ledgers that did not keep it."""
    kept_edits: bool = False
    """Whether it holds edits of other people that our last write left as they were:
    it is read before the next one."""
    unpublished_edits: bool = False
    """Whether visitors do not have those edits: a publication would show them."""
    left_public: bool = False
    """Whether we published it: one that is not public any more was unpublished by
    an operator or editor."""
    public_record: str = ""
    """Fingerprint of everything that visitors were given of it, as `record_hash`;
    empty while that is nothing, or not known."""
    slugs: str = ""
    """Its slugs in other languages as they were seen last in the space, a JSON object
    by the language's code; empty while that is not known."""

    @property
    def shows_older(self) -> bool:
        """Return whether visitors were given another version than our last write."""
        return self.public_record not in ("", self.record_hash)

    @property
    def language_slugs(self) -> dict[str, str]:
        """Return its slugs in other languages, by the language's code."""
        return dict(json.loads(self.slugs)) if self.slugs else {}


@dataclass(frozen=True, slots=True)
class WrittenStory:
    """A story as it was last written, by field; content fields are `content.KEY`."""

    sent: JsonObject
    """What an import wanted there."""
    server_values: JsonObject
    """What the destination made of the fields around the content."""


@dataclass(frozen=True, slots=True)
class AssetRow:
    """An asset, by the hash of its bytes."""

    sha256: str
    ext_id: str
    name: str
    status: str
    """`signed` (not yet proven), `proven` or `failed`."""
    reason: str
    explanation: str
    asset_id: int | None
    content_url: str
    body: JsonObject = field(default_factory=dict)
    """What its record got from us; empty in ledgers that did not keep it."""

    @property
    def is_gone(self) -> bool:
        """Return whether the file was there once and is no longer."""
        return self.reason == GONE

    @property
    def has_failed(self) -> bool:
        """Return whether it is to be listed: it is not there, or not as decided."""
        return self.status == "failed" or self.reason == TEXT_NOT_WRITTEN

    @property
    def is_uploaded(self) -> bool:
        """Return whether the file was uploaded; content holds its address.

        One that is gone since counts: it has no decision yet to create it again.
        """
        return self.status == "proven" or self.is_gone


@dataclass(frozen=True, slots=True)
class MadeRow:
    """A component, folder, asset folder, datasource or datasource entry."""

    kind: str
    name: str
    destination_id: int
    uuid: str
    made: bool
    body: JsonObject = field(default_factory=dict)
    """What was there after our last write; empty when unknown or not ours."""


@dataclass(frozen=True, slots=True)
class Intent:
    """A request that is about to be sent."""

    kind: str
    """`component`, `folder`, `sign`, `create`, `update`, `publish`, ..."""
    subject: str
    """What it is about: an item key, a name or a file's hash."""
    request_hash: str
    body: JsonObject = field(default_factory=dict)
    """What is sent, where a run that finds the intent open has to compare it."""


@dataclass(frozen=True, slots=True)
class LossRow:
    """A loss of one item, flat."""

    field: str
    loss: JsonObject
    """With the keys kind, what, where, context, why and severity."""


@dataclass(frozen=True, slots=True)
class Accounting:
    """In = created + reused + skipped + failed; `open` is what is still to do.

    What counts is what the origin has now. Stories of items that it no longer has, or
    that are no longer chosen, are counted apart.
    """

    items: int
    created: int
    reused: int
    skipped: int
    failed: int
    open: int
    gone_kept: int = 0
    gone_unpublished: int = 0
    gone_deleted: int = 0
    gone_undecided: int = 0

    @property
    def gone(self) -> int:
        """Return how many stories have no item at the origin any more."""
        return (
            self.gone_kept
            + self.gone_unpublished
            + self.gone_deleted
            + self.gone_undecided
        )

    @property
    def sentence(self) -> str:
        """Return the accounting for a person who looks at it now and then."""
        created = counted(self.created, "story", "stories")
        left = counted(self.skipped, "item")
        parts = [f"{created} created", f"{left} left out", f"{self.failed:,} failed"]
        if self.reused:
            parts.insert(1, f"{self.reused:,} reused")
        if self.open:
            parts.append(f"{self.open:,} still to be imported")
        return ", ".join(parts)

    @property
    def lines(self) -> list[str]:
        """Return the accounting in lines; the one that must balance is the last."""
        gone = (
            f"gone {self.gone}: kept {self.gone_kept}, unpublished "
            f"{self.gone_unpublished}, deleted {self.gone_deleted}, undecided "
            f"{self.gone_undecided}"
        )
        return [gone, str(self)] if self.gone else [str(self)]

    def __str__(self) -> str:
        line = (
            f"in {self.items} = created {self.created} + reused {self.reused} "
            f"+ skipped {self.skipped} + failed {self.failed}"
        )
        return f"{line} + open {self.open}" if self.open else line
