"""Decision files of another time or place: a revision of git, or a folder."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from cmsmig.errors import DecisionsError, UsageError
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    CollectionsDecision,
    EmbedsDecision,
)
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.mapping.decisions.decision_differences import DecisionState
from cmsmig.mapping.decisions.decision_files import FILE_NAMES, D, from_text
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.decisions.redirects import RedirectsDecision
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import decision_text

_Reader: TypeAlias = Callable[[str], str | None]
"""Gives the text of a decision file by its name, or None where there is none."""


def state_at(project: Project, named: str) -> DecisionState:
    """Return the decisions in a folder or at a git revision of the project's own.

    A folder is a project's, or one of decision files. Reads only. Raises
    `UsageError` for what is neither and `DecisionsError` for a malformed file.
    """
    folder = Path(named)
    if folder.is_dir():
        inner = folder / "decisions"
        folder = inner if inner.is_dir() else folder
        return _state(named, lambda name: decision_text(folder / name))
    return _state(named, _revision(project, named))


def state_now(project: Project) -> DecisionState:
    """Return the decisions as they are in the project folder."""
    return _state("", lambda name: decision_text(project.decision(name)))


def _state(where: str, read: _Reader) -> DecisionState:
    def decided(kind: type[D]) -> D | None:
        name = FILE_NAMES[kind]
        text = read(name)
        called = f"{name} of {where}" if where else name
        return None if text is None else from_text(text, called, kind)

    return DecisionState(
        decided(CollectionsDecision),
        decided(Design),
        decided(BlocksDecision),
        decided(EmbedsDecision),
        decided(ConflictsDecision),
        decided(RedirectsDecision),
    )


def _revision(project: Project, named: str) -> _Reader:
    commit = _git(
        project, "rev-parse", "--verify", "--quiet", "--end-of-options",
        f"{named}^{{commit}}",
    )  # fmt: skip
    if commit is None:
        raise UsageError(
            f"{named} is neither a folder nor a revision of the git repository that "
            f"{project.root} is in."
        )
    at = commit.decode("ascii", "replace").strip()

    def read(name: str) -> str | None:
        path = project.decision(name).relative_to(project.root)
        found = _git(project, "show", f"{at}:./{path.as_posix()}")
        try:
            return None if found is None else found.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DecisionsError(f"{name} of {named} is not UTF-8 text.") from error

    return read


def _git(project: Project, *arguments: str) -> bytes | None:
    """Return what git says about the project's repository; None when it refuses."""
    try:
        ended = subprocess.run(
            ["git", "-C", str(project.root), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise UsageError(
            "git is not there to be asked; install it, or compare two folders."
        ) from error
    return ended.stdout if ended.returncode == 0 else None
