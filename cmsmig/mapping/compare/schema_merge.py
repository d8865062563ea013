"""A component or datasource of ours, merged by field with what somebody changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace

from cmsmig.canonical import Json
from cmsmig.mapping.decisions.conflicts import Side
from cmsmig.mapping.merge import Merged, Value, merge_fields, take_sides, value_of

Decide = Callable[[str, Value], "Side | None"]
"""Returns what was decided about a field, by its name and by what stands there."""


@dataclass(frozen=True, slots=True)
class FieldRules:
    """What holds for some fields beyond the merge; each tells whether for a field."""

    is_order: Callable[[str], bool]
    """It is only an order: theirs stays where both changed it."""
    is_choice: Callable[[str], bool]
    """It is an option: one that ours no longer has stays until that is decided, for
    stories may hold it."""
    is_needed: Callable[[str], bool]
    """Stories would lose it where somebody took it out there: a conflict."""
    is_refused: Callable[[str], bool] = lambda field: False
    """The service would not take ours: a conflict."""


@dataclass(frozen=True, slots=True)
class SchemaMerge:
    """The fields of three sides, compared without ids and unset values."""

    base: Mapping[str, Json]
    ours: Mapping[str, Json]
    theirs: Mapping[str, Json]
    merged: Merged
    stays: frozenset[str]
    """Options that ours no longer has, and that stay until somebody decides."""
    accepted: frozenset[str]
    """Fields of theirs that stay because that was decided."""
    orders: frozenset[str]
    """Fields that are only an order."""

    @property
    def writes(self) -> bool:
        """Return whether anything of ours is to be sent."""
        return bool(self.merged.written)

    @property
    def waiting(self) -> frozenset[str]:
        """Return the fields that a decision is asked for."""
        return self.merged.conflicts | self.stays

    @property
    def theirs_alone(self) -> frozenset[str]:
        """Return the fields that hold what somebody made of them."""
        return self.merged.kept | self.merged.conflicts

    def moved(self, side: Mapping[str, Json]) -> set[str]:
        """Return the fields that are not on one side as they were last written."""
        return {
            field
            for field in self.base.keys() | side.keys()
            if value_of(self.base, field) != value_of(side, field)
        }


def merge_schema(
    base: Mapping[str, Json],
    ours: Mapping[str, Json],
    theirs: Mapping[str, Json],
    decide: Decide,
    rules: FieldRules,
) -> SchemaMerge:
    """Return the merge of a component or datasource after what was decided."""

    def decided(field: str) -> Side | None:
        return decide(field, value_of(theirs, field))

    first = merge_fields(base, ours, theirs)
    orders = {field for field in first.conflicts if rules.is_order(field)}
    merged = take_sides(
        first,
        ours,
        lambda field: decided(field) or (Side.THEIRS if field in orders else None),
    )
    removed = {
        field
        for field in merged.written
        if field not in ours
        and rules.is_choice(field)
        and decided(field) is not Side.OURS
    }
    refused = {field for field in merged.written if rules.is_refused(field)}
    stays = {field for field in removed if decided(field) is None}
    lost = {
        field
        for field in merged.kept
        if rules.is_needed(field) and decided(field) is None
    }
    merged = replace(
        merged,
        values=_left(merged.values, removed | refused, theirs),
        written=merged.written - removed - refused,
        kept=(merged.kept | (removed - stays)) - lost,
        conflicts=merged.conflicts | lost | refused,
    )
    return SchemaMerge(
        base,
        ours,
        theirs,
        merged,
        stays=frozenset(stays),
        accepted=frozenset(
            field for field in merged.kept if decided(field) is Side.THEIRS
        ),
        orders=frozenset(filter(rules.is_order, merged.values)),
    )


def _left(
    values: Mapping[str, Json], fields: Set[str], theirs: Mapping[str, Json]
) -> dict[str, Json]:
    """Return `values` with `fields` as they are there."""
    others = {field: value for field, value in values.items() if field not in fields}
    return others | {field: theirs[field] for field in fields if field in theirs}
