"""`blocks.yaml`: how each field's bodies are stored, then an entry for each body
that was decided on. Entries are written and read by the thousand, so that those
in the form we write need no YAML reader."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import yaml

from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.body_reviews import (
    HEAD,
    BodyKey,
    BodyReview,
    DecidedBlock,
    rules_of,
)
from cmsmig.mapping.decisions.choices import BlocksDecision
from cmsmig.mapping.decisions.decision_records import node_at, read_record
from cmsmig.mapping.decisions.yaml_documents import read_document
from cmsmig.richtext.blocks.outline import BlockKind
from cmsmig.richtext.blocks.proposals import How

REVIEWS = "\nreviews:\n"

_TEXT = r'("(?:[^"\\]|\\.)*")\n'
_ENTRY = re.compile(
    r"  - slug: "
    + _TEXT
    + "".join(f"    {name}: {_TEXT}" for name in HEAD[1:])
    + r"    blocks:\n((?:      - .*\n)+)\Z"
)
_BLOCK = re.compile(
    r'      - \{kind: ([a-z]+), nodes: ([0-9]{1,6}), how: ([a-z]+), begins: (".*")\}\n'
)


def reviews_text(reviews: Mapping[BodyKey, BodyReview]) -> str:
    """Return the entries of single bodies in the order of their keys, or empty."""
    if not reviews:
        return ""
    entries = [reviews[key].text for key in sorted(reviews)]
    return "".join(["reviews:\n", *entries])


def read_blocks(
    document: yaml.Node, entries: Sequence[tuple[int, str]], where: str
) -> BlocksDecision:
    """Return the decision in `blocks.yaml`.

    `entries` are those that `split_text` took from the document; `where` names
    the file. Raises `DecisionsError` naming the line and what is wrong there.
    """
    decision = read_record(BlocksDecision, document, where)
    inside = _reviews(document, where)
    apart = (
        each
        for index, (before, piece) in enumerate(entries)
        for each in _entry(index, before, piece, where)
    )
    reviews = _by_key(chain(inside, apart), where)
    return replace(decision, reviews=reviews)


def split_text(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Return the part before the bodies' entries, and each entry with the number
    of lines before it. A file that another program wrote may have no such parts."""
    head, found, tail = text.partition(REVIEWS)
    if not found or re.search(r"^[^ \n#]", tail, re.MULTILINE):
        return text, []
    head += "\n"
    line = head.count("\n") + 1
    entries: list[tuple[int, str]] = []
    for piece in re.split(r"(?m)^(?=  - )", tail):
        if piece:
            entries.append((line, piece))
        line += piece.count("\n")
    return head, entries


def _by_key(
    reviews: Iterable[tuple[BodyReview, int]], where: str
) -> dict[BodyKey, BodyReview]:
    found: dict[BodyKey, BodyReview] = {}
    for review, line in reviews:
        if review.key in found:
            raise DecisionsError(
                f"{where}, line {line}: the field `{review.key.field}` of the item "
                f"{review.key.item_id} is decided twice."
            )
        found[review.key] = review
    return found


def _entry(
    index: int, before: int, piece: str, where: str
) -> Iterator[tuple[BodyReview, int]]:
    if (review := _quickly(piece)) is not None:
        yield review, before + 1
        return
    # Blank lines in front keep the numbers of the lines that errors name.
    text = "\n" * (before - 1) + f"reviews:\n{piece}"
    yield from _reviews(read_document(text, where), where, index)


def _quickly(piece: str) -> BodyReview | None:
    """Return the entry in a text that is byte for byte as we write it, else None."""
    match = _ENTRY.match(piece)
    if match is None:
        return None
    *head, blocks = match.groups()
    try:
        review = BodyReview(
            **dict(zip(HEAD, map(json.loads, head), strict=True)),
            blocks=tuple(
                DecidedBlock(BlockKind(kind), int(nodes), How(way), json.loads(begins))
                for kind, nodes, way, begins in _BLOCK.findall(blocks)
            ),
        )
        rules_of(review.rules)
    except ValueError:
        return None
    sound = all(block.nodes for block in review.blocks)
    return review if sound and review.text == piece else None


def _reviews(
    document: yaml.Node, where: str, first: int = 0
) -> Iterator[tuple[BodyReview, int]]:
    """Yield the reviews that a document lists, of which `first` is the first one's
    number, each with its line."""
    listed = node_at(document, ("reviews",))
    nodes = listed.value if isinstance(listed, yaml.SequenceNode) else ()
    for index, node in enumerate(nodes, start=first):
        review = read_record(BodyReview, node, where, ("reviews", index))
        yield review, node.start_mark.line + 1
