"""What a plan knows of the stories to be, kept until something of it changes.

A plan of the same origin, decisions, files and story records finds the same: it is
read again in a few parts instead of being asked of every draft.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from sys import intern
from typing import Any, TypeAlias

import orjson

from cmsmig.canonical import Json, canonical, compact
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.mapping.convert.content_shape import ContentShape, shape_from_json
from cmsmig.mapping.select.reference_targets import (
    BorrowedReference,
    DanglingCause,
    DanglingReference,
)
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.drafts.linked_drafts import DraftLinks

_PART = 500
"""Stories that are kept together."""
_RULE_FAILED = "custom-rule"
"""A loss that may not happen again."""
_Row: TypeAlias = "list[Any]"


@dataclass(frozen=True, slots=True)
class PlannedStory:
    """What a plan knows of a story to be: nothing of its content."""

    losses: Mapping[str, int]
    """How many, by kind; shared by all stories that lose the same."""
    losses_print: str
    """Tells losses apart; empty without any."""
    dangling: tuple[DanglingReference, ...]
    """References that cannot be filled, even if every other item arrives."""
    borrowed: tuple[BorrowedReference, ...]
    """References that lead to the story in the primary language."""
    links: DraftLinks
    """Over the story records that are foreseen."""
    shape: ContentShape
    """Shared by all stories of the same shape."""
    size: int
    """Bytes of its content as JSON, about."""
    draft: str
    """Fingerprint of what is written of its draft."""


class Common:
    """What many stories have in common: one object for all of them."""

    def __init__(self, rows: Mapping[ItemKey, ItemRow]) -> None:
        self._rows = rows
        self._losses: dict[tuple[tuple[str, int], ...], Mapping[str, int]] = {}
        self._shapes: dict[bytes, ContentShape] = {}
        self._links: dict[DraftLinks, DraftLinks] = {}

    def losses(self, losses: Mapping[str, int]) -> Mapping[str, int]:
        """Return these losses, as they were counted of another story."""
        return self._losses.setdefault(tuple(sorted(losses.items())), losses)

    def shape(self, shape: ContentShape) -> ContentShape:
        """Return this shape, as another story has it."""
        return self._shapes.setdefault(canonical(shape.as_json()), shape)

    def links(self, key: ItemKey, links: DraftLinks) -> DraftLinks:
        """Return these links; hashes that the ledger holds are the ledger's."""
        row = self._rows.get(key)
        if row is None or row.home is None:
            return self._links.setdefault(links, links)
        record, content = row.home.record_hash, row.home.content_hash
        return replace(
            links,
            record_hash=record if record == links.record_hash else links.record_hash,
            linked_hash=content if content == links.linked_hash else links.linked_hash,
        )


def keep_stories(
    migration: Migration, made_of: str, stories: Mapping[ItemKey, PlannedStory]
) -> None:
    """Keep what is known of all stories under a fingerprint of all it was made of.

    Where a rule of the project's own failed it is not kept: it may not fail again.
    """
    if not any(_RULE_FAILED in each.losses for each in stories.values()):
        store = migration.drafter.store
        store.keep_plan(made_of, _parts(migration, stories))


def kept_stories(
    migration: Migration, made_of: str, rows: Mapping[ItemKey, ItemRow]
) -> dict[ItemKey, PlannedStory] | None:
    """Return the stories that were kept under a fingerprint; None where there are
    none, or somebody else wrote them."""
    keys = [*_keys(migration)]
    common = Common(rows)
    shapes: list[ContentShape] = []
    found: dict[ItemKey, PlannedStory] = {}
    for number in count():
        body = migration.drafter.store.plan_part(number, made_of)
        if body is None:
            return None
        if not body:
            return found
        try:
            new, stories = orjson.loads(body)
            shapes += map(shape_from_json, new)
            for at, *row in stories:
                key = keys[at]
                found[key] = _read(key, row, shapes, common)
        except (ValueError, TypeError, KeyError, IndexError):
            return None
    return None


def _keys(migration: Migration) -> Iterator[ItemKey]:
    return (entry.item.key for entry in migration.selected)


def _parts(
    migration: Migration, stories: Mapping[ItemKey, PlannedStory]
) -> Iterator[bytes]:
    """Yield the stories in parts, each with the shapes that are new in it."""
    numbers: dict[int, int] = {}
    new: list[Json] = []
    rows: list[Json] = []
    for at, key in enumerate(_keys(migration)):
        if (story := stories.get(key)) is None:
            continue
        if id(story.shape) not in numbers:
            numbers[id(story.shape)] = len(numbers)
            new.append(story.shape.as_json())
        rows.append([at, *_row(story, numbers[id(story.shape)])])
        if len(rows) == _PART:
            yield compact([new, rows])
            new, rows = [], []
    if rows:
        yield compact([new, rows])


def _row(story: PlannedStory, shape: int) -> list[Json]:
    links = story.links
    dangling: list[Json] = [
        [
            each.field,
            str(each.cause),
            [[*other] for other in each.shown_instead],
            *_reference(each),
        ]
        for each in story.dangling
    ]
    return [
        dict(story.losses),
        story.losses_print,
        dangling,
        [_reference(each) for each in story.borrowed],
        [links.filled, links.links, [*links.left], links.state, links.changes],
        [links.linked_hash, links.record_hash, links.former_record],
        shape,
        story.size,
        story.draft,
    ]


def _reference(each: DanglingReference | BorrowedReference) -> list[Json]:
    target = each.target
    named = [target.collection_id, target.item_id, target.locale_id]
    return [each.origin_field, each.index, *named]


def _read(
    key: ItemKey, row: _Row, shapes: list[ContentShape], common: Common
) -> PlannedStory:
    losses, losses_print, dangling, borrowed, links, hashes, shape, *rest = row
    size, draft = rest
    filled, leading, left, state, changes = links
    linked, record, former = hashes
    return PlannedStory(
        losses=common.losses(losses),
        losses_print=losses_print,
        dangling=tuple(
            DanglingReference(
                key,
                field,
                origin,
                ItemKey(*target),
                DanglingCause(cause),
                index,
                tuple(ItemKey(*each) for each in instead),
            )
            for field, cause, instead, origin, index, *target in dangling
        ),
        borrowed=tuple(
            BorrowedReference(key, origin, ItemKey(*target), index)
            for origin, index, *target in borrowed
        ),
        links=common.links(
            key,
            DraftLinks(
                filled=filled,
                links=leading,
                left=tuple(map(intern, left)),
                state=intern(state),
                changes=changes,
                linked_hash=linked,
                record_hash=record,
                former_record=former,
            ),
        ),
        shape=shapes[shape],
        size=size,
        draft=draft,
    )


def used_fields(stories: Iterable[PlannedStory]) -> dict[str, set[str]]:
    """Return the field keys that stories use, by component."""
    used: dict[str, set[str]] = {}
    for shape in {id(each.shape): each.shape for each in stories}.values():
        for component, keys in shape.used.items():
            used.setdefault(component, set()).update(keys)
    return used
