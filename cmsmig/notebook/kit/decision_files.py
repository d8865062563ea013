"""What notebooks ask of decision files: what is accepted and by whom, and who signs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cmsmig.errors import StorageError, UndecidedError, UsageError
from cmsmig.mapping.decisions.body_reviews import IN_BULK, INDIVIDUALLY
from cmsmig.mapping.decisions.decision_files import FILE_NAMES, D
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.mapping.select.pilot import WHOLE, Pilot
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import decision_in, stamp_review, write_decision
from cmsmig.steps.decide.migration import Migration, open_migration
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.ui.format import moment


def required(project: Project, kind: type[D], notebook: str) -> D:
    """Return one decision that a person has accepted. Reads only.

    Raises `UndecidedError` naming the file and the notebook to decide it in.
    """
    found = decision_in(project, kind)
    path = project.decision(FILE_NAMES[kind])
    if found is None or found.reviewed is None:
        state = "is missing" if found is None else "is not accepted yet"
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
            f"Nothing is read yet ({project.raw} is empty); read the origin in "
            "notebook 01 or with `cmsmig pull` first."
        )


def save(workspace: Workspace, decision: D, reviewer: str) -> D:
    """Write a decision right after a choice in it; return it as written.

    With a name it is accepted by that person, else by no one yet. Writes
    nothing in a dry run.
    """
    reviewed = stamp_review(reviewer, INDIVIDUALLY) if reviewer else None
    saved = replace(decision, reviewed=reviewed)
    if not workspace.dry_run:
        write_decision(workspace.project, saved)
    return saved


def describe_review(reviewed: Reviewed | None) -> str:
    """Return who accepted something, when and how, as a sentence."""
    if reviewed is None:
        return "Proposed by cmsmig, not accepted yet."
    how = f" {IN_BULK}" if reviewed.how == IN_BULK else ""
    return f"Accepted{how} by {reviewed.by}, {moment(reviewed.at)}."


def known_reviewer(workspace: Workspace) -> str:
    """Return the name that decisions of this project were signed with last.

    Empty where there is none, and unattended: there a parameter says it. Reads only.
    """
    if not workspace.interactive:
        return ""
    try:
        text = _path(workspace).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    return " ".join(text.split())


def remember_reviewer(workspace: Workspace, name: str) -> None:
    """Keep a name for the other notebooks. Writes nothing in a dry run.

    Raises `StorageError` where the project folder cannot be written.
    """
    name = " ".join(name.split())
    if workspace.dry_run or not name or name == known_reviewer(workspace):
        return
    path = _path(workspace)
    try:
        with path.open("wb") as file:
            file.write(f"{name}\n".encode())
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written ({error.strerror}); correct the rights of the "
            "folder. What you accepted is written."
        ) from error


def _path(workspace: Workspace) -> Path:
    return workspace.project.root / "reviewer.txt"


def decided_migration(workspace: Workspace, pilot: Pilot = WHOLE) -> Migration:
    """Return the migration, or a pilot of it, as it was pulled and decided. Reads only.

    Raises `UsageError` before the first pull, `UnreadError` when the pull is not
    complete and `UndecidedError` naming the decision that is missing.
    """
    project = workspace.project
    require_pull(project)
    return open_migration(project, workspace.destination_settings, pilot=pilot)
