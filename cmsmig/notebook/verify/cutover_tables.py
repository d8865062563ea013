"""What the notebook 07 shows, as tables: the same by hand and unattended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.evidence.checklist import CheckState
from cmsmig.evidence.evidence import Evidence
from cmsmig.evidence.origin_pages import OriginPages
from cmsmig.evidence.redirects import STATUS
from cmsmig.ledger.rows import Accounting
from cmsmig.notebook.kit.plan_tables import gone_table
from cmsmig.notebook.transfer.failures_table import failures_table
from cmsmig.notebook.verify.cutover import Handover
from cmsmig.steps.verify.differences import Difference, Verification
from cmsmig.ui.html.safe_html import (
    Cell,
    coded,
    facts,
    joined,
    more,
    note,
    paragraph,
    table,
)

_SHOWN = 50
_STATES = {
    CheckState.DONE: "✓ done",
    CheckState.OPEN: "✗ open",
    CheckState.PERSON: "? look",
    CheckState.TICKED: "✓ ticked",
}


def verification_html(handover: Handover, found: Verification) -> Markup:
    """Return what was read back, and each difference by kind."""
    differences = len(found.differences)
    said = (
        f"{counted(differences, 'difference')} "
        "between decisions, ledger and destination."
    )
    compared = table(
        ("Compared", "Read back"),
        [
            ("stories", found.stories),
            ("relations", found.relations),
            ("rich text documents", found.documents),
            ("files", found.assets),
            ("components", found.components),
            ("folders", found.folders),
            ("items in several languages", found.languages),
            ("stories as visitors get them", found.public),
        ],
    )
    verdict = note(said, "bad") if differences else note(said, "good")
    if found.public_unread:
        verdict += note(found.public_unread, "bad")
    if found.not_in_yet:
        items = counted(found.not_in_yet, "selected item")
        verdict += note(f"Only pilots were imported: {items} not in yet.")
    return verdict + compared + joined(_differences(handover, found))


def _differences(handover: Handover, found: Verification) -> Iterator[Markup]:
    if not found.differences:
        return
    codes = Counter(_words(each.code) for each in found.differences)
    yield table(("Kind of difference", "Times"), sorted(codes.items()))
    names = handover.evidence().names
    ordered = sorted(found.differences, key=lambda each: (each.code, each.subject))
    yield table(
        ("Kind", "Item", "Field", "What differs"),
        [
            _difference_row(each, names.get(each.subject, ""))
            for each in ordered[:_SHOWN]
        ],
    )
    yield more(len(ordered), _SHOWN, " in the report")


def _difference_row(each: Difference, name: str) -> tuple[Cell, ...]:
    item = f"{name} ({each.subject})" if name else each.subject
    return _words(each.code), item, each.where, each.text


def redirects_html(handover: Handover) -> Markup:
    """Return where each old address leads."""
    found = handover.redirects()
    parts = [
        paragraph(
            f"{len(found.moved):,} old addresses get a redirect ({STATUS}), "
            f"{found.kept:,} stay as they are, {len(found.lost):,} have no new page."
        )
    ]
    if handover.missing:
        parts.append(note("As planned: no story was created yet."))
    if found.moved:
        rows = [(each.old, each.new) for each in found.moved[:_SHOWN]]
        parts.append(table(("Old address", "New address"), rows))
    parts.append(more(len(found.moved), _SHOWN))
    if found.lost:
        rows = [(each.old, each.name) for each in found.lost[:_SHOWN]]
        parts.append(table(("Old address without a new page", "Item"), rows))
    clashes = [*found.shared, *found.shadowed]
    if clashes:
        said = f"Several pages claim one address: {', '.join(clashes[:_SHOWN])}."
        parts.append(note(said, "warning"))
    return joined(parts)


def checklist_html(handover: Handover) -> Markup:
    """Return the checklist, and who ticked what."""
    return table(
        ("State", "Before the DNS switch", "Found", "Ticked by"),
        [
            (_STATES[each.state], each.what, coded(each.found), each.said)
            for each in handover.checks()
        ],
    )


def accounting_html(found: Evidence, pages: OriginPages) -> Markup:
    """Return what became of every item, what failed and what was lost."""
    rows: list[tuple[Cell, ...]] = [
        _counts(each.name, each.accounting) for each in found.collections
    ]
    rows.append(_counts("All", found.accounting))
    head = ("Collection", "In", "Created", "Reused", "Skipped", "Failed", "Open")
    losses = [
        (each.kind.replace("-", " "), each.severity, each.losses, each.items)
        for each in found.losses
    ]
    parts = [table(head, rows), *_gone(found), failures_table(found.failures, pages)]
    if losses:
        named = ("Kind of loss", "Touches", "Losses", "Items")
        parts.append(table(named, losses))
    return joined(parts)


def _gone(found: Evidence) -> Iterator[Markup]:
    if not found.gone:
        return
    yield paragraph(found.accounting.lines[0])
    yield gone_table(found.gone)


def _counts(name: str, counts: Accounting) -> tuple[Cell, ...]:
    return (
        name,
        counts.items,
        counts.created,
        counts.reused,
        counts.skipped,
        counts.failed,
        counts.open,
    )


def ending_html(found: Evidence) -> Iterator[Markup]:
    """Yield how it ended: what is there, what is published, and what is left to do."""
    verdict = found.headline
    yield note(verdict.sentence, verdict.kind)
    yield facts((name, coded(text)) for name, text in verdict.facts)


def complaint(found: Evidence) -> str:
    """Return what is not as it should be, in one sentence."""
    verification = found.verification
    if verification is not None and verification.differences:
        places = len(verification.differences)
        failed = f", failed items: {verification.failed:,}"
        return (
            f"The destination differs in {counted(places, 'place')} from what was "
            f"decided{failed if verification.failed else ''}; see the report."
        )
    if verification is not None and verification.public_unread:
        return f"{verification.public_unread} See the report."
    return (
        f"{len(found.failures):,} failed, {found.accounting.open + found.files.open:,} "
        "open; the report says what to do about each."
    )


def files_written(paths: Iterable[Path]) -> Iterator[Markup]:
    """Yield where each file is."""
    for path in paths:
        yield paragraph(f"Written: {path}")


def _words(code: str) -> str:
    return code.replace("_", " ")
