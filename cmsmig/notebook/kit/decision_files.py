"""Single decision files, for the notebooks that make them one after another."""

from __future__ import annotations

from dataclasses import replace

from cmsmig.errors import UndecidedError, UsageError
from cmsmig.mapping.decisions.body_reviews import INDIVIDUALLY
from cmsmig.mapping.decisions.decision_files import FILE_NAMES, D
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import decision_in, stamp_review, write_decision
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.ui.format import moment


def required(project: Project, kind: type[D], notebook: str) -> D:
    """Return one decision that a person has accepted. Reads only.

    Raises `UndecidedError` naming the file and the notebook to decide it in.
    """
    found = decision_in(project, kind)
    path = project.decision(FILE_NAMES[kind])
    if found is None or found.reviewed is None:
        state = "is missing" if found is None else "is accepted by nobody yet"
        raise UndecidedError(
            f"{path} {state}; decide it in the notebook {notebook} by hand, or run "
            "`cmsmig decide --accept-proposals --reviewer NAME`."
        )
    return found


def pulled(workspace: Workspace) -> Origin:
    """Return the pulled site. Reads only.

    Raises `UsageError` before the first pull and `CacheError` when the raw cache
    is incomplete or damaged.
    """
    require_pull(workspace.project)
    return read_origin(workspace.project, workspace.local_settings.site_id)


def require_pull(project: Project) -> None:
    """Raise `UsageError` when nothing was ever pulled. Reads only."""
    if not any(project.raw.glob("*.json")):
        raise UsageError(
            f"Nothing was pulled into {project.raw} yet; run the notebook 01 or "
            "`cmsmig pull` first."
        )


def save(workspace: Workspace, decision: D, reviewer: str) -> D:
    """Write a decision right after a choice in it; return it as written.

    With a name it is accepted by that person, else by nobody yet. Writes nothing
    in a dry run.
    """
    reviewed = stamp_review(reviewer, INDIVIDUALLY) if reviewer else None
    saved = replace(decision, reviewed=reviewed)
    if not workspace.dry_run:
        write_decision(workspace.project, saved)
    return saved


def describe_review(reviewed: Reviewed | None) -> str:
    """Return who accepted something, when and how, as a sentence."""
    if reviewed is None:
        return "Proposed by the kit; nobody has accepted it yet."
    return f"Accepted {reviewed.how} by {reviewed.by}, {moment(reviewed.at)}."
