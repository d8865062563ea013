"""One body in panes: the origin, the destination, the document, and what is lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from cmsmig.canonical import Json, JsonObject
from cmsmig.counting import and_more, counted
from cmsmig.mapping.convert.bodies import block_values
from cmsmig.mapping.decisions.body_reviews import BodyState, ReviewStatus
from cmsmig.mapping.propose.block_designs import block_components, with_blocks
from cmsmig.notebook.preview.block_cards import (
    Split,
    cards_html,
    nodes_html,
    shown_nodes,
)
from cmsmig.notebook.preview.previews import Previews
from cmsmig.reconcile.labels import EMPTY, NO_LABELS, Labels, labels_of
from cmsmig.review.bodies import ConvertedBody
from cmsmig.review.embeds import blocks_of
from cmsmig.review.loss_marks import destination_html, marked_html, numbered
from cmsmig.richtext.blocks.block_runs import Block
from cmsmig.richtext.blocks.outline import top_nodes
from cmsmig.richtext.losses import Loss
from cmsmig.ui.controls import button
from cmsmig.ui.documents.findings import loss_name
from cmsmig.ui.form import FormView
from cmsmig.ui.html.html_templates import breakable, breakable_html, fragment
from cmsmig.ui.html.safe_html import (
    NOTHING,
    escape,
    folded,
    heading,
    note,
    scrolling,
    sheet,
    source,
)
from cmsmig.ui.html.sanitizer import FindPicture, sanitised
from cmsmig.ui.html.word_marks import SideBySide, side_by_side

_DOCUMENT = 60_000
"""Characters of a document that are shown."""
_WHAT, _WHOLE = 240, 2_000
"""Characters of a lost thing that a table shows, and of those that it shows when it is
pointed at; the ledger keeps all of it."""
_CHANGES = 12
"""Changes since an acceptance that are listed."""
_NODES = 120
"""Nodes of a tree: a page with more of them is slow."""
_DEEPEST = 12
_PLACE = "at"
"""The key of a node of a tree that names its place in the body."""
_LONGEST = 80
"""Characters of a text or a value in a tree; the JSON has all of it."""
_made = partial(fragment, "notebook/preview/body_panes.html")


@dataclass(frozen=True, slots=True)
class BodyPanes:
    """One body as it is shown, part by part."""

    index: int
    title: str
    place: str
    """The collection and the field."""
    status: ReviewStatus
    blocks: int
    """0 for a body that is stored in one piece."""
    sides: SideBySide
    """The origin, and each node of the destination."""
    target: Markup
    document: Markup
    json: str
    """The whole document; of a body that is split, the blocks that are stored."""
    losses: Sequence[Loss]
    changed: Markup
    """What changed since the blocks were accepted."""

    def html(self, *, wide: bool = False) -> Markup:
        """Return the panes; the first two are `wide` without the document."""
        lost = _words(self.sides.only_left, "not at the destination")
        added = _words(self.sides.only_right, "not at the origin")
        split = f" as {counted(self.blocks, 'block')}" if self.blocks else ""
        shown = (
            ("origin", "Origin", lost, self.sides.left),
            ("target", f"Destination{split}", added, self.target),
            ("document", "Document", "", self.document),
        )
        panes = [
            _made("pane", name=name, title=title, marked=marked, content=content)
            for name, title, marked, content in shown
        ]
        end = len(self.sides.right)
        return _made("stage", body=self.index, end=end, wide=wide, panes=panes)


def body_panes(
    previews: Previews, index: int, first: int = 0, form: FormView[Block] | None = None
) -> BodyPanes:
    """Return a body in parts, its blocks from the `first` on; with a `form` of theirs
    they can be worked."""
    body = previews.body_index.bodies[index]
    converted = previews.body_index.converted(index)
    status = previews.scanner.status(index)
    split = _split(previews, index, status)
    text = previews.body_index.bodies[index].text
    labels = labels_of(previews.body_index.design, (), ())
    sides = compared(text, converted, previews.pictures, split or labels, first)
    target = nodes_html(sides.right, range(len(sides.right)))
    if split is not None:
        target = cards_html(split, sides.right, first, form)
    return BodyPanes(
        index=index,
        title=body.title,
        place=f"{body.collection.display_name}, {body.design.origin}",
        status=status,
        blocks=len(split.blocks) if split else 0,
        sides=sides,
        target=target,
        document=stored_html(split) if split else tree_html(converted.document),
        json=json.dumps(
            split.values if split else converted.document, ensure_ascii=False, indent=1
        ),
        losses=converted.losses,
        changed=_changed(previews, index, status, leads=form is not None),
    )


def compared(
    html: str,
    converted: ConvertedBody,
    pictures: Callable[[], FindPicture],
    stored: Split | Labels = NO_LABELS,
    first: int = 0,
) -> SideBySide:
    """Return a body at the origin and each node that it becomes, with the words of one
    side alone marked. `stored` are its blocks, or the labels of fields; pictures are
    those of the page of blocks that begins with the `first`."""
    split = stored if isinstance(stored, Split) else None
    labels = stored.labels if isinstance(stored, Split) else stored
    nodes = [*(shown_nodes(split) if split else top_nodes(converted.document))]
    seen = split.nodes_of_page(first) if split else range(len(nodes))
    find = pictures()
    return side_by_side(
        numbered(sanitised(marked_html(html, converted.losses), pictures())),
        [
            sanitised(destination_html(each, labels), find if at in seen else None)
            for at, each in enumerate(nodes)
        ],
        split.names if split else [""] * len(nodes),
    )


def static_html(previews: Previews, index: int) -> Markup:
    """Return one body as an unattended run shows it: its panes, then its losses."""
    panes = body_panes(previews, index)
    text = panes.json
    if len(text) > _DOCUMENT:
        text = f"{text[:_DOCUMENT]}\n… {len(text) - _DOCUMENT} more"
    return sheet(
        heading(f"{panes.title} — {panes.place}"),
        panes.changed,
        panes.html(),
        losses_html(panes.losses),
        folded("The document as JSON", source(text)),
    )


def losses_html(losses: Sequence[Loss]) -> Markup:
    """Return a body's losses; the numbers are those of the marks in the origin, which
    a press on one leads to."""
    if not losses:
        return note("Nothing of this body is lost.", "good")
    rows = [
        (
            number,
            loss_name(loss.kind),
            loss.severity,
            _short(loss.what, _WHAT),
            _short(loss.what, _WHOLE),
            loss.context,
            loss.why,
        )
        for number, loss in enumerate(losses, start=1)
    ]
    return scrolling("Losses", _made("losses", losses=rows))


def _split(previews: Previews, index: int, status: ReviewStatus) -> Split | None:
    if status.state is BodyState.NOT_NEEDED:
        return None
    document = previews.body_index.converted(index).document
    design = with_blocks(previews.body_index.design, previews.blocks)
    uid = partial(previews.body_index.uid, index)
    return Split(
        document,
        previews.body_index.digest(index).facts.outline,
        status.blocks,
        block_values(document, status.blocks, block_components(design), uid),
        labels_of(design, (), ()),
        index,
    )


def _changed(
    previews: Previews, index: int, status: ReviewStatus, *, leads: bool
) -> Markup:
    """Return why a body is to be reviewed again, and what changed since; before a
    person each line leads to its place in the panes."""
    review = previews.blocks.reviews.get(previews.body_index.keys[index])
    if review is None or not status.why:
        return NOTHING
    said = f"Accepted {review.how} by {review.by}, {review.at[:10]}. {status.why}"
    changes = previews.accepted.changes(index, review, status)
    lines = [breakable(line) for _, line in changes]
    if leads:
        lines = [
            button("change", line, row=str(n), goes=f"part {at}", plain=True)
            for n, (line, (at, _)) in enumerate(zip(lines, changes, strict=True))
        ]
    more = and_more(len(lines), _CHANGES, "… and ")
    return _made(
        "changed", said=said, lines=[*lines[:_CHANGES], *filter(None, (more,))]
    )


def _words(count: int, where: str) -> str:
    return f"{counted(count, 'word')} {where}" if count else ""


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def tree_html(document: JsonObject) -> Markup:
    """Return a document as a tree whose branches fold, each node with its attributes
    and what it holds; the first nodes of a large document."""
    return _tree(_placed(top_nodes(document), 0))


def stored_html(split: Split) -> Markup:
    """Return the blocks that are stored as such a tree, each with its fields."""
    pairs = zip(split.values, split.spans, strict=True)
    return _tree([_branch(value, span.start) for value, span in pairs])


def _placed(nodes: Iterable[JsonObject], first: int) -> list[JsonObject]:
    """Return nodes that name their places in the body."""
    return [{**node, _PLACE: at} for at, node in enumerate(nodes, first)]


def _branch(value: Json, first: int | None = None) -> JsonObject:
    """Return a block as a node of the tree, which holds the nodes of its documents and
    its blocks; `first` is the place of its first node in the body."""
    held = value if isinstance(value, dict) else {}
    branch: JsonObject = {"type": held.get("component")}
    content: list[JsonObject] = []
    attributes: JsonObject = {}
    for name, each in held.items():
        if isinstance(each, dict) and each.get("type") == "doc":
            nodes = top_nodes(each)
            content += nodes if first is None else _placed(nodes, first)
        elif isinstance(each, list) and all(map(_is_block, each)):
            content += map(_branch, each)
        elif name != "component":
            attributes[name] = each
    return {**branch, "attrs": attributes, "content": [*content], _PLACE: first}


def _is_block(value: Json) -> bool:
    return isinstance(value, dict) and "component" in value


def _tree(nodes: Sequence[JsonObject]) -> Markup:
    room = iter(range(_NODES))
    branches = [_node(each, room, 1) for each in nodes[:_NODES]]
    left = sum(1 for _ in _walk({"content": [*nodes]})) - _NODES + len([*room])
    return _made("tree", parts=[*filter(None, branches)], left=left)


def _node(node: JsonObject, room: Iterator[int], depth: int) -> Markup:
    """Return a node with what it holds, while there is room."""
    if next(room, None) is None:
        return NOTHING
    held = top_nodes(node) if depth < _DEEPEST else ()
    return _made(
        "node",
        type=node.get("type", "?"),
        text=breakable_html(escape(", ".join(_texts(node)))),
        at=node.get(_PLACE),
        unfolded=depth < 2,
        parts=[*filter(None, (_node(each, room, depth + 1) for each in held))],
    )


def _texts(node: JsonObject) -> Iterator[str]:
    """Yield a node's text, its marks and its attributes."""
    if isinstance(text := node.get("text"), str):
        yield f"“{_short(text, _LONGEST)}”"
    marks = node.get("marks")
    for mark in marks if isinstance(marks, list) else ():
        if isinstance(mark, dict):
            yield " ".join((str(mark.get("type")), *_attributes(mark)))
    yield from _attributes(node)


def _attributes(node: JsonObject) -> Iterator[str]:
    attributes = node.get("attrs")
    held = [attributes] if isinstance(attributes, dict) else []
    for each in blocks_of(node) if node.get("type") == "blok" else held:
        for name, value in each.items():
            text = NO_LABELS.value(value)
            if text != EMPTY and name != "_uid":
                yield f"{name}: {_short(text, _LONGEST)}"


def _walk(node: JsonObject) -> Iterator[JsonObject]:
    waiting = [*top_nodes(node)]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += top_nodes(each)
