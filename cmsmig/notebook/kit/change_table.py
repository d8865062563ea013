"""What changed since the last import, as the first table of notebooks 01 and 04."""

from __future__ import annotations

from cmsmig.errors import CmsmigError
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.steps.changes.changes import changes_of
from cmsmig.steps.changes.target_comparison import was_imported
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.ui.doc import Note
from cmsmig.ui.doc_html import doc_sheet
from cmsmig.ui.documents.changes import changes_doc, changes_line


async def show_changes(workspace: Workspace) -> Panel:
    """Return what changed since the last import: at the origin as it was read last, in
    the decisions, and in the space. Writes nothing.

    Before the first import no service is asked. What prevents the comparison (a missing
    decision, a service that does not answer) is shown in place of the tables.
    """
    try:
        if not was_imported(workspace.project):
            text = "Nothing was imported yet, so there is nothing to compare with."
            return workspace.panel(doc_sheet(Note(text)), text=text)
        found = await changes_of(
            workspace.project,
            workspace.settings,
            observer=workspace.observer,
            stop=StopSignal(),
        )
    except CmsmigError as error:
        text = f"The changes cannot be shown yet: {error}"
        return workspace.panel(doc_sheet(Note(text, "warning")), text=text)
    return workspace.panel(doc_sheet(*changes_doc(found)), text=changes_line(found))
