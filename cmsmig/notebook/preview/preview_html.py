"""What notebook 03 shows, as safe HTML: bodies side by side, losses, embeds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from cmsmig.counting import counted, first_of
from cmsmig.mapping.decisions.choices import BlocksDecision, BodyMode, EmbedsDecision
from cmsmig.notebook.preview.block_cards import (
    Split,
    block_contents,
    block_holdings,
    block_names,
    cards_html,
)
from cmsmig.notebook.preview.body_pictures import BodyPictures
from cmsmig.notebook.preview.document_tree import tree_html
from cmsmig.review.body_index import BodyIndex
from cmsmig.review.embeds import PICTURES, treatment_of
from cmsmig.review.loss_marks import destination_html, held_html, marked_html
from cmsmig.richtext.blocks.proposals import Heuristic
from cmsmig.richtext.losses import Loss
from cmsmig.richtext.policy import Treatment, Unclosed
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Beside,
    Cell,
    beside,
    escape,
    folded,
    framed,
    heading,
    note,
    sanitised,
    sheet,
    source,
    table,
)
from cmsmig.ui.html.sanitizer import FindPicture

TREATMENTS: Mapping[str, str] = {
    Treatment.HTML: "raw HTML block",
    Treatment.COMPONENT: "embed block",
    Treatment.LINK: "link",
    Treatment.DROP: "left out",
    Treatment.PICTURE: "picture alone",
}
"""What becomes of an embed, in words."""

HEIGHT = 480
"""Pixels of the three columns."""
_NAMED = 5
"""Bodies that a note names."""
UNCLOSED: Mapping[str, str] = {
    Unclosed.KEEP: "keep the rest of the body as raw HTML",
    Unclosed.END: "end where the body goes on",
}
"""What becomes of embeds that are never closed, in words."""
_WHAT = 240
"""Characters of a lost thing that a table shows; the ledger keeps all of it."""
_UNBROKEN = 26
"""Characters of a cell that stay on one line."""
_DOCUMENT = 60_000
"""Characters of a document that are shown."""
_LOST = "Said at the origin, not at the destination"
_ADDED = "Said at the destination, not at the origin"
_made = partial(fragment, "notebook/preview/preview_html.html")


@dataclass(frozen=True, slots=True)
class BodyParts:
    """One body as it is shown, part by part."""

    title: str
    place: str
    """The collection and the field."""
    origin: Markup
    """With the destination beside it, where that is in one piece."""
    target: Markup | None
    """The cards of a body that is split."""
    document: Markup
    json: str
    """The whole document."""
    losses: Markup


def bodies_html(body_index: BodyIndex, blocks: BlocksDecision) -> Markup:
    """Return the bodies per field as a table, with those looked through so far that
    lose something."""
    rows: dict[tuple[str, str], list[int]] = {}
    titles: dict[tuple[str, str], tuple[str, str]] = {}
    digests = body_index.digests()
    for index, body in enumerate(body_index.bodies):
        place = (body.collection.collection_id, body.design.origin)
        titles[place] = (body.collection.display_name, body.design.origin)
        digest = digests.get(index)
        counts = rows.setdefault(place, [0, 0, 0])
        counts[0] += 1
        if digest is not None:
            counts[1] += bool(digest.losses)
            counts[2] += digest.content > 0
    listed: list[tuple[Cell, ...]] = [
        (*titles[place], mode_told(blocks, *place), *counts)
        for place, counts in rows.items()
    ]
    head = ("collection", "field", "stored as", "bodies", "with losses", "of content")
    return sheet(
        looked_html(body_index),
        table(head, listed, caption="Bodies to import"),
    )


def looked_html(body_index: BodyIndex) -> Markup:
    """Return how many bodies were looked through, while it is not all of them."""
    known, bodies = body_index.known, len(body_index.bodies)
    if known == bodies:
        return NOTHING
    return note(
        f"{known:,} of {bodies:,} bodies are looked through so far; "
        "the counts go on growing."
    )


def mode_told(blocks: BlocksDecision, collection_id: str, field: str) -> str:
    """Return how a field's bodies are stored, in words."""
    choice = blocks.choice(collection_id, field)
    if choice is None or choice.mode is BodyMode.ONE_RICHTEXT:
        return "one rich text"
    names = [
        f"headings 1 to {choice.heuristics.heading_level}"
        if each is Heuristic.HEADINGS
        else str(each)
        for each in Heuristic
        if each in choice.heuristics.on
    ]
    return f"blocks, split at: {', '.join(names) or 'nothing yet'}"


def body_html(
    body_index: BodyIndex,
    index: int,
    pictures: BodyPictures,
    *,
    kept: bool = False,
    split: Split | None = None,
) -> Markup:
    """Return one body: origin, destination and document, then its losses.

    `kept` for what is stored in a notebook, which may be opened without trust;
    `split` are the body's blocks where it is stored as such.
    """
    parts = body_parts(body_index, index, pictures, kept=kept, split=split)
    text = parts.json
    if len(text) > _DOCUMENT:
        text = f"{text[:_DOCUMENT]}\n… {len(text) - _DOCUMENT} more"
    document = parts.document + folded("As JSON", source(text))
    shown = [("", "both", parts.origin), ("Document", "document", document)]
    if parts.target is not None:
        shown[0] = ("Origin", "origin", parts.origin)
        shown.insert(1, ("Destination", "target", parts.target))
    columns = [
        _made("column", title=title, css=css, content=content)
        for title, css, content in shown
    ]
    return sheet(
        heading(f"{parts.title} — {parts.place}"),
        _made("columns", parts=columns),
        parts.losses,
    )


