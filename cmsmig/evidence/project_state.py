"""How far a migration is, from its project folder alone: the sentence that every
notebook opens with, and the step that comes next."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.counting import counted
from cmsmig.ledger.rows import Accounting
from cmsmig.ledger.run_history import NewestPlan, read_newest_plan
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    CollectionsDecision,
    EmbedsDecision,
)
from cmsmig.mapping.decisions.design import Decision, Design
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.ui.documents.plan_steps import writes_of


@dataclass(frozen=True, slots=True)
class NextStep:
    """What a person does next."""

    notebook: str
    """Its number."""
    panel: str
    """The prefix of the panel there."""
    label: str
    """What its button says."""


_KEY = tuple(re.compile(b'"%s": ?"([^"]+)"' % each) for each in (b"id", b"cmsLocaleId"))
"""What names an item in its line of the raw cache."""
_READ = NextStep("01", "pull", "Read the origin")
_DECISIONS: dict[type[Decision], NextStep] = {
    CollectionsDecision: NextStep("01", "item-set", "Choose the item sets"),
    Design: NextStep("02", "design", "Review the content types"),
    BlocksDecision: NextStep("03", "body", "Review the texts"),
    EmbedsDecision: NextStep("03", "body", "Review the texts"),
}
"""Where each decision is taken that an import needs, in order."""
CONFLICTS = NextStep("04", "changes", "Decide the conflicts")
_PLAN = NextStep("04", "plan", "Plan the import")
STEPS = {
    "prepare": NextStep("04", "prepare", "Prepare the destination"),
    "create": NextStep("05", "create", "Create the stories"),
    "link": NextStep("06", "link", "Link the stories"),
    "publish": NextStep("06", "publish", "Publish what was decided"),
}
VERIFY = NextStep("07", "verify", "Read everything back")
REPORT = NextStep("07", "report", "Write the report")


@dataclass(frozen=True, slots=True)
class ProjectState:
    """What was read, decided and imported so far."""

    collections: int
    items: int
    """Of both sets; each locale counts."""
    is_read: bool
    """Whether everything was read to its end."""
    undecided: tuple[NextStep, ...]
    """Where the decisions are taken that no one has accepted yet."""
    accounting: Accounting | None
    """None before the first import."""
    writes: Mapping[str, int]
    """The calls of the newest plan that change the destination, by the step that is
    still to be run."""
    is_planned: bool
    """Whether a plan was made since the origin was read."""
    conflicts: int = 0
    """What both sides changed and no one has decided."""
    counts_all: bool = True
    """Whether a plan counted them."""

    @property
    def sentence(self) -> str:
        """Return where the migration is, with its numbers."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        if not self.is_read:
            yield "The origin is not read yet."
            return
        read = f"{counted(self.items, 'item')} in {self._collections} read"
        if self.undecided:
            decisions = counted(len(self.undecided), "decision is", "decisions are")
            yield f"{read}; {decisions} open."
            return
        yield (
            f"{read}."
            if self.conflicts
            else f"{read}; all that an import needs is decided."
        )
        if self.accounting is not None and self.accounting.items:
            yield f"{', '.join(_outcomes(self.accounting))}."
        if self.conflicts:
            many = counted(self.conflicts, "conflict waits", "conflicts wait")
            said = f"{many} for a decision"
            rest = f"At least {said}; the plan in notebook 04 counts all."
            yield f"{said}." if self.counts_all else rest
        if left := sum(self.writes.values()):
            yield f"{counted(left, 'write is', 'writes are')} planned."

    @property
    def _collections(self) -> str:
        return counted(self.collections, "collection")

    @property
    def next_step(self) -> NextStep:
        """Return what comes next, up to the read-back."""
        if not self.is_read:
            return _READ
        if self.undecided:
            return self.undecided[0]
        if self.conflicts:
            return CONFLICTS
        if not self.is_planned:
            return _PLAN
        return next(
            (step for name, step in STEPS.items() if name in self.writes), VERIFY
        )


def read_state(
    project: Project, conflicts: int = 0, counts_all: bool = True
) -> ProjectState:
    """Return how far a project is. Reads its folder, asks no service.

    `conflicts` are those that the caller knows to be undecided; `counts_all`: by a
    plan. Raises `LedgerError`.
    """
    cache = RawCache(project.raw)
    is_read = cache.complete()
    plan, accounting = _recorded(project.ledger)
    return ProjectState(
        collections=len(cache.collection_ids()) if is_read else 0,
        items=_items(cache) if is_read else 0,
        is_read=is_read,
        undecided=(*_undecided(project),),
        accounting=accounting,
        writes=_writes_left(plan),
        is_planned=plan is not None and is_read and _day(plan) > cache.read_at(),
        conflicts=conflicts,
        counts_all=counts_all,
    )


def _undecided(project: Project) -> Iterator[NextStep]:
    for kind, step in _DECISIONS.items():
        found = decision_in(project, kind)
        if found is None or found.reviewed is None:
            yield step


def _recorded(path: Path) -> tuple[NewestPlan | None, Accounting | None]:
    if not path.is_file():
        return None, None
    with Ledger.open_existing(path) as ledger:
        accounting = ledger.items.accounting()
    return read_newest_plan(path), accounting


def _writes_left(plan: NewestPlan | None) -> dict[str, int]:
    if plan is None or "import" in plan.carried_out:
        return {}
    counts = {step: writes_of(plan.calls, step) for step in STEPS}
    return {
        step: count
        for step, count in counts.items()
        if count and step not in plan.carried_out
    }


def _day(plan: NewestPlan) -> float:
    return datetime.fromisoformat(plan.made_at).astimezone(UTC).timestamp()


def _items(cache: RawCache) -> int:
    """Return how many items were read, each locale of one that is in either set."""
    lines: set[tuple[bytes, ...]] = set()
    for path in (cache.item_file(own, live=live) for own, live in cache.sets()):
        with path.open("rb") as file:
            lines |= {
                tuple(found[1] for each in _KEY if (found := each.search(line)))
                for line in file
            }
    return len(lines - {()})


def _outcomes(found: Accounting) -> Iterator[str]:
    made = found.created + found.reused
    yield f"{counted(made, 'story is', 'stories are')} in the space"
    if found.skipped:
        yield f"{counted(found.skipped, 'item is', 'items are')} left out"
    if found.open:
        yield f"{counted(found.open, 'item is', 'items are')} still to be imported"
    if found.failed:
        yield f"{found.failed:,} failed"
