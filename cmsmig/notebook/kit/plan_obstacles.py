"""What stands in the way of a plan, stays behind or waits for a person, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup

from cmsmig.item_key import ItemKey
from cmsmig.mapping.select.reference_targets import EXPLAINED
from cmsmig.origin.schema import Item
from cmsmig.reconcile.field_diff import shown_value
from cmsmig.steps.plan.plan import Plan
from cmsmig.ui.html.safe_html import (
    Cell,
    more,
    paragraph,
    table,
)

_SHOWN = 15


class ItemNames:
    """What items are called, for tables that would show their ids otherwise."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._names = {item.key: item.name for item in items}
        self._by_id = {key.item_id: name for key, name in self._names.items()}

    def of(self, key: ItemKey) -> str:
        """Return an item's name, in another locale if need be, else its key."""
        return self._names.get(key) or self._by_id.get(key.item_id) or str(key)


def obstacles(plan: Plan, names: ItemNames) -> Iterator[Markup]:
    """Yield what a person has to know before anything is written."""
    if not plan.conflicts:
        yield paragraph("Conflicts: none, no story of others stands in the way.")
    yield from list_rows(
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
    yield from list_rows(
        "In the way: somebody else's work that is not written over",
        ("Kind", "Name", "What to do"),
        [(str(each.kind), each.what, each.text) for each in plan.in_the_way],
        len(plan.in_the_way),
    )
    yield from _list_edits(plan)
    yield from list_rows(
        "References that lead to no story and stay empty, by reason",
        ("Why", "References"),
        count_rows(Counter(EXPLAINED[each.cause] for each in plan.dangling)),
    )
    yield from list_rows(
        "Files that could not be had",
        ("Address", "Why"),
        list(plan.missing_files.items())[:_SHOWN],
        len(plan.missing_files),
    )
    yield from list_rows(
        "Losses in the rich text, by kind", ("Kind", "Losses"), count_rows(plan.losses)
    )
    yield from list_rows(
        "Links into the old site that stay, by reason",
        ("Why", "Links"),
        count_rows(plan.links_left),
    )


def _list_edits(plan: Plan) -> Iterator[Markup]:
    """Yield what somebody changed of ours, and what becomes of each field."""
    yield from list_rows(
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
    yield from list_rows(
        "Fields of components, datasources and folders",
        ("Kind", "Name", "Field", "What becomes of it"),
        [
            (str(each.kind), each.what, each.field, each.said)
            for each in plan.schema_changes[:_SHOWN]
        ],
        len(plan.schema_changes),
    )


def list_rows(
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


def count_rows(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return counts by name as rows, the largest first."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        (name.replace("_", " ").replace("-", " "), count) for name, count in ordered
    ]
