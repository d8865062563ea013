"""What an item becomes, as it is made and stored: a story but for its place, its files
and its links."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from pydantic import TypeAdapter

from cmsmig.canonical import JsonObject, compact, fingerprint, unpacked
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.content_shape import ContentShape
from cmsmig.mapping.convert.lookups import Lookups, Marks, Slots
from cmsmig.mapping.draft import FieldLoss, Place, RelationUse
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.richtext.losses import Loss, LossCounts, Severity


@dataclass(frozen=True, slots=True)
class ItemDraft:
    """What an item becomes, with what plans ask for apart from its content."""

    made_of: str
    """Fingerprint of everything that it was made of, but for what it asked for."""
    key: ItemKey
    name: str
    """The item's own; the story takes its slug where that is blank."""
    names: tuple[tuple[str, str], ...]
    """What the story is called in other languages, by their code."""
    first_published_at: str
    """ISO 8601, or empty."""
    sort_by_date: str
    """YYYY-MM-DD, or empty."""
    relations: tuple[RelationUse, ...]
    links: tuple[tuple[str, str], ...]
    """Every link in the content's order: the field that it is in, as `link_uses`
    returns it, and its address."""
    mentions: tuple[tuple[str, str], ...]
    """The same of what raw HTML mentions in code and data."""
    lookups: Lookups
    slots: Slots
    shape: ContentShape
    size: int
    """Bytes of the content as JSON, about: what is filled in has other lengths."""
    losses: LossCounts
    losses_print: str
    """Tells losses apart; empty without any."""
    fingerprint: str
    """Of the story and its losses, before files and links are filled in; the same
    whatever the marks are. A plan is made for this content."""
    body: bytes = field(compare=False, repr=False)
    """Content and losses, packed."""

    def name_at(self, place: Place) -> str:
        """Return what the story is called."""
        return self.name if self.name.strip() else place.slug

    def fingerprint_of(self, content: bytes) -> str:
        """Return the fingerprint that the draft has with this unpacked body."""
        parts = [
            Marks(self.made_of).unmarked_print(content),
            [
                [each.field, each.origin_field, each.multiple, each.targets]
                for each in self.relations
            ],
            [self.name, self.first_published_at, self.sort_by_date, self.names],
        ]
        return fingerprint(parts)

    def story(self, place: Place, assets: Mapping[str, UploadedAsset]) -> StoryDraft:
        """Return the story at its place, the files of its content filled in."""
        body = cast(JsonObject, json.loads(unpacked(self.body)))
        content = cast(JsonObject, body["content"])
        Marks(self.made_of).fill(content, self.slots, assets)
        losses = tuple(map(_loss_of, cast("list[list[str]]", body["losses"])))
        return StoryDraft(self, place, content, losses)

    def as_bytes(self) -> bytes:
        """Return the draft as it is stored, without `made_of` and `body`."""
        apart = {"made_of", "body"}
        return compact(_CODEC.dump_python(self, mode="json", exclude=apart))

    @classmethod
    def of(cls, kept: bytes, made_of: str, body: bytes) -> ItemDraft:
        """Return a kept draft; raises `ValueError` and the like for anything else."""
        unpacked(body)
        record = {**json.loads(kept), "made_of": made_of, "body": body}
        return _CODEC.validate_python(record)


_CODEC = TypeAdapter(ItemDraft)


@dataclass(frozen=True, slots=True)
class StoryDraft:
    """A story before phase one: complete but for relations and internal links."""

    draft: ItemDraft
    place: Place
    content: JsonObject
    """With `component` and `_uid`; relation fields empty (`""` or `[]`)."""
    losses: tuple[FieldLoss, ...]

    @property
    def key(self) -> ItemKey:
        """Return the item's key."""
        return self.draft.key

    @property
    def name(self) -> str:
        """Return what the story is called."""
        return self.draft.name_at(self.place)


def _loss_of(row: Sequence[str]) -> FieldLoss:
    at, kind, what, where, context, why, severity = row
    return FieldLoss(at, Loss(kind, what, where, context, why, Severity(severity)))
