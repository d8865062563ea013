"""Three-way merge by field: what we last wrote, what we would write, what is there.

A side that has no value for a field has no key for it, which is not the same as None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from cmsmig.canonical import Json, canonical
from cmsmig.mapping.decisions.conflicts import Side

Fields: TypeAlias = Mapping[str, Json]
Form: TypeAlias = Callable[[Json], Json]
"""Returns what of a value counts when it is compared."""


class Absent(Enum):
    """Stands for the value of a field that a side does not have."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
Value: TypeAlias = "Json | Absent"


def _as_it_is(value: Json) -> Json:
    return value


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge comes to. A field is in at most one of the four sets.

    A field that all three have alike is in none.
    """

    values: dict[str, Json]
    """What is to stand there: theirs, but for what is `written`."""
    written: frozenset[str]
    """We alone changed it, or it was decided that ours stands."""
    kept: frozenset[str]
    """They alone changed it, or it was decided that theirs stands."""
    agreed: frozenset[str]
    """Both changed it, to the same."""
    conflicts: frozenset[str]
    """Both changed it otherwise; theirs stays until somebody decides."""

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
    found: dict[str, set[str]] = {
        name: set() for name in ("written", "kept", "agreed", "conflicts")
    }
    values = dict(theirs)
    for field in base.keys() | ours.keys() | theirs.keys():
        outcome = _outcome(*(_text(side, field, form) for side in (base, ours, theirs)))
        if outcome:
            found[outcome].add(field)
        if outcome == "written":
            _put(values, field, ours)
    return Merged(values, **{name: frozenset(each) for name, each in found.items()})


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


def value_of(side: Fields, field: str) -> Value:
    """Return a side's value of a field."""
    return side.get(field, ABSENT)


def _outcome(
    base: bytes | None, ours: bytes | None, theirs: bytes | None
) -> str | None:
    if ours == theirs:
        return None if base == ours else "agreed"
    if theirs == base:
        return "written"
    return "kept" if ours == base else "conflicts"


def _text(side: Fields, field: str, form: Form) -> bytes | None:
    return canonical(form(side[field])) if field in side else None


def _put(values: dict[str, Json], field: str, ours: Fields) -> None:
    if field in ours:
        values[field] = ours[field]
    else:
        values.pop(field, None)
