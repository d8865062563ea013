"""What people decide, as files hold it, and the outcome of a field by the rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

ANY: Final = "*"
OURS, THEIRS = "ours", "theirs"
ORIGIN, DESTINATION = "origin", "destination"
RECREATE, LEAVE_OUT = "recreate", "leave_out"
STORY, COMPONENT = "story", "component"
KEEP, UNPUBLISH, DELETE = "keep", "unpublish", "delete"
WHATEVER: Final = object()
"""What a decision without `seen` was made about."""


@dataclass(frozen=True)
class Edit:
    """A decision about an edited field."""

    what: str
    field: str
    take: str
    seen: Any = WHATEVER
    fingerprint: str = ""
    """What a plan showed for `seen`."""
    kind: str = STORY


@dataclass(frozen=True)
class Gone:
    """A decision about what one side no longer has."""

    side: str
    what: str
    action: str


@dataclass(frozen=True)
class Decisions:
    """All that was decided since the proposals were accepted."""

    edits: tuple[Edit, ...] = ()
    gone: tuple[Gone, ...] = ()
    publishing: bool = True
    """Whether what is live is published."""

    def side(self, what: str, name: str, theirs: Any, kind: str = STORY) -> str | None:
        """Return whose value a field keeps."""
        for about in ((what, name), (what, ANY), (ANY, name), (ANY, ANY)):
            fitting = [
                each.take
                for each in self.edits
                if (each.what, each.field) == about
                and each.kind == kind
                and each.seen in (WHATEVER, theirs)
            ]
            if fitting:
                return fitting[-1]
        return None

    def action(self, side: str, what: str) -> str | None:
        """Return the decided action for an object that one side no longer has."""
        return self.action_of(side, what) or self.action_of(side, ANY)

    def action_of(self, side: str, what: str) -> str | None:
        """Return the action that was decided for it by name."""
        known = {each.what: each.action for each in self.gone if each.side == side}
        return known.get(what)

    def with_edit(self, edit: Edit) -> Decisions:
        """Return these with a decision in the place of an older one."""
        kept = tuple(
            each
            for each in self.edits
            if (each.kind, each.what, each.field) != (edit.kind, edit.what, edit.field)
        )
        return replace(self, edits=(*kept, edit))

    def with_gone(self, gone: Gone) -> Decisions:
        """Return these with a decision in the place of an older one."""
        kept = tuple(
            each
            for each in self.gone
            if (each.side, each.what) != (gone.side, gone.what)
        )
        return replace(self, gone=(*kept, gone))


WRITTEN, STAYS, WAITS = "written", "stays", "waits"


def outcome_of(base: Any, ours: Any, theirs: Any, side: str | None) -> str:
    """Return the outcome of a field: it is `written`, `stays`, or `waits`.

    `base` was written last, `theirs` is in the space, `ours` is wanted, `side` is what
    was decided.
    """
    if ours == theirs:
        return STAYS
    by_us_alone = theirs == base
    if side is not None:
        return WRITTEN if side == OURS or by_us_alone else STAYS
    if by_us_alone:
        return WRITTEN
    return STAYS if ours == base else WAITS
