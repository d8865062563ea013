"""The catalogue of a notebook's project, and what becomes of items as decided."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import partial

from markupsafe import Markup

from cmsmig.errors import DecisionsError, UsageError
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.decision_files import FILE_NAMES
from cmsmig.mapping.decisions.design import Design
from cmsmig.notebook.inspect.item_choices import current_choices
from cmsmig.notebook.kit.decision_files import pulled
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.plain_file import read_plain
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.catalogue_outcomes import Outcomes, find_outcomes
from cmsmig.survey.item_browser import ItemBrowser
from cmsmig.survey.item_relation import ItemRelation
from cmsmig.survey.site_scan import SiteScan
from cmsmig.ui.html.safe_html import sheet
from cmsmig.ui.query import EVERYTHING, Query
from cmsmig.ui.table import TableView


def site_scan(workspace: Workspace) -> SiteScan:
    """Return the scan of the pulled site, one for all panels. Raises `UnreadError`."""
    catalogue = Catalogue(workspace.project, workspace.local_settings.site_id)
    known = workspace.item_lists.scan
    if known is None or known.catalogue.editions != catalogue.editions:
        known = SiteScan(
            catalogue,
            partial(_decisions_print, workspace),
            partial(_outcomes_of, workspace),
        )
        workspace.item_lists.scan = known
    return known


def items_of(
    workspace: Workspace, collection: str
) -> tuple[ItemRelation, Query, list[str]]:
    """Return the items as a list, with the query and the columns of those of a
    collection, by its slug; raises `UsageError` for one that there is not."""
    scan = site_scan(workspace)
    scan.finish(bodies=False)
    relation = ItemRelation(ItemBrowser(scan.catalogue))
    if not collection:
        return relation, EVERYTHING, []
    found = [e for e in scan.catalogue.collections.values() if e.slug == collection]
    if not found:
        raise UsageError(f"The site has no collection with the slug {collection!r}.")
    columns = [f"field:{each.slug}" for each in found[0].fields]
    return relation, EVERYTHING.having("collection", found[0].collection_id), columns


def first_page_html(workspace: Workspace) -> Markup:
    """Return the first page without controls; makes the whole catalogue first."""
    scan = site_scan(workspace)
    scan.finish(bodies=False)
    relation = ItemRelation(ItemBrowser(scan.catalogue))
    listed = TableView(workspace.list_source(relation))
    listed.opens = True
    return sheet(listed.html(live=False))


def _decisions_print(workspace: Workspace) -> str:
    """Return a digest of the decisions that say what becomes of items."""
    digest = hashlib.sha256()
    for kind in (CollectionsDecision, Design):
        digest.update(b"\0")
        with suppress(OSError):
            digest.update(read_plain(workspace.project.decisions / FILE_NAMES[kind]))
    return digest.hexdigest()


def _outcomes_of(workspace: Workspace) -> Outcomes:
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
