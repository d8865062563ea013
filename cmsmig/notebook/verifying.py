"""The notebook 07: read everything back, redirects, checklist, evidence."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from markupsafe import Markup

from cmsmig.errors import DifferencesError, IncompleteError, InterruptedRunError
from cmsmig.ledger.rows import Accounting
from cmsmig.notebook import ui
from cmsmig.notebook.handover import Handover
from cmsmig.notebook.importing import failures_table
from cmsmig.notebook.panel import Panel
from cmsmig.notebook.progressbars import Meter, ProgressBoard
from cmsmig.report.checklist import CheckState
from cmsmig.report.evidence import Evidence
from cmsmig.report.redirects import STATUS
from cmsmig.report.safehtml import Cell, note, paragraph, sheet, table
from cmsmig.steps.batches import StopSignal
from cmsmig.steps.importing import plan_only, verify_only
from cmsmig.steps.verify import Difference, Verification

_SHOWN = 50
_STATES = {
    CheckState.DONE: "✓ done",
    CheckState.OPEN: "✗ open",
    CheckState.PERSON: "? look",
}


async def verify(handover: Handover) -> Panel:
    """Read everything back and compare it with decisions and ledger. Reads only.

    Unattended it runs at once; before a person it waits for its button, shows how
    it goes, and can be stopped.
    """
    workspace = handover.workspace
    if handover.missing:
        return workspace.panel(sheet(note(handover.missing, "warning")))
    if workspace.interactive:
        return workspace.panel(
            sheet(paragraph("Nothing was read back yet.")),
            lambda: _VerifyBoard(handover).element,
        )
    meter = Meter(workspace.observer)
    found = await _read_back(handover, StopSignal(), meter)
    return workspace.panel(
        sheet(_verified(handover, found), paragraph(meter.summary())),
        text=f"differences: {len(found.differences)}",
    )


def redirects(handover: Handover) -> Panel:
    """Return where each old address leads, and write it as redirects/redirects.csv.

    Before a person it waits for its button; a dry run writes nothing.
    """
    workspace = handover.workspace
    if workspace.interactive:
        return workspace.panel(
            lambda: sheet(_redirects(handover)), lambda: _redirect_board(handover)
        )
    written = () if workspace.dry_run else handover.write_redirects()
    return workspace.panel(
        sheet(_redirects(handover), *_written(written)),
        text=f"redirects: {len(handover.redirects().moved)}",
    )


def checklist(handover: Handover) -> Panel:
    """Return what has to be so before the DNS switch. Reads only."""
    workspace = handover.workspace
    if handover.missing:
        return workspace.panel(sheet(note(handover.missing, "warning")))

    def controls() -> ui.Element:
        board = ui.Board()
        lines = ui.Html(sheet(_checks(handover)))

        def again() -> None:
            lines.show(sheet(_checks(handover)))

        handover.on_checked(again)
        button = board.button("checklist-again", "Look again", again)
        return ui.column(lines, ui.row(button), board.messages)

    return workspace.panel(lambda: sheet(_checks(handover)), controls)


def evidence(handover: Handover) -> Panel:
    """Return the accounting, and write report.html and report.json.

    Before a person it waits for its button; a dry run writes nothing.
    """
    workspace = handover.workspace
    if handover.missing:
        return workspace.panel(sheet(note(handover.missing, "warning")))
    if workspace.interactive:
        return workspace.panel(
            lambda: sheet(_account(handover.evidence())),
            lambda: _evidence_board(handover),
        )
    written = () if workspace.dry_run else handover.write_evidence()
    found = handover.evidence()
    return workspace.panel(
        sheet(_account(found), *_written(written)), text=str(found.accounting)
    )


def conclude(handover: Handover) -> Panel:
    """Return how it ended. Unattended, what is not as it should be is an error, now
    that everything is done and written.

    Raises `DifferencesError` when the read-back differs and `IncompleteError` when
    something failed or is open; neither before a person nor in a dry run.
    """
    workspace = handover.workspace
    if handover.missing:
        return workspace.panel(sheet(note(handover.missing, "warning")))
    found = handover.evidence()
    if not workspace.interactive and not workspace.dry_run:
        _insist(found)

    def ending() -> Markup:
        return sheet(*_ending(handover.evidence()))

    def controls() -> ui.Element:
        shown = ui.Html(ending())
        handover.on_checked(lambda: shown.show(ending()))
        return shown

    return workspace.panel(ending, controls, text=str(found.accounting))


class _VerifyBoard:
    """The controls of the read-back."""

    def __init__(self, handover: Handover) -> None:
        self._handover = handover
        self._stop: StopSignal | None = None
        board = self._board = ui.Board()
        start = board.button(
            "verify-start", "Read everything back", self._go, look="primary"
        )
        self._halt = board.button("verify-stop", "Stop", self._ask, look="warning")
        self._halt.enable(False)
        self._progress = ProgressBoard()
        self._result = ui.Html(sheet(paragraph("Nothing was read back yet.")))
        self.element = ui.column(
            ui.row(start, self._halt),
            self._progress.element,
            self._result,
            board.messages,
        )

    async def _go(self) -> None:
        self._stop = stop = StopSignal()
        self._halt.enable(True)
        self._result.show(Markup(""))
        meter = Meter(self._handover.workspace.observer)
        work = asyncio.create_task(self._work(stop, meter))
        try:
            await self._progress.follow(meter, work)
        except InterruptedRunError:
            self._board.say(
                "Stopped; a read-back counts only when it is whole, so press the "
                "button again for all of it.",
                "warning",
            )
        finally:
            self._halt.enable(False)
            self._stop = None

    async def _work(self, stop: StopSignal, meter: Meter) -> None:
        found = await _read_back(self._handover, stop, meter)
        self._result.show(sheet(_verified(self._handover, found)))

    def _ask(self) -> None:
        if self._stop is not None:
            self._stop.set()
            self._board.say("Stopping after the calls in flight …")


def _redirect_board(handover: Handover) -> ui.Element:
    board = ui.Board()
    shown = ui.Html(sheet(_redirects(handover)))

    def write() -> None:
        written = handover.write_redirects()
        shown.show(sheet(_redirects(handover), *_written(written)))

    button = board.button("redirects-write", "Write the redirects", write)
    button.visible(not handover.workspace.dry_run)
    return ui.column(shown, ui.row(button), board.messages)


def _evidence_board(handover: Handover) -> ui.Element:
    board = ui.Board()
    shown = ui.Html(sheet(_account(handover.evidence())))

    def renew() -> None:
        shown.show(sheet(_account(handover.evidence())))

    def write() -> None:
        written = handover.write_evidence()
        shown.show(sheet(_account(handover.evidence()), *_written(written)))

    handover.on_checked(renew)
    button = board.button("report-write", "Write the report", write, look="primary")
    button.visible(not handover.workspace.dry_run)
    return ui.column(shown, ui.row(button), board.messages)


async def _read_back(
    handover: Handover, stop: StopSignal, meter: Meter
) -> Verification:
    workspace = handover.workspace
    settings = workspace.destination_settings
    found = await verify_only(workspace.project, settings, observer=meter, stop=stop)
    # What is still to be done belongs to the evidence, as of now.
    await plan_only(workspace.project, settings, observer=workspace.observer)
    handover.checked(found)
    return found


def _verified(handover: Handover, found: Verification) -> Markup:
    differences = len(found.differences)
    said = (
        f"{differences:,} {'difference' if differences == 1 else 'differences'} "
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
        ],
    )
    verdict = note(said, "bad") if differences else note(said, "good")
    return verdict + compared + Markup("").join(_differences(handover, found))


def _differences(handover: Handover, found: Verification) -> Iterator[Markup]:
    if not found.differences:
        return
    codes = Counter(_words(each.code) for each in found.differences)
    yield table(("Kind of difference", "Times"), sorted(codes.items()))
    names = {str(key): item.name for key, item in handover.migration.items.items()}
    ordered = sorted(found.differences, key=lambda each: (each.code, each.subject))
    yield table(
        ("Kind", "Item", "Field", "What differs"),
        [
            _difference_row(each, names.get(each.subject, ""))
            for each in ordered[:_SHOWN]
        ],
    )
    if len(ordered) > _SHOWN:
        yield paragraph(f"… and {len(ordered) - _SHOWN:,} more in the report.")


def _difference_row(each: Difference, name: str) -> tuple[Cell, ...]:
    item = f"{name} ({each.subject})" if name else each.subject
    return _words(each.code), item, each.where, each.text


def _redirects(handover: Handover) -> Markup:
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
    if len(found.moved) > _SHOWN:
        parts.append(paragraph(f"… and {len(found.moved) - _SHOWN:,} more."))
    if found.lost:
        rows = [(each.old, each.name) for each in found.lost[:_SHOWN]]
        parts.append(table(("Old address without a new page", "Item"), rows))
    clashes = [*found.shared, *found.shadowed]
    if clashes:
        said = f"Several pages claim one address: {', '.join(clashes[:_SHOWN])}."
        parts.append(note(said, "warning"))
    return Markup("").join(parts)


def _checks(handover: Handover) -> Markup:
    return table(
        ("State", "Before the DNS switch", "Found"),
        [(_STATES[each.state], each.what, each.found) for each in handover.checks()],
    )


def _account(found: Evidence) -> Markup:
    rows: list[tuple[Cell, ...]] = [
        _counts(each.name, each.accounting) for each in found.collections
    ]
    rows.append(_counts("All", found.accounting))
    head = ("Collection", "In", "Created", "Reused", "Skipped", "Failed", "Open")
    losses = [
        (each.kind.replace("-", " "), each.severity, each.losses, each.items)
        for each in found.losses
    ]
    parts = [table(head, rows), failures_table(found.failures)]
    if losses:
        named = ("Kind of loss", "Touches", "Losses", "Items")
        parts.append(table(named, losses))
    return Markup("").join(parts)


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


def _ending(found: Evidence) -> Iterator[Markup]:
    said = str(found.accounting)
    if found.verification is None:
        yield note(f"{said}. Nothing was read back yet in this notebook.", "warning")
    elif found.exit_code:
        yield note(f"{said}. {_complaint(found)}", "bad")
    else:
        yield note(f"{said}. Everything read back is as it was written.", "good")


def _insist(found: Evidence) -> None:
    said = f"{found.accounting}: {_complaint(found)}"
    if found.exit_code == DifferencesError.exit_code:
        raise DifferencesError(said)
    if found.exit_code:
        raise IncompleteError(said)


def _complaint(found: Evidence) -> str:
    verification = found.verification
    if verification is not None and verification.differences:
        places = len(verification.differences)
        return (
            f"The destination differs in {places:,} "
            f"{'place' if places == 1 else 'places'} from what was decided; see the "
            "report."
        )
    return (
        f"{len(found.failures):,} failed, {found.accounting.open + found.files.open:,} "
        "open; the report says what to do about each."
    )


def _written(paths: Iterable[Path]) -> Iterator[Markup]:
    for path in paths:
        yield paragraph(f"Written: {path}")


def _words(code: str) -> str:
    return code.replace("_", " ")
