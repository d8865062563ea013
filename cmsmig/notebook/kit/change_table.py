"""What changed since the last import, in notebooks 01, 04 and 07: a table, and a choice
for each change in the space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cmsmig.errors import CmsmigError
from cmsmig.mapping.decisions.conflicts import ConflictKind, EditChoice, Side
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.change_choices import (
    Choice,
    ChoiceView,
    edit_choice,
    gone_there_choice,
)
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.steps.changes.changes import Change, Where, changes_of
from cmsmig.steps.changes.target_comparison import was_imported
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.ui.doc import Note
from cmsmig.ui.doc_html import doc_sheet
from cmsmig.ui.documents.changes import changes_doc, changes_line


async def show_changes(workspace: Workspace) -> Panel:
    """Return what changed since the last import: at the origin as it was read last, in
    the decisions, and in the space. Writes nothing to either service.

    Before a person there is a choice for each change in the space, which is written
    to the decisions. Before the first import no service is asked. What prevents the
    comparison (a service that does not answer) is shown in place of the tables.
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
    workspace.changes_shown.append(found)
    whole = doc_sheet(*changes_doc(found))

    def controls() -> widgets.Element:
        if not [*_choices(found)]:
            return widgets.Html(whole)
        title = "Decide about changes in the space"
        choices = ChoiceView(workspace, "change", title, lambda: _choices(found))
        return widgets.column(widgets.Html(whole), choices.element())

    return workspace.panel(whole, controls, text=changes_line(found))


def _choices(found: Sequence[Change]) -> Iterator[Choice]:
    for each in found:
        if each.where is not Where.DESTINATION or each.ref is None:
            continue
        if not each.field:
            yield gone_there_choice(each.ref.kind, each.ref.key)
        elif each.seen and each.ref.kind.decided_as is not None:
            about = EditChoice(
                kind=ConflictKind(each.ref.kind),
                what=each.ref.key,
                field=each.field,
                take=Side.OURS,
                seen=each.seen,
            )
            yield edit_choice(each.title, each.lines, about)
