"""What was decided about fields of stories that both sides changed."""

from __future__ import annotations

from cmsmig.mapping.compare.content_equality import same
from cmsmig.mapping.decisions.conflicts import ConflictKind, ConflictsDecision, Side
from cmsmig.reconcile.field_diff import Value, json_of, seen_of


def seen_in_story(theirs: Value) -> str:
    """Return what names an edit of a story's field: what is empty is `absent`."""
    return "absent" if same(json_of(theirs), None) else seen_of(theirs)


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
