"""What notebook 03 calls: bodies next to the documents that they become, losses and
embeds.

Names in here never move: projects keep their notebooks.
"""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.counting import first_of
from cmsmig.errors import UndecidedError, UsageError
from cmsmig.mapping.decisions.choices import BlocksDecision, EmbedsDecision
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.decision_files import required
from cmsmig.notebook.kit.parameters import takes_parameters
from cmsmig.notebook.preview.acceptance import AcceptView
from cmsmig.notebook.preview.body_editor import BodyEditor
from cmsmig.notebook.preview.body_fields import FieldChoices, LossTable, fields_html
from cmsmig.notebook.preview.body_panes import static_html
from cmsmig.notebook.preview.embed_choices import EmbedChoices, embeds_html
from cmsmig.notebook.preview.previews import Previews, open_previews
from cmsmig.ui.documents.findings import findings_doc
from cmsmig.ui.html.safe_html import doc_sheet, joined, note, sheet

__all__ = [
    "accept_bodies",
    "bodies",
    "body_fields",
    "body_preview",
    "embed_policies",
    "open_previews",
]

_NAMED = 5
"""Bodies that a refusal names."""


def bodies(previews: Previews) -> Panel:
    """Show all that bodies lose, by kind."""

    def shown() -> Markup:
        previews.scanner.finish()
        listed = findings_doc(
            previews.losses.findings(),
            "All losses",
            none="No body loses anything.",
            rest="`cmsmig plan --json` lists all",
        )
        return doc_sheet(*listed)

    return previews.workspace.panel(
        shown,
        lambda: LossTable(previews),
        text=f"{len(previews.body_index.bodies)} bodies",
        size=previews.size,
    )


def body_fields(previews: Previews) -> Panel:
    """Show how the bodies of each field are stored; before a person with choices."""
    return previews.workspace.panel(
        lambda: fields_html(previews),
        lambda: FieldChoices(previews),
        text="How bodies are stored",
    )


@takes_parameters(count="previews")
def body_preview(
    previews: Previews, item: str = "", field: str = "", count: int = 5
) -> Panel:
    """Show bodies next to their documents; before a person with a picker.

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
        indexes = body_index.worst_bodies(count) if chosen is None else (chosen,)
        if not indexes:
            return sheet(note("No item that is imported has a rich text body."))
        return joined(static_html(previews, index) for index in indexes)

    return previews.workspace.panel(
        shown,
        lambda: BodyEditor(previews, chosen),
        text="Bodies side by side",
        size=previews.size,
    )


def embed_policies(previews: Previews) -> Panel:
    """Show the embeds that were found, and the treatment of each kind and host."""

    def shown() -> Markup:
        previews.scanner.finish()
        return embeds_html(previews.body_index, previews.embeds)

    return previews.workspace.panel(
        shown,
        lambda: EmbedChoices(previews),
        text="Treatment of embeds",
        size=previews.size,
    )


@takes_parameters()
def accept_bodies(previews: Previews, reviewer: str = "") -> Panel:
    """Before a person: the button that accepts `blocks.yaml` and `embeds.yaml`.

    Unattended it shows who accepted them, and writes nothing; raises
    `UndecidedError` while no one has, or while a body's split is unreviewed.
    """
    workspace = previews.workspace
    if reviewer:
        previews.review.reviewer = reviewer
    if not workspace.interactive:
        required(workspace.project, BlocksDecision, "03")
        required(workspace.project, EmbedsDecision, "03")
        _insist_on_reviews(previews)
    return workspace.shows(AcceptView(previews))


def _insist_on_reviews(previews: Previews) -> None:
    previews.scanner.finish()
    waiting = previews.scanner.unreviewed()
    if titles := [previews.body_index.bodies[index].title for index in waiting]:
        raise UndecidedError(
            "No one has reviewed how these bodies are split into blocks: "
            f"{first_of(titles, _NAMED)}; review them in the notebook 03 by hand."
        )
