"""What a verification found, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.item_key import ItemKey
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.labels import NO_LABELS, Labels

_OBJECTS = (Kind.ASSET, Kind.COMPONENT, Kind.DATASOURCE, Kind.FOLDER)


class DifferenceCode(StrEnum):
    """The kinds of difference between the destination and what was decided."""

    ITEM_FAILED = "item_failed"
    ITEM_WITHOUT_STORY = "item_without_story"
    STORY_GONE = "story_gone"
    STORY_ELSEWHERE = "story_elsewhere"
    STORY_NAME = "story_name"
    LANGUAGES_APART = "languages_apart"
    FIELD_VALUE = "field_value"
    RELATION_ORDER = "relation_order"
    DOCUMENT_INVALID = "document_invalid"
    PUBLISHED_UNASKED = "published_unasked"
    NOT_PUBLISHED = "not_published"
    PUBLIC_VALUE = "public_value"
    """Visitors get something else in a field than they are to get."""
    ASSET_GONE = "asset_gone"
    ASSET_BYTES = "asset_bytes"
    ASSET_NOT_UPLOADED = "asset_not_uploaded"
    """Content uses the file, and it did not arrive."""
    ASSET_UNREAD = "asset_unread"
    """What is at its public address could not be read."""
    ASSET_TEXT = "asset_text"
    COMPONENT_GONE = "component_gone"
    COMPONENT_NOT_MADE = "component_not_made"
    """No import wrote it yet."""
    COMPONENT_CHANGED = "component_changed"
    DATASOURCE_GONE = "datasource_gone"
    DATASOURCE_NOT_MADE = "datasource_not_made"
    DATASOURCE_CHANGED = "datasource_changed"
    FOLDER_GONE = "folder_gone"
    FOLDER_NAME = "folder_name"
    FOLDER_CHANGED = "folder_changed"
    GONE_AT_ORIGIN = "gone_at_origin"
    """The story of an item that is gone differs from the decision."""

    @property
    def kind(self) -> Kind:
        """Return the kind of object that differs."""
        name, _, _ = self.partition("_")
        return Kind(name) if name in _OBJECTS else Kind.STORY


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between the destination and what was decided."""

    code: DifferenceCode
    subject: str
    """An item key, an asset's name, a component or a folder."""
    where: str
    """The field, or empty."""
    text: str
    is_kept: bool = False
    """Whether it is an editor's edit that nothing of ours contradicts: it stays, and is
    no difference between what was decided and the space."""

    def as_json(self) -> JsonObject:
        """Return the difference as `verify --json` prints it."""
        return {
            "code": str(self.code),
            "subject": self.subject,
            "where": self.where,
            "text": self.text,
        }


@dataclass(slots=True)
class Verification:
    """The counts of what was read back, and the differences."""

    stories: int = 0
    relations: int = 0
    documents: int = 0
    assets: int = 0
    components: int = 0
    folders: int = 0
    languages: int = 0
    """Items with stories in several languages, whose group was compared."""
    wanted_groups: Mapping[ItemKey, str] = field(default_factory=dict)
    """The group of each story whose item has several languages, as it is to be."""
    members: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """The ids of the stories that are to be in each of these groups."""
    groups: dict[ItemKey, str] = field(default_factory=dict)
    """The same as it was read back."""
    alternates: dict[ItemKey, frozenset[int]] = field(default_factory=dict)
    """The ids of the stories that the service shows as alternates of each of these."""
    singly: int = 0
    """Stories that were read from the management side, a call each."""
    unread: str = ""
    """Why stories could not be read through the delivery side; empty where they were,
    or none had to be."""
    published_at: dict[ItemKey, datetime | None] = field(default_factory=dict)
    """When each story was published last, as the management side has it."""
    public_keys: frozenset[ItemKey] = frozenset()
    """The items whose stories the space shows to visitors, also those that an editor
    published."""
    public: int = 0
    """How many stories were compared with what visitors get."""
    public_unread: str = ""
    """Why what visitors get could not be read; empty where it was, or needed not be."""
    unpublished: dict[ItemKey, Mapping[str, frozenset[str]]] = field(
        default_factory=dict
    )
    """Stories with unpublished changes that visitors are to see as editors do:
    fingerprints of what editors have, by language."""
    proven: dict[ItemKey, Mapping[str, str]] = field(default_factory=dict)
    """Exact prints of what editors have of stories that are as wanted, by language."""
    waiting: set[ItemKey] = field(default_factory=set)
    """Stories of pilots whose references an import of all fills."""
    failed: int = 0
    """Selected items that failed; each has a difference, this or another one."""
    differences: list[Difference] = field(default_factory=list)
    kept: list[Difference] = field(default_factory=list)
    """Edits of editors that stay, as planned."""
    labels: Labels = NO_LABELS
    names: Mapping[str, str] = field(default_factory=dict)
    """The names of the items that differ or were edited, by their keys as text."""
    collections_unread: tuple[str, ...] = ()
    """A sentence for each collection that could not be read from the origin."""
    not_in_yet: int = 0
    """Selected items that were in no pilot, as long as only pilots were imported."""

    def add(
        self, code: DifferenceCode, subject: object, text: str, where: str = ""
    ) -> None:
        """Add a difference."""
        self.differences.append(Difference(code, str(subject), where, text))

    def note(self, found: Iterable[Difference]) -> None:
        """Add what was found: edits that are kept to their own list."""
        for each in found:
            (self.kept if each.is_kept else self.differences).append(each)

    @property
    def found(self) -> Sequence[Difference]:
        """Return all that is not as the origin and the decisions have it."""
        return [*self.differences, *self.kept]

    @property
    def kept_sentence(self) -> str:
        """Return how many edits of editors stay."""
        edits = counted(len(self.kept), "edit by editors is", "edits by editors are")
        return f"{edits} kept; nothing is to be done."

    @property
    def is_as_decided(self) -> bool:
        """Return whether everything could be read and nothing differs."""
        return not self.differences and not self.public_unread

    def as_json(self) -> JsonObject:
        """Return the document that `verify --json` prints."""
        counted = Counter(str(each.code) for each in self.differences)
        differences, kept = (
            sorted(found, key=lambda each: (each.subject, each.where))
            for found in (self.differences, self.kept)
        )
        return {
            "compared": {
                "stories": self.stories,
                "relations": self.relations,
                "documents": self.documents,
                "assets": self.assets,
                "components": self.components,
                "folders": self.folders,
                "languages": self.languages,
                "public": self.public,
            },
            "read_singly": self.singly,
            "delivery_unread": self.unread,
            "public_unread": self.public_unread,
            "collections_unread": [*self.collections_unread],
            "failed_items": self.failed,
            "not_in_yet": self.not_in_yet,
            "differences": [each.as_json() for each in differences],
            "differences_by_code": dict(sorted(counted.items())),
            "kept": [each.as_json() for each in kept],
        }
