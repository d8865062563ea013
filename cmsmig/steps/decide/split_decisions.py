"""What was decided about the blocks of bodies, against the bodies as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cmsmig.counting import first_of
from cmsmig.errors import UndecidedError
from cmsmig.mapping.decisions.body_reviews import (
    BodyFacts,
    BodyKey,
    BodyState,
    ReviewStatus,
    body_facts,
    review_status,
)
from cmsmig.mapping.decisions.choices import BlocksDecision, BodyChoice
from cmsmig.mapping.decisions.decision_files import block_names, embed_policy
from cmsmig.mapping.decisions.design import Design, Encoding
from cmsmig.mapping.propose.block_designs import missing_roles
from cmsmig.origin.schema import Item, Locale
from cmsmig.richtext.blocks.block_runs import Blocks
from cmsmig.richtext.blocks.outline import outline_of
from cmsmig.richtext.engine import Engine, Lenient
from cmsmig.richtext.policy import EmbedPolicy
from cmsmig.steps.decide.decision_store import Decisions

_NAMED = 3
"""Bodies that a refusal names; more are counted."""

_REVIEW = (
    "review them in the notebook 03, or run `cmsmig decide --accept-proposals "
    "--reviewer NAME`"
)


@dataclass(frozen=True, slots=True)
class SplitBody:
    """A body of a field whose bodies are stored as blocks."""

    key: BodyKey
    item: Item
    choice: BodyChoice
    html: str
    """As the origin holds it."""

    def title(self, locales: Sequence[Locale]) -> str:
        """Return what the body is called for an editor."""
        name = self.item.name or self.item.slug or self.key.item_id
        place = f"{self.choice.collection_slug}/{self.key.field}"
        tags = [each.tag for each in locales if each.locale_id == self.key.locale_id]
        return f"{name} ({', '.join([place, *tags])})"


@dataclass(frozen=True, slots=True)
class UndecidedBody:
    """A body whose proposal splits it, which is not accepted."""

    body: SplitBody
    facts: BodyFacts
    status: ReviewStatus


@dataclass(frozen=True, slots=True)
class Splits:
    """The blocks of all split bodies, and those that are not decided."""

    blocks: Mapping[BodyKey, Blocks]
    undecided: tuple[UndecidedBody, ...] = ()


def split_bodies(
    items: Iterable[Item], design: Design, decision: BlocksDecision
) -> Iterator[SplitBody]:
    """Yield the bodies of fields whose bodies are stored as blocks."""
    chosen = decision.split_fields()
    fields: dict[str, list[BodyChoice]] = {}
    for content_type in design.content_types:
        for field in content_type.fields:
            choice = chosen.get((content_type.collection_id, field.origin))
            if choice is not None and field.encoding is Encoding.RICHTEXT:
                fields.setdefault(content_type.collection_id, []).append(choice)
    for item in items:
        for choice in fields.get(item.key.collection_id, ()):
            html = item.data.get(choice.field)
            if isinstance(html, str) and html:
                yield SplitBody(body_key(item, choice.field), item, choice, html)


def body_key(item: Item, field: str) -> BodyKey:
    """Return the key of the body in an item's field."""
    key = item.key
    return BodyKey(key.collection_id, key.item_id, key.locale_id, field)


def facts_of(
    html: str, engine: Engine, policy: EmbedPolicy, design: Design
) -> BodyFacts:
    """Return the facts of one body; no file changes them."""
    document = Lenient(engine).from_html(html, policy).document
    return body_facts(html, outline_of(document, block_names(design)))


def find_splits(items: Iterable[Item], decisions: Decisions, engine: Engine) -> Splits:
    """Return the blocks that each body of a split field has. Converts them all."""
    policy = embed_policy(decisions.embeds, decisions.design)
    blocks: dict[BodyKey, Blocks] = {}
    undecided: list[UndecidedBody] = []
    for body in split_bodies(items, decisions.design, decisions.blocks):
        review = decisions.blocks.reviews.get(body.key)
        facts = facts_of(body.html, engine, policy, decisions.design)
        found = review_status(review, facts, body.choice.heuristics)
        blocks[body.key] = found.blocks
        if found.state in (BodyState.OPEN, BodyState.REOPENED):
            undecided.append(UndecidedBody(body, facts, found))
    return Splits(blocks, tuple(undecided))


def refuse_undecided(splits: Splits, locales: Sequence[Locale]) -> None:
    """Raise `UndecidedError` naming the bodies whose blocks are not decided."""
    open_ = splits.undecided
    if not open_:
        return
    reopened = sum(each.status.state is BodyState.REOPENED for each in open_)
    again = f" ({reopened} changed after it was decided)" if reopened else ""
    bodies = "one body" if len(open_) == 1 else f"{len(open_)} bodies"
    named = first_of([each.body.title(locales) for each in open_], _NAMED)
    raise UndecidedError(
        f"The blocks of {bodies} are not reviewed{again}: {named}; {_REVIEW}."
    )


def undesigned_blocks(design: Design, decision: BlocksDecision) -> Iterator[str]:
    """Yield the components that split bodies need and the design lacks."""
    for role in missing_roles(design, decision):
        yield (
            f"blocks.yaml splits bodies, and design.yaml has no block with the role "
            f"`{role}`."
        )
