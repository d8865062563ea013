"""Three-way comparison by field: what we last wrote, what we would write, and the
current value.

A side that has no value for a field has no key for it, which is not the same as None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from cmsmig.canonical import Json, canonical
from cmsmig.mapping.decisions.conflicts import Side
from cmsmig.reconcile.field_diff import (
    ABSENT,
    UNKNOWN,
    FieldDiff,
    Outcome,
    Value,
    seen_of,
)
from cmsmig.reconcile.kinds import Ref

Fields: TypeAlias = Mapping[str, Json]
Text: TypeAlias = "bytes | None"
TextOf: TypeAlias = Callable[[str, Json], Text]
"""Returns what counts of a field's value when it is compared; None if nothing."""
Decide: TypeAlias = Callable[[str, str], "Side | None"]
"""Returns what was decided about a field, by its name and what names the edit."""


def _never(name: str) -> bool:
    return False


def _text(name: str, value: Json) -> Text:
    return canonical(value)


class KnownTexts:
    """What counts of values, worked out once for each of them.

    A value is known by its identity: none may change as long as this is in use.
    """

    def __init__(self, text: TextOf) -> None:
        self._text = text
        self._known: dict[int, tuple[Json, Text]] = {}

    def __call__(self, name: str, value: Json) -> Text:
        """Return what counts of a field's value."""
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = value, self._text(name, value)
        return known[1]


@dataclass(frozen=True, slots=True)
class FieldRules:
    """Rules for some fields beyond the comparison; most return whether one applies."""

    yields: Callable[[str], bool] = _never
    """Theirs stays where both changed it, and is not reported as an edit: an order."""
    holds: Callable[[str], bool] = _never
    """Ours no longer has it, and it is removed only by decision."""
    is_needed: Callable[[str], bool] = _never
    """Stories would lose it where an editor removed it: a conflict."""
    is_refused: Callable[[str], bool] = _never
    """The service would not take ours: a conflict."""
    waits: Callable[[str], bool] = _never
    """Ours is written only by decision: a conflict, also where we alone changed it."""
    rides: Callable[[str], bool] = _never
    """Ours is written only together with another field."""
    follows: Callable[[str], str] = str
    """The field that one of ours is removed with, where it is no longer wanted: it
    stays as long as that one does. Itself, for most."""
    merges: Callable[[str], bool] = _never
    """A list of texts: ours are added and removed, theirs stay, without a conflict."""
    leaves: Callable[[str], bool] = _never
    """Theirs stays where it is not what we wrote, whatever was decided, and is not
    reported as an edit."""
    is_shown: Callable[[str], bool] = _never
    """Of what is left: a publication would show it first, so it counts as an edit."""
    text: TextOf = _text
    seen: Callable[[Value], str] = seen_of
    """Returns what names an edit."""

    def may_ask(self, field: str) -> bool:
        """Return whether a decision may be needed before ours is written."""
        rules = self.waits, self.merges, self.is_refused, self.rides
        return any(applies(field) for applies in rules)

    def is_edit(self, field: str) -> bool:
        """Return whether a field of theirs that is not as we wrote it is an edit that
        the object keeps."""
        if self.leaves(field):
            return self.is_shown(field)
        return not self.yields(field) and not self.merges(field)


@dataclass(frozen=True, slots=True)
class Sides:
    """An object on three sides, by field."""

    base: Fields
    ours: Fields
    theirs: Fields
    rules: FieldRules = FieldRules()

    def is_alike(self, name: str, one: Fields, other: Fields) -> bool:
        """Return whether two sides have a field alike, after the rules of the kind."""
        first, second = value_of(one, name), value_of(other, name)
        if first is second:
            return True
        if first == second and canonical(first) == canonical(second):
            # To the letter, as most of a story is: it needs no closer look.
            return True
        return self._text(name, one) == self._text(name, other)

    def moved(self, side: Fields) -> list[str]:
        """Return the fields that are not on one side as they were last written."""
        names = self.base.keys() | side.keys()
        return sorted(
            name for name in names if not self.is_alike(name, self.base, side)
        )

    def outcome(self, name: str) -> Outcome:
        """Return the outcome of a field, before the rules and what was decided."""
        base, ours, theirs = self.base, self.ours, self.theirs
        if self.is_alike(name, ours, theirs):
            is_same = self.is_alike(name, base, theirs)
            return Outcome.SAME if is_same else Outcome.AGREE
        if self.is_alike(name, theirs, base):
            return Outcome.WRITE
        is_kept = self.is_alike(name, ours, base)
        return Outcome.KEEP if is_kept else Outcome.CONFLICT

    def _text(self, name: str, side: Fields) -> Text:
        return self.rules.text(name, side[name]) if name in side else None


