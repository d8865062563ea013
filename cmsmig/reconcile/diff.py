"""Three-way comparison by field: what we last wrote, what we would write, and the
current value.

A side that has no value for a field has no key for it, which is not the same as None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import TypeAlias

from cmsmig.canonical import Json, canonical
from cmsmig.mapping.decisions.conflicts import Side
from cmsmig.reconcile.field_diff import ABSENT, FieldDiff, Outcome, Value, seen_of
from cmsmig.reconcile.kinds import Ref

Fields: TypeAlias = Mapping[str, Json]
Form: TypeAlias = Callable[[Json], Json]
"""Returns what of a value counts when it is compared."""
Decide: TypeAlias = Callable[[str, str], "Side | None"]
"""Returns what was decided about a field, by its name and what names the edit."""


def _as_it_is(value: Json) -> Json:
    return value


def _never(name: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class FieldRules:
    """What holds for some fields beyond the comparison; each tells whether for one."""

    yields: Callable[[str], bool] = _never
    """Theirs stays where both changed it, and is not reported as an edit: an order."""
    holds: Callable[[str], bool] = _never
    """Ours no longer has it, and it is removed only by decision."""
    is_needed: Callable[[str], bool] = _never
    """Stories would lose it where an editor removed it: a conflict."""
    is_refused: Callable[[str], bool] = _never
    """The service would not take ours: a conflict."""


@dataclass(frozen=True, slots=True)
class Sides:
    """An object on three sides, by field."""

    base: Fields
    ours: Fields
    theirs: Fields
    rules: FieldRules = FieldRules()


@dataclass(frozen=True, slots=True)
class Diff:
    """Every field of an object with its outcome."""

    sides: Sides
    fields: Mapping[str, FieldDiff]

    def of(self, *outcomes: Outcome) -> list[FieldDiff]:
        """Return the fields with these outcomes, by name."""
        found = (each for each in self.fields.values() if each.outcome in outcomes)
        return sorted(found, key=lambda each: each.field)

    def names(self, *outcomes: Outcome) -> frozenset[str]:
        """Return the names of the fields with these outcomes."""
        return frozenset(each.field for each in self.of(*outcomes))

    @property
    def written(self) -> frozenset[str]:
        """Return the fields of which ours is sent."""
        return self.names(Outcome.WRITE)

    @property
    def waiting(self) -> frozenset[str]:
        """Return the fields that a decision is asked for."""
        return self.names(Outcome.CONFLICT, Outcome.HOLD)

    @property
    def changes(self) -> list[FieldDiff]:
        """Return the fields that are not alike and that no decision is missing for,
        and the options that stay, by outcome."""
        return [each for outcome in _CHANGES for each in self.of(outcome)]

    @property
    def conflicts(self) -> list[FieldDiff]:
        """Return the fields that need a decision."""
        return self.of(Outcome.CONFLICT)

    @property
    def edits(self) -> list[FieldDiff]:
        """Return the fields that hold an edit of an editor; orders apart."""
        theirs = self.of(Outcome.KEEP, Outcome.ACCEPT, Outcome.CONFLICT)
        return [each for each in theirs if not self.sides.rules.yields(each.field)]

    @property
    def values(self) -> dict[str, Json]:
        """Return the values after the write: theirs, but for what is written."""
        written, found = self.written, {**self.sides.theirs}
        for name in written:
            _put(found, name, self.sides.ours)
        return found

    def base_after(self, refused: Set[str] = frozenset()) -> dict[str, Json]:
        """Return what counts as written by us from now on, by field.

        Ours, but for what waits for a decision and what was `refused`: what is kept of
        theirs stays a change of theirs alone, until ours moves too.
        """
        base, ours = self.sides.base, self.sides.ours
        waiting = self.waiting | refused
        settled = {name: ours[name] for name in ours if name not in waiting}
        return settled | {name: base[name] for name in waiting if name in base}

    def moved(self, side: Fields) -> list[str]:
        """Return the fields that are not on one side as they were last written."""
        base = self.sides.base
        names = base.keys() | side.keys()
        return sorted(n for n in names if value_of(base, n) != value_of(side, n))


_CHANGES = [each for each in Outcome if each not in (Outcome.SAME, Outcome.CONFLICT)]


def diff(ref: Ref, sides: Sides, decide: Decide) -> Diff:
    """Return the outcome of every field of an object, after what was decided."""
    names = dict.fromkeys((*sides.theirs, *sides.ours, *sides.base))
    return Diff(sides, {name: _diff(ref, name, sides, decide) for name in names})


def _diff(ref: Ref, name: str, sides: Sides, decide: Decide) -> FieldDiff:
    three = (sides.base, sides.ours, sides.theirs)
    base, ours, theirs = (value_of(each, name) for each in three)
    found, seen = _outcome(*(_text(each, name, _as_it_is) for each in three)), ""
    if found is not Outcome.SAME:
        seen = seen_of(theirs)
        found = _decided(found, name, sides, decide(name, seen))
    return FieldDiff(ref, name, base, ours, theirs, found, seen)


def _decided(found: Outcome, name: str, sides: Sides, side: Side | None) -> Outcome:
    """Return the outcome after the rules of the kind and what was decided."""
    rules = sides.rules
    if found in (Outcome.CONFLICT, Outcome.KEEP) and side is not None:
        found = Outcome.WRITE if side is Side.OURS else Outcome.ACCEPT
    elif found is Outcome.CONFLICT and rules.yields(name):
        found = Outcome.KEEP
    elif found is Outcome.KEEP and rules.is_needed(name):
        found = Outcome.CONFLICT
    if found is not Outcome.WRITE:
        return found
    if name not in sides.ours and rules.holds(name) and side is not Side.OURS:
        return Outcome.HOLD if side is None else Outcome.ACCEPT
    return Outcome.CONFLICT if rules.is_refused(name) else found


def value_of(side: Fields, field: str) -> Value:
    """Return a side's value of a field."""
    return side.get(field, ABSENT)


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge of a story comes to. A field is in at most one of the four sets.

    A field that all three have alike is in none.
    """

    values: dict[str, Json]
    """The values after the write: theirs, but for what is `written`."""
    written: frozenset[str]
    """We alone changed it, or it was decided to take ours."""
    kept: frozenset[str]
    """They alone changed it, or it was decided to take theirs."""
    agreed: frozenset[str]
    """Both changed it, to the same."""
    conflicts: frozenset[str]
    """Both changed it differently; theirs stays until it is decided."""

    def next_base(self, base: Fields, ours: Fields) -> dict[str, Json]:
        """Return what counts as written by us from now on.

        Ours, but for undecided conflicts: what is kept of theirs stays a change of
        theirs alone, until ours moves too.
        """
        waiting = {field: base[field] for field in self.conflicts if field in base}
        settled = {
            field: value for field, value in ours.items() if field not in self.conflicts
        }
        return settled | waiting


def merge_fields(
    base: Fields, ours: Fields, theirs: Fields, form: Form = _as_it_is
) -> Merged:
    """Return the merge of `ours` and `theirs`, which both come from `base`.

    Values are equal when the canonical texts of their `form` are.
    """
    found: dict[Outcome, set[str]] = {outcome: set() for outcome in Outcome}
    values = dict(theirs)
    for field in base.keys() | ours.keys() | theirs.keys():
        outcome = _outcome(*(_text(side, field, form) for side in (base, ours, theirs)))
        found[outcome].add(field)
        if outcome is Outcome.WRITE:
            _put(values, field, ours)
    sets = (Outcome.WRITE, Outcome.KEEP, Outcome.AGREE, Outcome.CONFLICT)
    return Merged(values, *(frozenset(found[each]) for each in sets))


def merge_alone(fields: frozenset[str]) -> Merged:
    """Return the merge where only we changed something: these fields."""
    nothing = frozenset[str]()
    return Merged({}, written=fields, kept=nothing, agreed=nothing, conflicts=nothing)


def take_sides(
    merged: Merged, ours: Fields, side: Callable[[str], Side | None]
) -> Merged:
    """Return the merge after what was decided, which `side` says by field.

    `ours` is also written over what they alone changed; `theirs` ends a conflict.
    """
    taken = {field: side(field) for field in merged.conflicts | merged.kept}
    to_write = {field for field, chosen in taken.items() if chosen is Side.OURS}
    settled = {field for field, chosen in taken.items() if chosen is not None}
    values = dict(merged.values)
    for field in to_write:
        _put(values, field, ours)
    return Merged(
        values,
        written=merged.written | to_write,
        kept=(merged.kept | settled) - to_write,
        agreed=merged.agreed,
        conflicts=merged.conflicts - settled,
    )


def _outcome(base: bytes | None, ours: bytes | None, theirs: bytes | None) -> Outcome:
    if ours == theirs:
        return Outcome.SAME if base == ours else Outcome.AGREE
    if theirs == base:
        return Outcome.WRITE
    return Outcome.KEEP if ours == base else Outcome.CONFLICT


def _text(side: Fields, field: str, form: Form) -> bytes | None:
    return canonical(form(side[field])) if field in side else None


def _put(values: dict[str, Json], field: str, ours: Fields) -> None:
    if field in ours:
        values[field] = ours[field]
    else:
        values.pop(field, None)
