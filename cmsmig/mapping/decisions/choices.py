"""The decisions that are not the design: what is migrated, and how bodies and embeds
are treated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated

from pydantic import (
    Field,
    PlainValidator,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from cmsmig.mapping.decisions.body_reviews import BodyKey, BodyReview
from cmsmig.mapping.decisions.decision_records import (
    SORTED,
    Record,
    mistake,
    unless,
)
from cmsmig.mapping.decisions.design import Decision, Reviewed
from cmsmig.richtext.blocks.block_runs import Heuristic, Heuristics
from cmsmig.richtext.policy import Treatment

DEFAULT_LEVEL = Heuristics().heading_level


class ItemSet(StrEnum):
    """Which of an origin's two item sets is imported."""

    LIVE = "live"
    """What visitors see now."""
    STAGED = "staged"
    """What editors see: everything, with unpublished edits."""
    STAGED_PUBLISHED_ONLY = "staged_published_only"
    """The editors' version of the items that visitors see."""
    MIRROR = "mirror"
    """Both: what visitors see is published, and what editors changed since is
    unpublished changes of it. Without a publication, what editors see."""


class DraftRule(StrEnum):
    """How items that are drafts and not live are imported."""

    AS_DRAFTS = "as_drafts"
    SKIP = "skip"


class ArchiveRule(StrEnum):
    """How archived items are imported."""

    SKIP = "skip"
    AS_DRAFTS = "as_drafts"


class MissingLanguage(StrEnum):
    """Where a reference leads whose target lacks the language of its item."""

    PRIMARY = "primary"
    """It leads to the target's story in the primary language."""
    LEAVE_OUT = "leave_out"


class Languages(StrEnum):
    """How the languages of an item are stored."""

    FOLDERS = "folders"
    """A story each, in a folder of the locale; the stories are each other's
    alternates."""
    FIELDS = "fields"
    """One story, in the primary language, with translated fields and slugs."""


class ArchivedLiveRule(StrEnum):
    """How archived items are imported whose pages are still online."""

    AS_ARCHIVED = "as_archived"
    """What `archived` says."""
    SKIP = "skip"
    AS_DRAFTS = "as_drafts"
    AS_LIVE = "as_live"
    """As any live item: its page has visitors."""


class QueuedRule(StrEnum):
    """How items are imported that go live with the next publish of the site."""

    AS_DRAFTS = "as_drafts"
    """An item that was never live is a draft; over one that is, it is an unpublished
    change."""
    SKIP = "skip"
    """An item that was never live is left out."""
    PUBLISH = "publish"
    """As if the site were published now."""


class Take(StrEnum):
    """What is taken of one item, whatever its collection's choices say."""

    SKIP = "skip"
    DRAFT = "draft"
    """What editors see, not published."""
    LIVE = "live"
    """What visitors see."""
    STAGED = "staged"
    """What editors see, published where the collection is."""
    MIRROR = "mirror"
    """Both; see `ItemSet.MIRROR`."""


class PublishRule(StrEnum):
    """Which stories are published after they are linked."""

    NOTHING = "nothing"
    WHAT_IS_LIVE = "what_is_live"
    """Those whose item is in the live set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocaleChoice(Record):
    """One locale of the site."""

    tag: Annotated[str, Field(alias="locale")]
    locale_id: str
    """The `cmsLocaleId` that items carry."""
    name: str = ""
    """For people, such as `French`."""
    primary: bool = False
    """Items that name no locale belong to this one."""
    migrate: bool = True
    folder: str = ""
    """The folder above the collections' folders; empty: none."""
    language: Annotated[str, unless("")] = ""
    """The destination's code of the language, for translated fields; empty: the tag
    in lower case."""

    @property
    def code(self) -> str:
        """Return the destination's code of the language."""
        return self.language or self.tag.lower()


@dataclass(frozen=True, slots=True)
class ItemChoice(Record):
    """What is taken of one item."""

    item_id: Annotated[str, Field(alias="item")]
    locale_id: str = field(default="", kw_only=True)
    """The `cmsLocaleId`; empty: every locale of the item."""
    take: Take
    note: str = ""


@dataclass(frozen=True, slots=True)
class CollectionChoice(Record):
    """What is imported of one collection. What most sites decide about is always
    written, the rest where it was chosen."""

    collection_slug: Annotated[str, Field(alias="collection")]
    collection_id: str
    migrate: bool = True
    items: ItemSet = ItemSet.STAGED
    drafts: DraftRule = DraftRule.AS_DRAFTS
    archived: ArchiveRule = ArchiveRule.SKIP
    archived_live: Annotated[ArchivedLiveRule, unless(ArchivedLiveRule.AS_ARCHIVED)] = (
        ArchivedLiveRule.AS_ARCHIVED
    )
    queued: Annotated[QueuedRule, unless(QueuedRule.AS_DRAFTS)] = QueuedRule.AS_DRAFTS
    publish: PublishRule = PublishRule.NOTHING
    note: str = ""
    apart: Annotated[tuple[ItemChoice, ...], unless(())] = ()
    """Items that are decided on one by one."""

    def take(self, item_id: str, locale_id: str) -> Take | None:
        """Return what was decided about one item, if anything was; what names its
        locale goes before what names none."""
        found = [
            each
            for each in self.apart
            if each.item_id == item_id and each.locale_id in ("", locale_id)
        ]
        found.sort(key=lambda each: each.locale_id != locale_id)
        return found[0].take if found else None