@dataclass(frozen=True, slots=True)
class Diff:
    """The fields of an object that not all sides have alike, with their outcomes."""

    sides: Sides
    fields: Mapping[str, FieldDiff]
    merged: Fields = field(default_factory=dict)
    """The values of the lists that are merged, after the write."""

    def of(self, *outcomes: Outcome) -> list[FieldDiff]:
        """Return the fields with these outcomes, by name."""
        found = (each for each in self.fields.values() if each.outcome in outcomes)
        return sorted(found, key=lambda each: each.field)

    def names(self, *outcomes: Outcome) -> frozenset[str]:
        """Return the names of the fields with these outcomes."""
        return frozenset(each.field for each in self.of(*outcomes))

    @property
    def written(self) -> frozenset[str]:
        """Return the fields whose value of ours is sent."""
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
        """Return the fields that hold an edit of an editor and keep it."""
        theirs = self.of(Outcome.KEEP, Outcome.ACCEPT, Outcome.CONFLICT)
        is_edit, declined = self.sides.rules.is_edit, self._declined
        return [
            each
            for each in theirs
            if is_edit(each.field) and each.field not in declined
        ]

    @property
    def values(self) -> dict[str, Json]:
        """Return the values after the write: theirs, but for what is written."""
        found, ours = {**self.sides.theirs}, {**self.sides.ours, **self.merged}
        for name in self.written:
            if name in ours:
                found[name] = ours[name]
            else:
                found.pop(name, None)
        return found

    def base_after(self, refused: Set[str] = frozenset()) -> dict[str, Json]:
        """Return what counts as written by us from now on, by field.

        Ours, but for what waits for a decision, what was declined and what was
        `refused`: what is kept of theirs stays a change of theirs alone, until ours
        moves too.
        """
        base, ours = self.sides.base, self.sides.ours
        waiting = self.waiting | self._declined | refused
        settled = {name: ours[name] for name in ours if name not in waiting}
        return settled | {name: base[name] for name in waiting if name in base}

    @property
    def _declined(self) -> frozenset[str]:
        """Return the fields that we alone changed and that stay by decision."""
        sides, kept = self.sides, self.names(Outcome.ACCEPT) & self.sides.ours.keys()
        return frozenset(
            name for name in kept if sides.is_alike(name, sides.base, sides.theirs)
        )


_CHANGES = [each for each in Outcome if each not in (Outcome.SAME, Outcome.CONFLICT)]


def diff(ref: Ref, sides: Sides, decide: Decide) -> Diff:
    """Return the outcomes of the fields of an object, after what was decided."""
    rules = sides.rules
    merged: dict[str, Json] = {}
    fields: dict[str, FieldDiff] = {}
    for name in dict.fromkeys((*sides.theirs, *sides.ours, *sides.base)):
        found = sides.outcome(name)
        if found is Outcome.SAME:
            continue
        base, ours, theirs = (
            value_of(each, name) for each in (sides.base, sides.ours, sides.theirs)
        )
        is_asked = found is not Outcome.WRITE or name not in sides.ours
        seen = rules.seen(theirs) if is_asked or rules.may_ask(name) else ""
        side = decide(name, seen) if seen else None
        if rules.merges(name):
            after = _merged(_texts(base), _texts(ours), _texts(theirs), side)
            found = _merge_outcome(_texts(ours), _texts(theirs), after, side)
            merged[name] = [*sorted(after)]
        else:
            found = _decided(found, name, sides, side)
        if found is Outcome.SAME:
            continue
        base = ABSENT if base == UNKNOWN else base
        fields[name] = FieldDiff(ref, name, base, ours, theirs, found, seen)
    return _without_riders(_with_followers(Diff(sides, fields, merged)))


def _decided(found: Outcome, name: str, sides: Sides, side: Side | None) -> Outcome:
    """Return the outcome after the rules of the kind and what was decided."""
    rules = sides.rules
    if rules.leaves(name):
        return found if found is Outcome.WRITE else Outcome.KEEP
    if found is Outcome.WRITE and rules.waits(name):
        found = Outcome.CONFLICT
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


def _with_followers(found: Diff) -> Diff:
    """Return the diff without a removal of what follows a field that stays."""
    sides, written = found.sides, found.written
    held = {
        name: replace(found.fields[name], outcome=Outcome.HOLD)
        for name in written - sides.ours.keys()
        if (other := sides.rules.follows(name)) in found.fields and other not in written
    }
    return replace(found, fields={**found.fields, **held})


def _without_riders(found: Diff) -> Diff:
    """Return the diff without a write of nothing but fields that ride."""
    riding = {name for name in found.written if found.sides.rules.rides(name)}
    if not riding or riding != found.written:
        return found
    kept = {name: replace(found.fields[name], outcome=Outcome.KEEP) for name in riding}
    return replace(found, fields={**found.fields, **kept})


def _merged(
    base: Set[str], ours: Set[str], theirs: Set[str], side: Side | None
) -> Set[str]:
    """Return a list after the write. One of ours that an editor removed is added again
    only where that was decided."""
    kept = theirs - (base - ours)
    return kept | (ours if side is Side.OURS else ours - base)


def _merge_outcome(
    ours: Set[str], theirs: Set[str], after: Set[str], side: Side | None
) -> Outcome:
    if after != theirs:
        return Outcome.WRITE
    if ours <= theirs:
        return Outcome.SAME
    return Outcome.ACCEPT if side is Side.THEIRS else Outcome.KEEP


def _texts(value: Value) -> frozenset[str]:
    return frozenset(map(str, value)) if isinstance(value, list) else frozenset()
