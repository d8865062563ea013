"""The HTML around the body in the body editor of notebook 03."""

from __future__ import annotations

from collections import Counter
from functools import partial

from markupsafe import Markup

from cmsmig.counting import noun_for
from cmsmig.mapping.decisions.body_reviews import BodyState, ReviewStatus
from cmsmig.notebook.kit.live_controls import bar, button, ident, select, words
from cmsmig.notebook.preview.block_cards import KINDS
from cmsmig.notebook.preview.body_scan import Tally
from cmsmig.richtext.blocks.outline import BlockKind
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, bold, joined, note, sheet

REGIONS = (
    "tally",
    "name",
    "search",
    "filters",
    "item",
    "steps",
    "title",
    "actions",
    "said",
    "layout",
    "width",
    "origin",
    "moves",
    "target",
    "copy",
    "document",
    "losses",
    "bulk",
)
_made = partial(fragment, "notebook/preview/body_editor.html")


def title_html(title: str, place: str, standing: ReviewStatus) -> Markup:
    """Return a body's name, where it stands, and how."""
    told = standing_told(standing)
    return _made("title", title=title, place=place, standing=told)


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
    state: BodyState | None, undoable: str, *, ticked: bool = False
) -> Markup:
    """Return what may be done with the body on show; `state` None: there is none."""
    return joined(
        (
            button(
                "review-accept",
                "Accept and go on",
                key="a",
                main=True,
                enabled=state in (BodyState.OPEN, BodyState.REOPENED),
            ),
            button(
                "body-seen",
                "Not seen" if ticked else "Seen, go on",
                key="v",
                still=True,
                enabled=state is BodyState.NOT_NEEDED,
            ),
            button(
                "review-undo",
                "Undo",
                key="u",
                still=True,
                about=f"Take back: {undoable}" if undoable else "Nothing to undo",
                enabled=bool(undoable),
            ),
            button(
                "review-reset",
                "Back to the proposal",
                enabled=state not in (None, BodyState.NOT_NEEDED),
            ),
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
                told=False,
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


def standing_told(standing: ReviewStatus) -> str:
    """Return how a body stands, to follow its title."""
    if standing.state is BodyState.REVIEWED:
        return f" — reviewed {standing.how} by {standing.by}, {standing.at[:10]}"
    if standing.state is BodyState.NOT_NEEDED:
        return ""
    edited = ", changed by hand" if standing.edited else ""
    return f" — {standing.state}{edited}{f': {standing.why}' if standing.why else ''}"


def width_html(*, paired: bool, wide: bool) -> Markup:
    """Return what stands above the origin: what it is, and what widens the panes."""
    title = NOTHING if paired else bold("Origin")
    label = "Document beside" if wide else "Widen"
    about = "Put the document beside the panes" if wide else ""
    return title + button("body-wide", label, key="w", still=True, about=about)


def moves_html(count: int) -> Markup:
    """Return how many blocks a body has, and what goes from one to another."""
    return joined(
        (
            words(f"as {count} {noun_for(count, 'block')}"),
            button("block-previous", "↑ block", key="k", still=True),
            button("block-next", "↓ block", key="j", still=True),
        )
    )


def nothing_html() -> dict[str, Markup]:
    """Return the regions of the body where no body is on show."""
    names = ("width", "moves", "origin", "target", "copy", "document", "losses")
    empty = dict.fromkeys(names, NOTHING)
    return {**empty, "title": sheet(note("No body passes this choice."))}


def frame_html() -> Markup:
    """Return the places of all regions."""
    return _made("frame")


def _only(kind: BlockKind) -> str:
    if kind is BlockKind.TEXT:
        return "into texts alone"
    return f"for one kind alone: {KINDS[kind]}"
