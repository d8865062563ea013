"""What a plan knows of the stories to be, kept until something of it changes.

A plan of the same origin, decisions, files and story records finds the same: it is
read again in a few parts instead of being asked of every draft.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from sys import intern

from pydantic import TypeAdapter

from cmsmig.canonical import (
    Json,
    canonical,
    fingerprint,
    fingerprint_of_each,
    packed,
    unpacked,
)
from cmsmig.code_digest import code_digest
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.mapping.convert.content_shape import ContentShape
from cmsmig.mapping.draft import DraftContext
from cmsmig.mapping.select.reference_targets import (
    BorrowedReference,
    DanglingReference,
    KnownItems,
    borrowed,
    classify,
)
from cmsmig.richtext.losses import LossCounts, kinds_of
from cmsmig.steps.decide.drafter import RULE_FAILED, plain
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.drafts.linked_stories import LinkedStories, WantedStory

_PART = 500
"""Stories that are kept together."""
_ROOMS = (
    "configuration",
    "mapping",
    "origin",
    "reconcile",
    "richtext",
    "steps/decide",
    "steps/plan",
)
"""Code that drafts, links and hashes."""


@dataclass(frozen=True, slots=True)
class PlannedStory:
    """What a plan knows of a story to be: nothing of its content."""

    losses: LossCounts
    """How many, by kind; shared by all stories that lose the same."""
    losses_print: str
    """Tells losses apart; empty without any."""
    dangling: tuple[DanglingReference, ...]
    """References that cannot be filled, even if every other item arrives."""
    borrowed: tuple[BorrowedReference, ...]
    """References that lead to the story in the primary language."""
    shape: int
    """The number of the shape of its content."""
    size: int
    """Bytes of its content as JSON, about."""
    draft: str
    """Fingerprint of its draft."""
    links: int = 0
    """Links that will lead to stories, over the story records that are foreseen."""
    left: tuple[str, ...] = ()
    """Why links into the old site stay, each."""
    link_state: str = "nothing"
    """As the ledger writes it."""
    is_linked: bool = False
    """Whether links make other content of its draft."""
    record_hash: str = ""
    """Of everything that is wanted of it; empty where there is no story to compare it
    with."""

    def with_links(self, wanted: WantedStory) -> PlannedStory:
        """Return it with the links of the same story over other story records. Only
        where the story is there already, its content is hashed."""
        found, there = wanted.links, wanted.linked.existing.get(wanted.key)
        is_there = there is not None and not there.is_planned
        return replace(
            self,
            links=found.links,
            left=tuple(wanted.links_left()),
            link_state=found.state,
            is_linked=found.changes,
            record_hash=wanted.record_hash if is_there else "",
        )

    def is_needed(self, story_record: StoryRecord) -> bool:
        """Return whether a story was last asked to be something else; so it may have
        been where nothing is hashed."""
        return not self.record_hash or story_record.record_hash != self.record_hash


@dataclass(frozen=True, slots=True)
class PlannedStories:
    """The stories to be; what many have in common is one object for all of them."""

    rows: Mapping[ItemKey, ItemRow]
    stories: dict[ItemKey, PlannedStory] = field(default_factory=dict)
    """In the order of the import."""
    shapes: list[ContentShape] = field(default_factory=list)
    _numbers: dict[Hashable, int] = field(default_factory=dict)
    _losses: dict[bytes, LossCounts] = field(default_factory=dict)
    _left: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)

    def plan(self, wanted: WantedStory, known: KnownItems) -> None:
        """Add what is known of a story."""
        draft = wanted.draft
        fields = draft.shape.fields
        shape = tuple((name, *sorted(fields[name].items())) for name in sorted(fields))
        if shape not in self._numbers:
            self._numbers[shape] = len(self.shapes)
            self.shapes.append(draft.shape)
        story = PlannedStory(
            losses=draft.losses,
            losses_print=draft.losses_print,
            dangling=classify(draft.key, draft.relations, known),
            borrowed=borrowed(draft.key, draft.relations, known),
            shape=self._numbers[shape],
            size=draft.size,
            draft=draft.fingerprint,
        )
        self.add(draft.key, story.with_links(wanted))

    def add(self, key: ItemKey, story: PlannedStory) -> None:
        """Add a story whose shape is known."""
        self.stories[key] = replace(
            story,
            losses=self._losses.setdefault(canonical(story.losses), story.losses),
            left=self._left.setdefault(story.left, story.left),
            link_state=intern(story.link_state),
            record_hash=self._shared_hash(key, story.record_hash),
        )

    def _shared_hash(self, key: ItemKey, record_hash: str) -> str:
        """Return a hash; one that the ledger holds is the ledger's."""
        row = self.rows.get(key)
        record = row.story_record if row is not None else None
        known = record.record_hash if record is not None else ""
        return known if known == record_hash else record_hash


