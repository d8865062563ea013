"""What a draft is made of, and the parts of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.body_reviews import BodyKey
from cmsmig.mapping.decisions.design import Design
from cmsmig.origin.schema import Collection, Site
from cmsmig.richtext.blocks.block_runs import Blocks
from cmsmig.richtext.engine import Engine, UploadedAsset
from cmsmig.richtext.losses import Loss
from cmsmig.richtext.policy import EmbedPolicy


@dataclass(frozen=True, slots=True)
class Place:
    """Where a story goes."""

    folder: str
    """Full path of the folder without slashes at its ends, such as `fr/blog`."""
    slug: str
    position: int
    slugs: tuple[tuple[str, str], ...] = ()
    """The slug in each other language, by the destination's code of it."""
    tags: tuple[str, ...] = ()
    """What the story is tagged with, in order."""
    start: bool = False
    """Whether it is the start page of its folder, whose path it has then."""

    @property
    def full_slug(self) -> str:
        """Return the path the story will have."""
        if self.start:
            return self.folder
        return f"{self.folder}/{self.slug}" if self.folder else self.slug


@dataclass(frozen=True, slots=True)
class ExistingStory:
    """The ids and the path of a story at the destination."""

    uuid: str
    full_slug: str
    slugs: tuple[tuple[str, str], ...] = ()
    """Its slug in each other language that it has one in, by the destination's code."""

    @classmethod
    def planned(cls, key: ItemKey, place: Place) -> ExistingStory:
        """Return a placeholder for a story that is still to be made at a place."""
        return cls(f"{_PLANNED}{key}", place.full_slug, place.slugs)

    def path(self, code: str) -> str:
        """Return its path in a language; an empty code is the default one."""
        if not code:
            return self.full_slug
        own = self.full_slug.strip("/").rpartition("/")[2]
        slug = dict(self.slugs).get(code, own)
        return path_in_language(self.full_slug, code, slug)

    @property
    def is_planned(self) -> bool:
        """Return whether it is a placeholder."""
        return self.uuid.startswith(_PLANNED)


_PLANNED = "planned:"


def path_in_language(full_slug: str, code: str, slug: str) -> str:
    """Return the path of a story in a language in which it has a slug.

    Source: delivery, field-level translation: the language comes before the folder.
    """
    folder = full_slug.strip("/").rpartition("/")[0]
    return "/".join(part for part in (code, folder, slug) if part)


@dataclass(frozen=True, slots=True)
class DraftContext:
    """Everything a draft depends on apart from its item; the same for a whole run."""

    site: Site
    design: Design
    embeds: EmbedPolicy
    engine: Engine
    namespace: str
    """UUID that block `_uid`s are derived from, constant for a site and space."""
    places: Mapping[ItemKey, Place]
    assets: Mapping[str, UploadedAsset]
    """By origin address, exactly as it is in the field or the decoded
    HTML attribute."""
    missing_assets: Mapping[str, str]
    """Addresses that could not be fetched, with the reason for an editor."""
    alts: Mapping[str, str]
    """Alt texts by address and by file id, for `__wf_reserved_inherit`."""
    file_hosts: frozenset[str]
    """Hosts (with port, if any) whose addresses are assets."""
    collections: Mapping[str, Collection] = field(default_factory=dict)
    """By id: the schemas, for their validations. A collection that is not here
    has its values carried without being checked."""
    blocks: Mapping[BodyKey, Blocks] = field(default_factory=dict)
    """What was decided about split bodies; one that is not here is one text."""
    variants: Mapping[str, str] = field(default_factory=dict)
    """The variants of products in words, by `variant_key`."""


@dataclass(frozen=True, slots=True)
class FieldLoss:
    """A loss, and the origin field it happened in."""

    field: str
    loss: Loss


@dataclass(frozen=True, slots=True)
class RelationUse:
    """A relation to be filled in phase two."""

    field: str
    """Destination field key, at the root of the content."""
    origin_field: str
    multiple: bool
    targets: tuple[ItemKey, ...]
    """In the origin's order, in the item's own locale."""
