"""Notebook 04: the plan for a client, and the page that can be sent."""

from __future__ import annotations

from datetime import UTC, datetime

from markupsafe import Markup

from cmsmig.evidence.client_plan import PAGE, client_plan, write_client_plan
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.notebook.transfer.shown_plan import ShownPlan
from cmsmig.ui.doc import Note
from cmsmig.ui.doc_html import doc_sheet


def client_plan_panel(workspace: Workspace, shown: ShownPlan) -> Panel:
    """Return what a client wants to know of the plan that is shown.

    Unattended it is written as a page that can be sent, unless in a dry run.
    """

    def html() -> Markup:
        return doc_sheet(*client_plan(shown.plan, shown.details))

    def static() -> Markup:
        return html() + doc_sheet(Note(_save(workspace, shown)))

    def controls() -> widgets.Element:
        board, plan = widgets.Board(), widgets.Html(html())
        shown.watchers["client-plan"] = lambda: plan.show(html())

        def save() -> None:
            board.say(_save(workspace, shown), "good")

        button = board.button("client-plan-save", "Save the plan for a client", save)
        return widgets.column(plan, button, board.messages)

    return workspace.panel(static, controls, text="The plan for a client")


def _save(workspace: Workspace, shown: ShownPlan) -> str:
    """Write the page; return what to say of it."""
    folder = workspace.project.state_folder / "reports"
    if workspace.dry_run:
        return f"This is a dry run: {folder / PAGE} is not written."
    at = datetime.now(UTC).isoformat(timespec="seconds")
    path = write_client_plan(folder, shown.plan, shown.details, at)
    return f"The plan for a client is written to {path}; the page can be sent as it is."
