"""A body's blocks as cards: kind, reason, content, and what may be done with each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from cmsmig.canonical import Json, JsonObject
from cmsmig.review.loss_marks import destination_html, held_html
from cmsmig.richtext.blocks.outline import BlockKind, NodeOutline, Outline, kinds_of
from cmsmig.richtext.blocks.proposals import Blocks, How, nodes_of, runs_of
from cmsmig.ui.controls import bar, button, ident, select
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, escape, sanitised
from cmsmig.ui.html.sanitizer import FindPicture

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
_made = partial(fragment, "notebook/preview/block_cards.html")


@dataclass(frozen=True, slots=True)
class Split:
    """A body's document with the blocks it is cut into."""

    document: JsonObject
    outline: Outline
    blocks: Blocks
    body: int = 0
    """Tells a body from others: where its cards are scrolled to is kept."""


def block_names(split: Split) -> list[str]:
    """Return what each block is called."""
    return [f"{n} {KINDS[block.kind]}" for n, block in enumerate(split.blocks, 1)]


def block_contents(
    split: Split, current: int | None, picture: FindPicture | None
) -> list[Markup]:
    """Return what each block holds; `picture` finds the pictures of the cards that
    are shown."""
    start = (current or 0) // PAGE * PAGE
    return [
        _content(nodes, picture if start <= index < start + PAGE else None)
        for index, nodes in enumerate(nodes_of(split.document, split.blocks))
    ]


def block_holdings(split: Split) -> list[list[Markup]]:
    """Return for each block what the boxes in it hold beside what they show."""
    return [
        [sanitised(each) for each in held_html({"type": "doc", "content": [*nodes]})]
        for nodes in nodes_of(split.document, split.blocks)
    ]


def cards_html(
    split: Split, contents: Sequence[Markup], current: int | None = None
) -> Markup:
    """Return the blocks as cards; with `current` they can be worked.

    At most `PAGE` cards: those around the current one, else the first.
    """
    start = (current or 0) // PAGE * PAGE
    runs = runs_of(split.outline, split.blocks)
    shown = [
        _card(
            index,
            split.blocks,
            runs[index],
            contents[index],
            current,
        )
        for index in range(start, min(start + PAGE, len(split.blocks)))
    ]
    return _made(
        "cards",
        body=split.body,
        tabindex=0 if current is None else -1,
        cards=shown,
        below=_left_out(start, len(split.blocks)),
    )


def card_id(index: int) -> str:
    """Return the id of a card's element."""
    return f"cmsmig-card-{index}"


def _card(
    index: int,
    blocks: Blocks,
    run: Outline,
    content: Markup,
    current: int | None,
) -> Markup:
    block, chosen = blocks[index], index == current
    live = NOTHING
    if current is not None:
        live = _actions(index, blocks, run, chosen)
    return _made(
        "card",
        id=card_id(index),
        index=index,
        current=chosen,
        worked=current is not None,
        kind=block.kind,
        label=KINDS[block.kind],
        why=block.why,
        changed=_CHANGED.get(block.how, ""),
        actions=live,
        content=content,
    )


def _content(nodes: Sequence[JsonObject], picture: FindPicture | None) -> Markup:
    listed: list[Json] = [*nodes]
    html = destination_html({"type": "doc", "content": listed})
    return sanitised(html, picture)


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
    return bar(*parts)


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
            sends=False,
        ),
    ]


def _part(node: NodeOutline) -> str:
    said = node.component or node.type.replace("_", " ")
    text = node.text if len(node.text) <= _LABEL else f"{node.text[:_LABEL]}…"
    return f"before {said}: {text}" if text else f"before {said}"


def _left_out(start: int, count: int) -> Markup:
    if count <= PAGE:
        return NOTHING
    end = min(start + PAGE, count)
    return escape(
        f"Blocks {start + 1} to {end} of {count}; the others show when the one "
        "before or after them is chosen."
    )
