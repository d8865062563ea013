"""`decisions/design.yaml` while its design is edited: each edit is in it at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from cmsmig.errors import DecisionsError, UsageError
from cmsmig.mapping.decisions.body_reviews import INDIVIDUALLY
from cmsmig.mapping.decisions.decision_files import FILE_NAMES
from cmsmig.mapping.decisions.design import ContentTypeDesign, Design, Reviewed
from cmsmig.notebook.design.undo_file import UndoFile
from cmsmig.notebook.kit.decision_files import describe_review
from cmsmig.notebook.kit.reviewer import remember_reviewer
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.review.design_edits import DesignEditor
from cmsmig.steps.decide.decision_store import (
    decision_text,
    replace_decision,
    stamp_review,
    writing,
)

_NAME = FILE_NAMES[Design]


class DesignFile:
    """Writes the design that is edited, and says whether it is accepted; it knows which
    content type is looked at."""

    def __init__(self, workspace: Workspace, editor: DesignEditor) -> None:
        self._workspace = workspace
        self.editor = editor
        self.place = 0
        """Of the content type that is looked at."""
        self._path = workspace.project.decision(_NAME)
        self._text = decision_text(self._path)
        self._kept = editor.design
        self._accepted: Reviewed | None = editor.design.reviewed
        self._followers: list[Callable[[], None]] = []
        self._undo = UndoFile(workspace.project)
        if workspace.interactive:
            editor.remember(self._undo.read(self._text))

    def follow(self, show: Callable[[], None]) -> None:
        """Call `show` whenever the design was written, or accepted."""
        self._followers.append(show)

    @property
    def content_type(self) -> ContentTypeDesign:
        """Return the content type that is looked at."""
        return self.editor.content_types[self.place]

    def put(self, content_type: ContentTypeDesign) -> None:
        """Take over the content type that is looked at as it was edited; written at
        once, as `keep` does."""
        self.editor.change(self.place, content_type)
        self.keep()

    def keep(self) -> None:
        """Write the design where it was edited; an acceptance ends with an edit.

        Writes nothing in a dry run. Raises `DecisionsError` where somebody else
        changed the file, and `StorageError` where it cannot be written.
        """
        try:
            if self.editor.design != self._kept:
                self._write(self.editor.design)
        finally:
            self._tell()

    def accept(self, reviewer: str) -> str:
        """Write the design as accepted by `reviewer`; return what was done.

        Writes nothing in a dry run. Raises `UsageError` without a name, and
        `DecisionsError` for a design with problems.
        """
        if problems := self.editor.problems():
            raise DecisionsError(f"Correct this first: {problems[0]}")
        if not reviewer.strip():
            raise UsageError("Decisions name who took them; enter your name first.")
        if self._workspace.dry_run:
            return f"Dry run: {_NAME} would be written now; nothing was."
        reviewed = stamp_review(reviewer.strip(), INDIVIDUALLY)
        signed = replace(self.editor.design, reviewed=reviewed)
        self._write(signed)
        self.editor.design, self._accepted = signed, reviewed
        self._tell()
        remember_reviewer(self._workspace, reviewed.by)
        return f"{_NAME} written to {self._path.parent}, accepted by {reviewed.by}."

    @property
    def state(self) -> tuple[str, Literal["good", "warning", "bad", ""]]:
        """Return whether the design is accepted, as a sentence and how good that is."""
        if self.editor.design != self._kept and not self._workspace.dry_run:
            told = f"Your last edit is not in {_NAME}"
            return f"{told}: run the cells of this notebook again.", "bad"
        if self.editor.design.reviewed is not None:
            return describe_review(self.editor.design.reviewed), "good"
        if self.editor.design != self._kept:
            return "Dry run: edits are checked and shown, and not written.", "warning"
        if self._accepted is not None:
            told = f"Edited since {self._accepted.by} accepted it"
            return f"{told}: it has to be accepted again.", "warning"
        if self._text is not None:
            return f"Each edit is in {_NAME}; nobody has accepted it yet.", ""
        return describe_review(None), ""

    def _write(self, design: Design) -> None:
        if self._workspace.dry_run:
            return
        with writing(self._workspace.project):
            self._require_unchanged()
            replace_decision(self._workspace.project, design)
            self._text = decision_text(self._path)
            if self._text is not None:
                editor = self.editor
                self._undo.keep(design, self._text, editor.older, editor.past)
        self._kept = design

    def _require_unchanged(self) -> None:
        if decision_text(self._path) != self._text:
            raise DecisionsError(
                f"{self._path} was changed by somebody else, so nothing was written: "
                "run the cells of this notebook again, and repeat your last edit."
            )

    def _tell(self) -> None:
        for show in self._followers:
            show()
