"""What stands around the body on the desk of notebook 03, as safe HTML."""

from __future__ import annotations

from collections import Counter

from markupsafe import Markup

from cmsmig.display.safe_html import note, sheet
from cmsmig.mapping.decisions.review_validity import BodyState, ReviewStatus
from cmsmig.notebook.kit.live_controls import STYLE, bar, button, ident, region, select
from cmsmig.notebook.preview.block_cards import KINDS
from cmsmig.notebook.preview.body_scan import Tally
from cmsmig.richtext.blocks.outline import BlockKind

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
    "origin",
    "moves",
    "target",
    "document",
    "losses",
    "bulk",
)
_COLUMN = Markup(
    '<div><div class="bar" style="min-height:28px"><b>{}</b>{}</div>{}</div>'
)
_TITLE = Markup(
    '<h3 style="margin:.5em 0 .2em;font-size:15px">{} '
    '<span style="font-weight:400">— {}{}</span></h3>'
)
_TALLY = Markup(
    '<div style="display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center">'
    '<progress value="{}" max="{}" style="width:14em;height:14px" '
    'aria-label="Reviewed bodies"></progress><b>{}</b><span>{}</span></div>'
)


def title_html(title: str, place: str, standing: ReviewStatus) -> Markup:
    """Return a body's name, where it stands, and how."""
    return _TITLE.format(title, place, standing_told(standing))


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
    return _TALLY.format(tally.reviewed, max(needed, 1), said, looked)


def actions_html(state: BodyState | None, undoable: str) -> Markup:
    """Return what may be done with the body on show; `state` None: there is none."""
    return Markup("").join(
        (
            button(
                "review-accept",
                "Accept and go on",
                key="a",
                main=True,
                enabled=state in (BodyState.OPEN, BodyState.REOPENED),
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
        return Markup("")
    options = [
        (f"{_only(kind)} ({count:,} bodies)", str(kind))
        for kind, count in kinds.most_common()
    ]
    some = Markup("")
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


def moves_html(count: int) -> Markup:
    """Return how many blocks a body has, and what goes from one to another."""
    return Markup("").join(
        (
            Markup("<span>as {} {}</span>").format(
                count, "block" if count == 1 else "blocks"
            ),
            button("block-previous", "↑ block", key="k", still=True),
            button("block-next", "↓ block", key="j", still=True),
        )
    )


def nothing_html() -> dict[str, Markup]:
    """Return the regions of the body where no body is on show."""
    names = ("moves", "origin", "target", "document", "losses")
    empty = dict.fromkeys(names, Markup(""))
    return {**empty, "title": sheet(note("No body passes this choice."))}


def frame_html() -> Markup:
    """Return the places of all regions."""
    columns = Markup("").join(
        _COLUMN.format(title, beside, region(name))
        for title, beside, name in (
            ("Origin", "", "origin"),
            ("Destination", region("moves"), "target"),
            ("Document", "", "document"),
        )
    )
    return Markup("").join(
        (
            STYLE,
            region("tally"),
            bar(
                region("search"),
                region("filters"),
            ),
            bar(region("item"), region("steps")),
            region("title"),
            bar(region("actions"), region("name")),
            region("error", role="alert"),
            region("said", role="status"),
            Markup(
                '<div style="display:grid;gap:8px;grid-template-columns:'
                'minmax(0,3fr) minmax(0,4fr) minmax(0,2fr)">{}</div>'
            ).format(columns),
            region("losses"),
            Markup(
                '<details style="margin:.6em 0"><summary>Accept many at once</summary>'
                "{}</details>"
            ).format(region("bulk")),
        )
    )


def _only(kind: BlockKind) -> str:
    if kind is BlockKind.TEXT:
        return "into texts alone"
    return f"for one kind alone: {KINDS[kind]}"
