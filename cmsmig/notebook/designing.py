"""Notebook 02: the design as it is proposed, looked at, edited and accepted.

Names in here never move: projects keep their notebooks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cmsmig.counting import and_more
from cmsmig.derived_file import DerivedFile
from cmsmig.errors import DecisionsError, UndecidedError
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.decision_files import FILE_NAMES
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.propose.additions import with_missing_designs
from cmsmig.notebook.design.design_doc import design_doc
from cmsmig.notebook.design.design_file import DesignFile
from cmsmig.notebook.design.design_table import (
    DesignAcceptance,
    DesignTable,
)
from cmsmig.notebook.kit.cell import Panel, facts_bundle
from cmsmig.notebook.kit.decision_files import (
    describe_review,
    known_reviewer,
    pulled,
    required,
)
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.kit.parameters import takes_parameters
from cmsmig.review.design_edits import DesignEditor, propose
from cmsmig.steps.decide.accept_proposals import space_facts
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.ui.html.safe_html import Cell, doc_sheet, note, sheet

__all__ = ["accept_design", "design_table", "open_design"]


@dataclass(frozen=True, slots=True)
class DesignReview:
    """A design under review; every panel of the notebook works on the same one."""

    workspace: Workspace
    editor: DesignEditor
    file: DesignFile

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, object]:
        design = self.editor.design
        rows: list[tuple[str, Cell]] = [
            ("Design", describe_review(design.reviewed)),
            ("Content types", str(len(design.content_types))),
            ("Fields", str(sum(len(each.fields) for each in design.content_types))),
            ("Blocks", ", ".join(each.component for each in design.blocks)),
            ("To correct", str(len(self.editor.problems()))),
        ]
        return facts_bundle(rows)


async def open_design(workspace: Workspace) -> DesignReview:
    """Return the design to review; before a person, proposed where none is decided.

    Raises `UsageError` before the first pull. Unattended, the design must be
    accepted and complete: raises `UndecidedError` naming what is missing and
    `DecisionsError` for what cannot work. Reads only; asks the destination for
    its components before a person alone.
    """
    origin = pulled(workspace)
    derived = DerivedFile(workspace.project.derived)
    if not workspace.interactive:
        design = required(workspace.project, Design, "02")
        decision = required(workspace.project, CollectionsDecision, "01")
        editor = DesignEditor(origin, decision, design, derived=derived)
        _insist(editor)
        return DesignReview(workspace, editor, DesignFile(workspace, editor))
    decision = required(workspace.project, CollectionsDecision, "01")
    space = await space_facts(workspace.local_settings, workspace.observer)
    proposal = propose(origin, decision, space)
    known = decision_in(workspace.project, Design)
    design = proposal
    if known is not None:
        design, added = with_missing_designs(known, proposal, origin.collections, space)
        # The person who accepted it has not seen what was added.
        design = replace(design, reviewed=None) if added else design
    editor = DesignEditor(origin, decision, design, space, derived)
    return DesignReview(workspace, editor, DesignFile(workspace, editor))


def design_table(review: DesignReview, reviewer: str = "") -> Panel:
    """Show the design, a table per content type; before a person it can be edited, and
    accepted by `reviewer`.

    Each edit is written to `decisions/design.yaml` before the next, and ends an
    acceptance.
    """
    editor, by = review.editor, reviewer or known_reviewer(review.workspace)
    return review.workspace.panel(
        lambda: doc_sheet(*design_doc(editor)),
        (lambda: DesignTable(review.file, by)) if editor.content_types else None,
        text=f"{len(editor.content_types)} content types",
    )


@takes_parameters()
def accept_design(review: DesignReview, reviewer: str = "") -> Panel:
    """Before a person: the button that signs `decisions/design.yaml`, which
    `design_table` has too.

    Unattended it says who accepted the design, and writes nothing.
    """
    design = review.editor.design
    return review.workspace.panel(
        sheet(note(describe_review(design.reviewed), "good")),
        lambda: DesignAcceptance(
            review.file, reviewer or known_reviewer(review.workspace)
        ),
        text=describe_review(design.reviewed),
    )


def _insist(editor: DesignEditor) -> None:
    open_points = editor.undecided()
    more = and_more(len(open_points), 1, " (", " like this.)")
    if open_points:
        raise UndecidedError(
            f"{open_points[0]}{more} Decide in the notebook 02, in "
            f"{FILE_NAMES[Design]}, or run `cmsmig decide --accept-proposals "
            "--reviewer NAME`, which adds what is missing."
        )
    if wrong := editor.problems():
        raise DecisionsError(f"{FILE_NAMES[Design]}: {wrong[0]}")
