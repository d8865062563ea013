"""Whether what was decided about a body's blocks still holds: changed content
reopens only its own decision."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cmsmig.mapping.decisions.body_reviews import (
    BodyFacts,
    BodyReview,
    rules_of,
    rules_text,
)
from cmsmig.richtext.blocks.outline import BlockKind
from cmsmig.richtext.blocks.proposals import (
    RULES_VERSION,
    Block,
    Blocks,
    Heuristics,
    How,
    fits,
    needs_review,
    propose_blocks,
)

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


def standing(
    review: BodyReview | None, facts: BodyFacts, heuristics: Heuristics
) -> ReviewStatus:
    """Return where a body stands under the field's current heuristics."""
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
        return "Other rules are switched on now, and they split this body otherwise."
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
