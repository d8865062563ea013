"""A plan as tables: what would be called, what is saved, what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from cmsmig.ledger.rows import ItemRow
from cmsmig.notebook.kit.plan_obstacles import (
    ItemNames,
    list_rows,
    obstacles,
)
from cmsmig.steps.plan.gone.recreate import gone_sentence
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.plan.preflights.findings import LIMITS
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    joined,
    more,
    note,
    paragraph,
    table,
)

_SHOWN = 15
_READING = "Reading what is there"
_STEP_OF = {
    "create_datasources": "prepare",
    "read_datasource_entries": "prepare",
    "create_datasource_entries": "prepare",
    "compare_datasources": "prepare",
    "compare_datasource_entries": "prepare",
    "update_datasources": "prepare",
    "update_datasource_entries": "prepare",
    "delete_datasource_entries": "prepare",
    "create_components": "prepare",
    "compare_components": "prepare",
    "update_components": "prepare",
    "create_folders": "prepare",
    "rename_folders": "prepare",
    "create_asset_folders": "prepare",
    "sign_uploads": "prepare",
    "finish_uploads": "prepare",
    "compare_assets": "prepare",
    "update_assets": "prepare",
    "read_back_components": "create",
    "create_stories": "create",
    "compare_stories": "link",
    "update_stories": "link",
    "publish_stories": "publish",
    "compare_gone_stories": "publish",
    "unpublish_stories": "publish",
    "delete_stories": "publish",
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


def plan_tables(plan: Plan, names: ItemNames | None = None) -> Markup:
    """Return a plan for a person to read before anything is written.

    `names` are the items' names, where they are known.
    """
    return joined(
        (
            _summary(plan),
            *_list_gone(plan),
            *_list_gone_at_origin(plan),
            *(note(sentence, "warning") for sentence in _warnings(plan)),
            *_refused(plan),
            _calls(plan),
            _saved_table(plan),
            *obstacles(plan, names or ItemNames(())),
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
    if 0 < seconds < 1:
        return "under 1 s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _summary(plan: Plan) -> Markup:
    items = plan.items
    part = "" if plan.pilot.is_whole else f" of a pilot ({plan.pilot})"
    return paragraph(
        f"Plan {plan.plan_hash[:16]}{part}: of {items['in']:,} items, "
        f"{items['to_create']:,} stories are to be created, "
        f"{items['already_there']:,} are there, {_gone_of(items)}"
        f"{items['skipped']:,} items are skipped"
        f"{_because(plan.skipped)}, {items['failed']:,} cannot be created."
    )


def _gone_of(items: Mapping[str, int]) -> str:
    return f"{items['gone']:,} are gone, " if items["gone"] else ""


_MADE_AGAIN = "What is gone is made again."


def _list_gone(plan: Plan) -> Iterator[Markup]:
    """Yield what is gone from the destination, and what becomes of it."""
    names = plan.gone.names()
    if not names:
        return
    undecided = plan.gone.undecided
    said = gone_sentence(undecided) if undecided.things else _MADE_AGAIN
    yield note(said, "warning" if undecided.things else "")
    yield from list_rows(
        "Gone from the destination",
        ("What", "Name"),
        [(kind.noun(), name) for kind in names for name in names[kind]][:_SHOWN],
        sum(plan.gone.counts().values()),
    )


def _warnings(plan: Plan) -> Iterator[str]:
    """Yield the sentences on limits, on the origin's names and on what follows."""
    yield from plan.checks.limits
    yield from plan.notes
    for each in plan.checks.findings:
        if not each.fails and each.kind not in LIMITS:
            yield each.text


def _refused(plan: Plan) -> Iterator[Markup]:
    """Yield what the destination would refuse, and what is not sent for that."""
    found = [each for each in plan.checks.findings if each.fails]
    yield from list_rows(
        "Would be refused, so it is not sent",
        ("Where", "Field", "What to do"),
        [
            (each.full_slug or each.folder, each.field, each.text)
            for each in found[:_SHOWN]
        ],
        len(found),
    )


def _list_gone_at_origin(plan: Plan) -> Iterator[Markup]:
    rows = plan.gone_at_origin
    if not rows:
        return
    yield paragraph("Gone at the origin, and what becomes of the stories")
    yield gone_table(rows)


def gone_table(rows: Sequence[ItemRow]) -> Markup:
    """Return items that are gone at the origin, and what becomes of their stories."""
    shown = [
        (
            row.name,
            row.story_record.full_slug if row.story_record else row.full_slug,
            *_gone_cells(row),
        )
        for row in rows[:_SHOWN]
    ]
    head = ("Item", "Story", "Why", "What becomes of it")
    return table(head, shown) + more(len(rows), _SHOWN)


def _gone_cells(row: ItemRow) -> tuple[str, str]:
    gone = row.gone
    if gone is None:
        return "", ""
    return gone.sentence, f"{gone.state.replace('_', ' ')} {gone.note}".strip()


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
        f"That is {duration(plan.seconds(3))} at 3 calls a second and "
        f"{duration(plan.seconds(6))} at 6; uploading bytes draws on nothing."
    )


def _named_calls(plan: Plan, step: str) -> list[tuple[str, int]]:
    return [
        (name.replace("_", " "), count)
        for name, count in plan.calls.items()
        if _STEP_OF.get(name, _READING) == step
    ]


def _time(plan: Plan, count: int) -> str:
    return duration(plan.seconds(plan.rate) * count / max(1, plan.total_calls))


def _saved_table(plan: Plan) -> Markup:
    rows = [(name.replace("_", " "), count) for name, count in plan.saved.items()]
    rows = [(name, count) for name, count in rows if count]
    if not rows:
        return NOTHING
    return table(("Why", "Calls"), rows, caption="Calls saved")


def _because(skipped: Mapping[str, int]) -> str:
    if not skipped:
        return ""
    named = ", ".join(
        f"{name.replace('_', ' ')} {count:,}" for name, count in skipped.items()
    )
    return f" ({named})"
