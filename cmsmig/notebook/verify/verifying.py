"""The notebook 07: read everything back, redirects, checklist, evidence."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from cmsmig.errors import DifferencesError, IncompleteError
from cmsmig.evidence.evidence import Evidence
from cmsmig.evidence.report import checklist_doc, headline_doc
from cmsmig.mapping.redirects.address_map import Outcome
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.verify.checklist_board import checklist_board
from cmsmig.notebook.verify.cutover import Handover
from cmsmig.notebook.verify.cutover_docs import (
    complaint,
    files_written,
    handover_doc,
    planned_redirects_doc,
)
from cmsmig.notebook.verify.findings_to_see import findings_board, findings_sheet
from cmsmig.steps.verify.differences import Verification
from cmsmig.steps.verify.verify import verify_only
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_steps import plan_only
from cmsmig.survey.data_frames import View, frame_html, view_frame
from cmsmig.ui.doc import Part, Text
from cmsmig.ui.doc_html import doc_sheet
from cmsmig.ui.documents.verification import verification_doc
from cmsmig.ui.html.safe_html import (
    heading,
    note,
    paragraph,
    scrolling,
    sheet,
)
from cmsmig.ui.job import JobView
from cmsmig.ui.meter import Meter

_REST = "all are in the report"
_ROWS = 20
"""Of each view; all of it is one query away."""


_NOT_READ = paragraph("Nothing was read back yet.")


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
            sheet(_NOT_READ),
            lambda: _VerifyView(handover).element(),
        )
    meter = Meter(workspace.observer)
    found = await _read_back(handover, StopSignal(), meter)
    return workspace.panel(
        doc_sheet(*verification_doc(found, 50, _REST), Text(meter.summary())),
        text=f"differences: {len(found.differences)}",
    )


def redirects(handover: Handover) -> Panel:
    """Return where each old address leads, and write it as redirects/redirects.csv.

    Before a person it waits for its button; a dry run writes nothing.
    """
    workspace = handover.workspace
    if workspace.interactive:
        return workspace.panel(
            lambda: doc_sheet(*planned_redirects_doc(handover)),
            lambda: _redirect_board(handover),
        )
    written = () if workspace.dry_run else handover.write_redirects()
    return workspace.panel(
        doc_sheet(*planned_redirects_doc(handover), *files_written(written)),
        text=f"redirects: {len(handover.redirects().of(Outcome.MOVED))}",
    )


def ledger_tables(handover: Handover) -> Panel:
    """Return the ledger's documented views as tables. Reads only."""
    workspace = handover.workspace
    if handover.missing:
        return workspace.panel(sheet(note(handover.missing, "warning")))
    ledger = workspace.project.ledger
    parts = [_view(ledger, view) for view in View]
    return workspace.panel(sheet(*parts))


def checklist(handover: Handover) -> Panel:
    """Return what has to be so before the DNS switch. By hand lines can be ticked,
    with a name and a note, which is kept in `checklist.yaml`."""
    workspace = handover.workspace
    if handover.missing:
        return workspace.panel(sheet(note(handover.missing, "warning")))

    return workspace.panel(
        lambda: doc_sheet(*checklist_doc(handover.checks())),
        lambda: checklist_board(handover),
    )


def findings(handover: Handover) -> Panel:
    """Return every item that failed or was left out, every missing file, loss,
    reference that stays empty and link that stays, with what to do about it.

    By hand they are searched, sorted, and written as CSV below `lists/` in the
    project folder; unattended the first of each are shown.
    """
    workspace = handover.workspace
    if handover.missing:
        return workspace.panel(sheet(note(handover.missing, "warning")))
    return workspace.panel(
        lambda: findings_sheet(handover), lambda: findings_board(handover)
    )


