"""One object of the space: the desired, the recorded and the actual state, and the
action that follows. Pure.

An object is ours if it has the id that the ledger recorded, or if a killed run was
about to create it. It is compared by field with its actual state. Every other object
belongs to someone else: it is used as it is, and never written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Generic, Protocol, TypeVar

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.ledger.rows import Intent, MadeRow
from cmsmig.mapping.decisions.conflicts import (
    ConflictAction,
    ConflictsDecision,
    Side,
)
from cmsmig.reconcile.diff import Diff, Sides, diff
from cmsmig.reconcile.kinds import Ref

SENT, BASE = "sent", "base"
"""Keys of an intent to update an object; one to create it holds its record alone."""

D = TypeVar("D")
A = TypeVar("A")


class Owner(StrEnum):
    """Who created the object that has a name of ours."""

    MISSING = "missing"
    """The space has none of this name."""
    OURS = "ours"
    """Ours by its id, and compared by field."""
    LEFT = "left"
    """Ours by its id, and left as it is: that was decided, or the ledger does not hold
    what was last written."""
    OTHERS = "others"


class Verb(StrEnum):
    """What is done with an object."""

    CREATE = "create"
    UPDATE = "update"
    PUBLISH = "publish"
    HIDE = "unpublish"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Resource(Generic[D, A]):
    """One object on three sides."""

    ref: Ref
    desired: D | None
    """What the decisions want; None where nothing is wanted any more."""
    recorded: MadeRow | None
    """What the ledger holds of it."""
    actual: A | None
    """The current state in the space; None where there is none."""
    rules: Rules[D, A]
    intent: Intent | None = None
    """The request of a killed run whose outcome is unknown."""


class Rules(Protocol[D, A]):
    """Everything that is special about a kind of objects; the rest is as here."""

    def own(self, actual: A) -> tuple[int, str]:
        """Return its id and uuid at the destination; without a uuid, empty."""

    def sides(self, resource: Resource[D, A]) -> Sides:
        """Return the three sides by field; ours is the base where nothing is wanted."""

    def body(self, desired: D) -> JsonObject:
        """Return what its creation asks for."""

    def calls(self, compared: Comparison[D, A]) -> Mapping[str, int]:
        """Return the quota calls that bring it about, by name."""

    def created(self, desired: D, actual: A) -> JsonObject:
        """Return what counts as written by us after that was answered."""
        return self.body(desired)

    def written(self, compared: Comparison[D, A], answered: A) -> JsonObject:
        """Return what counts as written by us after an update was answered."""
        row = compared.resource.recorded
        return {**(row.body if row else {}), **compared.diff.base_after()}

    def edits(self, compared: Comparison[D, A]) -> list[str]:
        """Return the fields that an editor changed since our last write."""
        if compared.owner is Owner.LEFT:
            return ["what this import wrote of it is not known"]
        return compared.diff.sides.moved(compared.diff.sides.theirs)

    def intended(self, compared: Comparison[D, A]) -> JsonObject:
        """Return the body of an intent to update it: the values after the write, and
        what counts as ours then."""
        return {SENT: compared.diff.values, BASE: compared.diff.base_after()}

    def settled(self, resource: Resource[D, A]) -> MadeRow | None:
        """Return the ledger's row, the outcome of an open intent looked up."""
        return resource.recorded

    def is_left(self, row: MadeRow, *, reused: bool) -> bool:
        """Return whether one of ours is left as it is: it was decided to be reused, or
        the ledger does not hold what was last written."""
        return reused or not row.body

    def fits(self, resource: Resource[D, A]) -> bool:
        """Return whether stories may be made on it as it is."""
        return True


