"""One thing that moved since the last import."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.reconcile.field_diff import ABSENT, Absent, Value
from cmsmig.reconcile.kinds import Ref
from cmsmig.reconcile.value_changes import Sides


class Where(StrEnum):
    """Where something moved."""

    ORIGIN = "origin"
    DECISIONS = "decisions"
    DESTINATION = "destination"
    BOTH = "both"
    """There, and at the origin or in the decisions: whose value is kept is decided."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that moved."""

    where: Where
    what: str
    """A story's path, a component, a decision file."""
    item: str = ""
    """The item's key, for a story."""
    field: str = ""
    """Empty where all of it came or went, or where fields do not explain it."""
    old: Value = ABSENT
    new: Value = ABSENT
    """In the space, where both sides changed it."""
    ours: Value = ABSENT
    """What the import would write, where both sides changed it."""
    text: str = ""
    """What happened, where no field shows it."""
    ref: Ref | None = None
    """The object in the space, as a decision names it."""
    seen: str = ""
    """What a decision about it gives as `seen`; see `seen_of`."""
    waits: bool = False
    """Whether nothing of it is written before someone decides."""
    name: str = ""
    """What the story is called."""
    decided: str = ""
    """Whose value was decided to be kept, by whom and when."""
    lines: tuple[str, ...] = ()
    """The change of the field in words, a line for each leaf."""
    sides: Sides | None = None
    """The values of the field, where it is one."""

    @property
    def is_edit(self) -> bool:
        """Return whether it is a change in the space."""
        return self.where in (Where.DESTINATION, Where.BOTH)

    @property
    def title(self) -> str:
        """Return the name of the story with its path; else what changed."""
        return f"{self.name} ({self.what})" if self.name else self.what

    def as_json(self) -> JsonObject:
        """Return it as `changes --json` lists it; a side without a value has no key."""
        sides = {"old": self.old, "new": self.new, "ours": self.ours}
        held: JsonObject = {
            name: value
            for name, value in sides.items()
            if not isinstance(value, Absent)
        }
        return self.in_words() | held

    def in_words(self) -> JsonObject:
        """Return the same without the values."""
        named = {
            "where": str(self.where),
            "what": self.what,
            "item": self.item,
            "field": self.field,
            "text": self.text or "; ".join(self.lines),
        }
        return {name: value for name, value in named.items() if value}
