"""What a cross-check found, as safe HTML."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from cmsmig.display.safe_html import Cell, coded, more, note, paragraph, source, table
from cmsmig.richtext.parity.comparison import Fault
from cmsmig.steps.decide.cross_check import CrossCheck, Outcome, Verdict

_LISTED = 20
BARE = (
    "Compared are the bare conversions: every file at its old address, embeds by the "
    "default choices, without rules of this project's own."
)
_FAULTS = {
    Fault.EXACT: "The exact mode differs from the official converter.",
    Fault.UNNAMED: "The import's document differs, and no deviation applies.",
    Fault.BEYOND: "The import's document differs in more than the deviations that "
    "apply may touch.",
    Fault.RAISED: "Our converter ended with an error.",
}


def compared(found: CrossCheck) -> Markup:
    """Return the counts, the deviations by name, and what needs a person."""
    return Markup("").join(
        (
            _ending(found),
            paragraph(BARE),
            _deviations(found),
            _failed(found.of(Verdict.OFFICIAL_FAILED)),
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
            Markup("<code>{}</code>").format(str(each.name)),
            each.bodies,
            coded(each.official),
            coded(each.instead),
            each.example.title,
        )
        for each in found.deviations()
    ]
    if not rows:
        return Markup("")
    head = ("Deviation", "Bodies", "The official converter", "Here", "For example")
    caption = "What is done otherwise on purpose; several may apply to one body"
    return table(head, rows, caption=caption)


def _failed(bodies: tuple[Outcome, ...]) -> Markup:
    if not bodies:
        return Markup("")
    rows = [(each.title, each.why) for each in bodies[:_LISTED]]
    caption = f"The official converter failed ({len(bodies):,})"
    return Markup("{}{}").format(
        table(("Body", "Why"), rows, caption=caption), more(len(bodies), len(rows))
    )


def _defects(bodies: tuple[Outcome, ...]) -> Markup:
    if not bodies:
        return Markup("")
    rows = [row for each in bodies[:_LISTED] for row in _defect_rows(each)]
    return Markup("{}{}").format(
        table(
            ("Body", "What is wrong", "First at", "Ours", "The official converter's"),
            rows,
            caption=f"Defects of ours ({len(bodies):,} bodies)",
        ),
        more(len(bodies), _LISTED),
    )


def _defect_rows(body: Outcome) -> Iterator[tuple[Cell, ...]]:
    for each in body.defects:
        where = Markup("<code>{}</code>").format(each.path)
        ours, official = source(each.ours), source(each.official)
        yield body.title, _FAULTS[each.fault], where, ours, official