def evidence(handover: Handover) -> Panel:
    """Return the accounting, and write report.html and report.json.

    Before a person it waits for its button; a dry run writes nothing.
    """
    workspace = handover.workspace
    if handover.missing:
        return workspace.panel(sheet(note(handover.missing, "warning")))
    if workspace.interactive:
        return workspace.panel(
            lambda: doc_sheet(*handover_doc(handover.evidence(), handover)),
            lambda: _evidence_board(handover),
        )
    written = () if workspace.dry_run else handover.write_evidence()
    found = handover.evidence()
    return workspace.panel(
        doc_sheet(*handover_doc(found, handover), *files_written(written)),
        text=str(found.accounting),
    )


def conclude(handover: Handover) -> Panel:
    """Return how it ended. Unattended, what is not as it should be is an error, now
    that everything is done and written.

    Raises `DifferencesError` when the read-back differs or items failed, and
    `IncompleteError` when a file failed or something is open; neither before a
    person nor in a dry run.
    """
    workspace = handover.workspace
    if handover.missing:
        return workspace.panel(sheet(note(handover.missing, "warning")))
    found = handover.evidence()
    if not workspace.interactive and not workspace.dry_run:
        _insist(found)

    def ending() -> Markup:
        return doc_sheet(*headline_doc(handover.evidence()))

    def controls() -> widgets.Element:
        shown = widgets.Html(ending())
        handover.on_checked(lambda: shown.show(ending()))
        return shown

    return workspace.panel(ending, controls, text=str(found.accounting))


def _view(ledger: Path, view: View) -> Markup:
    title = str(view).replace("_", " ").capitalize()
    frame = view_frame(ledger, view)
    # Wider than a page with them; `ledger.sqlite` has them all.
    known = [
        name
        for name in frame.columns
        if not str(name).endswith(("_id", "uuid", "_hash")) and frame[name].any()
    ]
    rows = frame_html(frame[known], rows=_ROWS)
    return heading(title) + scrolling(title, rows)


class _VerifyView(JobView):
    """The controls of the read-back."""

    prefix = "verify"
    label = "Read-back"
    start_label = "Read everything back"
    stopped = (
        "Stopped; a read-back counts only when it is whole, so press the button again "
        "for all of it."
    )

    def __init__(self, handover: Handover) -> None:
        super().__init__(sheet(_NOT_READ))
        self._handover = handover
        self._signal = StopSignal()

    def meter(self) -> Meter:
        return Meter(self._handover.workspace.observer)

    async def work(self, meter: Meter) -> None:
        self._signal = StopSignal()
        found = await _read_back(self._handover, self._signal, meter)
        self.result = doc_sheet(*verification_doc(found, 50, _REST))

    def interrupt(self) -> None:
        self._signal.set()
        self.say("Stopping after the calls in flight …")


def _redirect_board(handover: Handover) -> widgets.Element:
    board = widgets.Board()
    shown = widgets.Html(doc_sheet(*planned_redirects_doc(handover)))

    def write() -> None:
        written = handover.write_redirects()
        shown.show(doc_sheet(*planned_redirects_doc(handover), *files_written(written)))

    button = board.button("redirects-write", "Write the redirects", write)
    button.visible(not handover.workspace.dry_run)
    return widgets.column(shown, widgets.row(button), board.messages)


def _evidence_board(handover: Handover) -> widgets.Element:
    board = widgets.Board()

    def now(*parts: Part) -> Markup:
        return doc_sheet(*handover_doc(handover.evidence(), handover), *parts)

    shown = widgets.Html(now())

    def renew() -> None:
        shown.show(now())

    def write() -> None:
        shown.show(now(*files_written(handover.write_evidence())))

    handover.on_checked(renew)
    button = board.button("report-write", "Write the report", write, look="primary")
    button.visible(not handover.workspace.dry_run)
    return widgets.column(shown, widgets.row(button), board.messages)


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


def _insist(found: Evidence) -> None:
    said = f"{found.accounting}: {complaint(found)}"
    if found.exit_code == DifferencesError.exit_code:
        raise DifferencesError(said)
    if found.exit_code:
        raise IncompleteError(said)
