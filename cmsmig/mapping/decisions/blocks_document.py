"""`blocks.yaml`: how each field's bodies are stored, then an entry for each body
that was decided on. Entries are written and read by the thousand, so that those
in the form we write need no YAML reader."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BeforeValidator, Field

from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.body_reviews import (
    BodyKey,
    BodyReview,
    DecidedBlock,
    rules_of,
)
from cmsmig.mapping.decisions.choices import BlocksDecision, BodyChoice, BodyMode
from cmsmig.mapping.decisions.document_keys import (
    DecisionKeys,
    From,
    Keys,
    Made,
    mistake,
    read_keys,
    whole_number,
)
from cmsmig.mapping.decisions.yaml_documents import read_document, text_of
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


class _BlockKeys(Keys):
    kind: BlockKind
    nodes: Annotated[int, whole_number(1)]
    how: How = How.ACCEPTED
    begins: str = ""


def _rules(written: str) -> str:
    try:
        rules_of(written)
    except ValueError:
        raise mistake(
            f"`{written}` names no rules, such as `1 headings:2 images`"
        ) from None
    return written


def _some(blocks: tuple[DecidedBlock, ...]) -> tuple[DecidedBlock, ...]:
    if not blocks:
        raise mistake("has no block")
    return blocks


class _ReviewKeys(Keys):
    collection_id: str
    item: str
    locale: str = ""
    field: str
    rules: Annotated[str, AfterValidator(_rules)]
    blocks: Annotated[
        tuple[Annotated[DecidedBlock, From(_BlockKeys)], ...],
        AfterValidator(_some),
        Field(validate_default=True),
    ] = ()
    content: str
    slug: str = ""
    by: str = ""
    at: str = ""
    how: str = ""

    def made(self, kind: Callable[..., Made]) -> Made:
        given = dict(self)
        names = ("collection_id", "item", "locale", "field")
        return kind(key=BodyKey(*map(given.pop, names)), **given)


class _BodyKeys(Keys):
    collection_slug: str = Field(alias="collection")
    collection_id: str
    field: str
    mode: BodyMode = BodyMode.ONE_RICHTEXT
    split: tuple[Annotated[Heuristic, BeforeValidator(text_of)], ...] = ()
    heading_level: Annotated[int, whole_number(1, 6)] = 2

    @classmethod
    def taken(cls, made: BodyChoice) -> dict[str, Any]:
        named = ("collection_slug", "collection_id", "field", "mode")
        taken = {name: getattr(made, name) for name in named}
        if on := made.heuristics.on:
            taken["split"] = tuple(each for each in Heuristic if each in on)
            taken["heading_level"] = made.heuristics.heading_level
        return taken

    def made(self, kind: Callable[..., Made]) -> Made:
        given = dict(self)
        on = frozenset(given.pop("split"))
        return kind(heuristics=Heuristics(on, given.pop("heading_level")), **given)


class BlocksKeys(DecisionKeys):
    """The keys of `blocks.yaml` but for its `reviews`, which are text."""

    bodies: tuple[Annotated[BodyChoice, From(_BodyKeys)], ...] = ()


class _FileKeys(BlocksKeys):
    reviews: tuple[yaml.Node, ...] = ()
    """Each is read by itself, as those are that stand apart."""


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
    keys = read_keys(_FileKeys, document, where)
    inside = _reviews(keys.reviews, where)
    apart = (
        each
        for index, (before, piece) in enumerate(entries)
        for each in _entry(index, before, piece, where)
    )
    reviews = _by_key(chain(inside, apart), where)
    return BlocksDecision(keys.bodies, keys.reviewed, reviews)


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
    keys = read_keys(_FileKeys, read_document(text, where), where)
    yield from _reviews(keys.reviews, where, index)


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


def _reviews(
    nodes: Iterable[yaml.Node], where: str, first: int = 0
) -> Iterator[tuple[BodyReview, int]]:
    for index, node in enumerate(nodes, start=first):
        keys = read_keys(_ReviewKeys, node, where, ("reviews", index))
        yield keys.made(BodyReview), node.start_mark.line + 1