@dataclass(frozen=True, slots=True)
class Comparison(Generic[D, A]):
    """An object, its owner, and the diff of its fields."""

    resource: Resource[D, A]
    owner: Owner
    diff: Diff
    """Empty unless it is ours."""
    fits: bool
    is_decided: bool = False
    """Whether it was decided to use it as it is."""

    @property
    def ref(self) -> Ref:
        """Return what names it."""
        return self.resource.ref

    @property
    def in_the_way(self) -> bool:
        """Return whether it would have to be overwritten to continue."""
        if self.is_decided or self.owner in (Owner.MISSING, Owner.OURS):
            return False
        return self.owner is Owner.LEFT or not self.fits

    @property
    def verb(self) -> Verb | None:
        """Return what an import does with it, if anything."""
        if self.owner is Owner.MISSING:
            return Verb.CREATE if self.resource.desired is not None else None
        is_ours = self.owner is Owner.OURS
        return Verb.UPDATE if is_ours and self.diff.written else None

    @property
    def edited(self) -> list[str]:
        """Return the fields that are not as we last wrote them."""
        return self.resource.rules.edits(self)

    @property
    def action(self) -> Action | None:
        """Return that with its fields and calls."""
        if (verb := self.verb) is None:
            return None
        calls = self.resource.rules.calls(self)
        return Action(self.ref, verb, self.diff.written, calls)

    @property
    def intent(self) -> Intent | None:
        """Return the intent to record before the write; None without a write."""
        desired, rules = self.resource.desired, self.resource.rules
        if self.verb is Verb.CREATE and desired is not None:
            body = rules.body(desired)
        elif self.verb is Verb.UPDATE:
            body = rules.intended(self)
        else:
            return None
        return Intent(str(self.ref.kind), self.ref.key, fingerprint(body), body)


@dataclass(frozen=True, slots=True)
class Action:
    """What is done with one object, and what it costs."""

    ref: Ref
    verb: Verb
    fields: frozenset[str]
    """The fields that are written; empty where it is created."""
    calls: Mapping[str, int]
    """Quota calls, by name."""


def compare(resource: Resource[D, A], decided: ConflictsDecision) -> Comparison[D, A]:
    """Return the owner of an object and the diff of its fields."""
    ref, actual, rules = resource.ref, resource.actual, resource.rules
    if actual is None:
        return Comparison(resource, Owner.MISSING, _NO_FIELDS, fits=False)
    resource = replace(resource, recorded=rules.settled(resource))
    row, kind = resource.recorded, ref.kind.decided_as
    choice = decided.choice(kind, ref.key) if kind else None
    reused = choice is not None and choice.action is ConflictAction.REUSE
    found = Comparison(
        resource, Owner.OTHERS, _NO_FIELDS, rules.fits(resource), is_decided=reused
    )
    if row is None or not is_ours(row, rules.own(actual)[0]):
        return found
    if rules.is_left(row, reused=reused):
        return replace(found, owner=Owner.LEFT)
    decide = partial(decided.side, kind) if kind else _undecided
    compared = diff(ref, rules.sides(resource), partial(decide, ref.key))
    return replace(found, owner=Owner.OURS, diff=compared)


def again(
    compared: Comparison[D, A], actual: A, decided: ConflictsDecision
) -> Comparison[D, A]:
    """Compare an object again, as it was read just now."""
    return compare(replace(compared.resource, actual=actual), decided)


def is_ours(row: MadeRow | None, number: int) -> bool:
    """Return whether a ledger's row is of an object that this import created."""
    return row is not None and row.made and row.destination_id == number


def made_row(ref: Ref, own: tuple[int, str], body: JsonObject | None) -> MadeRow:
    """Return the ledger's row of an object; without a body, it is someone else's."""
    return MadeRow(str(ref.kind), ref.key, *own, body is not None, body or {})


def _undecided(what: str, field: str, seen: str) -> Side | None:
    return None


def part_of(body: JsonObject, name: str) -> JsonObject:
    """Return one part of an intent; empty where there is none."""
    found = body.get(name)
    return found if isinstance(found, dict) else {}


_NO_FIELDS = Diff(Sides({}, {}, {}), {})
