"""The component of the notes: as it was written, as it stands, and as it is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.proofs.machine.decided import COMPONENT, DESTINATION, RECREATE, Decisions
from tests.proofs.machine.merging import outcome_of

NAME = "note"
LABEL, FIELD_LABEL = "display_name", "schema.line.display_name"
EXTRA, MOOD_FIELD = "schema.extra", "schema.mood"
"""A field that only a developer makes, and one that the origin gets."""
PARTS = (LABEL, FIELD_LABEL, EXTRA, MOOD_FIELD)
_FIRST: Mapping[str, Any] = {
    LABEL: "Note",
    FIELD_LABEL: "Line",
    EXTRA: False,
    MOOD_FIELD: False,
}


@dataclass(frozen=True)
class Component:
    """Three sides of the component; `theirs` is None while it is deleted."""

    base: Mapping[str, Any] = field(default_factory=lambda: _FIRST)
    ours: Mapping[str, Any] = field(default_factory=lambda: _FIRST)
    theirs: Mapping[str, Any] | None = field(default_factory=lambda: _FIRST)

    def designed(self, **changes: Any) -> Component:
        """Return it with another design."""
        return replace(self, ours={**self.ours, **_named(changes)})

    def developed(self, changes: Mapping[str, Any]) -> Component:
        """Return it with what a developer made of it."""
        return replace(self, theirs={**(self.theirs or {}), **changes})

    @property
    def is_gone(self) -> bool:
        """Return whether it is not in the space."""
        return self.theirs is None

    def is_blocking(self, decisions: Decisions) -> bool:
        """Return whether nothing can be imported: it is gone, and nobody decided."""
        return self.is_gone and decisions.action(DESTINATION, NAME) != RECREATE

    def waiting(self, decisions: Decisions) -> frozenset[str]:
        """Return the parts that wait for a decision."""
        return frozenset(
            name for name, how in self._outcomes(decisions) if how == "waits"
        )

    def imported(self, decisions: Decisions) -> Component:
        """Return it after an import that was not blocked."""
        if self.theirs is None:
            return Component(self.ours, self.ours, self.ours)
        base, theirs = dict(self.base), dict(self.theirs)
        for name, how in self._outcomes(decisions):
            if how != "waits":
                base[name] = self.ours[name]
            if how == "written":
                theirs[name] = self.ours[name]
        return Component(base, self.ours, theirs)

    def differences(self, decisions: Decisions) -> set[tuple[str, str]]:
        """Return what is not as it was decided, as a verification names it."""
        if self.theirs is None:
            return {(NAME, "")}
        return {
            (NAME, name)
            for name in PARTS
            if self.ours[name] != self.theirs[name]
            and decisions.side(NAME, name, self.theirs[name], COMPONENT) != "theirs"
        }

    def _outcomes(self, decisions: Decisions) -> list[tuple[str, str]]:
        theirs = self.theirs
        if theirs is None:
            return []
        found = []
        for name in PARTS:
            side = decisions.side(NAME, name, theirs[name], COMPONENT)
            how = outcome_of(self.base[name], self.ours[name], theirs[name], side)
            found.append((name, how))
        return found


def _named(changes: Mapping[str, Any]) -> Mapping[str, Any]:
    names = {"label": LABEL, "field_label": FIELD_LABEL, "mood": MOOD_FIELD}
    return {names[name]: value for name, value in changes.items()}
