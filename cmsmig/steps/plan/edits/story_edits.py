"""Stories that somebody may have changed since our last write and that are wanted
otherwise: read and merged for the plan. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from cmsmig.counting import first_of
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.schema import Story
from cmsmig.errors import NotFoundError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.field_diff import FieldDiff
from cmsmig.steps.plan.edits.story_merge import StoryMerge, merge_story, merge_untouched
from cmsmig.steps.plan.publication.version_pair import open_pairs
from cmsmig.steps.plan.wanted_stories import WantedStories
from cmsmig.steps.worker_pool import together

UNDECIDED: Final = "undecided"
"""Stands for the hash of a story that waits for a decision: no other is like it."""
_AT_ONCE = 50
"""Stories that are read together; what they hold is not kept for all at once."""
_MOST_KEPT = 500
"""Stories whose content is kept for the update; others are read once more."""
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class StoryEdits:
    """What a plan found out about stories that are not as we left them."""

    merges: Mapping[ItemKey, StoryMerge] = field(default_factory=dict)
    """Of those that are wanted otherwise, without their content."""
    seen: Mapping[ItemKey, Story] = field(default_factory=dict)
    """Some of them as they stood."""
    reads: int = 0
    """Calls it took."""

    @property
    def undecided(self) -> tuple[FieldDiff, ...]:
        """Return the fields that wait for a decision."""
        return tuple(
            conflict for merge in self.merges.values() for conflict in merge.undecided
        )

    def writes(self, key: ItemKey) -> bool:
        """Return whether an update of the story has anything to send."""
        merge = self.merges.get(key)
        return merge is None or bool(merge.written)

    def keeps(self, key: ItemKey) -> bool:
        """Return whether the story will hold edits of other people afterwards."""
        merge = self.merges.get(key)
        return merge is not None and (merge.keeps_edits or bool(merge.undecided))


NO_EDITS: Final = StoryEdits()


async def read_story_edits(
    client: DestinationClient, ledger: Ledger, wanted: WantedStories
) -> StoryEdits:
    """Read the stories that are wanted otherwise and may have been edited.

    Costs a call for each of them. Reads only.
    """
    merges: dict[ItemKey, StoryMerge] = {}
    kept: dict[ItemKey, Story] = {}
    reads = 0
    merging = _Merging(wanted, ledger)
    for key, home, slug in wanted.held_moves:
        if merge := merging.untouched(key, home, slug):
            merges[key] = merge
    pairs = open_pairs(ledger)
    looking = list(wanted.looking.items())
    for at in range(0, len(looking), _AT_ONCE):
        part = looking[at : at + _AT_ONCE]
        reads += len(part)
        stories = await together(_story(client, home) for _, home in part)
        for (key, home), story in zip(part, stories, strict=True):
            if story is not None and str(key) in pairs:
                story = pairs[str(key)].after(story)
            if story is None or not (merge := merging.touched(key, home, story)):
                continue
            merges[key] = merge
            if len(kept) < _MOST_KEPT:
                kept[key] = story
    return StoryEdits(merges, kept, reads)


async def _story(client: DestinationClient, home: StoryRecord) -> Story | None:
    with suppress(NotFoundError):
        return await client.story(home.story_id)
    return None


@dataclass(frozen=True, slots=True)
class _Merging:
    wanted: WantedStories
    ledger: Ledger

    def touched(
        self, key: ItemKey, home: StoryRecord, story: Story
    ) -> StoryMerge | None:
        ours = self.wanted.stories.fields(key)
        if isinstance(ours, str):
            return None
        written = self.ledger.items.last_written(home.story_id)
        decided = self.wanted.migration.decisions.conflicts
        return _light(merge_story(home, written, ours, story, decided))

    def untouched(
        self, key: ItemKey, home: StoryRecord, slug: str
    ) -> StoryMerge | None:
        ours = self.wanted.stories.fields(key)
        if isinstance(ours, str):
            return None
        written = self.ledger.items.last_written(home.story_id)
        decided = self.wanted.migration.decisions.conflicts
        return _light(merge_untouched(home, written, ours, slug, decided))


def _light(merge: StoryMerge) -> StoryMerge:
    """Return the merge without what the story is to hold."""
    return replace(merge, values={}, sent={})


def undecided_sentence(merge: StoryMerge) -> str:
    """Return for an editor what waits for a decision in a story, and what to do."""
    fields = [each.field for each in merge.undecided]
    what = merge.undecided[0].what
    moved = fields == ["slug"]
    why = (
        "has another slug at the origin now, which would move its page"
        if moved
        else "was edited at the destination and changed at the origin too"
    )
    return (
        f"The story `{what}` {why} ({first_of(fields, _SHOWN, ', ')}); what stands "
        "there stays until you decide under `edits` in decisions/conflicts.yaml, or in "
        "notebook 04, whose value is taken."
    )
