"""A draft as it is kept on disk: what plans ask for apart from its content."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from cmsmig.canonical import Json, JsonObject, compact, fingerprint
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.asset_slots import Marks, Path, Slots
from cmsmig.mapping.convert.content_shape import (
    ContentShape,
    shape_from_json,
    shape_of,
)
from cmsmig.mapping.convert.linking import link_uses
from cmsmig.mapping.convert.lookups import Lookups
from cmsmig.mapping.draft import (
    FieldLoss,
    Place,
    RelationUse,
    StoryDraft,
    UploadedAsset,
)
from cmsmig.packing import packed, unpacked
from cmsmig.richtext.losses import Loss, Severity


@dataclass(frozen=True, slots=True)
class DraftFacts:
    """What is known of a draft without its content."""

    key: ItemKey
    lookups: Lookups
    slots: Slots
    relations: tuple[RelationUse, ...]
    links: tuple[tuple[str, str], ...]
    """Every link in the content's order: the field that it is in, as `link_uses`
    returns it, and its address."""
    mentions: tuple[tuple[str, str], ...]
    """The same of what raw HTML mentions in code and data."""
    shape: ContentShape
    size: int
    """Bytes of the content as JSON, about: what is filled in has other lengths."""
    losses: Mapping[str, int]
    """How many losses there are, by kind."""
    losses_print: str
    """Tells losses apart; empty without any."""
    content_print: str
    """Fingerprint of contents and losses, before assets and links are filled in; the
    same whatever the marks are."""
    name: str
    """The item's own; the story takes its slug where that is blank."""
    first_published_at: str
    sort_by_date: str
    names: tuple[tuple[str, str], ...] = ()
    """What the story is called in other languages, by their code."""

    def story_name(self, place: Place) -> str:
        """Return what the story is called."""
        return self.name if self.name.strip() else place.slug

    def plan_print(self) -> str:
        """Return the fingerprint of what an import would write of the draft: a plan is
        made for this content."""
        return fingerprint(
            [
                self.content_print,
                [_relation(each) for each in self.relations],
                [list(each) for each in self.links],
                [self.name, self.first_published_at, self.sort_by_date],
                [list(each) for each in self.names],
            ]
        )

    def as_bytes(self) -> bytes:
        """Return the facts as they are kept."""
        return compact(
            {
                "key": [*_key(self.key)],
                "lookups": self.lookups.as_json(),
                "slots": [
                    list(self.slots.addresses),
                    [[list(path), number] for path, number in self.slots.ids],
                    [list(path) for path in self.slots.texts],
                ],
                "relations": [_relation(each) for each in self.relations],
                "links": [list(each) for each in self.links],
                "mentions": [list(each) for each in self.mentions],
                "shape": self.shape.as_json(),
                "size": self.size,
                "losses": dict(self.losses),
                "losses_print": self.losses_print,
                "content": self.content_print,
                "envelope": [self.name, self.first_published_at, self.sort_by_date],
                "names": [list(each) for each in self.names],
            }
        )

    @classmethod
    def of(cls, kept: bytes) -> DraftFacts:
        """Return kept facts; raises `ValueError` and the like for anything else."""
        body = _loaded(kept)
        addresses, ids, texts = cast("list[list[object]]", body["slots"])
        pairs = cast("list[tuple[object, int]]", ids)
        name, published, day = cast("list[object]", body["envelope"])
        return cls(
            key=ItemKey(*cast("list[str]", body["key"])),
            lookups=Lookups.from_json(cast(JsonObject, body["lookups"])),
            slots=Slots(
                addresses=tuple(cast("list[str]", addresses)),
                ids=tuple((_path(path), number) for path, number in pairs),
                texts=tuple(map(_path, texts)),
            ),
            relations=tuple(map(_relation_of, cast("list[Json]", body["relations"]))),
            links=_pairs(body["links"]),
            mentions=_pairs(body["mentions"]),
            shape=shape_from_json(cast(JsonObject, body["shape"])),
            size=cast(int, body["size"]),
            losses=cast("dict[str, int]", body["losses"]),
            losses_print=cast(str, body["losses_print"]),
            content_print=cast(str, body["content"]),
            name=str(name),
            first_published_at=str(published),
            sort_by_date=str(day),
            names=_pairs(body["names"]),
        )


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """What an item becomes, but for its place, its assets and its links."""

    facts: DraftFacts
    packed: bytes
    """The content and everything else of the story."""

    @classmethod
    def of(
        cls, draft: StoryDraft, name: str, marks: Marks, lookups: Lookups
    ) -> KeptDraft:
        """Return what is kept of a draft that was made over marks.

        `name` is the item's own: the story takes its slug where that is blank.
        """
        losses = [
            (each.field, _with_addresses(each.loss, marks)) for each in draft.losses
        ]
        body: JsonObject = {
            "content": draft.content,
            "losses": [[*each] for each in losses],
        }
        dumped = compact(body)
        uses = link_uses(draft)
        facts = DraftFacts(
            key=draft.key,
            lookups=lookups,
            slots=marks.slots(draft.content),
            relations=draft.relations,
            links=uses.links,
            mentions=uses.mentions,
            shape=shape_of(
                draft.content,
                (each.field for each in draft.relations if not each.multiple),
            ),
            size=len(dumped) - len(compact({"losses": body["losses"]})),
            losses=dict(Counter(each.loss.kind for each in draft.losses)),
            losses_print=print_of_losses(
                [field, *map(str, loss.values())] for field, loss in losses
            ),
            content_print=marks.unmarked_print(dumped),
            name=name,
            first_published_at=draft.first_published_at,
            sort_by_date=draft.sort_by_date,
            names=draft.names,
        )
        return cls(facts, packed(dumped))

    def is_whole(self, marks: Marks) -> bool:
        """Return whether the packed part is the one that the facts are of."""
        try:
            content = unpacked(self.packed)
        except ValueError:
            return False
        return marks.unmarked_print(content) == self.facts.content_print

    def losses(self) -> tuple[FieldLoss, ...]:
        """Return what the story lost, and in which field of the origin."""
        body = _loaded(unpacked(self.packed))
        return tuple(map(_loss_of, cast("list[Json]", body["losses"])))

    def story(
        self, marks: Marks, place: Place, assets: Mapping[str, UploadedAsset]
    ) -> StoryDraft:
        """Return the story at its place, the assets of its content filled in."""
        body = _loaded(unpacked(self.packed))
        content = cast(JsonObject, body["content"])
        marks.fill(content, self.facts.slots, assets)
        return StoryDraft(
            key=self.facts.key,
            name=self.facts.story_name(place),
            place=place,
            content=content,
            first_published_at=self.facts.first_published_at,
            sort_by_date=self.facts.sort_by_date,
            relations=self.facts.relations,
            losses=tuple(map(_loss_of, cast("list[Json]", body["losses"]))),
            names=self.facts.names,
        )


