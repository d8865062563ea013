"""The catalogue of a notebook's project, and what becomes of items as decided."""

from __future__ import annotations

import hashlib
from contextlib import suppress

from markupsafe import Markup

from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.decision_files import FILE_NAMES
from cmsmig.mapping.decisions.design import Design
from cmsmig.notebook.inspect.item_choices import current_choices
from cmsmig.notebook.kit.decision_files import pulled
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.plain_file import read_plain
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.catalogue_build import build
from cmsmig.survey.catalogue_outcomes import (
    Outcomes,
    find_outcomes,
    is_decided,
    keep_outcomes,
)
from cmsmig.survey.item_browser import ItemBrowser
from cmsmig.survey.item_relation import ItemRelation
from cmsmig.ui.html.safe_html import sheet
from cmsmig.ui.table import TableView


def open_catalogue(workspace: Workspace) -> Catalogue:
    """Return the catalogue of the pulled site. Raises `UnreadError`."""
    return Catalogue(workspace.project, workspace.local_settings.site_id)


def first_page_html(workspace: Workspace) -> Markup:
    """Return the first page without controls; makes the whole catalogue first."""
    catalogue = open_catalogue(workspace)
    for _ in build(catalogue):
        pass
    decisions = decisions_print(workspace)
    if not is_decided(catalogue, decisions):
        for _ in keep_outcomes(catalogue, outcomes_of(workspace), decisions):
            pass
    listed = TableView(workspace.list_source(ItemRelation(ItemBrowser(catalogue))))
    listed.opens = True
    return sheet(listed.html(live=False))


def decisions_print(workspace: Workspace) -> str:
    """Return a digest of the decisions that say what becomes of items."""
    digest = hashlib.sha256()
    for kind in (CollectionsDecision, Design):
        digest.update(b"\0")
        with suppress(OSError):
            digest.update(read_plain(workspace.project.decisions / FILE_NAMES[kind]))
    return digest.hexdigest()


def outcomes_of(workspace: Workspace) -> Outcomes:
    """Return what becomes of each item; reads the whole site. Reads only."""
    origin = pulled(workspace)
    choices = current_choices(workspace, origin)
    return find_outcomes(origin, choices, _design(workspace))


def _design(workspace: Workspace) -> Design | None:
    """Return the design; None for one that cannot be read, which notebook 02 tells."""
    try:
        return decision_in(workspace.project, Design)
    except DecisionsError:
        return None
