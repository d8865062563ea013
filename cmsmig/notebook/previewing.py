"""Notebook 03: bodies side by side with what they become, losses and embeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.mapping.choices import BlocksDecision, CollectionsDecision, EmbedsDecision
from cmsmig.mapping.decisions import Decision
from cmsmig.mapping.design import Design
from cmsmig.mapping.proposals import propose_bodies, propose_embeds
from cmsmig.mapping.review import check_against
from cmsmig.notebook.decided import accept, decided, insist_on_pull, required, told
from cmsmig.notebook.panel import Panel
from cmsmig.notebook.previewhtml import bodies_html, body_html, embeds_html
from cmsmig.notebook.workspace import Workspace
from cmsmig.origin.schema import Collection
from cmsmig.report.bodies import BodyShelf
from cmsmig.report.safehtml import (
    Cell,
    facts,
    note,
    sheet,
)
from cmsmig.richtext.policy import Treatment
from cmsmig.steps.migration import open_migration


@dataclass(slots=True)
class Previews:
    """The bodies, and the choices about them while a person works on them."""

    workspace: Workspace
    shelf: BodyShelf
    blocks: BlocksDecision
    embeds: EmbedsDecision
    collections: tuple[Collection, ...]
    watchers: list[Callable[[], None]] = field(default_factory=list)
    """Called after the embed choices changed."""

    def treat_kind(self, kind: str, treatment: Treatment) -> None:
        """Choose what becomes of a kind of embeds."""
        kinds = {**self.embeds.kinds, kind: treatment}
        self._choose(replace(self.embeds, kinds=kinds))

    def treat_signature(self, host: str, treatment: Treatment | None) -> None:
        """Choose what becomes of a host's embeds; None: as their kind."""
        signatures = {**self.embeds.signatures}
        signatures.pop(host, None)
        if treatment is not None:
            signatures[host] = treatment
        self._choose(replace(self.embeds, signatures=signatures))

    def decisions(self) -> tuple[Decision, ...]:
        """Return both decisions. Raises `DecisionsError` when one cannot work."""
        for each in (self.blocks, self.embeds):
            check_against(each, self.collections)
        return (self.blocks, self.embeds)

    def _choose(self, embeds: EmbedsDecision) -> None:
        self.embeds = embeds
        self.shelf.choose(embeds)
        for watcher in self.watchers:
            watcher()

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, object]:
        rows: list[tuple[str, Cell]] = [
            ("Bodies", str(len(self.shelf.bodies))),
            ("Blocks", told(self.blocks.reviewed)),
            ("Embeds", told(self.embeds.reviewed)),
        ]
        return {
            "text/html": str(sheet(facts(rows))),
            "text/plain": "\n".join(f"{name}: {value}" for name, value in rows),
        }


def open_previews(workspace: Workspace) -> Previews:
    """Return the bodies of everything that was decided to be imported. Reads only.

    Choices about blocks and embeds are the decided ones, else the proposals.
    Raises `UndecidedError` while the item sets or the design are open.
    """
    project = workspace.project
    insist_on_pull(project)
    required(project, CollectionsDecision, "01")
    required(project, Design, "02")
    migration = open_migration(project, workspace.local_settings)
    embeds = decided(project, EmbedsDecision) or propose_embeds()
    return Previews(
        workspace,
        BodyShelf(migration, embeds),
        _completed(decided(project, BlocksDecision), migration.design),
        embeds,
        migration.origin.collections,
    )


def bodies(previews: Previews) -> Panel:
    """Show how many bodies each field has, and all that they lose, by kind."""
    from cmsmig.notebook.previewboard import bodies_board

    return previews.workspace.panel(
        lambda: bodies_html(previews.shelf, previews.blocks),
        lambda: bodies_board(previews),
        text=f"{len(previews.shelf.bodies)} bodies",
    )


def body_preview(
    previews: Previews, item: str = "", field: str = "", count: int = 5
) -> Panel:
    """Show bodies beside what they become; before a person with a picker.

    `item` (an id, slug or name) and `field` name one body; raises `UsageError`
    when there is none. Else unattended the `count` that lose most are shown.
    """
    from cmsmig.notebook.previewboard import preview_board

    shelf = previews.shelf
    chosen = shelf.find(item, field) if item else None
    if item and chosen is None:
        raise UsageError(
            f"No body of an item {item!r} is imported; give the id, slug or name of "
            "an item that has one, or none."
        )

    def shown() -> Markup:
        indexes = _first(shelf, count) if chosen is None else (chosen,)
        if not indexes:
            return sheet(note("No item that is imported has a rich text body."))
        return Markup("").join(body_html(shelf, index, kept=True) for index in indexes)

    return previews.workspace.panel(
        shown, lambda: preview_board(previews, chosen), text="Bodies side by side"
    )


def embed_policies(previews: Previews) -> Panel:
    """Show the embeds that were found, and what becomes of each kind and host."""
    from cmsmig.notebook.previewboard import embed_board

    return previews.workspace.panel(
        lambda: embeds_html(previews.shelf, previews.embeds),
        lambda: embed_board(previews),
        text="What becomes of embeds",
    )


def accept_bodies(previews: Previews, reviewer: str = "") -> Panel:
    """Before a person: the button that writes `blocks.yaml` and `embeds.yaml`.

    Unattended it says who accepted them, and writes nothing; raises
    `UndecidedError` while nobody has.
    """
    from cmsmig.notebook.previewboard import accept_board

    workspace = previews.workspace
    if not workspace.interactive:
        required(workspace.project, BlocksDecision, "03")
        required(workspace.project, EmbedsDecision, "03")
    blocks, embeds = told(previews.blocks.reviewed), told(previews.embeds.reviewed)
    state = f"Blocks: {blocks} Embeds: {embeds}"
    return workspace.panel(
        sheet(note(state, "good")),
        lambda: accept_board(
            state,
            reviewer,
            lambda name: accept(workspace, previews.decisions(), name),
        ),
        text=state,
    )


def _completed(blocks: BlocksDecision | None, design: Design) -> BlocksDecision:
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


def _first(shelf: BodyShelf, count: int) -> tuple[int, ...]:
    return shelf.tellingly(count) or shelf.select()[: max(count, 0)]
