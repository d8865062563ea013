"""Fields that both sides changed, to something else each."""

from __future__ import annotations

from dataclasses import dataclass

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.mapping.decisions.conflicts import ConflictKind
from cmsmig.mapping.merge import ABSENT, Absent, Value

SEEN_LENGTH = 12
"""Digits of the fingerprint of an edit that a decision names."""


@dataclass(frozen=True, slots=True)
class EditConflict:
    """A field that was edited at the destination and has to become another one.

    Nothing of it is written until somebody decides, the rest of the object is.
    """

    kind: ConflictKind
    what: str
    """A full slug or a name, as a decision names it."""
    field: str
    """As a decision names it."""
    base: Value
    """What we last wrote."""
    ours: Value
    """What we would write."""
    theirs: Value
    """What stands there."""
    seen: str
    """What a decision gives as `seen`; see `seen_of`."""

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` lists it; a side without a value has no key."""
        sides = {"base": self.base, "ours": self.ours, "theirs": self.theirs}
        held: JsonObject = {
            name: value
            for name, value in sides.items()
            if not isinstance(value, Absent)
        }
        return {
            "kind": str(self.kind),
            "what": self.what,
            "field": self.field,
            **held,
            "seen": self.seen,
        }


def seen_of(theirs: Value) -> str:
    """Return what names an edit, so that a decision does not hold for another one.

    The first digits of the value's fingerprint; `absent` where it was taken out.
    """
    return "absent" if theirs is ABSENT else fingerprint(theirs)[:SEEN_LENGTH]
