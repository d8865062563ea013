"""What each operation of `cleaning.yaml` changes, or would. Asks no service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from cmsmig.canonical import JsonObject
from cmsmig.mapping.cleaning.change_texts import changed_parts, said
from cmsmig.mapping.cleaning.cleaner import Cleaner, Edit
from cmsmig.mapping.decisions.cleaning import CleaningDecision, Operation
from cmsmig.mapping.propose.decision_checks import check_against
from cmsmig.origin.schema import Item
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.cleaned_origin import open_cleaner
from cmsmig.steps.decide.decision_store import decision_in, stamp_review
from cmsmig.steps.decide.pulled_origin import Origin, read_origin

_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class CleaningChange:
    """What one operation changes in one field of an item."""

    item: Item
    edit: Edit

    @property
    def old(self) -> str:
        """Return the value before, as its source says it."""
        return said(self.edit.field, self.edit.old)

    @property
    def new(self) -> str:
        """Return the value after."""
        return said(self.edit.field, self.edit.new)

    def as_json(self) -> JsonObject:
        """Return it as `clean --json` lists it."""
        old, new = changed_parts(self.old, self.new)
        named = {"item": str(self.item.key), "name": self.item.name}
        return {**named, "field": self.edit.field.slug, "old": old, "new": new}


@dataclass(slots=True)
class OperationCount:
    """How much an operation changes."""

    number: int
    """Its place in the file, from 1."""
    operation: Operation
    items: int = 0
    places: int = 0
    samples: list[CleaningChange] = field(default_factory=list)

    @property
    def state(self) -> str:
        """Return whether it is accepted."""
        if self.operation.refused:
            return "refused"
        return "accepted" if self.operation.reviewed else "proposed"

    def as_json(self) -> JsonObject:
        """Return it as `clean --json` lists it."""
        return {
            "number": self.number,
            "kind": str(self.operation.kind),
            "title": self.operation.title,
            "state": self.state,
            "items": self.items,
            "places": self.places,
            "samples": [each.as_json() for each in self.samples],
        }


def read_cleaning(
    project: Project, settings: Settings
) -> tuple[Origin, CleaningDecision]:
    """Return what was pulled, and the operations.

    Raises `UnreadError` without a complete pull and `DecisionsError` for operations
    that do not fit it.
    """
    origin = read_origin(project, settings.site_id)
    decision = decision_in(project, CleaningDecision) or CleaningDecision()
    check_against(decision, origin.collections)
    return origin, decision


def changes_by(cleaner: Cleaner, items: Iterable[Item]) -> Iterator[CleaningChange]:
    """Yield what operations change in items, by item."""
    reached = {
        name for name, each in cleaner.collections.items() if cleaner.reaching(each)
    }
    for item in items:
        if item.key.collection_id in reached:
            for edit in cleaner.edits(item.key, item.data):
                yield CleaningChange(item, edit)


def count_operations(
    origin: Origin, decision: CleaningDecision, samples: int = _SAMPLES
) -> tuple[OperationCount, ...]:
    """Return how much each operation changes in the editors' version of the items; a
    proposal, if all of them were accepted."""
    found = [
        OperationCount(number, each)
        for number, each in enumerate(decision.operations, start=1)
    ]
    items = [*origin.every_item().values()]
    _count(found, open_cleaner(origin, decision), items, samples)
    if any(each.state == "proposed" for each in found):
        wanted = [each for each in found if each.state == "proposed"]
        all_accepted = open_cleaner(origin, _with_proposals(decision))
        _count(wanted, all_accepted, items, samples)
    return tuple(found)


def _with_proposals(decision: CleaningDecision) -> CleaningDecision:
    now = stamp_review("", "")
    accepted = (
        each if each.reviewed else replace(each, reviewed=now)
        for each in decision.operations
    )
    return replace(decision, operations=tuple(accepted))


def _count(
    counts: Iterable[OperationCount],
    cleaner: Cleaner,
    items: Iterable[Item],
    samples: int,
) -> None:
    by_number = {each.number: each for each in counts}
    seen: Counter[tuple[int, object]] = Counter()
    for change in changes_by(cleaner, items):
        count = by_number.get(change.edit.operation)
        if count is None:
            continue
        count.places += change.edit.places
        seen[count.number, change.item.key] += 1
        count.items += seen[count.number, change.item.key] == 1
        if len(count.samples) < samples:
            count.samples.append(change)
