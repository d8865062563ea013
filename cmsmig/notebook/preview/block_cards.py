"""A body's blocks as cards: each is a form of its fields, with what may be done with
it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise

from markupsafe import Markup

from cmsmig.canonical import Json, JsonObject
from cmsmig.reconcile.labels import NO_LABELS, Labels
from cmsmig.richtext.blocks.block_runs import Block, Blocks, How, nodes_of, runs_of
from cmsmig.richtext.blocks.outline import BlockKind, NodeOutline, Outline, kinds_of
from cmsmig.ui.controls import bar, button, ident, select
from cmsmig.ui.form import Field, FormView
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING

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
_RICH_TEXT = (BlockKind.TEXT, BlockKind.QUOTE, BlockKind.CODE, BlockKind.TABLE)
"""The kinds that are shown as text; all others by their fields alone."""
BLOCK_FORM = (Field("block-type", "Kind", "kind", about="Kind of block", key="t"),)
_LABEL = 48
"""Characters of a part's text in a list."""
_made = partial(fragment, "notebook/preview/block_cards.html")


@dataclass(frozen=True, slots=True)
class Split:
    """A body's document with the blocks it is cut into."""

    document: JsonObject
    outline: Outline
    blocks: Blocks
    values: Sequence[Json]
    """What the story holds of each block."""
    labels: Labels = NO_LABELS
    body: int = 0
    """Distinguishes a body's cards from those of others."""

    @property
    def spans(self) -> list[range]:
        """Return the nodes of each block."""
        ends = accumulate((each.nodes for each in self.blocks), initial=0)
        return [range(*each) for each in pairwise(ends)]

    @property
    def names(self) -> list[str]:
        """Return for each node what the block that begins there is called; empty: none
        does."""
        named = [""] * len(self.outline)
        pairs = zip(self.blocks, self.spans, strict=True)
        for number, (block, span) in enumerate(pairs, 1):
            named[span.start] = f"{number} {KINDS[block.kind]}"
        return named

    def page(self, first: int) -> range:
        """Return the blocks of the page that begins with a block."""
        return range(first, min(first + PAGE, len(self.blocks)))

    def nodes_of_page(self, first: int) -> range:
        """Return the nodes of these blocks."""
        spans = [self.spans[index] for index in self.page(first)]
        return range(spans[0].start, spans[-1].stop) if spans else range(0)


def shown_nodes(split: Split) -> Iterator[JsonObject]:
    """Yield what is shown for each node: itself, or the block that it becomes; nothing
    for the other nodes of such a block."""
    nodes = nodes_of(split.document, split.blocks)
    for block, held, value in zip(split.blocks, nodes, split.values, strict=True):
        if block.kind in _RICH_TEXT:
            yield from held
        else:
            yield {"type": "blok", "attrs": {"body": [value]}}
            for _ in held[1:]:
                yield {"type": "doc"}


def nodes_html(contents: Sequence[Markup], span: range) -> Markup:
    """Return some nodes, each where the page finds it."""
    return _made("nodes", placed=[(at, contents[at]) for at in span])


def cards_html(
    split: Split,
    contents: Sequence[Markup],
    first: int = 0,
    form: FormView[Block] | None = None,
) -> Markup:
    """Return a page of blocks as cards, of which `contents` has the nodes; with a
    `form` of theirs they can be worked."""
    page = split.page(first)
    cards = [_card(split, index, contents, form) for index in page]
    count = len(split.blocks)
    said = f"Blocks {page.start + 1} to {page.stop} of {count}"
    return _made("cards", cards=cards, said=said if count > PAGE else "")


def card_id(body: int, index: int) -> str:
    """Return the id of a card's element."""
    return f"cmsmig-card-{body}-{index}"


def _card(
    split: Split, index: int, contents: Sequence[Markup], form: FormView[Block] | None
) -> Markup:
    block, value = split.blocks[index], split.values[index]
    nodes = nodes_html(contents, split.spans[index])
    return _made(
        "card",
        id=card_id(split.body, index),
        number=index + 1,
        worked=form is not None,
        kind=block.kind,
        label=KINDS[block.kind],
        why=block.why,
        changed=_CHANGED.get(block.how, ""),
        actions=NOTHING if form is None else _actions(split, index, form),
        content=_form(value, nodes, split.labels)
        if block.kind in _RICH_TEXT
        else nodes,
    )


def _form(value: Json, nodes: Markup, labels: Labels) -> Markup:
    """Return a block as its fields, the first of which holds its nodes."""
    held = value if isinstance(value, dict) else {}
    component = str(held.get("component"))
    rows = [
        (labels.key(component, name), labels.value(each))
        for name, each in held.items()
        if name not in ("component", "_uid")
    ]
    first, *others = rows
    return _made("form", component=component, rows=[(first[0], nodes), *others])


def _actions(split: Split, index: int, form: FormView[Block]) -> Markup:
    blocks, run = split.blocks, runs_of(split.outline, split.blocks)[index]
    row, number = str(index), index + 1
    last = index + 1 == len(blocks)
    text = blocks[index].kind is BlockKind.TEXT
    rejects = not text or (index > 0 and blocks[index - 1].kind is BlockKind.TEXT)
    parts = [
        button(
            "block-merge",
            "Merge with next",
            row=row,
            key="m",
            about=f"Merge block {number} with the next one",
            enabled=not last,
        ),
        button(
            "block-reject",
            "Back into text",
            row=row,
            key="r",
            about=f"Take block {number} back into the text around it",
            enabled=rejects,
        ),
    ]
    if len(run) > 1:
        places = [(_part(each), str(at)) for at, each in enumerate(run) if at]
        about = f"Where block {number} is split"
        parts += [
            button(
                "block-split", "Split", row=row, source=ident("block-split-at", row)
            ),
            select(
                "block-split-at",
                "",
                places,
                "1",
                row=row,
                key="s",
                about=about,
                sends=False,
            ),
        ]
    if len(kinds_of(run)) > 1:
        parts.append(form.field("kind", row))
    return bar(*parts)


def _part(node: NodeOutline) -> str:
    said = node.component or node.type.replace("_", " ")
    text = node.text if len(node.text) <= _LABEL else f"{node.text[:_LABEL]}…"
    return f"before {said}: {text}" if text else f"before {said}"
