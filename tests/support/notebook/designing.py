"""Notebook 02 of a small site, opened by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.proposals import propose_collections
from cmsmig.notebook.design.designing import DesignReview, open_design
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.review.design_edits import DesignEditor, propose
from cmsmig.steps.decide.accept_proposals import accept_proposals
from cmsmig.steps.decide.decision_store import write_decision
from cmsmig.steps.decide.pulled_origin import read_origin
from tests.support.notebook.pulled_site import POSTS, Controls, pulled_workspace

STORY, SECTIONS, OPTIONS = "What one item becomes", "Sections", "Option lists"
"""The panels of live HTML, by their labels."""


def decide_collections(workspace: Workspace) -> CollectionsDecision:
    """Decide what is taken along, as notebook 01 does."""
    origin = read_origin(workspace.project, None)
    proposed = propose_collections(origin.site, origin.collections)
    decision = replace(
        proposed, reviewed=Reviewed("a tester", "2024-01-01T00:00:00+00:00", "in bulk")
    )
    write_decision(workspace.project, decision)
    return decision


async def decide_all(workspace: Workspace) -> None:
    """Accept every proposal in bulk, as the command does."""
    await accept_proposals(
        workspace.project,
        workspace.local_settings,
        reviewer="a tester",
        observer=workspace.observer,
    )


def desk_of(workspace: Workspace) -> DesignEditor:
    """Return a desk with the proposal on it."""
    decision = decide_collections(workspace)
    origin = read_origin(workspace.project, None)
    proposal = propose(origin, decision, SpaceFacts())
    return DesignEditor(origin, decision, proposal)


async def by_hand(root: Path, *, dry_run: bool = False) -> DesignReview:
    """Return the review that a person opens after notebook 01."""
    workspace = pulled_workspace(root, interactive=True, dry_run=dry_run)
    decide_collections(workspace)
    return await open_design(workspace)


def with_fields(workspace: Workspace, *added: dict) -> None:
    """Add fields to the posts as they were pulled."""
    path = workspace.project.raw / "collections" / f"{POSTS}.json"
    schema = json.loads(path.read_text())
    schema["fields"] += [{**schema["fields"][0], "id": e["slug"], **e} for e in added]
    path.write_text(json.dumps(schema))


def rows_in_error(table: Controls) -> list:
    """Return the places of a table in which a field is said to be in error."""
    found, stack = [], [table._root]
    while stack:
        one = stack.pop()
        if type(one).__name__ == "HTML" and "This field:" in one.value:
            found.append(one)
        stack.extend(reversed(getattr(one, "children", ())))
    return found
