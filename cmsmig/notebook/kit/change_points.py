"""A change since the last import, and what can be decided about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from cmsmig.mapping.decisions.conflicts import (
    WHOLE,
    ConflictChoice,
    ConflictKind,
    ConflictsDecision,
    EditChoice,
    GoneAction,
    GoneChoice,
    GoneFrom,
    Side,
)
from cmsmig.reconcile.field_diff import FieldDiff, Outcome
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.rules.story_fields import PUBLISHED
from cmsmig.reconcile.value_changes import Sides
from cmsmig.steps.changes.changes import Change, Where

Decision: TypeAlias = EditChoice | GoneChoice | ConflictChoice
_FILED = {EditChoice: "edits", GoneChoice: "gone", ConflictChoice: "conflicts"}
"""Where each is in the file."""
DELETE, LEAVE = "delete it", "leave it as it is"
_GONE = {
    GoneFrom.ORIGIN: {
        LEAVE: GoneAction.KEEP,
        "unpublish it": GoneAction.UNPUBLISH,
        DELETE: GoneAction.DELETE,
    },
    GoneFrom.DESTINATION: {
        "make it again": GoneAction.RECREATE,
        "leave it out": GoneAction.LEAVE_OUT,
    },
}


@dataclass(frozen=True, slots=True)
class Point:
    """A change, and what can be decided about it."""

    where: Where
    kind: str
    what: str
    lines: Sequence[str]
    """The change in words."""
    options: Mapping[str, Decision] = field(default_factory=dict)
    """By what a button says."""
    moved: tuple[str, ...] = ()
    """What it is about where nothing is decided about it here: a plan may ask."""
    sides: Sides | None = None
    """The values of a field on the three sides."""
    waits: bool = False
    """Whether nothing of it is written before someone decides."""

    @property
    def place(self) -> tuple[str, ...]:
        """Return what the decision is about."""
        return next(map(_place, self.options.values()), self.moved)

    def taken(self, now: ConflictsDecision) -> tuple[str, str]:
        """Return what is decided, and by whom."""
        for option, each in self.options.items():
            found: Decision | None
            if isinstance(each, EditChoice):
                found = now.edit(each.kind, each.what, each.field, each.seen)
            else:
                found = _choice(now, each)
            if found and _value(found) == _value(each):
                return option, found.note or "by hand"
        return "", ""

    def decided(
        self, now: ConflictsDecision, option: str, by: str
    ) -> ConflictsDecision:
        """Return the decisions with one about this."""
        return self.with_filed(now, (replace(self.options[option], note=by),))

    def filed(self, now: ConflictsDecision) -> tuple[Decision, ...]:
        """Return what the file decides about just this."""
        first = next(iter(self.options.values()))
        return tuple(e for e in _filed(now, first) if _place(e) == self.place)

    def with_filed(
        self, now: ConflictsDecision, filed: tuple[Decision, ...]
    ) -> ConflictsDecision:
        """Return the decisions with just these about this."""
        first = next(iter(self.options.values()))
        others = [each for each in _filed(now, first) if _place(each) != self.place]
        changed: dict[str, Any] = {_FILED[type(first)]: (*others, *filed)}
        return replace(now, **changed)


def edit_options(
    kind: ConflictKind, what: str, field: str, seen: str, ours_is: object
) -> dict[str, Decision]:
    """Return whose value of a field can be kept; `ours_is` is ours."""
    ours, theirs = "write ours", "keep theirs"
    if field == PUBLISHED:
        ours, theirs = "publish it" if ours_is else "unpublish it", LEAVE
    sides = {ours: Side.OURS, theirs: Side.THEIRS}
    return {
        option: EditChoice(kind=kind, what=what, field=field, take=side, seen=seen)
        for option, side in sides.items()
    }


def gone_options(side: GoneFrom, ref: Ref) -> dict[str, Decision]:
    """Return what can happen to what one side no longer has; what is no story can only
    be made again."""
    return {
        option: GoneChoice(side, ref.key, action)
        for option, action in _GONE[side].items()
        if ref.kind is Kind.STORY or action is GoneAction.RECREATE
    }


def point_of(change: Change) -> Point:
    """Return a change with what can be decided about it."""
    noun = "decision" if change.where is Where.DECISIONS else "story"
    return Point(
        change.where,
        change.ref.kind.noun() if change.ref else noun,
        change.title,
        _lines(change),
        _options(change),
        (str(ConflictKind.STORY), change.what, change.field) if change.item else (),
        sides=change.sides,
        waits=change.waits,
    )


def _lines(change: Change) -> Sequence[str]:
    if change.waits and change.ref and change.sides and not change.is_edit:
        sides = change.old, change.new, change.old
        return (
            FieldDiff(change.ref, change.field, *sides, Outcome.CONFLICT, "").cause,
        )
    return change.lines or (change.text,)


def _options(change: Change) -> dict[str, Decision]:
    """Return what can be decided about a change."""
    ref = change.ref
    if ref is None:
        return {}
    if not change.field:
        return gone_options(GoneFrom(change.where), ref)
    kind = ref.kind.decided_as
    if kind is None or not change.seen or not (change.is_edit or change.waits):
        return {}
    ours = change.old if change.where is Where.DESTINATION else change.new
    if change.where is Where.BOTH:
        ours = change.ours
    return edit_options(kind, ref.key, change.field, change.seen, ours)


def _choice(now: ConflictsDecision, like: Decision) -> Decision | None:
    """Return the decision about the thing of one, else that about all of its side."""
    side, what, _ = _place(like)
    filed = {e.what: e for e in _filed(now, like) if _place(e)[0] == side}
    return filed.get(what) or filed.get(WHOLE)


def _filed(now: ConflictsDecision, like: Decision) -> tuple[Decision, ...]:
    """Return the decisions of the sort of one."""
    found: tuple[Decision, ...] = getattr(now, _FILED[type(like)])
    return found


def _place(about: Decision) -> tuple[str, str, str]:
    if isinstance(about, EditChoice):
        return str(about.kind), about.what, about.field
    side = about.kind if isinstance(about, ConflictChoice) else about.side
    return str(side), about.what, ""


def _value(taken: Decision) -> str:
    return str(taken.take if isinstance(taken, EditChoice) else taken.action)
