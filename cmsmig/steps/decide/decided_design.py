"""The design as it was decided, with everything that the other decisions ask of it, and
what the origin has of it; and what was decided about the blocks of bodies, against the
bodies as they are. Asks no service.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cmsmig.counting import and_more, first_of
from cmsmig.derived_file import DerivedFile
from cmsmig.errors import UndecidedError
from cmsmig.mapping.decisions.body_reviews import (
    BodyFacts,
    BodyKey,
    BodyState,
    ReviewStatus,
    body_facts,
    review_status,
)
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    BodyChoice,
    CollectionsDecision,
)
from cmsmig.mapping.decisions.decision_files import (
    FILE_NAMES,
    block_names,
    embed_policy,
)
from cmsmig.mapping.decisions.design import Design, Encoding
from cmsmig.mapping.propose.block_designs import missing_roles, split_design
from cmsmig.mapping.propose.decision_checks import (
    check_against,
    undecided_collections,
    undecided_design,
)
from cmsmig.mapping.select.selection import Selection
from cmsmig.origin.cache import RawCache
from cmsmig.origin.schema import Item, Locale
from cmsmig.richtext.blocks.block_runs import Blocks
from cmsmig.richtext.blocks.outline import outline_of
from cmsmig.richtext.engine import Engine, Lenient
from cmsmig.richtext.policy import EmbedPolicy
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.decision_store import Decisions, read_decisions
from cmsmig.steps.decide.migration_items import translate
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.steps.decide.rules_file import RuleFile, load_rules

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
        for each in content_type.fields:
            choice = chosen.get((content_type.collection_id, each.origin))
            if choice is not None and each.encoding is Encoding.RICHTEXT:
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


@dataclass(frozen=True, slots=True)
class DecidedDesign:
    """The design as it is imported, and what the origin has of it."""

    design: Design
    collections: CollectionsDecision
    origin: Origin | None = None
    """None without a complete pull: then nothing is selected either."""
    selections: Mapping[str, Selection] = field(default_factory=dict)
    """What is imported of each collection."""


def read_decided_design(project: Project, settings: Settings) -> DecidedDesign:
    """Return the design as it is imported; looks at no body.

    Without a complete pull it is what the decision files say: which fields are
    translated is not known then. Raises `UndecidedError` without the decisions and
    `DecisionsError` when they do not fit each other or what was pulled.
    """
    decisions, _ = read_with_rules(project, settings)
    if not RawCache(project.raw).complete():
        return DecidedDesign(whole_design(decisions), decisions.collections)
    derived = DerivedFile(project.derived)
    origin = read_origin(project, settings.site_id, derived)
    refuse_unfit_decisions(decisions, origin, reviewing=False)
    selections = origin.select(decisions.collections)
    origin, decisions, selections = translate(origin, decisions, selections, derived)
    return DecidedDesign(
        whole_design(decisions), decisions.collections, origin, selections
    )


def read_with_rules(
    project: Project, settings: Settings
) -> tuple[Decisions, RuleFile | None]:
    """Return the decisions and the project's own rules, whose hash is one of them."""
    decisions = read_decisions(project)
    rules = load_rules(project, settings.richtext_rules)
    if rules is None:
        return decisions, None
    hashes = {**decisions.hashes, rules.name: rules.digest}
    return replace(decisions, hashes=hashes), rules


def whole_design(decisions: Decisions) -> Design:
    """Return the design with everything that the other decisions ask of it."""
    return split_design(decisions.design, decisions.blocks)


def refuse_unfit_decisions(
    decisions: Decisions, origin: Origin, *, reviewing: bool
) -> None:
    """Refuse decisions that do not fit the origin, or leave something open.

    While `reviewing`, blocks of bodies may be open. Raises `DecisionsError` and
    `UndecidedError`.
    """
    for decision in (
        decisions.collections,
        decisions.design,
        decisions.blocks,
        decisions.embeds,
        decisions.cleaning,
    ):
        check_against(decision, origin.collections)
    undecided = (
        *_find_unreviewed(decisions),
        *undecided_collections(
            decisions.collections, origin.collections, origin.site.locales
        ),
        *undecided_design(decisions.design, decisions.collections, origin.collections),
        *(() if reviewing else undesigned_blocks(decisions.design, decisions.blocks)),
    )
    if undecided:
        more = and_more(len(undecided), 1, ", and ")
        raise UndecidedError(
            f"{undecided[0].rstrip('.')}{more}; decide in the notebooks 01 to 03, in "
            "the files under decisions/, or run `cmsmig decide --accept-proposals "
            "--reviewer NAME`, which adds what is missing and keeps the rest."
        )


def _find_unreviewed(decisions: Decisions) -> Iterator[str]:
    for decision in (decisions.collections, decisions.design):
        if decision.reviewed is None:
            yield f"{FILE_NAMES[type(decision)]} is not accepted yet."
