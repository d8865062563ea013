"""A plan as tables: what would be called, what is saved, what stands in the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup

from cmsmig.report.safehtml import Cell, note, paragraph, table
from cmsmig.steps.plan import Plan

_SHOWN = 15
_READING = "Reading what is there"
_STEP_OF = {
    "create_datasources": "prepare",
    "read_datasource_entries": "prepare",
    "create_datasource_entries": "prepare",
    "create_components": "prepare",
    "update_components": "prepare",
    "create_folders": "prepare",
    "create_asset_folders": "prepare",
    "sign_uploads": "prepare",
    "finish_uploads": "prepare",
    "read_back_components": "create",
    "create_stories": "create",
    "compare_stories": "link",
    "update_stories": "link",
    "publish_stories": "publish",
}
TITLES = {
    "prepare": "04 Components, folders, files",
    "create": "05 Stories, phase one",
    "link": "06 Relations and links, phase two",
    "publish": "06 Publication",
}


def planned_calls(plan: Plan, step: str) -> int:
    """Return the calls that one step draws on the budget, the survey included."""
    return sum(
        count for name, count in plan.calls.items() if _STEP_OF.get(name, step) == step
    )


def planned_writes(plan: Plan, step: str) -> int:
    """Return the calls of one step that change the destination."""
    return sum(
        count
        for name, count in plan.calls.items()
        if _STEP_OF.get(name) == step and not name.startswith(("read_", "compare_"))
    )


def plan_tables(plan: Plan) -> Markup:
    """Return a plan for a person to read before anything is written."""
    return Markup("").join(
        (
            _summary(plan),
            *(note(sentence, "warning") for sentence in plan.limits),
            _calls(plan),
            _saved(plan),
            *_obstacles(plan),
        )
    )


def plan_line(plan: Plan) -> str:
    """Return a plan in one line, for where there is no HTML."""
    return (
        f"plan {plan.plan_hash[:16]}: {plan.total_calls:,} calls, "
        f"{plan.items['to_create']:,} stories to create"
    )


def duration(seconds: float) -> str:
    """Return a length of time for a person."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _summary(plan: Plan) -> Markup:
    items = plan.items
    return paragraph(
        f"Plan {plan.plan_hash[:16]}: of {items['in']:,} items, {items['to_create']:,} "
        f"stories are to be created, {items['already_there']:,} are there, "
        f"{items['skipped']:,} items are skipped"
        f"{_because(plan.skipped)}, {items['failed']:,} cannot be created."
    )


def _calls(plan: Plan) -> Markup:
    rows: list[Sequence[Cell]] = []
    for step in (_READING, *TITLES):
        named = _named_calls(plan, step)
        title = TITLES.get(step, step)
        rows += [
            (title if not index else "", name, count, _time(plan, count))
            for index, (name, count) in enumerate(named)
        ]
    total = plan.total_calls
    rows.append(("All", "", total, _time(plan, total)))
    return table(
        ("Step", "Call", "Calls", f"Time at {plan.rate:g} a second"),
        rows,
        caption="Calls that draw on the service's budget",
    ) + paragraph(
        f"At 3 calls a second that is {duration(plan.seconds(3))}, at 6 "
        f"{duration(plan.seconds(6))}; uploading bytes draws on nothing."
    )


def _named_calls(plan: Plan, step: str) -> list[tuple[str, int]]:
    return [
        (name.replace("_", " "), count)
        for name, count in plan.calls.items()
        if _STEP_OF.get(name, _READING) == step
    ]


def _time(plan: Plan, count: int) -> str:
    return duration(plan.seconds(plan.rate) * count / max(1, plan.total_calls))


def _saved(plan: Plan) -> Markup:
    rows = [(name.replace("_", " "), count) for name, count in plan.saved.items()]
    rows = [(name, count) for name, count in rows if count]
    if not rows:
        return Markup("")
    return table(("Why", "Calls"), rows, caption="Calls saved")


def _obstacles(plan: Plan) -> Iterator[Markup]:
    yield from _listed(
        "Conflicts: a story that this import did not make stands there",
        ("Place", "Item", "Decided"),
        [
            (each.row.full_slug, str(each.key), str(each.action or "nothing yet"))
            for each in plan.conflicts
        ],
    )
    yield from _listed(
        "References that lead to no story and stay empty",
        ("Item", "Field", "Leads to", "Why"),
        [
            (
                str(each.source),
                each.origin_field,
                str(each.target),
                each.cause.replace("_", " "),
            )
            for each in plan.dangling
        ],
    )
    yield from _listed(
        "Files that could not be had", ("Address", "Why"), plan.missing_files.items()
    )
    yield from _listed(
        "Losses in the rich text", ("Kind", "Losses"), _rows(plan.losses)
    )
    yield from _listed(
        "Links into the old site that stay", ("Why", "Links"), _rows(plan.links_left)
    )


def _listed(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[Cell]]
) -> Iterator[Markup]:
    listed = list(rows)
    if not listed:
        return
    yield table(head, listed[:_SHOWN], caption=f"{caption} ({len(listed):,})")
    if len(listed) > _SHOWN:
        yield paragraph(f"… and {len(listed) - _SHOWN:,} more in `cmsmig plan --json`.")


def _rows(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        (name.replace("_", " ").replace("-", " "), count) for name, count in ordered
    ]


def _because(skipped: Mapping[str, int]) -> str:
    if not skipped:
        return ""
    named = ", ".join(
        f"{name.replace('_', ' ')} {count:,}" for name, count in skipped.items()
    )
    return f" ({named})"
