"""Stories that an editor may have changed since our last write, read and compared for
the plan. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cmsmig.counting import first_of
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.field_diff import DECIDE, FieldDiff, Outcome
from cmsmig.reconcile.resource import compare
from cmsmig.reconcile.rules.publication import hides_edits
from cmsmig.reconcile.rules.story import story_resource
from cmsmig.steps.plan.publication.version_pair import open_pairs
from cmsmig.steps.plan.recorded import last_write
from cmsmig.steps.plan.wanted_stories import WantedStories
from cmsmig.steps.story_reader import StoryReader, as_written

_MOST_KEPT = 500
"""Stories whose content is kept for the update; others are read once more."""
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class StoryEdit:
    """The outcome of one story's comparison, without its content."""

    written: frozenset[str]
    """The fields that an update sends."""
    is_kept: bool
    """Whether it holds edits of editors afterwards."""
    is_hidden: bool
    """Whether visitors may lack them."""
    is_agreed: bool
    """Whether something that we want is there already: it counts as written."""
    undecided: tuple[FieldDiff, ...]


@dataclass(frozen=True, slots=True)
class StoryEdits:
    """What a plan found out about stories that are not as we left them."""

    found: Mapping[ItemKey, StoryEdit] = field(default_factory=dict)
    """Of those that are to be written."""
    seen: Mapping[ItemKey, Story] = field(default_factory=dict)
    """Some of their values."""
    reads: int = 0
    """Calls it took."""

    @property
    def undecided(self) -> tuple[FieldDiff, ...]:
        """Return the fields that wait for a decision."""
        return tuple(each for edit in self.found.values() for each in edit.undecided)

    def writes(self, key: ItemKey) -> bool:
        """Return whether an update of the story has anything to send."""
        edit = self.found.get(key)
        return edit is None or bool(edit.written)

    def record_after(self, key: ItemKey, record: StoryRecord) -> StoryRecord:
        """Return the record of a story with the edits that it will hold afterwards."""
        edit = self.found.get(key)
        if edit is None:
            return replace(record, kept_edits=False, unpublished_edits=False)
        return replace(
            record, kept_edits=edit.is_kept, unpublished_edits=edit.is_hidden
        )


NO_EDITS: Final = StoryEdits()


async def read_story_edits(
    reader: StoryReader, ledger: Ledger, wanted: WantedStories
) -> StoryEdits:
    """Read the stories that are to be written and may have been edited.

    Costs a call for each that was. Reads only.
    """
    edits: dict[ItemKey, StoryEdit] = {}
    kept: dict[ItemKey, Story] = {}
    decided = wanted.migration.decisions.conflicts

    def compare_with(key: ItemKey, there: Story | StoryRow) -> bool:
        ours = wanted.stories.fields(key)
        if isinstance(ours, str):
            return False
        last = last_write(ledger, wanted.rows[key])
        resource = story_resource(last, there, ours)
        diff = compare(resource, decided).diff
        agreed = isinstance(there, Story) and bool(diff.of(Outcome.AGREE))
        is_kept = bool(diff.edits)
        is_hidden = is_kept and hides_edits(there, last.record)
        conflicts = tuple(diff.conflicts)
        edits[key] = StoryEdit(diff.written, is_kept, is_hidden, agreed, conflicts)
        return True

    def take(key: ItemKey, story: Story | None) -> None:
        if story is not None and str(key) in pairs:
            story = pairs[str(key)].after(story)
        is_known = story is not None and compare_with(key, story)
        if story is not None and is_known and len(kept) < _MOST_KEPT:
            kept[key] = story

    for key, row in wanted.held_moves:
        compare_with(key, row)
    pairs, settled = open_pairs(ledger), wanted.snapshot.updated
    listed = wanted.snapshot.listed
    before = reader.singly
    looking = wanted.looking.items()
    sought = (
        (key, as_written(there, last_write(ledger, wanted.rows[key])))
        for key, record in looking
        if key not in settled and (there := listed.get(record.story_id)) is not None
    )
    for key, _ in looking:
        if key in settled:
            take(key, settled[key])
    async for key, story in reader.read(sought):
        take(key, story)
    return StoryEdits(edits, kept, reader.singly - before)


def undecided_sentence(undecided: Sequence[FieldDiff]) -> str:
    """Return for an editor what waits for a decision in a story, and what to do."""
    fields = [each.field for each in undecided]
    what = undecided[0].what
    moved = fields == ["slug"]
    why = (
        "has another slug at the origin now, which would move its page"
        if moved
        else "was edited at the destination and changed at the origin too"
    )
    return (
        f"The story `{what}` {why} ({first_of(fields, _SHOWN, ', ')}); it keeps its "
        f"values; {DECIDE}."
    )


async def find_paths_as_written(
    reader: StoryReader,
    ledger: Ledger,
    listed: Iterable[StoryRow],
    paths: frozenset[str],
) -> frozenset[str]:
    """Return those paths whose stories hold just what we last wrote.

    Costs a call for each other path.
    """
    if not paths:
        return frozenset()
    rows = {
        row.story_record.story_id: row
        for row in ledger.items.all().values()
        if row.story_record
    }

    sought = {
        path: as_written(there, last_write(ledger, rows[there.story_id]))
        for there in listed
        if (path := there.full_slug.strip("/")) in paths and there.story_id in rows
    }
    read = reader.read(sought.items())
    found = [path async for path, it in read if it and sought[path].is_expected(it)]
    return frozenset(found)
