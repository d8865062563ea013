"""Which components and datasources of the space are ours, and which are in the way.

Ours is what has the id that the ledger knows, or what a killed run was about to make.
It is merged by field with what somebody made of it. Everything else is somebody's
work: it is used as it is where stories fit it, and never written to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from enum import StrEnum

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.destination.schema import Component, Datasource, DatasourceEntry
from cmsmig.ledger.rows import Intent, MadeRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.compare.component_merge import ComponentMerge, merge_component
from cmsmig.mapping.compare.datasource_merge import (
    datasource_record,
    merge_datasource,
)
from cmsmig.mapping.compare.schema_merge import Decide, SchemaMerge
from cmsmig.mapping.decisions.conflicts import (
    ConflictAction,
    ConflictKind,
    ConflictsDecision,
)
from cmsmig.mapping.propose.component_changes import component_changes
from cmsmig.mapping.propose.component_equality import equal_component
from cmsmig.mapping.propose.component_payloads import (
    ComponentBody,
    DatasourceBody,
    component_bodies,
    datasource_bodies,
    written_before,
)
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.destination_survey import Survey
from cmsmig.steps.plan.edits.edit_conflicts import seen_of


class Owner(StrEnum):
    """Who made the component or datasource that has a name of the design."""

    NOBODY = "nobody"
    """The space has none of this name."""
    OURS = "ours"
    """Ours by its id, and merged by field with what somebody changed there."""
    LEFT = "left"
    """Ours by its id, and left as it is: that was decided, or nobody knows what was
    last written of it."""
    OTHERS = "others"


@dataclass(frozen=True, slots=True)
class OwnerStatus:
    """The component or datasource of a name, compared with the design."""

    owner: Owner
    writes: bool
    """Whether the design asks for a write to it, or for its creation."""
    fits: bool
    """Whether stories may be made on it as it is."""
    fields: SchemaMerge | None = None
    """Of ours: what becomes of each field."""
    component: ComponentMerge | None = None
    """Of a component of ours: the records that follow from that."""
    is_decided: bool = False
    """Whether a person decided to take it as it is."""

    @property
    def in_the_way(self) -> bool:
        """Return whether it would have to be written over to go on."""
        if self.is_decided or self.owner in (Owner.NOBODY, Owner.OURS):
            return False
        return not self.fits or (self.owner is Owner.LEFT and self.writes)

    @property
    def is_ours_by_decision(self) -> bool:
        """Return whether it is ours, and somebody decided to leave it as it is."""
        return self.owner is Owner.LEFT and self.is_decided

    @property
    def is_written(self) -> bool:
        """Return whether an import sends anything of it."""
        return self.writes and self.owner in (Owner.NOBODY, Owner.OURS)


@dataclass(frozen=True, slots=True)
class InTheWay:
    """Somebody's component or datasource where ours has to be."""

    kind: ConflictKind
    what: str
    text: str
    """One sentence: what it is, and what to do."""

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` lists it."""
        return {"kind": str(self.kind), "what": self.what, "text": self.text}


@dataclass(frozen=True, slots=True)
class Ownership:
    """The space beside what the ledger knows of it. Reads nothing by itself."""

    survey: Survey
    made: Mapping[str, Mapping[str, MadeRow]]
    intents: Mapping[str, Mapping[str, Intent]]
    decided: ConflictsDecision
    used: Mapping[str, Set[str]] = field(default_factory=dict)
    """Field keys that stories use, by component."""

    @classmethod
    def of(
        cls,
        ledger: Ledger,
        survey: Survey,
        decided: ConflictsDecision,
        used: Mapping[str, Set[str]] | None = None,
    ) -> Ownership:
        """Return it for the ledger as it is now."""
        kinds = ("component", "datasource")
        return cls(
            survey,
            {kind: ledger.inventory.made(kind) for kind in kinds},
            {
                kind: {each.subject: each for each in ledger.intents.open(kind)}
                for kind in kinds
            },
            decided,
            used or {},
        )

    def component(self, wanted: ComponentBody) -> OwnerStatus:
        """Return whose the component of a name is, and what becomes of its fields."""
        found = self.survey.component(wanted.name)
        if found is None:
            return OwnerStatus(Owner.NOBODY, writes=True, fits=False)
        return self.component_as(wanted, found)

    def component_as(self, wanted: ComponentBody, found: Component) -> OwnerStatus:
        """Return the same of a component as it was read just now."""
        reused = self._is_reused(ConflictKind.COMPONENT, wanted.name)
        fits = equal_component(found.body, wanted.body)
        row = self.made["component"].get(wanted.name)
        intent = self.intents["component"].get(wanted.name)
        base: JsonObject | None = None
        if intent is not None and is_applied(intent, found):
            base = base_after(intent)
        elif row is None or not row.made or row.destination_id != found.component_id:
            return OwnerStatus(Owner.OTHERS, False, fits, is_decided=reused)
        elif row.body:
            base = row.body
        elif row.body_hash in map(
            fingerprint, (wanted.body, written_before(wanted.body))
        ):
            base = wanted.body
        if base is None or reused:
            return OwnerStatus(Owner.LEFT, base is None, fits, is_decided=reused)
        merged = merge_component(
            base,
            wanted.body,
            found.body,
            self._decide(ConflictKind.COMPONENT, wanted.name),
            self.used.get(wanted.name, frozenset()),
        )
        return OwnerStatus(
            Owner.OURS, merged.fields.writes, fits, merged.fields, merged
        )

    def datasource(self, wanted: DatasourceBody) -> OwnerStatus:
        """Return whose the datasource of a slug is, and what becomes of its fields."""
        found = self.survey.datasource(wanted.slug)
        if found is None:
            return OwnerStatus(Owner.NOBODY, writes=True, fits=False)
        there = self.survey.entries.get(wanted.slug, ())
        return self.datasource_as(wanted, found, there)

    def datasource_as(
        self,
        wanted: DatasourceBody,
        found: Datasource,
        there: tuple[DatasourceEntry, ...],
    ) -> OwnerStatus:
        """Return the same of a datasource as it was read just now."""
        reused = self._is_reused(ConflictKind.DATASOURCE, wanted.slug)
        values = {each.value for each in there}
        fits = all(value in values for _, value in wanted.entries)
        row = self.made["datasource"].get(wanted.slug)
        intent = self.intents["datasource"].get(wanted.slug)
        if row is None or not row.made or row.destination_id != found.datasource_id:
            row = None
            if intent is None or not _is_begun(intent, wanted, there):
                return OwnerStatus(Owner.OTHERS, False, fits, is_decided=reused)
        if reused:
            return OwnerStatus(Owner.LEFT, False, fits, is_decided=True)
        ours = datasource_content(wanted)
        theirs = datasource_record(
            found.name, found.slug, ((each.name, each.value) for each in there)
        )
        merged = merge_datasource(
            _base_of(row, ours, theirs),
            intent.body if intent else {},
            ours,
            theirs,
            self._decide(ConflictKind.DATASOURCE, wanted.slug),
        )
        return OwnerStatus(Owner.OURS, merged.writes, fits, merged)

    def base(self, component: str) -> JsonObject:
        """Return what the ledger holds as last written of a component."""
        row = self.made["component"].get(component)
        return row.body if row else {}

    def in_the_way(self, migration: Migration) -> Iterator[InTheWay]:
        """Yield what must not be written over and was not decided to be reused."""
        for body in component_bodies(migration.design):
            standing = self.component(body)
            if standing.in_the_way:
                kind = ConflictKind.COMPONENT
                yield InTheWay(kind, body.name, _describe(kind, body.name, standing))
        for source in datasource_bodies(migration.design):
            standing = self.datasource(source)
            if standing.in_the_way:
                kind = ConflictKind.DATASOURCE
                yield InTheWay(
                    kind, source.slug, _describe(kind, source.slug, standing)
                )

    def _is_reused(self, kind: ConflictKind, what: str) -> bool:
        choice = self.decided.choice(kind, what)
        return choice is not None and choice.action is ConflictAction.REUSE

    def _decide(self, kind: ConflictKind, what: str) -> Decide:
        return lambda name, theirs: self.decided.side(kind, what, name, seen_of(theirs))


def component_intent(wanted: ComponentBody, standing: OwnerStatus) -> Intent | None:
    """Return what is to stand in the ledger before a component is written; None where
    it is not."""
    if not standing.is_written:
        return None
    body, merged = wanted.body, standing.component
    if merged is not None:
        body = {_SENT: merged.send, _BASE: merged.base}
    return Intent("component", wanted.name, fingerprint(body), body)


def is_applied(intent: Intent, found: Component) -> bool:
    """Return whether what a killed run was about to write is what stands there."""
    sent = intent.body.get(_SENT, intent.body)
    return (
        bool(sent)
        and isinstance(sent, dict)
        and not component_changes(found.body, sent)
    )


def base_after(intent: Intent) -> JsonObject:
    """Return what counts as written by us once an intended write is applied."""
    base = intent.body.get(_BASE, intent.body)
    return base if isinstance(base, dict) else {}


_SENT = "sent"
_BASE = "base"
"""Keys of an intent to change a component; one to make it holds the record alone."""


def datasource_content(wanted: DatasourceBody) -> JsonObject:
    """Return a datasource as it is designed."""
    return datasource_record(wanted.name, wanted.slug, wanted.entries)


def _is_begun(
    intent: Intent, wanted: DatasourceBody, there: tuple[DatasourceEntry, ...]
) -> bool:
    """Return whether a datasource holds nothing but what a killed run intended."""
    intended = pairs_of(intent.body)
    return {(each.name, each.value) for each in there} <= intended | {*wanted.entries}


def _base_of(row: MadeRow | None, ours: JsonObject, theirs: JsonObject) -> JsonObject:
    """Return what was last written; what both have where the ledger lacks it."""
    if row is None or row.body:
        return row.body if row else {}
    alike = pairs_of(ours) & pairs_of(theirs)
    listed: list[Json] = [[*pair] for pair in sorted(alike)]
    return {**ours, "entries": listed}


def pairs_of(body: JsonObject) -> set[tuple[str, str]]:
    """Return the names and values of the entries that a datasource's body holds."""
    listed = body.get("entries")
    pairs = listed if isinstance(listed, list) else []
    return {
        (str(pair[0]), str(pair[1]))
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2
    }


def _describe(kind: ConflictKind, what: str, standing: OwnerStatus) -> str:
    if standing.owner is Owner.LEFT:
        return (
            f"The {kind} `{what}` is ours, and this ledger does not hold what was last "
            "written of it, so it is not written over; make it as the design says "
            f"there, or decide `reuse` for this {kind} in decisions/conflicts.yaml, "
            "which leaves it as it is."
        )
    if kind is ConflictKind.DATASOURCE:
        return (
            f"The space already has a datasource `{what}` that lacks entries of the "
            "design, and it was not made by this import, so it is left alone; give the "
            "field another datasource in decisions/design.yaml."
        )
    return (
        f"The space already has a component `{what}` that differs from the "
        "design, and it was not made by this import, so it is left alone; give the "
        "content type another component name in decisions/design.yaml."
    )
