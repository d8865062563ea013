"""The plan: what an import will do, as it is shown and stored; and every loss and every
link that stays, by item and field.

Those are read from the stored drafts each time they are iterated: a site's losses are
never in memory together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.errors import PlanDriftError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.mapping.convert.item_draft import ItemDraft
from cmsmig.mapping.convert.linking import leads_elsewhere
from cmsmig.mapping.draft import DraftContext, ExistingStory
from cmsmig.mapping.select.pilot import WHOLE, Pilot
from cmsmig.mapping.select.reference_targets import (
    BorrowedReference,
    DanglingReference,
)
from cmsmig.mapping.select.routes import PageCause, RouteTarget, StaticLink
from cmsmig.mapping.select.translations import language_of
from cmsmig.reconcile.field_diff import FieldDiff
from cmsmig.reconcile.labels import NO_LABELS, Labels
from cmsmig.reconcile.resource import Action
from cmsmig.reconcile.rules.publication import Showing
from cmsmig.richtext.losses import Loss, LossCounts, kinds_of
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.conflicts import Conflict, item_rows
from cmsmig.steps.plan.drafts.linked_stories import why_waiting
from cmsmig.steps.plan.drift import Fingerprints, item_moves
from cmsmig.steps.plan.gone.gone_at_origin import gone_json
from cmsmig.steps.plan.gone.missing_objects import NOTHING, Gone
from cmsmig.steps.plan.plan_notes import LABELS
from cmsmig.steps.plan.preflights.findings import Refusal
from cmsmig.steps.plan.preflights.plan_checks import NO_CHECKS, PlanChecks
from cmsmig.steps.plan.publication.publications import Publication
from cmsmig.steps.plan.recorded_stories import Move
from cmsmig.steps.plan.resources import ObjectProblem


@dataclass(frozen=True, slots=True)
class ListedLoss:
    """What one field of an item loses."""

    key: ItemKey
    full_slug: str
    field: str
    """The origin's slug of it."""
    loss: Loss

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` and report.json list it."""
        return {
            "item": str(self.key),
            "full_slug": self.full_slug,
            "field": self.field,
            **self.loss.as_json(),
        }


@dataclass(frozen=True, slots=True)
class ListedLink:
    """A link into the old site that stays as it is."""

    key: ItemKey
    full_slug: str
    field: str
    """The origin's slug of it."""
    href: str
    cause: str
    """A stable code, as the plan counts them."""

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` and report.json list it."""
        return {
            "item": str(self.key),
            "full_slug": self.full_slug,
            "field": self.field,
            "href": self.href,
            "cause": self.cause,
        }


class Planned(StrEnum):
    """What an item comes to by a plan; the values are the keys of `plan --json`."""

    CREATED = "to_create"
    THERE = "already_there"
    SKIPPED = "skipped"
    FAILED = "failed"
    GONE = "gone"
    """Its story is no longer in the space."""


@dataclass(frozen=True, slots=True)
class PlanDetails:
    """What a plan, or a report, lists one by one."""

    migration: Migration
    context: DraftContext
    existing: Mapping[ItemKey, ExistingStory]
    """The stories that links lead to."""
    losing: Sequence[ItemKey]
    """The items that lose something."""
    leaving: Sequence[ItemKey]
    """The items that may have links that stay."""
    conflicts: Mapping[ItemKey, Conflict] = field(default_factory=dict)
    """The items whose place is taken."""
    labels: Labels = NO_LABELS
    undrafted: Mapping[ItemKey, Refusal] = field(default_factory=dict)
    """Why items cannot become stories."""
    showing: Mapping[ItemKey, Showing] = field(default_factory=dict)
    """What visitors see of each story after the import; empty in a report."""

    def as_json(self) -> JsonObject:
        """Return the lists as `plan --json` prints them."""
        return {
            "losses": [each.as_json() for each in self.losses()],
            "links_left": [each.as_json() for each in self.links_left()],
            "slug_changes": [*self.slug_changes()],
        }

    def losses(self) -> Iterator[ListedLoss]:
        """Yield every loss, in the order of the import."""
        for key, draft in self._drafts(self.losing):
            story = self.migration.story_of(draft, self.context)
            for each in story.losses:
                yield ListedLoss(key, self._path(key), each.field, each.loss)

    def left_behind(self) -> Iterator[ItemRow]:
        """Yield every item that gets no story, as the ledger records it."""
        for row in item_rows(self.migration, self.conflicts, self.undrafted):
            if row.status in ("failed", "skipped"):
                yield row

    def links_left(self) -> Iterator[ListedLink]:
        """Yield every link into the old site that stays, in the order of the
        import."""
        routes = self.migration.routes
        for key, draft in self._drafts(self.leaving):
            for name, href in draft.links:
                found = routes.resolve_on(key, language_of(name), href)
                if isinstance(found, StaticLink):
                    yield self._link(key, name, href, found.cause)
                elif found is not None and found.key not in self.existing:
                    why = why_waiting(self.migration, found.key)
                    yield self._link(key, name, href, why)
                elif found is not None and leads_elsewhere(found, name):
                    yield self._link(key, name, href, PageCause.LANGUAGE)
            for name, href in draft.mentions:
                found = routes.resolve_on(key, language_of(name), href)
                if isinstance(found, RouteTarget):
                    yield self._link(key, name, href, PageCause.RAW_HTML)

    def _link(self, key: ItemKey, name: str, href: str, cause: str) -> ListedLink:
        origin = self._origin_field(key, name)
        return ListedLink(key, self._path(key), origin, href, str(cause))

    def slug_changes(self) -> Iterator[JsonObject]:
        """Yield every story whose slug is not the origin's, and why."""
        for each in self.migration.places.changes:
            yield {
                "item": str(each.key),
                "full_slug": self._path(each.key),
                "origin": each.old,
                "why": each.why,
            }

    def _drafts(self, keys: Sequence[ItemKey]) -> Iterator[tuple[ItemKey, ItemDraft]]:
        for key in keys:
            item = self.migration.items.get(key)
            draft = item and self.migration.item_draft(item, self.context)
            if isinstance(draft, ItemDraft):
                yield key, draft

    def _path(self, key: ItemKey) -> str:
        return self.context.places[key].full_slug

    def _origin_field(self, key: ItemKey, name: str) -> str:
        made = self.migration.design.content_type(key.collection_id)
        fields = made.fields if made else ()
        return next((each.origin for each in fields if each.key == name), name)


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
    in_the_way: tuple[ObjectProblem, ...]
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
