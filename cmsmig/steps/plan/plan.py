"""The plan: what an import will do, as it is shown and stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

from cmsmig.canonical import JsonObject
from cmsmig.errors import PlanDriftError
from cmsmig.ledger.rows import ItemRow
from cmsmig.mapping.select.pilot import WHOLE, Pilot
from cmsmig.mapping.select.reference_targets import (
    BorrowedReference,
    DanglingReference,
)
from cmsmig.reconcile.field_diff import FieldDiff
from cmsmig.reconcile.resource import Action
from cmsmig.richtext.losses import LossCounts, kinds_of
from cmsmig.steps.plan.conflicts import Conflict
from cmsmig.steps.plan.drift import Fingerprints, item_moves
from cmsmig.steps.plan.gone.gone_at_origin import gone_json
from cmsmig.steps.plan.gone.missing_objects import NOTHING, Gone
from cmsmig.steps.plan.moves import Move
from cmsmig.steps.plan.plan_details import PlanDetails
from cmsmig.steps.plan.plan_notes import LABELS
from cmsmig.steps.plan.preflights.plan_checks import NO_CHECKS, PlanChecks
from cmsmig.steps.plan.publication.publications import Publication
from cmsmig.steps.plan.resources import InTheWay

RULES_VERSION = 1
"""Raised whenever the same item and decisions would give another draft."""

PACE_SLACK = 1.012
"""How much wider than one over the rate the budget spaces its releases."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an import will do, as it is shown before anything is written."""

    plan_hash: str
    fingerprints: Fingerprints
    calls: Mapping[str, int]
    """Quota calls by name, in the order they are made."""
    saved: Mapping[str, int]
    """Quota calls that are not made, by reason."""
    items: Mapping[str, int]
    skipped: Mapping[str, int]
    losses: LossCounts
    links: int
    """Links that will lead to stories."""
    links_left: Mapping[str, int]
    """Links into the old site that stay as they are, by cause."""
    rate: float
    conflicts: tuple[Conflict, ...]
    in_the_way: tuple[InTheWay, ...]
    """Components and datasources that an import would refuse to write over."""
    dangling: tuple[DanglingReference, ...]
    notes: tuple[str, ...]
    """What a person should know of the origin's schema, a sentence each."""
    missing_files: Mapping[str, str]
    edit_conflicts: tuple[FieldDiff, ...] = ()
    """Fields that both sides changed differently, without a decision."""
    schema_changes: tuple[FieldDiff, ...] = ()
    """Changes to fields of our components, datasources and folders."""
    gone: Gone = NOTHING
    """What an import brought and the space no longer has."""
    recreate: bool = False
    """Whether that is to be made again."""
    gone_at_origin: tuple[ItemRow, ...] = ()
    """Items that have a story and that the origin no longer gives one."""
    checks: PlanChecks = NO_CHECKS
    """What the destination would refuse, limits and counts."""
    pilot: Pilot = WHOLE
    """Which part of what was selected it is of."""
    not_in_pilot: tuple[DanglingReference, ...] = ()
    """References that an import of all will fill."""
    borrowed: tuple[BorrowedReference, ...] = ()
    """References that lead to the story in the primary language."""
    moves: tuple[Move, ...] = ()
    """Pages that get another path."""
    publications: tuple[Publication, ...] = ()
    """What is published, and what visitors of each page get then."""
    actions: tuple[Action, ...] = field(default=(), repr=False, compare=False)
    """What an import does with each object; empty in a plan that was stored."""
    details: PlanDetails | None = field(default=None, repr=False, compare=False)
    """Every loss and every link that stays, one by one."""

    item_prints: Mapping[str, str] = field(default_factory=dict)
    """Fingerprints of its items, so that drift can name them."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What the origin called fields and options, as the next plan compares it."""

    def as_stored(self) -> JsonObject:
        """Return the document that the ledger keeps."""
        return {**self.as_json(), _ITEMS: {**self.item_prints}, LABELS: {**self.labels}}

    @property
    def total_calls(self) -> int:
        """Return the number of calls that draw on the quota."""
        return sum(self.calls.values())

    def seconds(self, rate: float) -> float:
        """Return the wall time at `rate` calls a second: the budget is the floor."""
        return self.total_calls / rate * PACE_SLACK

    def full_json(self) -> JsonObject:
        """Return the document that `plan --json` prints: every loss and every link
        that stays is in it, one by one."""
        details = {} if self.details is None else self.details.as_json()
        return {
            **self.as_json(),
            **details,
            "publications": [each.as_json() for each in self.publications],
        }

    def as_json(self) -> JsonObject:
        """Return the plan as the ledger stores it."""
        causes = Counter(str(each.cause) for each in self.dangling)
        return {
            "hash": self.plan_hash,
            "items": dict(self.items),
            "skipped": dict(self.skipped),
            "calls": {**self.calls, "total": self.total_calls},
            "calls_saved": dict(self.saved),
            "rate": self.rate,
            "seconds": {
                "at_rate": round(self.seconds(self.rate), 1),
                "at_3_per_second": round(self.seconds(3), 1),
                "at_6_per_second": round(self.seconds(6), 1),
            },
            **self.checks.as_json(),
            "notes": list(self.notes),
            "conflicts": [each.as_json() for each in self.conflicts],
            "in_the_way": [each.as_json() for each in self.in_the_way],
            "schema_changes": [each.as_json() for each in self.schema_changes],
            "edit_conflicts": [each.as_json() for each in self.edit_conflicts],
            "dangling": [each.as_json() for each in self.dangling],
            "dangling_by_cause": dict(sorted(causes.items())),
            "internal_links": self.links,
            "links_left_by_cause": dict(self.links_left),
            "losses_by_kind": dict(sorted(kinds_of(self.losses).items())),
            "missing_files": dict(self.missing_files),
            "gone": {
                each.noun(2).replace(" ", "_"): [*names]
                for each, names in self.gone.names().items()
            },
            "recreate": self.recreate,
            "moves": [each.as_json() for each in self.moves],
            "gone_at_origin": [gone_json(each) for each in self.gone_at_origin],
            "in_primary_language": [each.as_json() for each in self.borrowed],
            "pilot": None if self.pilot.is_whole else self.pilot.as_json(),
            "not_in_pilot": [each.as_json() for each in self.not_in_pilot],
            "fingerprints": self.fingerprints.as_json(),
        }


def refuse_drift(stored: JsonObject, current: Plan, saved: Set[str]) -> None:
    """Raise `PlanDriftError` listing what moved since `stored` was shown.

    The stories at the paths `saved` were saved without an edit.
    """
    shown = Fingerprints.from_json(stored.get("fingerprints"))
    drift = current.fingerprints.without_edits(saved).drift_from(shown)
    if drift:
        items: Iterable[str] = ()
        if current.fingerprints.is_same_part(shown):
            items = item_moves(stored.get(_ITEMS), current.item_prints)
        raise PlanDriftError((*drift, *items))


_ITEMS = "item_prints"
