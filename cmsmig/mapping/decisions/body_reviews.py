"""What people decided about the blocks of single bodies, as entries of a file, and
whether it still holds: changed content reopens only its own decision."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, Field

from cmsmig.canonical import fingerprint
from cmsmig.mapping.decisions.decision_records import Record, mistake
from cmsmig.richtext.blocks.block_runs import (
    RULES_VERSION,
    Block,
    Blocks,
    Heuristic,
    Heuristics,
    How,
    accepted,
    fits,
    needs_review,
    propose_blocks,
    runs_of,
)
from cmsmig.richtext.blocks.outline import BlockKind, Outline

HEAD = (
    "slug", "collection_id", "item", "locale", "field", "content", "rules", "by",
    "at", "how",
)  # fmt: skip
"""The texts of an entry, in the order of its lines; its blocks follow."""
IN_BULK, INDIVIDUALLY = "in bulk", "individually"

_HASH_DIGITS = 32
_ADDRESS = re.compile(r"(?:https?:)?//[^\s\"'<>]+")
_TO_FILE = re.compile(r".*/[0-9a-f]{24}_")
"""An address up to the name of an uploaded file."""
_HOST = re.compile(r"(?:https?:)?//[^/]+(?=/)")


@dataclass(frozen=True, slots=True, order=True)
class BodyKey:
    """One body: an item's field, in one locale."""

    collection_id: str
    item_id: str
    locale_id: str
    field: str
    """The origin field's slug."""


@dataclass(frozen=True, slots=True)
class BodyFacts:
    """What proposing and deciding needs of a body; small, and picklable."""

    content: str
    """Fingerprint of the origin's HTML and of the kinds of its top-level nodes."""
    outline: Outline


def body_facts(html: str, outline: Outline) -> BodyFacts:
    """Return the facts of a body: `html` as the origin holds it."""
    shape = [[node.type, node.component] for node in outline]
    content = fingerprint([_ADDRESS.sub(_without_host, html), shape])
    return BodyFacts(content[:_HASH_DIGITS], outline)


def _without_host(address: re.Match[str]) -> str:
    """Return the address of an uploaded file without its host, which differs between an
    origin and its rehearsals where the path is the same; another as it is."""
    to_file = _TO_FILE.match(address[0])
    if to_file is None:
        return address[0]
    return _HOST.sub("", to_file[0]) + address[0][to_file.end() :]


@dataclass(frozen=True, slots=True)
class DecidedBlock(Record):
    """One block of a decision, as the file holds it."""

    kind: BlockKind
    nodes: Annotated[int, Field(ge=1)]
    how: How = How.ACCEPTED
    begins: str = ""
    """The beginning of its text, for readers of the file."""


def _named_rules(written: str) -> str:
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


@dataclass(frozen=True, kw_only=True)
class BodyReview(Record):
    """What was decided about one body. Without slots: it keeps its own text."""

    slug: str = ""
    """Of the item, for readers of the file."""
    collection_id: str
    item: str
    locale: str = ""
    field: str
    content: str
    """`BodyFacts.content` of the body that it was decided on."""
    rules: Annotated[str, AfterValidator(_named_rules)]
    """The rules that had proposed, as `rules_text` writes them."""
    by: str = ""
    """Empty: changed by hand, and not accepted yet."""
    at: str = ""
    """ISO 8601 in UTC."""
    how: str = ""
    """`individually` or `in bulk`."""
    blocks: Annotated[
        tuple[DecidedBlock, ...], AfterValidator(_some), Field(validate_default=True)
    ] = ()

    @property
    def key(self) -> BodyKey:
        """Return the body that was decided on."""
        return BodyKey(self.collection_id, self.item, self.locale, self.field)

    @cached_property
    def text(self) -> str:
        """Return the entry as the file holds it: a line for each block."""
        lines = [f"    {name}: {quoted(getattr(self, name))}\n" for name in HEAD]
        lines[0] = f"  - {lines[0].lstrip()}"
        lines.append("    blocks:\n")
        lines += [
            f"      - {{kind: {block.kind}, nodes: {block.nodes}, how: {block.how}, "
            f"begins: {quoted(block.begins)}}}\n"
            for block in self.blocks
        ]
        return "".join(lines)

    @property
    def decided(self) -> list[object]:
        """Return what a draft depends on: neither who decided nor how."""
        blocks = [[block.kind, block.nodes] for block in self.blocks]
        key = self.key
        place = [key.collection_id, key.item_id, key.locale_id, key.field]
        return [place, self.content, self.rules, bool(self.by), blocks]


def quoted(text: str) -> str:
    """Return a text in double quotes, as YAML and JSON both read it; what cannot
    be printed is escaped as YAML has it."""
    if text.isprintable():
        return json.dumps(text, ensure_ascii=False)
    pieces = (
        json.dumps(sign, ensure_ascii=False)[1:-1]
        if sign.isprintable() or sign in "\n\r\t"
        else f"\\U{ord(sign):08x}"
        if ord(sign) > 0xFFFF
        else f"\\u{ord(sign):04x}"
        for sign in text
    )
    return f'"{"".join(pieces)}"'