def body_parts(
    body_index: BodyIndex,
    index: int,
    pictures: BodyPictures,
    *,
    kept: bool = False,
    split: Split | None = None,
    current: int | None = None,
) -> BodyParts:
    """Return what `body_html` puts side by side; with `current` the blocks can be
    worked."""
    body, converted = body_index.bodies[index], body_index.converted(index)
    marked = marked_html(body_index.text(index), converted.losses)

    def compared(picture: Callable[[], FindPicture | None]) -> Beside:
        origin = sanitised(marked, picture())
        names: list[str] = []
        if split is None:
            target = destination_html(converted.document)
            contents = [sanitised(target, picture())]
            held = [[sanitised(each) for each in held_html(converted.document)]]
        else:
            contents = block_contents(split, current, picture())
            held = block_holdings(split)
            names = block_names(split)
        return beside(
            origin, contents, only_left=_LOST, only_right=_ADDED, names=names, held=held
        )

    def sides(found: Beside) -> Markup:
        lost = _words(found.only_left, "not at the destination")
        if split is not None:
            return _made("alone", origin=found.left, lost=lost)
        added = _words(found.only_right, "not at the origin")
        (target,) = found.right
        return _made("pair", origin=found.left, target=target, lost=lost, added=added)

    title = f"Origin of {body.title}"
    if split is None:
        title = f"Origin and destination of {body.title}"
    found = compared(pictures.side)
    shown = framed(sides(found), title=title, height=HEIGHT)
    if kept:
        # A front end that does not trust a notebook takes frames and styles out, and
        # then shows the same without; boxes stand for pictures, lest they are in the
        # notebook twice.
        unframed = sides(compared(lambda: None))
        shown = _made("kept", frame=shown, body=unframed)
    return BodyParts(
        title=body.title,
        place=f"{body.collection.display_name}, {body.design.origin}",
        origin=shown,
        target=None if split is None else cards_html(split, found.right, current),
        document=tree_html(converted.document),
        json=json.dumps(converted.document, ensure_ascii=False, indent=1),
        losses=losses_html(converted.losses),
    )


def _words(count: int, where: str) -> str:
    return f"{counted(count, 'word')} {where}" if count else ""


def layout_html(*, paired: bool, wide: bool) -> Markup:
    """Return the style of the panes: both in one frame, and the document below."""
    return _made("layout", paired=paired, wide=wide)


def losses_html(losses: Sequence[Loss]) -> Markup:
    """Return a body's losses; the numbers are those of the marks in the origin."""
    if not losses:
        return note("Nothing of this body is lost.", "good")
    rows = [
        (
            number,
            unbroken(loss.severity),
            unbroken(loss.kind),
            unbroken(_short(loss.what)),
            unbroken(loss.where),
            loss.context,
            loss.why,
        )
        for number, loss in enumerate(losses, start=1)
    ]
    head = ("", "lost of", "kind", "what", "where", "near", "why")
    return table(head, rows, caption=f"Losses: {len(losses)}")


def becomes(kind: str, treatment: Treatment) -> str:
    """Return what an embed of this kind becomes, in words."""
    if treatment is Treatment.COMPONENT and kind in PICTURES:
        return "figure block"
    return TREATMENTS[treatment]


def fields_html(body_index: BodyIndex, blocks: BlocksDecision) -> Markup:
    """Return how each field's bodies are stored, and how many there are."""
    counts = Counter(
        (body.collection.collection_id, body.design.origin)
        for body in body_index.bodies
    )
    rows = [
        (
            each.collection_slug,
            each.field,
            counts[each.collection_id, each.field],
            mode_told(blocks, each.collection_id, each.field),
        )
        for each in blocks.bodies
    ]
    head = ("collection", "field", "bodies", "stored as")
    return table(head, rows, caption="How bodies are stored")


def embeds_html(body_index: BodyIndex, decision: EmbedsDecision) -> Markup:
    """Return the embeds by kind and host with their treatment, as a table."""
    found = body_index.embeds()
    if not found:
        return sheet(note("No body holds an embed."))
    rows = [
        (
            unbroken(each.kind),
            unbroken(each.signature or "no address"),
            each.count,
            each.bodies,
            unbroken(becomes(each.kind, treatment_of(each, decision))),
            _short(each.example),
        )
        for each in found
    ]
    head = ("kind", "host", "embeds", "bodies", "becomes", "such as")
    shown = table(head, rows, caption="Embeds in all bodies")
    return sheet(shown + unclosed_html(body_index, decision.unclosed))


def unclosed_html(body_index: BodyIndex, choice: Unclosed) -> Markup:
    """Return what is known of embeds that are never closed, or nothing."""
    found = body_index.unclosed()
    if not found:
        return NOTHING
    count = sum(each for _, each in found)
    names = first_of([title for title, _ in found], _NAMED)
    return note(
        f"{count:,} embeds in {len(found):,} bodies are never closed, so that browsers "
        f"take the rest of the body for a part of them: {names}. They "
        f"{UNCLOSED[choice]}; the losses of each body tell what each holds.",
        "warning" if choice is Unclosed.KEEP else "good",
    )


def unbroken(text: str) -> Markup:
    """Return a text that a narrow column does not break, unless it is long."""
    if len(text) > _UNBROKEN:
        return escape(text)
    return _made("unbroken", text=text)


def _short(text: str) -> str:
    return text if len(text) <= _WHAT else f"{text[:_WHAT]}…"
