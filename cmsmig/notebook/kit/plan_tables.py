"""A plan as tables: what would be called, what is saved, what stands in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from markupsafe import Markup

from cmsmig.display.safe_html import (
    NOTHING,
    Cell,
    folded,
    joined,
    more,
    note,
    paragraph,
    table,
)
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.mapping.select.reference_targets import EXPLAINED
from cmsmig.origin.schema import Item
from cmsmig.steps.plan.edit_conflicts import shown_value
from cmsmig.steps.plan.missing_objects import one_of
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.plan.preflights.findings import LIMITS
from cmsmig.steps.plan.recreate import gone_sentence

_SHOWN = 15
_LISTED = 100
"""Losses and links that are shown one by one."""
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


class ItemNames:
    """What items are called, for tables that would show their ids otherwise."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._names = {item.key: item.name for item in items}
        self._by_id = {key.item_id: name for key, name in self._names.items()}

    def of(self, key: ItemKey) -> str:
        """Return an item's name, in another locale if need be, else its key."""
        return self._names.get(key) or self._by_id.get(key.item_id) or str(key)


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
            *_obstacles(plan, names or ItemNames(())),
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
    yield from _list_rows(
        "Gone from the destination",
        ("What", "Name"),
        [(one_of(kind), name) for kind in names for name in names[kind]][:_SHOWN],
        sum(plan.gone.counts().values()),
    )


def _warnings(plan: Plan) -> Iterator[str]:
    """Yield the sentences on limits, on the origin's names and on what follows."""
    yield from plan.limits
    yield from plan.notes
    for each in plan.preflights:
        if not each.fails and each.kind not in LIMITS:
            yield each.text


def _refused(plan: Plan) -> Iterator[Markup]:
    """Yield what the destination would refuse, and what is not sent for that."""
    found = [each for each in plan.preflights if each.fails]
    yield from _list_rows(
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
        (row.name, row.home.full_slug if row.home else row.full_slug, *_told(row))
        for row in rows[:_SHOWN]
    ]
    head = ("Item", "Story", "Why", "What becomes of it")
    return table(head, shown) + more(len(rows), _SHOWN)


def _told(row: ItemRow) -> tuple[str, str]:
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


def _fold(title: str, parts: Iterable[Markup]) -> Iterator[Markup]:
    """Yield parts behind a title that opens them, if there are any."""
    inside = joined(parts)
    if inside:
        yield folded(title, inside)


def _obstacles(plan: Plan, names: ItemNames) -> Iterator[Markup]:
    if not plan.conflicts:
        yield paragraph("Conflicts: none, no story of others stands in the way.")
    yield from _list_rows(
        "Conflicts: a story that this import did not make stands there",
        ("Place", "Item", "Decided"),
        [
            (
                each.row.full_slug,
                names.of(each.key),
                str(each.action or "nothing yet"),
            )
            for each in plan.conflicts[:_SHOWN]
        ],
        len(plan.conflicts),
    )
    yield from _list_rows(
        "In the way: somebody else's work that is not written over",
        ("Kind", "Name", "What to do"),
        [(str(each.kind), each.what, each.text) for each in plan.in_the_way],
        len(plan.in_the_way),
    )
    yield from _list_edits(plan)
    yield from _list_rows(
        "References that lead to no story and stay empty, by reason",
        ("Why", "References"),
        _rows(Counter(EXPLAINED[each.cause] for each in plan.dangling)),
    )
    yield from _fold("References that stay empty, one by one", _each(plan, names))
    yield from _list_rows(
        "Files that could not be had",
        ("Address", "Why"),
        list(plan.missing_files.items())[:_SHOWN],
        len(plan.missing_files),
    )
    yield from _losses(plan, names)
    yield from _links_left(plan, names)


def _losses(plan: Plan, names: ItemNames) -> Iterator[Markup]:
    total = sum(plan.losses.values())
    listed = plan.details.losses() if plan.details else iter(())
    rows: list[Sequence[Cell]] = [
        (
            names.of(each.key),
            each.field,
            each.loss.kind.replace("-", " "),
            each.loss.what,
            each.loss.where,
            each.loss.why,
        )
        for each in islice(listed, _LISTED)
    ]
    head = ("Item", "Field", "Kind", "What", "Where", "Why")
    parts = (
        *_list_rows("By kind", ("Kind", "Losses"), _rows(plan.losses)),
        *_list_rows("One by one", head, rows, total),
    )
    yield from _fold(f"Losses in the rich text ({total:,})", parts)


def _links_left(plan: Plan, names: ItemNames) -> Iterator[Markup]:
    total = sum(plan.links_left.values())
    listed = plan.details.links_left() if plan.details else iter(())
    rows: list[Sequence[Cell]] = [
        (names.of(each.key), each.field, each.href, each.cause.replace("_", " "))
        for each in islice(listed, _LISTED)
    ]
    parts = (
        *_list_rows("By reason", ("Why", "Links"), _rows(plan.links_left)),
        *_list_rows("One by one", ("Item", "Field", "Address", "Why"), rows, total),
    )
    yield from _fold(f"Links into the old site that stay ({total:,})", parts)


def _list_edits(plan: Plan) -> Iterator[Markup]:
    """Yield what somebody changed of ours, and what becomes of each field."""
    yield from _list_rows(
        "Changed on both sides: nothing of it is written before that is decided",
        ("Kind", "Name", "Field", "Last written", "Ours", "There"),
        [
            (
                str(each.kind),
                each.what,
                each.field,
                *map(shown_value, (each.base, each.ours, each.theirs)),
            )
            for each in plan.edit_conflicts[:_SHOWN]
        ],
        len(plan.edit_conflicts),
    )
    yield from _list_rows(
        "Fields of components and datasources",
        ("Kind", "Name", "Field", "What becomes of it"),
        [
            (str(each.kind), each.what, each.field, each.said)
            for each in plan.schema_changes[:_SHOWN]
        ],
        len(plan.schema_changes),
    )


def _each(plan: Plan, names: ItemNames) -> Iterator[Markup]:
    yield from _list_rows(
        "References that lead to no story",
        ("Item", "Field", "Leads to", "Why"),
        [
            (
                names.of(each.source),
                each.origin_field,
                names.of(each.target),
                EXPLAINED[each.cause],
            )
            for each in plan.dangling[:_SHOWN]
        ],
        len(plan.dangling),
    )


def _list_rows(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    count: int = 0,
) -> Iterator[Markup]:
    """Yield a table, if it has rows; `count` is how many there are in all."""
    if not rows:
        return
    yield table(head, rows, caption=f"{caption} ({count:,})" if count else caption)
    yield more(count, len(rows), "; `cmsmig plan --json` lists all")


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