@dataclass(frozen=True, slots=True)
class FormerPath(Record):
    """A path of the old site that a collection had before it was renamed."""

    path: str
    """Above the items' slugs, without the part of a locale; `/` is the root."""
    collection_slug: Annotated[str, Field(alias="collection")]
    collection_id: str
    follow: bool = True
    """Whether links below the path lead to the collection's items; else they stay."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the parts of the path."""
        return tuple(part for part in self.path.split("/") if part)


@dataclass(frozen=True, slots=True)
class CollectionsDecision(Decision):
    """`collections.yaml`."""

    reviewed: Annotated[Reviewed | None, unless(None)] = field(
        default=None, kw_only=True
    )
    locales: tuple[LocaleChoice, ...] = ()
    """Empty on a site that lists none: then the locale identifies no item."""
    languages: Annotated[Languages, unless(Languages.FOLDERS)] = field(
        default=Languages.FOLDERS, kw_only=True
    )
    missing_language: Annotated[MissingLanguage, unless(MissingLanguage.LEAVE_OUT)] = (
        field(default=MissingLanguage.LEAVE_OUT, kw_only=True)
    )
    collections: tuple[CollectionChoice, ...] = ()
    former_paths: Annotated[tuple[FormerPath, ...], unless(())] = ()

    @property
    def followed_paths(self) -> tuple[FormerPath, ...]:
        """Return the former paths below which links lead to items."""
        return tuple(each for each in self.former_paths if each.follow)

    @property
    def translations(self) -> tuple[LocaleChoice, ...]:
        """Return the locales whose values are translations of the primary's story."""
        if self.languages is Languages.FOLDERS:
            return ()
        return tuple(each for each in self.locales if each.migrate and not each.primary)

    @property
    def replacement_locale(self) -> str | None:
        """Return the locale whose stories replace missing ones, if one does."""
        if self.missing_language is MissingLanguage.LEAVE_OUT:
            return None
        primary = (each.locale_id for each in self.locales if each.primary)
        return next(primary, None)

    @property
    def left_out(self) -> frozenset[str]:
        """Return the ids of the collections that are not migrated."""
        return frozenset(e.collection_id for e in self.collections if not e.migrate)

    def choice(self, collection_id: str) -> CollectionChoice | None:
        """Return what was decided about a collection, if anything was."""
        return next(
            (
                choice
                for choice in self.collections
                if choice.collection_id == collection_id
            ),
            None,
        )


class BodyMode(StrEnum):
    """How a rich text body is stored."""

    ONE_RICHTEXT = "one_richtext"
    """The whole body in one `richtext` field."""
    BLOCKS = "blocks"
    """A `bloks` field with a component for each block."""


@dataclass(frozen=True, slots=True)
class BodyChoice(Record):
    """How the bodies of one RichText field are stored."""

    collection_slug: Annotated[str, Field(alias="collection")]
    collection_id: str
    field: str
    """The origin field's slug."""
    mode: BodyMode = BodyMode.ONE_RICHTEXT
    split: Annotated[tuple[Heuristic, ...], unless(())] = ()
    """What proposes blocks; kept while the mode is another."""
    heading_level: Annotated[int, Field(ge=1, le=6)] = DEFAULT_LEVEL

    @property
    def heuristics(self) -> Heuristics:
        """Return what proposes blocks."""
        return Heuristics(frozenset(self.split), self.heading_level)

    def splitting(self, mode: BodyMode, heuristics: Heuristics) -> BodyChoice:
        """Return the choice with another mode and other heuristics."""
        split = tuple(each for each in Heuristic if each in heuristics.on)
        level = heuristics.heading_level
        return replace(self, mode=mode, split=split, heading_level=level)

    @model_serializer(mode="wrap")
    def _body(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        body: dict[str, object] = write(self)
        if not self.split:
            del body["heading_level"]
        return body


def _read_listed(written: object) -> Mapping[BodyKey, BodyReview]:
    if not isinstance(written, list):
        raise mistake("must be a list")
    return {}


@dataclass(frozen=True, slots=True)
class BlocksDecision(Decision):
    """`blocks.yaml`."""

    bodies: tuple[BodyChoice, ...] = ()
    reviews: Annotated[
        Mapping[BodyKey, BodyReview],
        PlainValidator(_read_listed),
        Field(exclude_if=lambda _: True),
    ] = field(default_factory=dict)
    """What was decided about single bodies: entries that `decision_files` reads and
    writes one by one."""

    def choice(self, collection_id: str, field: str) -> BodyChoice | None:
        """Return what was decided about a field, if anything was."""
        return next(
            (
                choice
                for choice in self.bodies
                if (choice.collection_id, choice.field) == (collection_id, field)
            ),
            None,
        )

    def split_fields(self) -> Mapping[tuple[str, str], BodyChoice]:
        """Return the fields whose bodies are blocks, by collection id and field."""
        return {
            (choice.collection_id, choice.field): choice
            for choice in self.bodies
            if choice.mode is BodyMode.BLOCKS
        }


@dataclass(frozen=True, slots=True)
class EmbedsDecision(Decision):
    """`embeds.yaml`; see `richtext.policy.EmbedPolicy` for the keys."""

    kinds: Annotated[Mapping[str, Treatment], SORTED] = field(default_factory=dict)
    signatures: Annotated[Mapping[str, Treatment], SORTED] = field(default_factory=dict)
