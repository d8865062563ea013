"""Notebook 03: bodies side by side with what they become, losses and embeds."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup

from cmsmig.counting import first_of
from cmsmig.derived_file import DerivedFile
from cmsmig.errors import UndecidedError, UsageError
from cmsmig.evidence.addresses import site_address
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.body_reviews import BodyKey
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    CollectionsDecision,
    EmbedsDecision,
)
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.propose.proposals import propose_bodies, propose_embeds
from cmsmig.mapping.select.routes import OldPaths
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.decision_files import known_reviewer, require_pull, required
from cmsmig.notebook.kit.finding_table import FindingRows
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.notebook.preview.acceptance import AcceptView
from cmsmig.notebook.preview.accepted_bodies import AcceptedBodies
from cmsmig.notebook.preview.body_editor import BodyEditor
from cmsmig.notebook.preview.body_panes import static_html
from cmsmig.notebook.preview.body_pictures import BodyPictures
from cmsmig.notebook.preview.body_relation import BodyRelation
from cmsmig.notebook.preview.body_scan import BodyScanner
from cmsmig.notebook.preview.component_choices import components_html
from cmsmig.notebook.preview.embed_choices import EmbedChoices
from cmsmig.notebook.preview.field_choices import FieldChoices
from cmsmig.notebook.preview.loss_list import LOSSES, LossTable
from cmsmig.notebook.preview.preview_html import (
    bodies_html,
    embeds_html,
    fields_html,
)
from cmsmig.notebook.preview.previews import Previews
from cmsmig.notebook.preview.seen_bodies import SeenBodies
from cmsmig.origin.files import FileStore
from cmsmig.review.body_index import BodyIndex, ReceiveBody
from cmsmig.review.scanned_bodies import ScannedBodies, ScannedBody
from cmsmig.steps.decide.body_review import Review
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.steps.decide.migration import Migration, open_migration
from cmsmig.survey.thumbnails import Thumbnails
from cmsmig.ui.documents.findings import findings_doc, loss_finding
from cmsmig.ui.html.safe_html import doc_sheet, joined, note, sheet

_NAMED = 5
"""Bodies that a refusal names."""


def open_previews(workspace: Workspace, reviewer: str = "") -> Previews:
    """Return the bodies of everything that was decided to be imported. Reads only.

    Choices about blocks and embeds are the decided ones, else the proposals.
    Raises `UndecidedError` while the item sets or the design are open.
    """
    project = workspace.project
    require_pull(project)
    required(project, CollectionsDecision, "01")
    required(project, Design, "02")
    migration = open_migration(project, workspace.local_settings, reviewing=True)
    embeds = decision_in(project, EmbedsDecision) or propose_embeds()
    blocks = _complete(decision_in(project, BlocksDecision), migration.decisions.design)
    review = Review.open(
        project,
        migration.decisions.design,
        blocks,
        dry_run=workspace.dry_run,
        slugs=lambda key: _slug(migration, key),
    )
    review.reviewer = (
        reviewer or known_reviewer(workspace) or _last_reviewer(blocks, embeds)
    )
    derived = DerivedFile(project.derived)
    kept = ScannedBodies(derived, migration.rules.digest if migration.rules else "")
    body_index = BodyIndex(migration, embeds, review.facts, kept)
    rows = BodyRelation(body_index.bodies)
    losses = FindingRows(LOSSES, "losses", site_address(migration.origin.site))
    body_index.received = _row_keeper(rows, losses, body_index, migration)
    ticks = SeenBodies(project, dry_run=workspace.dry_run)
    return Previews(
        workspace,
        body_index,
        review,
        BodyScanner(body_index, rows, review, ticks),
        embeds,
        migration.origin,
        BodyPictures(
            migration.origin.files,
            Thumbnails(FileStore(project.files, project.raw), derived),
        ),
        losses,
        AcceptedBodies(body_index, derived, dry_run=workspace.dry_run),
    )


def scanned_previews(workspace: Workspace) -> Previews:
    """Return the bodies, each of them scanned."""
    previews = open_previews(workspace)
    previews.scanner.finish()
    return previews


def bodies(previews: Previews) -> Panel:
    """Show how many bodies each field has, and all that they lose, by kind."""

    def shown() -> Markup:
        previews.scanner.finish()
        listed = findings_doc(
            previews.losses.findings(),
            "All losses",
            none="No body loses anything.",
            rest="`cmsmig plan --json` lists all",
        )
        return doc_sheet(bodies_html(previews.body_index, previews.blocks), *listed)

    return previews.workspace.panel(
        shown,
        lambda: LossTable(previews).element(),
        text=f"{len(previews.body_index.bodies)} bodies",
    )


def body_fields(previews: Previews) -> Panel:
    """Show how the bodies of each field are stored; before a person with choices."""

    return previews.workspace.panel(
        lambda: sheet(fields_html(previews.body_index, previews.blocks)),
        lambda: FieldChoices(previews).element(),
        text="How bodies are stored",
    )


def body_preview(
    previews: Previews, item: str = "", field: str = "", count: int = 5
) -> Panel:
    """Show bodies next to what they become; before a person with a picker.

    `item` (an id, slug or name) and `field` name one body; raises `UsageError`
    when there is none. Else unattended the `count` that lose most are shown.
    """

    body_index = previews.body_index
    chosen = body_index.find(item, field) if item else None
    if item and chosen is None:
        raise UsageError(
            f"No body of an item {item!r} is imported; give the id, slug or name of "
            "an item that has one, or none."
        )

    def shown() -> Markup:
        previews.scanner.finish()
        indexes = _first(body_index, count) if chosen is None else (chosen,)
        if not indexes:
            return sheet(note("No item that is imported has a rich text body."))
        return joined(static_html(previews, index) for index in indexes)

    return previews.workspace.panel(
        shown,
        lambda: BodyEditor(previews, chosen).element(),
        text="Bodies side by side",
    )


def embed_policies(previews: Previews) -> Panel:
    """Show the embeds that were found, and what becomes of each kind and host."""

    def shown() -> Markup:
        previews.scanner.finish()
        return embeds_html(previews.body_index, previews.embeds) + components_html(
            previews.body_index, previews.embeds.components
        )

    return previews.workspace.panel(
        shown,
        lambda: EmbedChoices(previews).element(),
        text="What becomes of embeds",
    )


def accept_bodies(previews: Previews, reviewer: str = "") -> Panel:
    """Before a person: the button that accepts `blocks.yaml` and `embeds.yaml`.

    Unattended it says who accepted them, and writes nothing; raises
    `UndecidedError` while nobody has, or while a body's split is unreviewed.
    """

    workspace = previews.workspace
    if reviewer:
        previews.review.reviewer = reviewer
    if not workspace.interactive:
        required(workspace.project, BlocksDecision, "03")
        required(workspace.project, EmbedsDecision, "03")
        _insist_on_reviews(previews)
    return workspace.shows(AcceptView(previews))


def _row_keeper(
    rows: BodyRelation,
    losses: FindingRows,
    body_index: BodyIndex,
    migration: Migration,
) -> ReceiveBody:
    """Return what keeps the row and the losses of each body."""
    origin = migration.origin
    pages = OldPaths.of(origin.site, origin.collections)

    def keep(index: int, scanned: ScannedBody | None) -> None:
        body = body_index.bodies[index]
        lost = scanned.losses if scanned else ()
        item = body.item
        page = pages.path(item.key, item.slug or item.key.item_id) if lost else ""
        rows.note(index, scanned)
        losses.replace(
            index,
            (
                loss_finding(loss, item=body.title, page=page, field=body.design.origin)
                for loss in lost
            ),
        )

    return keep


def _insist_on_reviews(previews: Previews) -> None:
    waiting = previews.unreviewed()
    if not waiting:
        return
    bodies = previews.body_index.bodies
    names = first_of([bodies[index].title for index in waiting], _NAMED)
    raise UndecidedError(
        f"Nobody has reviewed how these bodies are split into blocks: {names}; "
        "review them in the notebook 03 by hand."
    )


def _last_reviewer(blocks: BlocksDecision, embeds: EmbedsDecision) -> str:
    """Return who decided last here, so that a reload asks nobody again."""
    said = [(body.at, body.by) for body in blocks.reviews.values() if body.by]
    files = (blocks.reviewed, embeds.reviewed)
    said += [(each.at, each.by) for each in files if each is not None]
    return max(said, key=lambda one: one[0], default=("", ""))[1]


def _slug(migration: Migration, key: BodyKey) -> str:
    item = migration.items.get(ItemKey(key.collection_id, key.item_id, key.locale_id))
    return item.slug if item else ""


def _complete(blocks: BlocksDecision | None, design: Design) -> BlocksDecision:
    """Return the decision with the bodies that it says nothing about yet."""
    proposed = propose_bodies(design)
    if blocks is None:
        return proposed
    known = {(each.collection_id, each.field) for each in blocks.bodies}
    added = tuple(
        each
        for each in proposed.bodies
        if (each.collection_id, each.field) not in known
    )
    return replace(blocks, bodies=blocks.bodies + added)


def _first(body_index: BodyIndex, count: int) -> tuple[int, ...]:
    some = range(min(max(count, 0), len(body_index.bodies)))
    return body_index.worst_bodies(count) or tuple(some)
