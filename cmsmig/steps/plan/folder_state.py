"""Folders of the design beside those of the space: there, missing, or named
otherwise on one side or both. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cmsmig.destination.schema import StoryRow
from cmsmig.ledger.rows import MadeRow
from cmsmig.mapping.decisions.conflicts import ConflictKind, ConflictsDecision, Side
from cmsmig.mapping.select.story_paths import FolderPlan
from cmsmig.steps.plan.destination_survey import Survey, folder_at
from cmsmig.steps.plan.edits.edit_conflicts import EditConflict, seen_of

NAME = "name"
"""The field of a folder that both sides may change; its place is theirs."""


@dataclass(frozen=True, slots=True)
class FolderState:
    """A folder of the design, and what there is of it."""

    plan: FolderPlan
    row: StoryRow | None
    """Where it stands, wherever somebody moved it; None while there is none."""
    made: MadeRow | None
    side: Side | None = None
    """What was decided about its name, where both sides changed it."""

    @property
    def is_missing(self) -> bool:
        """Return whether it is to be made."""
        return self.row is None

    @property
    def is_renamed(self) -> bool:
        """Return whether it gets our name."""
        return self._ours_moved and (not self._theirs_moved or self.side is Side.OURS)

    @property
    def is_undecided(self) -> bool:
        """Return whether both sides renamed it and nobody decided about it."""
        return self._ours_moved and self._theirs_moved and self.side is None

    @property
    def written(self) -> str:
        """Return the name that we last wrote; empty when it is not ours."""
        ours = self.made is not None and self.made.made
        return str(self.made.body.get(NAME, "")) if ours and self.made else ""

    @property
    def _ours_moved(self) -> bool:
        if self.row is None or not self.written:
            return False
        return self.plan.name not in (self.written, self.row.name)

    @property
    def _theirs_moved(self) -> bool:
        return self.row is not None and self.row.name != self.written


def folder_states(
    plans: Sequence[FolderPlan],
    made: Mapping[str, MadeRow],
    survey: Survey,
    decided: ConflictsDecision,
) -> tuple[FolderState, ...]:
    """Return the state of each folder, in the order of `plans`."""
    by_id = {row.story_id: row for row in survey.stories if row.is_folder}
    return tuple(
        _decided(
            FolderState(
                plan,
                _row_of(made.get(plan.path), by_id)
                or folder_at(survey.stories, plan.path),
                made.get(plan.path),
            ),
            decided,
        )
        for plan in plans
    )


def folder_conflicts(states: Sequence[FolderState]) -> Iterator[EditConflict]:
    """Yield the names that both sides changed and nobody decided about."""
    for each in states:
        if each.is_undecided and each.row is not None:
            yield EditConflict(
                kind=ConflictKind.FOLDER,
                what=each.plan.path,
                field=NAME,
                base=each.written,
                ours=each.plan.name,
                theirs=each.row.name,
                seen=seen_of(each.row.name),
            )


def _row_of(made: MadeRow | None, by_id: Mapping[int, StoryRow]) -> StoryRow | None:
    row = by_id.get(made.destination_id) if made else None
    return (
        row if row is not None and made is not None and row.uuid == made.uuid else None
    )


def _decided(state: FolderState, decided: ConflictsDecision) -> FolderState:
    if state.row is None:
        return state
    seen = seen_of(state.row.name)
    side = decided.side(ConflictKind.FOLDER, state.plan.path, NAME, seen)
    return FolderState(state.plan, state.row, state.made, side)
