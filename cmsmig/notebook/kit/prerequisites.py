"""What a step of the import needs of the notebooks before it."""

from __future__ import annotations

from cmsmig.counting import counted
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.select.pilot import WHOLE, Pilot
from cmsmig.notebook.kit.decision_files import require_pull
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.steps.decide.migration import Migration, open_migration
from cmsmig.steps.plan.plan import Plan

_MADE_BY_PREPARE = {
    "create_components": "component",
    "create_datasources": "datasource",
    "create_folders": "folder",
}


def decided_migration(workspace: Workspace, pilot: Pilot = WHOLE) -> Migration:
    """Return the migration, or a pilot of it, as it was pulled and decided. Reads only.

    Raises `UsageError` before the first pull, `UnreadError` when the pull is not
    complete and `UndecidedError` naming the decision that is missing.
    """
    project = workspace.project
    require_pull(project)
    return open_migration(project, workspace.destination_settings, pilot=pilot)


def missing_before(workspace: Workspace, step: str, plan: Plan) -> str:
    """Return what has to be done before a step, in one sentence; or empty."""
    if step == "create":
        return _missing_before_create(workspace, plan)
    if step == "link":
        return _missing_before_link(workspace)
    return _missing_before_publish(workspace) if step == "publish" else ""


def nothing_imported(workspace: Workspace) -> str:
    """Return that nothing was imported yet, in one sentence; or empty."""
    ledger = workspace.project.ledger
    if ledger.is_file():
        with Ledger.open_existing(ledger) as opened:
            if opened.items.accounting().items:
                return ""
    return (
        "Nothing was imported yet, so there is nothing to read back; run the notebooks "
        "04, 05 and 06 first."
    )


def _missing_before_create(workspace: Workspace, plan: Plan) -> str:
    if not plan.calls.get("create_stories"):
        return ""
    with Ledger.open_existing(workspace.project.ledger) as ledger:
        if ledger.was_run(plan.plan_hash, "prepare", "import"):
            # What is left was refused, and fails only the stories that need it.
            return ""
        assets = ledger.inventory.assets().values()
    wanted = [
        counted(count, what)
        for name, what in _MADE_BY_PREPARE.items()
        if (count := plan.calls.get(name, 0))
    ]
    failed = sum(row.status == "failed" and not row.is_gone for row in assets)
    untried = plan.calls.get("sign_uploads", 0) - failed
    if untried > 0:
        wanted.append(counted(untried, "file"))
    if not wanted:
        return ""
    return (
        f"The destination is not prepared: {', '.join(wanted)} still to be made; run "
        "the notebook 04 first."
    )


def _missing_before_link(workspace: Workspace) -> str:
    with Ledger.open_existing(workspace.project.ledger) as ledger:
        accounting = ledger.items.accounting()
    if not accounting.items:
        return "No story was created yet; run the notebook 05 first."
    if accounting.open:
        return (
            f"Phase one is not over: {counted(accounting.open, 'item')} still without "
            "a story; run the notebook 05 first."
        )
    return ""


def _missing_before_publish(workspace: Workspace) -> str:
    with Ledger.open_existing(workspace.project.ledger) as ledger:
        rows = ledger.items.all().values()
    unlinked = sum(row.link_state == "open" and row.status == "created" for row in rows)
    if not unlinked:
        return ""
    return (
        f"Phase two is not over ({unlinked:,} left); link the stories before any is "
        "published."
    )
