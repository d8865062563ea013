"""What notebook 07 calls: read everything back, redirects, checklist, evidence.

Names in here never move: projects keep their notebooks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from os.path import relpath
from pathlib import Path

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.errors import DifferencesError, IncompleteError
from cmsmig.evidence.evidence import PAGE, Evidence
from cmsmig.evidence.new_items import new_items
from cmsmig.evidence.report import (
    accounting_doc,
    failures_doc,
    findings_parts,
    headline_doc,
)
from cmsmig.evidence.report_findings import FindingSet
from cmsmig.notebook.handover import Handover
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.decision_list import show_changes
from cmsmig.notebook.kit.finding_table import (
    FindingRows,
    FindingSetTable,
    FindingWords,
    parts_of,
)
from cmsmig.notebook.kit.project_news import LEDGER
from cmsmig.notebook.verify.address_list import AddressView, planned_redirects_doc
from cmsmig.notebook.verify.checklist_view import ChecklistView
from cmsmig.steps.verify.differences import Verification
from cmsmig.steps.verify.verify import verify_project
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_steps import plan_only
from cmsmig.ui.controls import bar, button
from cmsmig.ui.doc import Facts, Fold, Folder, Part, Text
from cmsmig.ui.documents.comparisons import verification_doc
from cmsmig.ui.html.safe_html import (
    doc_sheet,
    note,
    paragraph,
    sheet,
)
from cmsmig.ui.job import JobView
from cmsmig.ui.meter import Meter
from cmsmig.ui.relation import Nouns
from cmsmig.ui.view import DocView, action

__all__ = [
    "checklist",
    "conclude",
    "evidence",
    "findings",
    "redirects",
    "show_changes",
    "verify",
]

_NOT_YET = "Nothing was read back since the last import."
_REST = "all are in the report"
_FINDINGS = 25
"""Findings of one sort that an unattended run shows."""
_WORDS = FindingWords(
    prefix="findings",
    title="What to handle, one by one",
    nouns=Nouns(
        "finding",
        "findings",
        "Nothing failed, is missing, lost or left out.",
    ),
)


def _once_imported(
    show: Callable[[Handover], Panel],
) -> Callable[[Handover], Panel]:
    """Let a panel say what has to come first, as long as nothing is imported."""

    @wraps(show)
    def panel(handover: Handover) -> Panel:
        if handover.missing:
            said = sheet(note(handover.missing, "warning"))
            return handover.workspace.panel(said)
        return show(handover)

    return panel


async def verify(handover: Handover) -> Panel:
    """Read everything back and compare it with decisions and ledger. Reads only.

    Unattended it runs at once; before a person it waits for its button, shows how
    it goes, and can be stopped.
    """
    workspace = handover.workspace
    if handover.missing:
        return workspace.panel(sheet(note(handover.missing, "warning")))
    if workspace.interactive:
        return workspace.shows(_VerifyView(handover))
    view, meter = _VerifyView(handover), Meter(workspace.observer)
    found = await view.read(meter)
    return workspace.panel(
        doc_sheet(*verification_doc(found, 50, _REST), Text(meter.summary())),
        text=f"differences: {len(found.differences)}",
    )


def redirects(handover: Handover) -> Panel:
    """Return where each old address leads, and write the files of `redirects/`.

    Before a person it waits for its button; a dry run writes nothing.
    """
    workspace = handover.workspace
    writes = not (workspace.interactive or workspace.dry_run)
    written = handover.write_redirects() if writes else ()
    found, files = handover.redirects(), (Text(f"Written: {each}") for each in written)
    return workspace.panel(
        doc_sheet(*planned_redirects_doc(handover, found), *files),
        lambda: AddressView(handover),
        text=f"redirects: {found.moved}",
    )


@_once_imported
def checklist(handover: Handover) -> Panel:
    """Return what has to be so before the DNS switch."""
    workspace = handover.workspace
    return workspace.shows(ChecklistView(handover))


@_once_imported
def findings(handover: Handover) -> Panel:
    """Return every item that failed or was left out, every missing file, loss,
    reference that stays empty and link that stays, with what to do about it.

    By hand they are searched, sorted, and written as CSV below `lists/` in the
    project folder; unattended the first of each are shown.
    """
    workspace = handover.workspace

    def shown() -> Markup:
        return doc_sheet(*findings_parts(handover.evidence(), shown=_FINDINGS))

    if not workspace.interactive:
        return workspace.panel(shown)

    def read() -> tuple[FindingSet, ...]:
        return handover.evidence().findings

    rows = FindingRows(_WORDS.nouns, "findings", handover.pages.site, parts_of(read()))
    listed = FindingSetTable(
        _WORDS,
        workspace.list_source(rows),
        rows,
        read,
        lambda: new_items(workspace.project, lambda: handover.migration),
    )
    handover.on_checked(listed.read)
    return workspace.panel(shown, lambda: listed, text=listed.label)


@_once_imported
def evidence(handover: Handover) -> Panel:
    """Return the accounting, and write report.html and report.json.

    Before a person it waits for its button; a dry run writes nothing.
    """
    workspace, view = handover.workspace, _EvidenceView(handover)
    if not workspace.interactive and not workspace.dry_run:
        written, folder = Text(view.written()), Folder(f"{handover.folder}")
        view.doc += doc_sheet(written, Facts([("Folder of this run", folder)]))
    return workspace.shows(view, text=str(handover.evidence().accounting))


@_once_imported
def conclude(handover: Handover) -> Panel:
    """Return how it ended. Unattended, what is not as it should be is an error, now
    that everything is done and written.

    Raises `DifferencesError` when the read-back differs or items failed, and
    `IncompleteError` when a file failed or something is open; neither before a
    person nor in a dry run.
    """
    workspace = handover.workspace
    found = handover.evidence()
    if not workspace.interactive and not workspace.dry_run:
        _insist(found)

    view = DocView(
        "How it ended", lambda: doc_sheet(*headline_doc(handover.evidence()))
    )
    handover.on_checked(view.renew)
    return workspace.shows(view, text=str(found.accounting))


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
        super().__init__(sheet(paragraph(_NOT_YET)))
        self._handover = handover
        self._signal = StopSignal()
        handover.on_checked(self._follow)

    def _follow(self) -> None:
        """Take away what was read back before an import."""
        if self._handover.found is None and not self.busy:
            self.stages, self.result = None, sheet(paragraph(_NOT_YET))
            self.show(calm=True)

    def meter(self) -> Meter:
        return Meter(self._handover.workspace.observer)

    async def work(self, meter: Meter) -> None:
        self.result = doc_sheet(*verification_doc(await self.read(meter), 50, _REST))

    async def read(self, meter: Meter) -> Verification:
        """Read everything back, and let every panel know what was found."""
        self._signal = StopSignal()
        workspace = self._handover.workspace
        project, settings = workspace.project, workspace.destination_settings
        found = await verify_project(
            project, settings, observer=meter, stop=self._signal
        )
        # What is still to be done belongs to the evidence, as of now.
        await plan_only(project, settings, observer=workspace.observer)
        workspace.news.is_verified = True
        workspace.news.tell({LEDGER})
        self._handover.checked(found)
        return found

    def interrupt(self) -> None:
        self._signal.set()
        self.say("Stopping after the calls in flight …")


class _EvidenceView(DocView):
    """The accounting, and the button that writes the report."""

    prefix = "report"

    def __init__(self, handover: Handover) -> None:
        super().__init__(
            "Evidence", lambda: doc_sheet(*_handover_doc(handover.evidence(), handover))
        )
        self._handover = handover
        self.hidden = handover.workspace.dry_run
        handover.on_checked(self.renew)

    @action("write", "Write the report", begins=True)
    def write(self, _: str) -> None:
        """Write report.html and report.json."""
        self.say(self.written(), "good")
        self._handover.workspace.news.is_reported = True
        self._handover.workspace.news.tell({LEDGER})
        self.renew()

    def html(self, *, live: bool) -> Markup:
        """Return the accounting; live, with the way to the report once there is one."""
        made = super().html(live=live)
        page = self._handover.folder / PAGE
        root = self._handover.workspace.project.root
        if not live or not page.is_file() or not page.is_relative_to(root):
            return made
        # JupyterLab runs a kernel in the folder of its notebook.
        path, folder = (Path(relpath(each)).as_posix() for each in (page, page.parent))
        return made + bar(
            button("report-open", "Open the report", goes=f"notebook {path}"),
            button("report-folder", "Show its folder", goes=f"folder {folder}"),
        )

    def written(self) -> str:
        """Write them; return what to say of it."""
        page, document, *lists = self._handover.write_evidence()
        rest = counted(len(lists), "list")
        return f"Written: {page}, with {document.name} and {rest}."


def _handover_doc(found: Evidence, handover: Handover) -> Iterator[Part]:
    """Yield the outcome of every item, what failed and what was lost."""
    yield Fold("The outcome of every item, by collection", (*accounting_doc(found),))
    yield from failures_doc(found.failures, handover.pages)


def _insist(found: Evidence) -> None:
    said = f"{found.headline.sentence} {found.accounting.sentence}. See the report."
    if found.exit_code == DifferencesError.exit_code:
        raise DifferencesError(said)
    if found.exit_code:
        raise IncompleteError(said)
