"""A body's blocks as cards: kind, reason, content, and what may be done with each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cmsmig.canonical import Json, JsonObject
from cmsmig.display.safe_html import escape, sanitised
from cmsmig.notebook.kit.live_controls import button, ident, select
from cmsmig.review.loss_marks import destination_html
from cmsmig.richtext.blocks.outline import BlockKind, NodeOutline, Outline, kinds_of
from cmsmig.richtext.blocks.proposals import Block, Blocks, How, nodes_of, runs_of

KINDS = {
    BlockKind.TEXT: "text",
    BlockKind.IMAGE: "picture",
    BlockKind.GALLERY: "gallery",
    BlockKind.EMBED: "embed",
    BlockKind.HTML: "raw HTML",
    BlockKind.QUOTE: "quote",
    BlockKind.CODE: "code",
    BlockKind.TABLE: "table",
}
"""The kinds of blocks, in words."""
PAGE = 40
"""Cards that are shown at once."""
_CHANGED = {
    How.MERGED: "merged",
    How.SPLIT: "split",
    How.RETYPED: "kind changed",
    How.REJECTED: "taken back into the text",
}
_LABEL = 48
"""Characters of a part's text in a list."""
STYLE = Markup(
    "<style>"
    ".cmsmig-cards{list-style:none;margin:0;padding:2px;height:480px;"
    "overflow:auto;border:1px solid #bbb;background:#f6f7f9;box-sizing:border-box}"
    ".cmsmig-card{border:1px solid #b9c0c8;border-left:5px solid #8a94a0;"
    "border-radius:4px;background:#fff;color:#16202c;margin:0 0 6px;padding:4px 8px}"
    ".cmsmig-card[aria-current=true]{border-color:#1565c0;"
    "box-shadow:0 0 0 1px #1565c0}"
    ".cmsmig-card .head{display:flex;flex-wrap:wrap;gap:2px 8px;"
    "align-items:baseline}"
    ".cmsmig-card .kind{font-weight:700}"
    ".cmsmig-card .why{color:#46505b;font-size:12px}"
    ".cmsmig-card .was{background:#fdebc8;border-radius:3px;padding:0 5px;"
    "font-size:12px}"
    ".cmsmig-card .content{max-height:6em;overflow:hidden;font-size:12.5px;"
    "margin:3px 0;overflow-wrap:anywhere}"
    ".cmsmig-card[aria-current=true] .content{max-height:20em;overflow:auto}"
    ".cmsmig-card .content :is(h1,h2,h3,h4,h5,h6){font-size:14px;margin:.2em 0}"
    ".cmsmig-card .content p{margin:.25em 0}"
    ".cmsmig-card .content table{border-collapse:collapse}"
    ".cmsmig-card .content :is(td,th){border:1px solid #ccc;padding:1px 5px}"
    ".cmsmig-card .content blockquote{border-left:3px solid #ccc;"
    "margin:.2em 0;padding-left:.8em}"
    ".cmsmig-card .content .cmsmig-link{color:#0b57d0;text-decoration:underline}"
    ".cmsmig-card .bar{gap:4px 8px;margin:2px 0 0}"
    ".cmsmig-card .bar :is(button,select){font-size:12px;min-height:24px;"
    "padding:1px 6px;max-width:15em}"
    ".cmsmig-card.kind-image,.cmsmig-card.kind-gallery{border-left-color:#2e7d32}"
    ".cmsmig-card.kind-embed,.cmsmig-card.kind-html{border-left-color:#8e24aa}"
    ".cmsmig-card.kind-table,.cmsmig-card.kind-code{border-left-color:#c05500}"
    ".cmsmig-card.kind-quote{border-left-color:#00708a}"
    ".cmsmig-card[aria-current=true]{border-left-color:#1565c0}"
    "</style>"
)
_CARDS = Markup(
    '{}<ol class="cmsmig-cards" data-scroll="cards-{}" tabindex="{}" '
    'aria-label="Blocks">{}</ol>{}'
)


@dataclass(frozen=True, slots=True)
class Split:
    """A body's document with the blocks it is cut into."""

    document: JsonObject
    outline: Outline
    blocks: Blocks
    body: int = 0
    """Tells a body from others: where its cards are scrolled to is kept."""


def cards_html(split: Split, current: int | None = None) -> Markup:
    """Return the blocks as cards; with `current` they can be worked.

    At most `PAGE` of them: those around the current one, else the first.
    """
    start = (current or 0) // PAGE * PAGE
    runs = runs_of(split.outline, split.blocks)
    contents = nodes_of(split.document, split.blocks)
    shown = Markup("").join(
        _card(index, split.blocks, runs[index], contents[index], current)
        for index in range(start, min(start + PAGE, len(split.blocks)))
    )
    tabbed = "0" if current is None else "-1"
    return _CARDS.format(
        STYLE, split.body, tabbed, shown, _left_out(start, len(split.blocks))
    )


