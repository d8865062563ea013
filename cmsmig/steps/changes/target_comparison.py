"""What a destination will get that was not rehearsed in another one, and the other way.

Both have their content from the same origin and decisions, so every difference by
field follows from what each one got last, what it holds now and what is decided now;
ids are not compared. Reads only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject, canonical
from cmsmig.errors import UsageError
from cmsmig.events import Observer
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.reconcile.field_diff import Absent
from cmsmig.settings import Project, Settings
from cmsmig.steps.changes.changes import Change, Where, changes_of
from cmsmig.steps.worker_pool import StopSignal


@dataclass(frozen=True, slots=True)
class TargetComparison:
    """How one target differs from another that was imported into before."""

    target: str
    rehearsed: str
    """The other one's name."""
    since: tuple[Change, ...]
    """What moved at the origin and in decisions since the rehearsal: the target gets
    it, and no editor saw it there."""
    only_rehearsed: tuple[Change, ...]
    """What an editor changed in the other one alone: the target does not get it."""
    only_here: tuple[Change, ...]
    """What an editor changed in the target alone; an import leaves it."""

    def as_json(self) -> JsonObject:
        """Return it as `plan --compare --json` holds it."""
        return {
            "with": self.rehearsed,
            "since_rehearsal": _listed(self.since),
            "only_rehearsed": _listed(self.only_rehearsed),
            "only_here": _listed(self.only_here),
        }


async def compare_targets(
    project: Project,
    settings: Settings,
    rehearsed: Project,
    rehearsed_settings: Settings,
    *,
    observer: Observer,
    stop: StopSignal,
) -> TargetComparison:
    """Return how a target differs from one that was rehearsed in. Writes nothing.

    Raises `UsageError` when nothing was imported into the other one.
    """
    if not was_imported(rehearsed):
        raise UsageError(
            f"Nothing was imported into {rehearsed.target} yet, so there is no "
            f"rehearsal to compare with; run `cmsmig import --target "
            f"{rehearsed.target}` first."
        )
    there = await changes_of(
        rehearsed, rehearsed_settings, observer=observer, stop=stop
    )
    here: tuple[Change, ...] = ()
    if was_imported(project):
        here = await changes_of(project, settings, observer=observer, stop=stop)
    return TargetComparison(
        target=project.target,
        rehearsed=rehearsed.target,
        since=tuple(each for each in there if each.where is not Where.DESTINATION),
        only_rehearsed=tuple(_edits_without(there, here)),
        only_here=tuple(_edits_without(here, there)),
    )


def was_imported(project: Project) -> bool:
    """Return whether a ledger is there that records a story. Reads only."""
    if not project.ledger.is_file():
        return False
    with Ledger.open_existing(project.ledger) as ledger:
        return any(row.story_record for row in ledger.items.all().values())


def _edits_without(
    found: Iterable[Change], others: Iterable[Change]
) -> Iterator[Change]:
    """Yield what was changed in a space and not in the other one alike."""
    alike = {_print(each) for each in others if each.is_edit}
    for each in found:
        if each.is_edit and _print(each) not in alike:
            yield each


def _print(change: Change) -> bytes:
    new: Json = None if isinstance(change.new, Absent) else change.new
    place = [change.what, change.item, change.field, change.text]
    return canonical([*map(str, place), comparable(new)])


def _listed(changes: Iterable[Change]) -> list[Json]:
    return [each.as_json() for each in changes]
