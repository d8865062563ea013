"""One field of an object on three sides with its outcome, also in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, TypeAlias

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.mapping.compare.content_equality import same
from cmsmig.mapping.decisions.conflicts import ConflictKind
from cmsmig.reconcile.kinds import Ref
from cmsmig.reconcile.labels import EMPTY, NO_LABELS

_SHOWN = 60
"""Characters of a value that a sentence shows."""
SEEN_LENGTH = 12
"""Digits of the fingerprint of an edit that a decision names."""


class Absent(Enum):
    """The value of a field that a side does not have."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
Value: TypeAlias = "Json | Absent"
DECIDE: Final = (
    "choose ours or theirs in notebook 04, or under `edits` in decisions/conflicts.yaml"
)
UNKNOWN: Final = "\x00unknown"
"""In the place of a last written value that is not known: no service has it."""


class Outcome(StrEnum):
    """The outcome of a field; the values are those of `plan --json`."""

    SAME = "same"
    """All sides have it alike."""
    WRITE = "written"
    """Ours is written: we alone changed it, or that was decided."""
    KEEP = "kept"
    """Theirs stays, because ours did not change."""
    ACCEPT = "accepted"
    """Theirs stays, because that was decided."""
    AGREE = "agreed"
    """It was changed there to what ours is."""
    HOLD = "stays"
    """Ours no longer has it, and it stays until it is decided."""
    CONFLICT = "conflict"
    """Theirs stays until it is decided."""


@dataclass(frozen=True, slots=True)
class FieldDiff:
    """A field on three sides with its outcome."""

    ref: Ref
    """The object, as a decision names it."""
    field: str
    """As a decision names it."""
    base: Value
    """What we last wrote."""
    ours: Value
    """What we would write."""
    theirs: Value
    """The current value."""
    outcome: Outcome
    seen: str
    """What a decision gives as `seen`; see `seen_of`. Empty where ours is written and
    needs none."""
    why: str = ""
    """Why it needs a decision, and which there are, where the values do not show it."""

    @property
    def kind(self) -> ConflictKind:
        """Return the kind of the object, as a decision names it."""
        return ConflictKind(self.ref.kind)

    @property
    def what(self) -> str:
        """Return a full slug or a name, as a decision names it."""
        return self.ref.key

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` lists it; a side without a value has no key."""
        is_conflict = self.outcome is Outcome.CONFLICT
        more = {"seen": self.seen} if is_conflict else {"outcome": str(self.outcome)}
        sides = {"base": self.base, "ours": self.ours, "theirs": self.theirs}
        return {
            "kind": str(self.kind),
            "what": self.what,
            "field": self.field,
            **more,
            **{n: value for n, value in sides.items() if not isinstance(value, Absent)},
        }

    @property
    def line(self) -> str:
        """Return it in words, with the name of its object."""
        return f"{self.kind} `{self.what}`: {self.text}"

    @property
    def text(self) -> str:
        """Return it in words, without the name of its object."""
        return f"`{self.field}` {self.said}"

    @property
    def said(self) -> str:
        """Return the outcome in words."""
        match self.outcome:
            case Outcome.WRITE:
                return self._said_written
            case Outcome.HOLD if self.kind is ConflictKind.STORY:
                return "is no longer wanted and stays as long as the page does"
            case Outcome.HOLD:
                return (
                    "is no longer an option and stays, as stories may hold it; to "
                    f"remove or keep it, {DECIDE}"
                )
            case Outcome.CONFLICT:
                return f"{self.conflict}; theirs stays; {DECIDE}"
            case Outcome.AGREE | Outcome.SAME:
                return "was changed there to what it is to be"
        if self.theirs is ABSENT:
            return "was taken out there and is left out"
        if self.base is ABSENT:
            return f"was added there and stays: {shown_value(self.theirs)}"
        return (
            f"was changed there from {shown_value(self.base)} to "
            f"{shown_value(self.theirs)} and stays"
        )

    @property
    def conflict(self) -> str:
        """Return why it needs a decision, with its three values where they show it."""
        return self.why or (
            f"{self.cause}: ours is {shown_value(self.ours)}, there it is "
            f"{shown_value(self.theirs)}, last written was {shown_value(self.base)}"
        )

    @property
    def _said_written(self) -> str:
        if self.theirs is ABSENT:
            return "will be added"
        if self.ours is ABSENT:
            return "will be removed"
        change = f"from {shown_value(self.theirs)} to {shown_value(self.ours)}"
        return f"will be changed {change}"

    @property
    def is_ours_alone(self) -> bool:
        """Return whether it is there as it was last written."""
        return _is_same(self.base, self.theirs)

    @property
    def cause(self) -> str:
        """Return why it needs a decision."""
        if self.why:
            return self.why
        if self.is_ours_alone and self.kind is ConflictKind.STORY:
            if self.ours is ABSENT:
                return "It is gone at the origin. Writing that removes a live page."
            return "The slug changed at the origin. Writing it moves a live page."
        if self.is_ours_alone:
            return "cannot be written, for something else there has that name"
        if not _is_same(self.base, self.ours):
            return "was changed on both sides"
        what = "taken out" if self.theirs is ABSENT else "made another type"
        return f"was {what} there, and stories hold values that no editor sees then"


def shown_value(value: Value) -> str:
    """Return a value within a sentence, marked as code and cut where it is long."""
    short = short_value(value)
    return short if short == EMPTY else f"`{short}`"


def short_value(value: Value) -> str:
    """Return a value in one short line, without JSON."""
    text = NO_LABELS.value(json_of(value))
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def seen_of(theirs: Value) -> str:
    """Return what names an edit, so that a decision does not hold for another one.

    The first digits of the value's fingerprint; `absent` where it was taken out.
    """
    return "absent" if theirs is ABSENT else fingerprint(theirs)[:SEEN_LENGTH]


def _is_same(one: Value, other: Value) -> bool:
    return same(json_of(one), json_of(other))


def json_of(value: Value) -> Json:
    """Return a value as JSON: null where there is none."""
    return None if isinstance(value, Absent) else value
