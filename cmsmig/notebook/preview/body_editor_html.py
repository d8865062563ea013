"""The HTML around the body in the body editor of notebook 03."""

from __future__ import annotations

from collections import Counter
from functools import partial

from markupsafe import Markup

from cmsmig.mapping.decisions.body_reviews import BodyState, ReviewStatus
from cmsmig.notebook.preview.block_cards import KINDS, PAGE
from cmsmig.notebook.preview.body_panes import BodyPanes
from cmsmig.notebook.preview.body_scan import UNREVIEWED, Tally
from cmsmig.richtext.blocks.outline import BlockKind
from cmsmig.ui.controls import bar, button, ident, select
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, joined
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
    undo = f"Undo: {undoable}" if undoable else "Nothing to undo"
    return joined(
        (
            view.act("review-accept", main=True, enabled=state in UNREVIEWED),
            view.act(
                "seen",
                "Not seen" if ticked else "Seen, go on",
                enabled=state is BodyState.NOT_NEEDED,
            ),
            view.act("review-undo", about=undo, enabled=bool(undoable)),
            view.act("review-reset", enabled=state not in (None, BodyState.NOT_NEEDED)),
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
    """Return the state of a body, to follow its title."""
    if status.state is BodyState.REVIEWED:
        return f" — reviewed {status.how} by {status.by}, {status.at[:10]}"
    if status.state is BodyState.NOT_NEEDED:
        return ""
    edited = ", changed by hand" if status.edited else ""
    return f" — {status.state}{edited}"


def moves_html(view: View, panes: BodyPanes, *, first: int, wide: bool) -> Markup:
    """Return what goes from one loss or block to another, and what the panes show;
    blocks are shown from the `first` on."""
    parts = [
        view.act("wide", "Show document" if wide else "Hide document"),
        button("copy", "Copy JSON", copies=panes.json),
    ]
    if panes.losses:
        parts += [
            button("loss-previous", "Previous loss", key=",", goes="loss -1"),
            button("loss-next", "Next loss", key=".", goes="loss 1"),
        ]
    if panes.blocks:
        parts += [
            button("block-previous", "↑ block", key="k", goes="item -1"),
            button("block-next", "↓ block", key="j", goes="item 1"),
        ]
    if panes.blocks > PAGE:
        parts += [
            view.act(
                "block-turn",
                label,
                row=str(first + by * PAGE),
                turn=by,
                enabled=first + by * PAGE in range(panes.blocks),
            )
            for label, by in (("Blocks before", -1), ("Blocks after", 1))
        ]
    return bar(*parts)


def _only(kind: BlockKind) -> str:
    if kind is BlockKind.TEXT:
        return "into texts alone"
    return f"for one kind alone: {KINDS[kind]}"
