"""What becomes of each field of our components and datasources, for plan and import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.mapping.compare.schema_merge import SchemaMerge
from cmsmig.mapping.decisions.conflicts import ConflictKind
from cmsmig.mapping.merge import ABSENT, Value, value_of
from cmsmig.mapping.propose.component_payloads import (
    component_bodies,
    datasource_bodies,
)
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.edits.edit_conflicts import (
    EditConflict,
    seen_of,
    shown_value,
    side_values,
)
from cmsmig.steps.plan.ownership import Ownership


class Outcome(StrEnum):
    """What becomes of a field that is not alike on all sides."""

    WRITTEN = "written"
    """Ours is written."""
    KEPT = "kept"
    """Theirs stays, for ours did not change."""
    ACCEPTED = "accepted"
    """Theirs stays, for that was decided."""
    AGREED = "agreed"
    """It was changed there to what ours is."""
    STAYS = "stays"
    """An option that ours no longer has, which stays until somebody decides."""


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """One field of a component or datasource, and what becomes of it."""

    kind: ConflictKind
    what: str
    field: str
    outcome: Outcome
    base: Value
    ours: Value
    theirs: Value

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` lists it; a side without a value has no key."""
        return {
            "kind": str(self.kind),
            "what": self.what,
            "field": self.field,
            "outcome": str(self.outcome),
            **side_values(self.base, self.ours, self.theirs),
        }

    @property
    def text(self) -> str:
        """Say it in words, without the name of what it is a field of."""
        return f"`{self.field}` {self.said}"

    @property
    def said(self) -> str:
        """Say what becomes of it."""
        return _SAID[self.outcome](self)

    @property
    def line(self) -> str:
        """Say it in words."""
        return f"{self.kind} `{self.what}`: {self.text}"


def changes_of(
    kind: ConflictKind, what: str, fields: SchemaMerge
) -> Iterator[SchemaChange]:
    """Yield the fields that no decision is missing for, and the options that stay."""
    listed = {
        Outcome.WRITTEN: fields.merged.written,
        Outcome.KEPT: fields.merged.kept - fields.accepted,
        Outcome.ACCEPTED: fields.accepted,
        Outcome.AGREED: fields.merged.agreed,
        Outcome.STAYS: fields.stays,
    }
    for outcome, names in listed.items():
        for name in sorted(names):
            sides = [
                value_of(side, name)
                for side in (fields.base, fields.ours, fields.theirs)
            ]
            yield SchemaChange(kind, what, name, outcome, *sides)


def conflicts_of(
    kind: ConflictKind, what: str, fields: SchemaMerge
) -> Iterator[EditConflict]:
    """Yield the fields that somebody has to decide about."""
    for name in sorted(fields.merged.conflicts):
        base, ours, theirs = (
            value_of(side, name) for side in (fields.base, fields.ours, fields.theirs)
        )
        yield EditConflict(kind, what, name, base, ours, theirs, seen_of(theirs))


@dataclass(frozen=True, slots=True)
class SchemaOutlook:
    """What becomes of all fields of all our components and datasources."""

    changes: tuple[SchemaChange, ...]
    conflicts: tuple[EditConflict, ...]

    @classmethod
    def of(cls, migration: Migration, ownership: Ownership) -> SchemaOutlook:
        """Return it for the design and the space as they are. Reads nothing."""
        merges = [*merges_of(migration, ownership)]
        return cls(
            tuple(change for each in merges for change in changes_of(*each)),
            tuple(conflict for each in merges for conflict in conflicts_of(*each)),
        )


def kept_away(
    changes: Iterable[SchemaChange], conflicts: Iterable[EditConflict]
) -> dict[str, set[str]]:
    """Return the schema fields that somebody took out of our components, by component.

    Stories keep what they hold of them, out of an editor's sight.
    """
    found: dict[str, set[str]] = {}
    theirs = (Outcome.KEPT, Outcome.ACCEPTED)
    kept = (each for each in changes if each.outcome in theirs)
    left: Iterable[SchemaChange | EditConflict] = (*kept, *conflicts)
    for each in left:
        schema, _, key = each.field.partition(".")
        is_gone = each.theirs is ABSENT and each.ours is not ABSENT
        if is_gone and schema == "schema" and "." not in key:
            found.setdefault(each.what, set()).add(key)
    return found


def merges_of(
    migration: Migration, ownership: Ownership
) -> Iterator[tuple[ConflictKind, str, SchemaMerge]]:
    """Yield the merge of each datasource and component of ours, by its name."""
    for source in datasource_bodies(migration.design):
        fields = ownership.datasource(source).fields
        if fields is not None:
            yield ConflictKind.DATASOURCE, source.slug, fields
    for body in component_bodies(migration.design):
        fields = ownership.component(body).fields
        if fields is not None:
            yield ConflictKind.COMPONENT, body.name, fields


def _say_written(change: SchemaChange) -> str:
    if change.theirs is ABSENT:
        return "will be added"
    if change.ours is ABSENT:
        return "will be removed"
    return (
        f"will be changed from {shown_value(change.theirs)} to "
        f"{shown_value(change.ours)}"
    )


def _say_kept(change: SchemaChange) -> str:
    if change.theirs is ABSENT:
        return "was taken out there and is left out"
    if change.base is ABSENT:
        return f"was added there and stays: {shown_value(change.theirs)}"
    return (
        f"was changed there from {shown_value(change.base)} to "
        f"{shown_value(change.theirs)} and stays"
    )


def _say_agreed(change: SchemaChange) -> str:
    return "was changed there to what it is to be"


def _say_stays(change: SchemaChange) -> str:
    return (
        "is no longer an option and stays, as stories may hold it; decide `take: ours` "
        "for it under `edits` in decisions/conflicts.yaml to remove it, `theirs` to "
        "keep it"
    )


_SAID = {
    Outcome.WRITTEN: _say_written,
    Outcome.KEPT: _say_kept,
    Outcome.ACCEPTED: _say_kept,
    Outcome.AGREED: _say_agreed,
    Outcome.STAYS: _say_stays,
}
