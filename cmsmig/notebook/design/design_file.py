"""`decisions/design.yaml` while its design is edited: each edit is in it at once, and
can be undone after a restart."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from cmsmig.canonical import fingerprint
from cmsmig.derived_file import DerivedFile
from cmsmig.errors import DecisionsError, StorageError, UsageError
from cmsmig.mapping.decisions.body_reviews import IN_BULK, INDIVIDUALLY
from cmsmig.mapping.decisions.decision_files import FILE_NAMES, to_text
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Design,
    FieldDesign,
    Reviewed,
)
from cmsmig.notebook.kit.decision_files import describe_review, remember_reviewer
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.kit.project_news import DECISIONS
from cmsmig.origin.files import FileStore
from cmsmig.review.design_edits import DesignEditor
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import (
    decision_in,
    decision_text,
    replace_decision,
    replace_text,
    stamp_review,
    writing,
)
from cmsmig.survey.thumbnails import Thumbnails

_MOST = 50
"""Edits that are kept."""
_LARGEST = 2_000_000
"""Characters of designs that are kept; the oldest go first."""


class UndoFile:
    """The designs before each edit, with a hash of the file that the last one made.

    What was written differently, by hand or by another command, has another hash: then
    nothing that is kept here is taken back. No decision and no plan depends on it.
    """

    def __init__(self, project: Project) -> None:
        self._path = project.root / "design_undo.json"
        self._texts: list[tuple[Design, str]] = []

    def read(self, text: str | None) -> tuple[str, ...]:
        """Return the designs that led to a file's text, oldest first; none where the
        file is another one, and where what is kept is damaged."""
        try:
            document = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return ()
        if text is None or not isinstance(document, dict):
            return ()
        past = document.get("past")
        if document.get("design") != fingerprint(text) or not isinstance(past, list):
            return ()
        return tuple(past) if all(isinstance(each, str) for each in past) else ()

    def keep(
        self, design: Design, text: str, older: Sequence[str], past: Sequence[Design]
    ) -> None:
        """Write the designs that led to one and its text: those read before, and those
        of this kernel. Where the disk refuses it, edits are kept in the kernel alone.
        """
        # YAML takes its time: each design is written out once.
        known = {id(each): said for each, said in self._texts}
        led = [(each, known.get(id(each)) or to_text(each)) for each in past]
        self._texts = [*led, (design, text)]
        kept = _bounded([*older, *(said for _, said in led)])
        document = json.dumps({"design": fingerprint(text), "past": kept}, indent=0)
        with suppress(StorageError):
            replace_text(self._path, f"{document}\n")


def _bounded(texts: Sequence[str]) -> list[str]:
    """Return the latest texts, as many as are kept."""
    kept: list[str] = []
    left = _LARGEST
    for each in reversed(texts[-_MOST:]):
        left -= len(each)
        if left < 0:
            break
        kept.append(each)
    return kept[::-1]


_NAME = FILE_NAMES[Design]


class DesignFile:
    """Writes the design that is edited, and says whether it is accepted; it knows which
    content type is looked at."""

    def __init__(self, workspace: Workspace, editor: DesignEditor) -> None:
        self._workspace = workspace
        self.editor = editor
        self.place = 0
        """Of the content type that is looked at."""
        project = workspace.project
        self._thumbnails = Thumbnails(
            FileStore(project.files, project.raw), DerivedFile(project.derived)
        )
        self._path = project.decision(_NAME)
        self._text = decision_text(self._path)
        self._kept = editor.design
        self._accepted: Reviewed | None = editor.design.reviewed
        self._followers: list[Callable[[], None]] = []
        self._undo = UndoFile(project)
        if workspace.interactive:
            editor.older = [*self._undo.read(self._text)]
            kind = f"{DECISIONS}/{_NAME}"
            workspace.news.follow("design-file", self._follow_file, kind)

    def picture(self, address: str) -> str:
        """Return a small picture of a file of the origin, as an address that holds it;
        empty where there is none."""
        row = self.editor.origin.files.get(address)
        return self._thumbnails.draw(row.sha256) if row and not row.error else ""

    def follow(self, show: Callable[[], None]) -> None:
        """Call `show` whenever the design was written, or accepted."""
        self._followers.append(show)

    def _follow_file(self) -> None:
        """Show what another program wrote; what is damaged is said at the next edit."""
        with suppress(DecisionsError):
            if self._take_over():
                self._tell()

    def _take_over(self) -> bool:
        """Go on with the file where it was changed elsewhere; return whether it was.

        Raises `DecisionsError` for a file that is damaged.
        """
        text = decision_text(self._path)
        if text == self._text:
            return False
        found = decision_in(self._workspace.project, Design) or self.editor.proposal
        self.editor.take_over(found, self._undo.read(text))
        self.place = min(self.place, len(self.editor.content_types) - 1)
        self._text, self._kept = text, self.editor.design
        self._accepted = self._kept.reviewed
        return True

    @property
    def content_type(self) -> ContentTypeDesign:
        """Return the content type that is looked at."""
        return self.editor.content_types[self.place]

    def put(self, content_type: ContentTypeDesign) -> None:
        """Take over the content type that is looked at as it was edited; written at
        once, as `keep` does."""
        self.editor.change(self.place, content_type)
        self.keep()

    def field(self, row: str) -> FieldDesign:
        """Return one field of that content type."""
        return self.content_type.fields[int(row)]

    def put_field(self, row: str, field: FieldDesign) -> None:
        """Take over one field of that content type, likewise."""
        self.editor.change_field(self.place, int(row), field)
        self.keep()

    def keep(self) -> None:
        """Write the design where it was edited; an acceptance ends with an edit.

        Writes nothing in a dry run. Raises `DecisionsError` where another program or
        person changed the file, and `StorageError` where it cannot be written.
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
        how = INDIVIDUALLY if self.editor.undoable else IN_BULK
        reviewed = stamp_review(reviewer.strip(), how)
        signed = replace(self.editor.design, reviewed=reviewed)
        self._write(signed)
        self.editor.design, self._accepted = signed, reviewed
        self._tell()
        remember_reviewer(self._workspace, reviewed.by)
        return f"Written to decisions/{_NAME}."

    @property
    def is_accepted(self) -> bool:
        """Return whether the design is accepted as it is."""
        design = self.editor.design
        return design.reviewed is not None and design == self._kept

    @property
    def state(self) -> tuple[str, Literal["good", "warning", "bad", ""]]:
        """Return whether the design is accepted, as a sentence and how good that is."""
        if self.editor.design != self._kept and not self._workspace.dry_run:
            said = f"Your last edit is not in {_NAME}"
            return f"{said}; the next edit writes it, too.", "bad"
        if self.editor.design.reviewed is not None:
            return describe_review(self.editor.design.reviewed), "good"
        if self.editor.design != self._kept:
            return "Dry run: edits are checked and shown, and not written.", "warning"
        if self._accepted is not None:
            said = f"Edited since {self._accepted.by} accepted it"
            return f"{said}: it has to be accepted again.", "warning"
        if self._text is not None:
            return f"Each edit is in {_NAME}; not accepted yet.", ""
        return describe_review(None), ""

    def state_of(self, place: int) -> str:
        """Return whether a content type is as it was proposed, edited or accepted."""
        if self.editor.design.reviewed is not None:
            return "accepted"
        signed = (each for each in reversed(self.editor.past) if each.reviewed)
        basis = next(signed, None)
        before = (basis or self.editor.proposal).content_types
        if self.editor.content_types[place] not in before:
            return "edited"
        return "accepted" if basis else "proposed"

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
        if self._take_over():
            raise DecisionsError(
                f"{self._path} was changed elsewhere, so nothing was written. It is "
                "shown as it is now: repeat what you did last."
            )

    def _tell(self) -> None:
        for show in self._followers:
            show()
