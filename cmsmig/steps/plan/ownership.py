"""Which components and datasources of the space are ours, and which are in the way.

Ours is what has the id that the ledger knows and holds what was last written, or
what a killed run was about to write. Everything else is somebody's work: it is used
as it is where stories fit it, and never written to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.counting import first_of
from cmsmig.destination.schema import Component, DatasourceEntry
from cmsmig.ledger.rows import Intent, MadeRow
from cmsmig.ledger.store import Ledger
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
)
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.destination_survey import Survey


class Owner(StrEnum):
    """Who made the component or datasource that has a name of the design."""

    NOBODY = "nobody"
    """The space has none of this name."""
    OURS = "ours"
    EDITED = "edited"
    """Ours by its id, and changed there since our last write."""
    OTHERS = "others"


@dataclass(frozen=True, slots=True)
class OwnerStatus:
    """The component or datasource of a name, compared with the design."""

    owner: Owner
    writes: bool
    """Whether the design asks for a write to it, or for its creation."""
    fits: bool
    """Whether stories may be made on it as it is."""
    changes: tuple[str, ...] = ()
    """What somebody changed, a phrase each."""

    @property
    def in_the_way(self) -> bool:
        """Return whether it would have to be written over to go on."""
        if self.owner in (Owner.NOBODY, Owner.OURS):
            return False
        return not self.fits or (self.owner is Owner.EDITED and self.writes)


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

    @classmethod
    def of(cls, ledger: Ledger, survey: Survey) -> Ownership:
        """Return it for the ledger as it is now."""
        kinds = ("component", "datasource")
        return cls(
            survey,
            {kind: ledger.inventory.made(kind) for kind in kinds},
            {
                kind: {each.subject: each for each in ledger.intents.open(kind)}
                for kind in kinds
            },
        )

    def component(self, wanted: ComponentBody) -> OwnerStatus:
        """Return whose the component of a name is, and whether it is to be written."""
        found = self.survey.component(wanted.name)
        if found is None:
            return OwnerStatus(Owner.NOBODY, writes=True, fits=False)
        hashed = fingerprint(wanted.body)
        fits = equal_component(found.body, wanted.body)
        intent = self.intents["component"].get(wanted.name)
        if intent is not None and is_applied(intent, found):
            return OwnerStatus(Owner.OURS, intent.request_hash != hashed, fits)
        row = self.made["component"].get(wanted.name)
        if row is None or not row.made or row.destination_id != found.component_id:
            return OwnerStatus(Owner.OTHERS, writes=False, fits=fits)
        changes = _changes(found, row, wanted)
        owner = Owner.EDITED if changes else Owner.OURS
        return OwnerStatus(owner, row.body_hash != hashed, fits, changes)

    def datasource(self, wanted: DatasourceBody) -> OwnerStatus:
        """Return whose the datasource of a slug is, and what it lacks of the design.

        Ours may lack what a killed run was about to add.
        """
        found = self.survey.datasource(wanted.slug)
        if found is None:
            return OwnerStatus(Owner.NOBODY, writes=True, fits=False)
        lacking = any(
            value not in self.survey.choices(wanted.slug) for _, value in wanted.entries
        )
        row = self.made["datasource"].get(wanted.slug)
        intent = self.intents["datasource"].get(wanted.slug)
        ours = (
            row is not None and row.made and row.destination_id == found.datasource_id
        )
        if not ours and intent is None:
            return OwnerStatus(Owner.OTHERS, writes=False, fits=not lacking)
        there = {(each.name, each.value) for each in self._entries(wanted.slug)}
        written = pairs_of(row.body) if row is not None and ours else set()
        may_be = written | (pairs_of(intent.body) if intent else set())
        if row is None or not row.body:
            may_be |= set(wanted.entries)
        changes = tuple(_entry_changes(there, written, may_be, wanted.slug))
        if not changes:
            return OwnerStatus(Owner.OURS, writes=lacking, fits=not lacking)
        owner = Owner.EDITED if ours else Owner.OTHERS
        return OwnerStatus(owner, writes=lacking, fits=not lacking, changes=changes)

    def _entries(self, slug: str) -> tuple[DatasourceEntry, ...]:
        return self.survey.entries.get(slug, ())

    def in_the_way(self, migration: Migration) -> Iterator[InTheWay]:
        """Yield what must not be written over and was not decided to be reused."""
        decided = migration.decisions.conflicts
        for body in component_bodies(migration.design):
            standing = self.component(body)
            kind = ConflictKind.COMPONENT
            if standing.in_the_way and not reused(decided, kind, body.name):
                yield InTheWay(kind, body.name, _describe(kind, body.name, standing))
        for source in datasource_bodies(migration.design):
            standing = self.datasource(source)
            kind = ConflictKind.DATASOURCE
            if standing.in_the_way and not reused(decided, kind, source.slug):
                yield InTheWay(
                    kind, source.slug, _describe(kind, source.slug, standing)
                )


def is_applied(intent: Intent, found: Component) -> bool:
    """Return whether what a killed run was about to write is what stands there."""
    return bool(intent.body) and not component_changes(found.body, intent.body)


def reused(decided: ConflictsDecision, kind: ConflictKind, what: str) -> bool:
    """Return whether a person decided to take what is there as it is."""
    choice = decided.choice(kind, what)
    return choice is not None and choice.action is ConflictAction.REUSE


def left_as_it_is(standing: OwnerStatus) -> str:
    """Return what an operator is told of ours that somebody changed."""
    return f"{_describe_changes(standing)}; it is left as it is"


def _describe_changes(standing: OwnerStatus) -> str:
    return first_of(standing.changes, 3, "; and ", "; ")


def _changes(found: Component, row: MadeRow, wanted: ComponentBody) -> tuple[str, ...]:
    if row.body:
        return component_changes(found.body, row.body)
    if row.body_hash == fingerprint(wanted.body):
        return component_changes(found.body, wanted.body)
    return (f"this ledger does not hold what was last written of `{wanted.name}`",)


def pairs_of(body: JsonObject) -> set[tuple[str, str]]:
    """Return the names and values of the entries that a datasource's body holds."""
    listed = body.get("entries")
    pairs = listed if isinstance(listed, list) else []
    return {
        (str(pair[0]), str(pair[1]))
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2
    }


def datasource_content(
    wanted: DatasourceBody, there: tuple[DatasourceEntry, ...] = ()
) -> JsonObject:
    """Return what a datasource holds after the entries of the design were added."""
    pairs = dict.fromkeys([(each.name, each.value) for each in there])
    values = {value for _, value in pairs}
    pairs |= dict.fromkeys(each for each in wanted.entries if each[1] not in values)
    entries: list[Json] = [[name, value] for name, value in pairs]
    return {"name": wanted.name, "slug": wanted.slug, "entries": entries}


def _entry_changes(
    there: set[tuple[str, str]],
    written: set[tuple[str, str]],
    may_be: set[tuple[str, str]],
    slug: str,
) -> Iterator[str]:
    for name, _ in sorted(there - may_be):
        yield f"entry `{name}` of datasource `{slug}` was added"
    for name, _ in sorted(written - there):
        yield f"entry `{name}` of datasource `{slug}` is gone"


def _describe(kind: ConflictKind, what: str, standing: OwnerStatus) -> str:
    if standing.owner is Owner.EDITED:
        return (
            f"The {kind} `{what}` was changed in the space after this import wrote it "
            f"({_describe_changes(standing)}), so it is not written over; take that "
            f"back there, or decide `reuse` for this {kind} in "
            "decisions/conflicts.yaml, which leaves it as it is."
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
