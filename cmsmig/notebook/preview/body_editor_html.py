"""The HTML around the body in the body editor of notebook 03."""

from __future__ import annotations

from collections import Counter
from functools import partial

from markupsafe import Markup

from cmsmig.counting import noun_for
from cmsmig.mapping.decisions.body_reviews import BodyState, ReviewStatus
from cmsmig.notebook.preview.block_cards import KINDS
from cmsmig.notebook.preview.body_scan import Tally
from cmsmig.richtext.blocks.outline import BlockKind
from cmsmig.ui.controls import bar, button, ident, select, words
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, bold, joined
from cmsmig.ui.view import View

_made = partial(fragment, "notebook/preview/body_editor.html")


def tally_html(tally: Tally) -> Markup:
    """Return how many bodies are reviewed and left, and how far the looking is."""
    needed = tally.reviewed + tally.left
    if needed:
        reopened = f", {tally.reopened:,} of them reopened" if tally.reopened else ""
        said = f"{tally.reviewed:,} reviewed, {tally.left:,} left{reopened}"
    else:
        said = "No body is split, so there is nothing to review"
    looked = (
        f"all {tally.bodies:,} bodies looked through"
        if tally.complete
        else f"{tally.seen:,} of {tally.bodies:,} bodies looked through so far"
    )
    return _made(
        "tally",
        reviewed=tally.reviewed,
        needed=max(needed, 1),
        said=said,
        looked=looked,
        seen=f"{tally.ticked:,} of {tally.plain:,} seen" if tally.plain else "",
    )


def actions_html(
    view: View, state: BodyState | None, undoable: str, ticked: bool
) -> Markup:
    """Return what may be done with the open body; `state` None: it is not known."""
    waits = state in (BodyState.OPEN, BodyState.REOPENED)
    split = state not in (None, BodyState.NOT_NEEDED)
    undo = f"Undo: {undoable}" if undoable else "Nothing to undo"
    return joined(
        (
            view.act("review-accept", main=True, enabled=waits),
            view.act(
                "seen",
                "Not seen" if ticked else "Seen, go on",
                enabled=state is BodyState.NOT_NEEDED,
            ),
            view.act("review-undo", about=undo, enabled=bool(undoable)),
            view.act("review-reset", enabled=split),
        )
    )


def bulk_html(kinds: Counter[BlockKind], left: int) -> Markup:
    """Return the ways to accept many bodies at once."""
    if not left:
        return NOTHING
    options = [
        (f"{_only(kind)} ({count:,} bodies)", str(kind))
        for kind, count in kinds.most_common()
    ]
    some = NOTHING
    if options:
        some = bar(
            select(
                "review-kind",
                "Bodies that are split",
                options,
                options[0][1],
                sends=False,
            ),
            button(
                "review-bulk",
                "Accept these",
                source=ident("review-kind"),
                value="kind",
            ),
        )
    every = button("review-all", f"Accept all {left:,} that are left")
    return some + bar(every)


def status_text(status: ReviewStatus) -> str:
    """Return how a body stands, to follow its title."""
    if status.state is BodyState.REVIEWED:
        return f" — reviewed {status.how} by {status.by}, {status.at[:10]}"
    if status.state is BodyState.NOT_NEEDED:
        return ""
    edited = ", changed by hand" if status.edited else ""
    return f" — {status.state}{edited}{f': {status.why}' if status.why else ''}"


def width_html(view: View, *, paired: bool, wide: bool) -> Markup:
    """Return what is above the origin: what it is, and what widens the panes."""
    title = NOTHING if paired else bold("Origin")
    label = "Document beside" if wide else "Widen"
    about = "Put the document beside the panes" if wide else ""
    return title + view.act("wide", label, about=about)


def moves_html(view: View, count: int) -> Markup:
    """Return how many blocks a body has, and what goes from one to another."""
    return joined(
        (
            words(f"as {count} {noun_for(count, 'block')}"),
            view.act("block-previous"),
            view.act("block-next"),
        )
    )


def _only(kind: BlockKind) -> str:
    if kind is BlockKind.TEXT:
        return "into texts alone"
    return f"for one kind alone: {KINDS[kind]}"