def card_id(index: int) -> str:
    """Return the id of a card's element."""
    return f"cmsmig-card-{index}"


def _card(
    index: int,
    blocks: Blocks,
    run: Outline,
    nodes: Sequence[JsonObject],
    current: int | None,
) -> Markup:
    block = blocks[index]
    chosen = index == current
    live = Markup("")
    if current is not None:
        live = _actions(index, blocks, run, chosen)
    return Markup(
        '<li class="cmsmig-card {}"{}><div class="head">'
        '<span class="kind">{} {}</span><span class="why">{}</span>{}</div>{}'
        '<div class="content"{}>{}</div></li>'
    ).format(
        f"kind-{block.kind}",
        _worked(index, chosen) if current is not None else "",
        index + 1,
        KINDS[block.kind],
        block.why,
        _changed(block),
        live,
        # It scrolls, so it has to be reached without a mouse.
        Markup(' tabindex="0" role="group" aria-label="Content"') if chosen else "",
        _content(nodes),
    )


def _worked(index: int, chosen: bool) -> Markup:
    """Return what makes a card the current one when it is clicked."""
    return Markup(' id="{}" data-do="block-select" data-value="{}"{}').format(
        card_id(index),
        index,
        Markup(' tabindex="-1" aria-current="true"') if chosen else "",
    )


def _changed(block: Block) -> Markup:
    said = _CHANGED.get(block.how)
    return Markup('<span class="was">{}</span>').format(said) if said else Markup("")


def _content(nodes: Sequence[JsonObject]) -> Markup:
    listed: list[Json] = [*nodes]
    return sanitised(destination_html({"type": "doc", "content": listed}))


def _actions(index: int, blocks: Blocks, run: Outline, chosen: bool) -> Markup:
    row, number = str(index), index + 1
    last = index + 1 == len(blocks)
    text = blocks[index].kind is BlockKind.TEXT
    home = not text or (index > 0 and blocks[index - 1].kind is BlockKind.TEXT)
    parts = [
        button(
            "block-merge",
            "Merge with next",
            row=row,
            key="m" if chosen else "",
            about=f"Merge block {number} with the next one",
            enabled=not last,
            tabbed=chosen,
            focus=chosen and not last,
        ),
        button(
            "block-reject",
            "Back into text",
            row=row,
            key="r" if chosen else "",
            about=f"Take block {number} back into the text around it",
            enabled=home,
            tabbed=chosen,
            focus=chosen and last,
        ),
    ]
    if len(run) > 1:
        parts += _chosen(
            "block-split",
            "Split",
            f"Where block {number} is split",
            [(_part(each), str(at)) for at, each in enumerate(run) if at],
            row,
            key="s" if chosen else "",
            tabbed=chosen,
        )
    kinds = [each for each in kinds_of(run) if each is not blocks[index].kind]
    if kinds:
        parts += _chosen(
            "block-type",
            "Change kind",
            f"What block {number} could be",
            [(KINDS[each], str(each)) for each in kinds],
            row,
            key="t" if chosen else "",
            tabbed=chosen,
        )
    return Markup('<div class="bar">{}</div>').format(Markup("").join(parts))


def _chosen(
    name: str,
    label: str,
    about: str,
    options: Sequence[tuple[str, str]],
    row: str,
    *,
    key: str,
    tabbed: bool,
) -> list[Markup]:
    """Return a drop-down and the button that does what was chosen in it."""
    at = f"{name}-at"
    return [
        button(
            name,
            label,
            row=row,
            source=ident(at, row),
            tabbed=tabbed,
            about=f"{label}: {about[0].lower()}{about[1:]} is chosen beside",
        ),
        select(
            at,
            "",
            options,
            options[0][1],
            row=row,
            key=key,
            about=about,
            tabbed=tabbed,
            told=False,
        ),
    ]


def _part(node: NodeOutline) -> str:
    said = node.component or node.type.replace("_", " ")
    text = node.text if len(node.text) <= _LABEL else f"{node.text[:_LABEL]}…"
    return f"before {said}: {text}" if text else f"before {said}"


def _left_out(start: int, count: int) -> Markup:
    if count <= PAGE:
        return Markup("")
    end = min(start + PAGE, count)
    return escape(
        f"Blocks {start + 1} to {end} of {count}; the others show when the one "
        "before or after them is chosen."
    )
