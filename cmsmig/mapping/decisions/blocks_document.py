"""`blocks.yaml`: how each field's bodies are stored, then an entry for each body
that was decided on. Entries are written and read by the thousand, so that those
in the form we write need no YAML reader."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.body_reviews import (
    BodyKey,
    BodyReview,
    DecidedBlock,
    rules_of,
)
from cmsmig.mapping.decisions.choices import BlocksDecision, BodyChoice, BodyMode
from cmsmig.mapping.decisions.yaml_documents import Entry, read_document
from cmsmig.richtext.blocks.outline import BlockKind
from cmsmig.richtext.blocks.proposals import Heuristic, Heuristics, How

REVIEWS = "\nreviews:\n"

_TEXT = r'("(?:[^"\\]|\\.)*")\n'
_NAMES = (
    "slug", "collection_id", "item", "locale", "field", "content", "rules", "by",
    "at", "how",
)  # fmt: skip
_ENTRY = re.compile(
    r"  - slug: "
    + _TEXT
    + "".join(f"    {name}: {_TEXT}" for name in _NAMES[1:])
    + r"    blocks:\n((?:      - .*\n)+)\Z"
)
_BLOCK = re.compile(
    r'      - \{kind: ([a-z]+), nodes: ([0-9]{1,6}), how: ([a-z]+), begins: (".*")\}\n'
)


def blocks_body(decision: BlocksDecision) -> JsonObject:
    """Return the fields' choices as plain JSON; the bodies' are `reviews_text`."""
    bodies: list[Json] = [
        {
            "collection": choice.collection_slug,
            "collection_id": choice.collection_id,
            "field": choice.field,
            "mode": str(choice.mode),
            **_heuristics_body(choice.heuristics),
        }
        for choice in decision.bodies
    ]
    return {"bodies": bodies}


def _heuristics_body(heuristics: Heuristics) -> JsonObject:
    if not heuristics.on:
        return {}
    names: list[Json] = [str(each) for each in Heuristic if each in heuristics.on]
    return {"split": names, "heading_level": heuristics.heading_level}


def reviews_text(reviews: Mapping[BodyKey, BodyReview]) -> str:
    """Return the entries of single bodies in the order of their keys, or empty."""
    if not reviews:
        return ""
    entries = [reviews[key].text for key in sorted(reviews)]
    return "".join(["reviews:\n", *entries])


def read_blocks(
    entry: Entry, entries: Sequence[tuple[int, str]], where: str
) -> BlocksDecision:
    """Return the choices in `blocks.yaml`, without who reviewed them.

    `entries` are those that `split_text` took from the document; `where` names
    the file. Raises `DecisionsError` naming the line and what is wrong there.
    """
    bodies = tuple(map(_body, entry.entries("bodies")))
    inside = ((_read(each), each.line) for each in entry.entries("reviews"))
    apart = (
        each
        for index, (before, piece) in enumerate(entries)
        for each in _entry(index, before, piece, where)
    )
    return BlocksDecision(bodies, reviews=_by_key(chain(inside, apart), where))


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
    document = read_document(text, where)
    for entry in document.entries("reviews", first=index):
        yield _read(entry), entry.line


def _quickly(piece: str) -> BodyReview | None:
    """Return the entry in a text that is byte for byte as we write it, else None."""
    match = _ENTRY.match(piece)
    if match is None:
        return None
    *head, blocks = match.groups()
    try:
        slug, collection, item, locale, field, content, rules, by, at, how = map(
            json.loads, head
        )
        review = BodyReview(
            key=BodyKey(collection, item, locale, field),
            content=content,
            rules=rules,
            blocks=tuple(
                DecidedBlock(BlockKind(kind), int(nodes), How(way), json.loads(begins))
                for kind, nodes, way, begins in _BLOCK.findall(blocks)
            ),
            slug=slug,
            by=by,
            at=at,
            how=how,
        )
        rules_of(rules)
    except ValueError:
        return None
    sound = all(block.nodes for block in review.blocks)
    return review if sound and review.text == piece else None


def _read(entry: Entry) -> BodyReview:
    key = BodyKey(
        entry.text("collection_id"),
        entry.text("item"),
        entry.text("locale", ""),
        entry.text("field"),
    )
    rules = entry.text("rules")
    try:
        rules_of(rules)
    except ValueError:
        entry.refuse(
            f"`{rules}` names no rules, such as `1 headings:2 images`", "rules"
        )
    blocks = tuple(map(_block, entry.entries("blocks")))
    if not blocks:
        entry.refuse("has no block", "blocks")
    found = BodyReview(
        key=key,
        content=entry.text("content"),
        rules=rules,
        blocks=blocks,
        slug=entry.text("slug", ""),
        by=entry.text("by", ""),
        at=entry.text("at", ""),
        how=entry.text("how", ""),
    )
    entry.done()
    return found


def _block(entry: Entry) -> DecidedBlock:
    found = DecidedBlock(
        kind=entry.choice("kind", BlockKind),
        nodes=entry.number("nodes", 1),
        how=entry.choice("how", How, How.ACCEPTED),
        begins=entry.text("begins", ""),
    )
    entry.done()
    return found


def _body(entry: Entry) -> BodyChoice:
    found = BodyChoice(
        collection_slug=entry.text("collection"),
        collection_id=entry.text("collection_id"),
        field=entry.text("field"),
        mode=entry.choice("mode", BodyMode, BodyMode.ONE_RICHTEXT),
        heuristics=Heuristics(
            on=frozenset(entry.choices("split", Heuristic)),
            heading_level=entry.number("heading_level", 1, 6, default=2),
        ),
    )
    entry.done()
    return found
