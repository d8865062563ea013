"""Notebook 03: bodies side by side with what they become, losses and embeds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
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
from cmsmig.notebook.workspace import Workspace
from cmsmig.origin.schema import Collection
from cmsmig.report.bodies import BodyShelf, treatment_of
from cmsmig.report.marking import destination_html, marked_html
from cmsmig.report.safehtml import (
    Cell,
    escape,
    facts,
    heading,
    note,
    paragraph,
    preview,
    sanitised,
    sheet,
    source,
    table,
)
from cmsmig.richtext.losses import Loss
from cmsmig.richtext.policy import Treatment
from cmsmig.steps.migration import open_migration

_WHAT = 240
"""Characters of a lost thing that a table shows; the ledger keeps all of it."""
_UNBROKEN = 26
"""Characters of a cell that stay on one line."""
_DOCUMENT = 60_000
"""Characters of a document that are shown."""
_SCROLLED = Markup('<div style="max-height:340px;overflow:auto">{}</div>')
_UNFRAMED = Markup(
    "<style>.cmsmig-unframed{{display:none}}</style>{}"
    '<div class="cmsmig-unframed" style="max-height:340px;overflow:auto">{}</div>'
)
_SIDE_BY_SIDE = Markup(
    '<div style="display:grid;gap:8px;'
    'grid-template-columns:repeat(3,minmax(0,1fr))">{}{}{}</div>'
)


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
            ("Bodies", len(self.shelf.bodies)),
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
    required(project, CollectionsDecision, "01")
    required(project, Design, "02")
    insist_on_pull(project)
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
        lambda: bodies_html(previews),
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
        return Markup("").join(
            body_html(previews, index, kept=True) for index in indexes
        )

    return previews.workspace.panel(
        shown, lambda: preview_board(previews, chosen), text="Bodies side by side"
    )


def embed_policies(previews: Previews) -> Panel:
    """Show the embeds that were found, and what becomes of each kind and host."""
    from cmsmig.notebook.previewboard import embed_board

    return previews.workspace.panel(
        lambda: embeds_html(previews),
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


def bodies_html(previews: Previews) -> Markup:
    """Return the bodies per field and the losses by kind, as tables."""
    shelf = previews.shelf
    modes = {
        (each.collection_id, each.field): str(each.mode)
        for each in previews.blocks.bodies
    }
    rows: dict[tuple[str, str], list[int]] = {}
    titles: dict[tuple[str, str], tuple[str, str]] = {}
    for index, body in enumerate(shelf.bodies):
        place = (body.collection.collection_id, body.design.origin)
        titles[place] = (body.collection.display_name, body.design.origin)
        losses = shelf.converted(index)
        counts = rows.setdefault(place, [0, 0, 0])
        for position, more in enumerate((1, bool(losses.losses), bool(losses.worst))):
            counts[position] += more
    listed: list[tuple[Cell, ...]] = [
        (*titles[place], modes.get(place, "one_richtext").replace("_", " "), *counts)
        for place, counts in rows.items()
    ]
    head = ("collection", "field", "stored as", "bodies", "with losses", "of content")
    return sheet(
        table(head, listed, caption="Bodies to import"), _losses_by_kind(shelf)
    )


def body_html(previews: Previews, index: int, *, kept: bool = False) -> Markup:
    """Return one body: origin, destination and document, then its losses.

    `kept` for what is stored in a notebook, which may be opened without trust.
    """
    show = _kept_preview if kept else preview
    body, converted = previews.shelf.bodies[index], previews.shelf.converted(index)
    place = f"{body.collection.display_name}, {body.design.origin}"
    document = json.dumps(converted.document, ensure_ascii=False, indent=1)
    if len(document) > _DOCUMENT:
        document = f"{document[:_DOCUMENT]}\n… {len(document) - _DOCUMENT} more"
    origin = show(
        marked_html(body.text, converted.losses), title=f"Origin of {body.title}"
    )
    target = show(
        destination_html(converted.document), title=f"Destination of {body.title}"
    )
    return sheet(
        heading(f"{body.title} — {place}"),
        _SIDE_BY_SIDE.format(
            _titled("Origin", origin),
            _titled("Destination", target),
            _titled("Document", _SCROLLED.format(source(document))),
        ),
        losses_html(converted.losses),
    )


def losses_html(losses: Sequence[Loss]) -> Markup:
    """Return a body's losses; the numbers are those of the marks in the origin."""
    if not losses:
        return note("Nothing of this body is lost.", "good")
    rows = [
        (
            number,
            _whole(loss.severity),
            _whole(loss.kind),
            _whole(_short(loss.what)),
            _whole(loss.where),
            loss.context,
            loss.why,
        )
        for number, loss in enumerate(losses, start=1)
    ]
    head = ("", "lost of", "kind", "what", "where", "near", "why")
    return table(head, rows, caption=f"Losses: {len(losses)}")


def embeds_html(previews: Previews) -> Markup:
    """Return the embeds by kind and host with their treatment, as a table."""
    found = previews.shelf.embeds()
    if not found:
        return sheet(note("No body holds an embed."))
    rows = [
        (
            _whole(each.kind),
            _whole(each.signature or "no address"),
            each.count,
            each.bodies,
            _whole(treatment_of(each, previews.embeds)),
            _short(each.example),
        )
        for each in found
    ]
    head = ("kind", "host", "embeds", "bodies", "becomes", "such as")
    return sheet(table(head, rows, caption="Embeds in all bodies"))


def _losses_by_kind(shelf: BodyShelf) -> Markup:
    counts: Counter[tuple[str, str]] = Counter()
    touched: Counter[tuple[str, str]] = Counter()
    reasons: dict[tuple[str, str], str] = {}
    for index in range(len(shelf.bodies)):
        losses = shelf.converted(index).losses
        kinds = [(str(loss.severity), loss.kind) for loss in losses]
        counts.update(kinds)
        touched.update(set(kinds))
        for kind, loss in zip(kinds, losses, strict=True):
            reasons.setdefault(kind, loss.why)
    if not counts:
        return note("No body loses anything.", "good")
    rows = [
        (_whole(kind[0]), _whole(kind[1]), reasons[kind], count, touched[kind])
        for kind, count in sorted(counts.items())
    ]
    head = ("lost of", "kind", "why, such as", "losses", "bodies")
    return table(head, rows, caption="What bodies lose")


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


def _kept_preview(body: str, *, title: str) -> Markup:
    """Return a preview that is readable where frames and styles are taken out.

    A front end that does not trust a notebook does both, and then shows the
    sanitised body itself; everywhere else the style hides that one.
    """
    return _UNFRAMED.format(preview(body, title=title), sanitised(body))


def _titled(title: str, content: Markup) -> Markup:
    return Markup("<div>{}{}</div>").format(
        paragraph(Markup("<b>{}</b>").format(title)), content
    )


def _whole(text: str) -> Markup:
    """Return a text that a narrow column does not break, unless it is long."""
    if len(text) > _UNBROKEN:
        return escape(text)
    return Markup('<span style="white-space:nowrap">{}</span>').format(text)


def _short(text: str) -> str:
    return text if len(text) <= _WHAT else f"{text[:_WHAT]}…"