_CODEC = TypeAdapter(tuple[list[ContentShape], list[tuple[int, PlannedStory]]])
"""Shapes that are new in a part, and each story with its item's place among all."""


def keep_stories(migration: Migration, made_of: str, planned: PlannedStories) -> None:
    """Keep what is known of all stories under a fingerprint of all it was made of.

    Where a rule of the project's own failed it is not kept: it may not fail again.
    """
    if not any(
        RULE_FAILED in kinds_of(each.losses) for each in planned.stories.values()
    ):
        parts = _parts([*_keys(migration)], planned)
        migration.drafter.store.keep_plan(made_of, parts)


def kept_stories(
    migration: Migration, made_of: str, rows: Mapping[ItemKey, ItemRow]
) -> PlannedStories | None:
    """Return the stories that were kept under a fingerprint; None where there are
    none, or someone else wrote them."""
    keys = [*_keys(migration)]
    planned = PlannedStories(rows)
    for number in count():
        body = migration.drafter.store.plan_part(number, made_of)
        if not body:
            return None if body is None else planned
        try:
            shapes, stories = _CODEC.validate_json(unpacked(body))
            planned.shapes.extend(shapes)
            for at, story in stories:
                planned.add(keys[at], story)
        except (ValueError, IndexError):
            return None
    return None


def _keys(migration: Migration) -> Iterator[ItemKey]:
    return (entry.item.key for entry in migration.selected)


def _parts(keys: list[ItemKey], planned: PlannedStories) -> Iterator[bytes]:
    """Yield the stories in parts, each with the shapes that are new in it."""
    written = 0
    for start in range(0, len(keys), _PART):
        stories = [
            (at, planned.stories[key])
            for at, key in enumerate(keys[start : start + _PART], start)
            if key in planned.stories
        ]
        until = max((story.shape + 1 for _, story in stories), default=written)
        new = planned.shapes[written:until]
        written = max(written, until)
        yield packed(_CODEC.dump_json((new, stories)))


def plan_print(linked: LinkedStories, known: KnownItems) -> str:
    """Return the fingerprint of everything that decides what `draft_offline` finds:
    the code, the raw answers, the decisions, the files, the story records and which
    items are migrated."""
    migration, existing = linked.migration, linked.existing
    reviews = migration.decisions.blocks.reviews
    return fingerprint(
        [
            code_digest(_ROOMS, migration.drafter.libraries),
            migration.namespace,
            fingerprint_of_each(str(entry.item.key) for entry in migration.selected),
            plain(migration.origin.site),
            migration.origin.old_paths.as_json(),
            dict(migration.origin.hashes),
            dict(migration.decisions.hashes),
            [[plain(key), reviews[key].decided] for key in sorted(reviews)],
            _files(linked.context),
            fingerprint_of_each(
                [str(key), each.uuid, each.full_slug, *map(list, each.slugs)]
                for key, each in existing.items()
            ),
            [
                [*sorted(map(str, each))]
                for each in (known.kept, known.left, known.outside)
            ],
        ]
    )


def _files(context: DraftContext) -> Json:
    """Return where files are, or will be, and what is said of them."""
    assets = fingerprint_of_each(
        [address, context.assets[address].asset_id, context.assets[address].filename]
        for address in sorted(context.assets)
    )
    hosts = sorted(context.file_hosts)
    return [assets, dict(context.missing_assets), dict(context.alts), [*hosts]]


def used_fields(shapes: Iterable[ContentShape]) -> dict[str, set[str]]:
    """Return the field keys that stories use, by component."""
    used: dict[str, set[str]] = {}
    for shape in shapes:
        for component, keys in shape.used.items():
            used.setdefault(component, set()).update(keys)
    return used
