"""The choices about what a plan leaves undecided: stories in our places, fields that
both sides changed, and what one side no longer has."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.mapping.decisions.conflicts import EditChoice, Side
from cmsmig.notebook.kit.change_choices import (
    Choice,
    edit_choice,
    gone_at_origin_choice,
    gone_there_choice,
    place_choice,
)
from cmsmig.reconcile.field_diff import FieldDiff
from cmsmig.reconcile.labels import NO_LABELS, Labels
from cmsmig.reconcile.value_changes import change_lines
from cmsmig.steps.plan.plan import Plan


def plan_choices(plan: Plan) -> Iterator[Choice]:
    """Yield a choice for each thing that a plan leaves undecided."""
    labels = plan.details.labels if plan.details else NO_LABELS
    for taken in plan.conflicts:
        if taken.action is None and taken.holder is None:
            yield place_choice(taken.row.name, taken.row.full_slug.strip("/"))
    for each in plan.edit_conflicts:
        about = EditChoice(
            kind=each.kind,
            what=each.what,
            field=each.field,
            take=Side.OURS,
            seen=each.seen,
        )
        lines = (_line(labels, each, "theirs"), _line(labels, each, "ours"))
        yield edit_choice(labels.item(each.what), lines, about)
    for thing in plan.gone.undecided.things:
        yield gone_there_choice(thing.kind, thing.name)
    for row in plan.gone_at_origin:
        if row.story_record is not None:
            path = row.story_record.full_slug
            yield gone_at_origin_choice(row.name or str(row.key), path)


def _line(labels: Labels, found: FieldDiff, side: str) -> str:
    value = found.theirs if side == "theirs" else found.ours
    lines = change_lines(labels, found.ref, found.field, found.base, value)
    return f"{side}: {'; '.join(lines)}"
