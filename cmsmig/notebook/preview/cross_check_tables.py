"""What a cross-check found, as safe HTML."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from cmsmig.richtext.comparison import Fault
from cmsmig.steps.decide.cross_check import CrossCheck, Outcome, Verdict
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    code,
    coded,
    joined,
    more,
    note,
    paragraph,
    source,
    table,
)

_LISTED = 20
BARE = (
    "Compared are the bare conversions: every file at its old address, embeds by the "
    "default choices, without rules of this project's own."
)
_FAULTS = {
    Fault.EXACT: "The exact mode differs from the official converter.",
    Fault.UNNAMED: "The import's document differs, and no deviation applies.",
    Fault.RAISED: "Our converter ended with an error.",
}


def compared(found: CrossCheck) -> Markup:
    """Return the counts, the deviations by name, and what needs a person."""
    return joined(
        (
            _ending(found),
            paragraph(BARE),
            _deviations(found),
            _failed_table(found.of(Verdict.OFFICIAL_FAILED)),
            _defects(found.of(Verdict.DEFECT)),
        )
    )


def _ending(found: CrossCheck) -> Markup:
    if found.count(Verdict.DEFECT):
        told = f"{found}. Please report the defects: they are ours."
        return note(told, "bad")
    if not found.whole:
        return note(f"Stopped: {found}.", "warning")
    return note(f"{found}.", "good")


def _deviations(found: CrossCheck) -> Markup:
    rows: list[tuple[Cell, ...]] = [
        (
            code(str(each.name)),
            each.bodies,
            coded(each.official),
            coded(each.instead),
            each.example.title,
        )
        for each in found.deviations()
    ]
    if not rows:
        return NOTHING
    head = ("Deviation", "Bodies", "The official converter", "Here", "For example")
    caption = "What is done otherwise on purpose; several may apply to one body"
    return table(head, rows, caption=caption)


def _failed_table(bodies: tuple[Outcome, ...]) -> Markup:
    if not bodies:
        return NOTHING
    rows = [(each.title, each.why) for each in bodies[:_LISTED]]
    caption = f"The official converter failed ({len(bodies):,})"
    shown = table(("Body", "Why"), rows, caption=caption)
    return shown + more(len(bodies), len(rows))


def _defects(bodies: tuple[Outcome, ...]) -> Markup:
    if not bodies:
        return NOTHING
    rows = [row for each in bodies[:_LISTED] for row in _defect_rows(each)]
    head = ("Body", "What is wrong", "First at", "Ours", "The official converter's")
    caption = f"Defects of ours ({len(bodies):,} bodies)"
    return table(head, rows, caption=caption) + more(len(bodies), _LISTED)


def _defect_rows(body: Outcome) -> Iterator[tuple[Cell, ...]]:
    for each in body.defects:
        where = code(each.path)
        ours, official = source(each.ours), source(each.official)
        yield body.title, _FAULTS[each.fault], where, ours, official
