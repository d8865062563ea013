"""Writes the proposals as decision files, accepted in bulk by one person."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from cmsmig.errors import UsageError
from cmsmig.events import Noticed, Observer
from cmsmig.mapping.decisions.body_reviews import IN_BULK
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    BodyMode,
)
from cmsmig.mapping.decisions.conflicts import (
    ConflictsDecision,
)
from cmsmig.mapping.decisions.decision_files import FILE_NAMES, Decision
from cmsmig.mapping.decisions.design import Design, Reviewed
from cmsmig.mapping.propose.block_designs import with_blocks
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.proposals import (
    propose_bodies,
    propose_collections,
    propose_design,
    propose_embeds,
)
from cmsmig.origin.schema import Item
from cmsmig.richtext.blocks.proposals import Heuristics
from cmsmig.settings import Project, Settings
from cmsmig.steps.connect import open_destination
from cmsmig.steps.decide.body_review import Review
from cmsmig.steps.decide.decision_store import (
    read_decisions,
    stamp_review,
    write_decision,
)
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.steps.decide.split_decisions import find_splits
from cmsmig.steps.pull.raw_site import require_same_site


@dataclass(frozen=True, slots=True)
class Accepted:
    """The decision files that were written, and how many bodies were accepted."""

    written: tuple[Path, ...]
    bodies: int
    """Bodies whose blocks were accepted in bulk."""


async def accept_proposals(
    project: Project,
    settings: Settings,
    *,
    reviewer: str,
    observer: Observer,
    overwrite: bool = False,
    heuristics: Heuristics | None = None,
) -> Accepted:
    """Write the proposals as decisions accepted in bulk by `reviewer`.

    Files that exist are kept unless `overwrite`. With `heuristics` every RichText
    body is split by them. Where bodies are split, now or as decided earlier, the
    proposals of those that nobody decided on are accepted too, and those that
    somebody did stay as they are. Raises `UnreadError` without a complete pull.
    """
    if not reviewer.strip():
        raise UsageError(
            "Decisions name who took them; give --reviewer with your name."
        )
    await require_same_site(project, settings, observer)
    origin = read_origin(project, settings.site_id)
    facts = await space_facts(settings, observer)
    reviewed = stamp_review(reviewer.strip(), IN_BULK)
    written: dict[Path, None] = {}
    for decision in _proposals(origin, facts, reviewed):
        name = FILE_NAMES[type(decision)]
        if (project.decisions / name).exists() and not overwrite:
            if heuristics is None or not isinstance(decision, BlocksDecision):
                observer(Noticed(name, "it is decided already and stays as it is"))
        else:
            written[write_decision(project, decision)] = None
    if heuristics is not None:
        written[_split(project, heuristics, reviewed)] = None
    bodies = _accept_blocks(project, settings, facts, reviewed, written)
    return Accepted(tuple(written), bodies)


def _split(project: Project, heuristics: Heuristics, reviewed: Reviewed) -> Path:
    """Write that the bodies of every RichText field are split."""
    design, there = _read_decided(project)
    known = {(each.collection_id, each.field) for each in there.bodies}
    proposed = propose_bodies(design).bodies
    added = [each for each in proposed if (each.collection_id, each.field) not in known]
    bodies = tuple(
        replace(each, mode=BodyMode.BLOCKS, heuristics=heuristics)
        for each in (*there.bodies, *added)
    )
    return write_decision(project, replace(there, bodies=bodies, reviewed=reviewed))


def _accept_blocks(
    project: Project,
    settings: Settings,
    facts: SpaceFacts,
    reviewed: Reviewed,
    written: dict[Path, None],
) -> int:
    """Accept the blocks of the bodies that are open; return how many there were."""
    design, decision = _read_decided(project)
    if not decision.split_fields():
        return 0
    if (wanted := with_blocks(design, decision, facts)) != design:
        written[write_decision(project, wanted)] = None
    migration = open_migration(project, settings, reviewing=True)
    items = [entry.item for entry in migration.selected]
    splits = find_splits(items, migration.decisions, migration.engine)
    slugs = {each.body.key: each.body.item.slug for each in splits.undecided}
    review = Review.open(project, wanted, decision, slugs=slugs)
    review.reviewer = reviewed.by
    accepted = review.accept_all(
        [(each.body.key, each.facts) for each in splits.undecided]
    )
    if accepted:
        written[project.decisions / FILE_NAMES[BlocksDecision]] = None
    return accepted


def _read_decided(project: Project) -> tuple[Design, BlocksDecision]:
    decisions = read_decisions(project)
    return decisions.design, decisions.blocks


async def space_facts(settings: Settings, observer: Observer) -> SpaceFacts:
    """Return what the space holds already, so that no proposal collides. Reads only.

    Without a destination in the settings an empty space is taken for granted.
    """
    if not settings.destination_token or not settings.space_id:
        observer(
            Noticed("decide", "no destination is set, so an empty space is assumed")
        )
        return SpaceFacts()
    async with open_destination(settings, observer) as client:
        components = await client.components()
    return SpaceFacts(components={each.name: each.body for each in components})


def _proposals(
    origin: Origin, facts: SpaceFacts, reviewed: Reviewed
) -> tuple[Decision, ...]:
    def items(collection_id: str, live: bool) -> tuple[Item, ...]:
        source = origin.live if live else origin.staged
        return source[collection_id]

    collections = propose_collections(origin.site, origin.collections, items)
    design = propose_design(origin.site, origin.collections, items, collections, facts)
    return (
        replace(collections, reviewed=reviewed),
        replace(design, reviewed=reviewed),
        replace(propose_bodies(design), reviewed=reviewed),
        replace(propose_embeds(), reviewed=reviewed),
        ConflictsDecision(reviewed=reviewed),
    )
