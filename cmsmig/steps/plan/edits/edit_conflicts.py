"""Fields that both sides changed, to something else each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject, canonical, fingerprint
from cmsmig.mapping.compare.content_equality import same
from cmsmig.mapping.decisions.conflicts import ConflictKind, ConflictsDecision, Side
from cmsmig.mapping.merge import ABSENT, Absent, Value

_SHOWN = 60
"""Characters of a value that a sentence shows."""
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
        return {
            "kind": str(self.kind),
            "what": self.what,
            "field": self.field,
            **side_values(self.base, self.ours, self.theirs),
            "seen": self.seen,
        }

    @property
    def text(self) -> str:
        """Say what stands against what, and how to decide."""
        return (
            f"`{self.field}` {self._cause}: ours is {shown_value(self.ours)}, there it "
            f"is {shown_value(self.theirs)}, last written was "
            f"{shown_value(self.base)}; theirs stays until "
            f"{decision_for(self.kind, self.what, self.field, self.seen)}"
        )

    @property
    def _cause(self) -> str:
        if _is_same(self.base, self.theirs) and self.kind is ConflictKind.STORY:
            return "was changed by us, which would move a page that visitors may know"
        if _is_same(self.base, self.theirs):
            return "cannot be written, for something else there has that name"
        if not _is_same(self.base, self.ours):
            return "was changed on both sides"
        what = "taken out" if self.theirs is ABSENT else "made another type"
        return f"was {what} there, and stories hold values that no editor sees then"

    @property
    def line(self) -> str:
        """Say it with the name of what it is a field of."""
        return f"{self.kind} `{self.what}`: {self.text}"


def decision_for(kind: ConflictKind, what: str, field: str, seen: str) -> str:
    """Return the words that name the decision about a field."""
    return (
        f"`{{kind: {kind}, what: {_quoted(what)}, field: {_quoted(field)}, take: ours "
        f"or theirs, seen: '{seen}'}}` stands under `edits` in decisions/conflicts.yaml"
    )


def side_values(base: Value, ours: Value, theirs: Value) -> JsonObject:
    """Return the values of three sides by name; a side without one has no key."""
    sides = {"base": base, "ours": ours, "theirs": theirs}
    return {
        name: value for name, value in sides.items() if not isinstance(value, Absent)
    }


def shown_value(value: Value) -> str:
    """Return a value within a sentence, marked as code and cut where it is long."""
    short = short_value(value)
    return short if value is None or isinstance(value, Absent) else f"`{short}`"


def short_value(value: Value) -> str:
    """Return a value in one short line: a text as it is, anything else as JSON."""
    if value is None or isinstance(value, Absent):
        return "nothing"
    text = value if isinstance(value, str) else _json(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def seen_of(theirs: Value) -> str:
    """Return what names an edit, so that a decision does not hold for another one.

    The first digits of the value's fingerprint; `absent` where it was taken out.
    """
    return "absent" if theirs is ABSENT else fingerprint(theirs)[:SEEN_LENGTH]


def seen_in_story(theirs: Value) -> str:
    """Return what names an edit of a story's field: what is empty is `absent`."""
    return "absent" if same(_json_of(theirs), None) else seen_of(theirs)


def story_side(
    decided: ConflictsDecision, what: str, field: str, theirs: Value
) -> Side | None:
    """Return which side was decided on for a story's field with this edit.

    A decision of an earlier release may name an empty value by its fingerprint.
    """
    sides = (
        decided.side(ConflictKind.STORY, what, field, seen)
        for seen in (seen_in_story(theirs), seen_of(theirs))
    )
    return next(filter(None, sides), None)


def _is_same(one: Value, other: Value) -> bool:
    return same(_json_of(one), _json_of(other))


def _json_of(value: Value) -> Json:
    return None if isinstance(value, Absent) else value


def _quoted(text: str) -> str:
    """Return a text as a value in YAML."""
    plain = _PLAIN.fullmatch(text)
    return text if plain else _json(text)


def _json(value: Json) -> str:
    return canonical(value).decode("utf-8", "replace")


_PLAIN = re.compile(r"[A-Za-z][\w.*/-]*")