def rules_text(heuristics: Heuristics) -> str:
    """Return the rules' version and what was on, such as `1 headings:2 images`."""
    names = [
        f"{each}:{heuristics.heading_level}" if each is Heuristic.HEADINGS else each
        for each in Heuristic
        if each in heuristics.on
    ]
    return " ".join([str(RULES_VERSION), *names])


def rules_of(text: str) -> tuple[int, Heuristics]:
    """Return version and heuristics of a `rules_text`. Raises `ValueError`."""
    version, *names = text.split(" ")
    on: set[Heuristic] = set()
    level = Heuristics().heading_level
    for name in names:
        name, _, number = name.partition(":")
        on.add(Heuristic(name))
        if number:
            level = int(number)
    return int(version), Heuristics(frozenset(on), level)


def review_of(
    key: BodyKey,
    facts: BodyFacts,
    heuristics: Heuristics,
    blocks: Blocks,
    *,
    slug: str = "",
    by: str = "",
    at: str = "",
    how: str = "",
) -> BodyReview:
    """Return a decision on a body's blocks: with `by` accepted, without it open."""
    if by:
        blocks = accepted(blocks)
    return BodyReview(
        collection_id=key.collection_id,
        item=key.item_id,
        locale=key.locale_id,
        field=key.field,
        content=facts.content,
        rules=rules_text(heuristics),
        blocks=tuple(_make_decided(blocks, facts.outline)),
        slug=slug,
        by=by,
        at=at,
        how=how,
    )


def _make_decided(blocks: Blocks, outline: Outline) -> Iterable[DecidedBlock]:
    for block, run in zip(blocks, runs_of(outline, blocks), strict=True):
        begins = next((node.text for node in run if node.text), "")
        shown = "".join(sign if sign.isprintable() else " " for sign in begins)
        yield DecidedBlock(block.kind, block.nodes, block.how, shown)


_BY_HAND = {
    How.MERGED: "Merged by hand.",
    How.SPLIT: "Split by hand.",
    How.RETYPED: "Its kind was chosen by hand.",
    How.REJECTED: "Taken back into the text.",
}


class BodyState(StrEnum):
    """How far a body's review is."""

    NOT_NEEDED = "needs no review"
    OPEN = "unreviewed"
    REOPENED = "reopened"
    REVIEWED = "reviewed"


@dataclass(frozen=True, slots=True)
class ReviewStatus:
    """A body's blocks, the state of their review, and the reviewer."""

    state: BodyState
    blocks: Blocks
    """As decided or edited where that holds for this content; else proposed."""
    edited: bool = False
    """Changed by hand and not accepted yet."""
    by: str = ""
    at: str = ""
    how: str = ""
    why: str = ""
    """Why it was reopened, one sentence; else empty."""


def review_status(
    review: BodyReview | None, facts: BodyFacts, heuristics: Heuristics
) -> ReviewStatus:
    """Return the state of a body's review under the field's current heuristics."""
    proposal = propose_blocks(facts.outline, heuristics)
    needed = needs_review(proposal)
    if review is None:
        return ReviewStatus(
            BodyState.OPEN if needed else BodyState.NOT_NEEDED, proposal
        )
    if why := _explain_outdated(review, facts, heuristics, proposal):
        if not review.by:
            why = ""
        state = BodyState.REOPENED if why else BodyState.OPEN
        return ReviewStatus(
            state if needed else BodyState.NOT_NEEDED, proposal, why=why
        )
    blocks = _blocks(review, facts, proposal)
    if not review.by:
        return ReviewStatus(BodyState.OPEN, blocks, edited=True)
    return ReviewStatus(
        BodyState.REVIEWED, blocks, by=review.by, at=review.at, how=review.how
    )


def _explain_outdated(
    review: BodyReview, facts: BodyFacts, heuristics: Heuristics, proposal: Blocks
) -> str:
    if review.content != facts.content:
        return "The body, or what its embeds become, changed after this was decided."
    if review.rules == rules_text(heuristics):
        return "" if _fits(review, facts) else _UNFIT
    try:
        version, before = rules_of(review.rules)
    except ValueError:
        return _UNFIT
    if version != RULES_VERSION:
        return "The rules that propose blocks changed after this was decided."
    if _shape(propose_blocks(facts.outline, before)) != _shape(proposal):
        return "Other rules are switched on now, and they split this body differently."
    return "" if _fits(review, facts) else _UNFIT


_UNFIT = "The decided blocks don't fit this body."


def _fits(review: BodyReview, facts: BodyFacts) -> bool:
    return fits(
        tuple(Block(each.kind, each.nodes) for each in review.blocks), facts.outline
    )


def _shape(blocks: Blocks) -> list[tuple[BlockKind, int]]:
    return [(block.kind, block.nodes) for block in blocks]


def _blocks(review: BodyReview, facts: BodyFacts, proposal: Blocks) -> Blocks:
    """Return the decided blocks, those as proposed with the reason they had."""
    reasons: dict[tuple[int, int], str] = {}
    start = 0
    for block in proposal:
        reasons[start, block.nodes] = block.why
        start += block.nodes
    blocks: list[Block] = []
    start = 0
    for each in review.blocks:
        why = _BY_HAND.get(each.how) or reasons.get((start, each.nodes), "")
        blocks.append(Block(each.kind, each.nodes, why, each.how))
        start += each.nodes
    return tuple(blocks)