def print_of_losses(losses: Iterable[Sequence[str]]) -> str:
    """Return what tells the losses of items apart; empty without any.

    Each is its field, then its parts in the order of `Loss.as_json`.
    """
    listed = [[*each] for each in losses]
    return fingerprint(listed) if listed else ""


def _with_addresses(loss: Loss, marks: Marks) -> JsonObject:
    """Return a loss that names files as an editor knows them, by the origin's
    addresses."""
    return {
        name: marks.origin_text(value) if isinstance(value, str) else value
        for name, value in loss.as_json().items()
    }


def _loaded(data: bytes) -> JsonObject:
    return cast(JsonObject, json.loads(data))


def _pairs(body: Json) -> tuple[tuple[str, str], ...]:
    """Return pairs of texts."""
    return tuple((one, two) for one, two in cast("list[tuple[str, str]]", body))


def _key(key: ItemKey) -> tuple[str, str, str]:
    return key.collection_id, key.item_id, key.locale_id


def _path(path: object) -> Path:
    return tuple(cast("list[str | int]", path))


def _relation(use: RelationUse) -> Json:
    targets: list[Json] = [[*_key(each)] for each in use.targets]
    return [use.field, use.origin_field, use.multiple, targets]


def _relation_of(body: Json) -> RelationUse:
    field, origin_field, multiple, targets = cast("list[object]", body)
    return RelationUse(
        field=str(field),
        origin_field=str(origin_field),
        multiple=bool(multiple),
        targets=tuple(ItemKey(*each) for each in cast("list[list[str]]", targets)),
    )


def _loss_of(body: Json) -> FieldLoss:
    field, loss = cast("tuple[str, dict[str, str]]", body)
    severity = Severity(loss.pop("severity"))
    return FieldLoss(field, Loss(**loss, severity=severity))
