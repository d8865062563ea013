"""The design as it was decided, with everything that the other decisions ask of it, and
what the origin has of it. Asks no service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from cmsmig.counting import and_more
from cmsmig.derived_file import DerivedFile
from cmsmig.errors import UndecidedError
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.decision_files import FILE_NAMES
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.propose.block_designs import split_design
from cmsmig.mapping.propose.decision_checks import (
    check_against,
    undecided_collections,
    undecided_design,
)
from cmsmig.mapping.select.selection import Selection
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.decision_store import Decisions, read_decisions
from cmsmig.steps.decide.migration_items import translate
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.steps.decide.rules_file import RuleFile, load_rules
from cmsmig.steps.decide.split_decisions import undesigned_blocks


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
