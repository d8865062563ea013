"""Writes the proposals as decision files, accepted in bulk by one person; decisions
that are there get what they lack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from cmsmig.errors import UsageError
from cmsmig.events import Noticed, Observer
from cmsmig.mapping.decisions.body_reviews import IN_BULK
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    BodyMode,
    CollectionsDecision,
)
from cmsmig.mapping.decisions.conflicts import (
    ConflictsDecision,
)
from cmsmig.mapping.decisions.decision_files import FILE_NAMES, D
from cmsmig.mapping.decisions.design import Decision, Design, Reviewed
from cmsmig.mapping.decisions.redirects import RedirectsDecision
from cmsmig.mapping.propose.additions import (
    Addition,
    with_missing_blocks,
    with_missing_bodies,
    with_missing_choices,
    with_missing_designs,
)
from cmsmig.mapping.propose.decision_checks import decision_problems, departures
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.proposals import (
    propose_bodies,
    propose_collections,
    propose_design,
    propose_embeds,
)
from cmsmig.mapping.redirects.address_map import KnownAddress
from cmsmig.mapping.redirects.address_resolver import map_addresses
from cmsmig.mapping.redirects.redirect_proposals import propose_redirects
from cmsmig.richtext.blocks.block_runs import Heuristics
from cmsmig.settings import Project, Settings
from cmsmig.steps.connect import open_destination
from cmsmig.steps.decide.body_review import Review
from cmsmig.steps.decide.decided_design import find_splits
from cmsmig.steps.decide.decision_store import (
    Decisions,
    add_to_decision,
    decision_in,
    read_decisions,
    stamp_review,
    write_decision,
)
from cmsmig.steps.decide.known_addresses import (
    NewPaths,
    known_addresses,
    left_out_items,
)
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.decide.pulled_origin import (
    Origin,
    read_origin,
    renamed_collections,
)
from cmsmig.steps.pull.raw_site import require_same_site


@dataclass(frozen=True, slots=True)
class Accepted:
    """The decision files that were written, and what of it is new."""

    written: tuple[Path, ...]
    bodies: int
    """Bodies whose blocks were accepted in bulk."""
    added: tuple[Addition, ...] = ()
    """What decisions that were there lacked, and have now."""
    to_decide: tuple[str, ...] = ()
    """What the origin no longer has as it was decided, a sentence each."""


@dataclass(slots=True)
class _Acceptance:
    """What is accepted, and what was done so far."""

    project: Project
    reviewed: Reviewed
    overwrite: bool
    splitting: bool
    observer: Observer
    written: dict[Path, None] = field(default_factory=dict)
    """The files, in the order in which they were written."""
    new: set[Path] = field(default_factory=set)
    """Those that were not there before, or were replaced whole."""
    added: list[Addition] = field(default_factory=list)

    def take(
        self, proposal: D, complete: Callable[[D], tuple[D, tuple[Addition, ...]]]
    ) -> D:
        """Write the proposal, or complete the decision that is there; return what is
        decided now."""
        path = self.project.decision(FILE_NAMES[type(proposal)])
        if self.overwrite or not path.exists():
            accepted = replace(proposal, reviewed=self.reviewed)
            self.written[write_decision(self.project, accepted)] = None
            self.new.add(path)
            return accepted
        split = self.splitting and isinstance(proposal, BlocksDecision)
        return self.complete(type(proposal), complete, quietly=split)

    def complete(
        self,
        kind: type[D],
        complete: Callable[[D], tuple[D, tuple[Addition, ...]]],
        *,
        quietly: bool,
    ) -> D:
        """Complete the decision that is there; return what is decided now."""
        path = self.project.decision(FILE_NAMES[kind])
        decision, added = add_to_decision(self.project, kind, complete, self.reviewed)
        if added:
            self.written[path] = None
        elif not quietly:
            self.observer(Noticed(path.name, "it is decided and stays as it is"))
        if path not in self.new:
            self.added += added
        return decision


async def accept_proposals(
    project: Project,
    settings: Settings,
    *,
    reviewer: str,
    observer: Observer,
    overwrite: bool = False,
    heuristics: Heuristics | None = None,
    others: Iterable[KnownAddress] = (),
) -> Accepted:
    """Write the proposals as decisions accepted in bulk by `reviewer`.

    Files that exist get what they lack of what the origin has, and keep all else,
    unless `overwrite`. With `heuristics` every RichText body is split by them. Where
    bodies are split, now or as decided earlier, the proposals of those that are
    not decided are accepted too, and those that are stay as they are. `others` are old
    addresses that the pulled site does not name. Raises `UnreadError` without a
    complete pull.
    """
    if not reviewer.strip():
        raise UsageError(
            "Decisions name who took them; give --reviewer with your name."
        )
    await require_same_site(project, settings, observer)
    origin = read_origin(project, settings.site_id)
    facts = await space_facts(settings, observer)
    reviewed = stamp_review(reviewer.strip(), IN_BULK)
    splitting = heuristics is not None
    done = _Acceptance(project, reviewed, overwrite, splitting, observer)
    _take_all(done, origin, facts)
    _take_redirects(done, origin, others)
    if heuristics is not None:
        done.written[_split(project, heuristics, reviewed)] = None
    _add_blocks(done, facts)
    decisions = read_decisions(project)
    refused = tuple(_problems(decisions, origin))
    # Bodies cannot be read by decisions that do not fit the origin.
    bodies = 0 if refused else _accept_blocks(done, settings)
    left = departures(
        decisions.collections, decisions.design, origin.collections, origin.site.locales
    )
    return Accepted(tuple(done.written), bodies, tuple(done.added), (*refused, *left))


def _take_all(done: _Acceptance, origin: Origin, facts: SpaceFacts) -> None:
    """Write or complete each decision; later ones follow from what is decided then."""
    former = (each for each in renamed_collections(origin) if each.in_bulk)
    chosen = replace(
        propose_collections(origin.site, origin.collections, origin.items),
        former_paths=tuple(each.decision for each in former),
    )
    collections = done.take(chosen, lambda known: with_missing_choices(known, chosen))
    proposal = propose_design(
        origin.site, origin.collections, origin.items, collections, facts
    )
    design = done.take(
        proposal,
        lambda known: with_missing_designs(known, proposal, origin.collections, facts),
    )
    done.take(propose_bodies(design), lambda known: with_missing_bodies(known, design))
    done.take(propose_embeds(), lambda known: (known, ()))
    done.take(ConflictsDecision(), lambda known: (known, ()))


def _take_redirects(
    done: _Acceptance, origin: Origin, others: Iterable[KnownAddress]
) -> None:
    """Write or complete the redirects, where any address waits for a decision."""
    path = done.project.decision(FILE_NAMES[RedirectsDecision])
    decided = decision_in(done.project, RedirectsDecision) or RedirectsDecision()
    collections = decision_in(done.project, CollectionsDecision)
    collections = collections or CollectionsDecision()
    new = NewPaths.unchanged(origin)
    known = [*known_addresses(done.project, origin, collections, new), *others]
    chosen = origin.select(collections).values()
    skipped = {each.key: each for one in chosen for each in one.skipped}
    # A page that is not live yet is one that the new site has, too.
    paths = origin.old_paths
    every = (each for each in origin.every_item().values() if each.key not in skipped)
    pages = {paths.path(each.key, each.slug): each.key for each in every}
    pages |= {path: key for key, path in new.stories.items() if key not in skipped}
    left_out = left_out_items(origin, collections, skipped.values())
    lists = frozenset(new.folders.values())
    found = map_addresses(known, pages, lists, decided, left_out)
    proposed = propose_redirects(found)
    added = tuple(Addition("redirect", each.old) for each in proposed)

    def complete(
        known: RedirectsDecision,
    ) -> tuple[RedirectsDecision, tuple[Addition, ...]]:
        return replace(known, addresses=(*known.addresses, *proposed)), added

    if proposed or path.exists():
        done.take(RedirectsDecision(proposed), complete)


def _split(project: Project, heuristics: Heuristics, reviewed: Reviewed) -> Path:
    """Write that the bodies of every RichText field are split."""
    decisions = read_decisions(project)
    there, _ = with_missing_bodies(decisions.blocks, decisions.design)
    bodies = tuple(each.splitting(BodyMode.BLOCKS, heuristics) for each in there.bodies)
    return write_decision(project, replace(there, bodies=bodies, reviewed=reviewed))


def _add_blocks(done: _Acceptance, facts: SpaceFacts) -> None:
    """Give the design the components that bodies need, as they are decided now."""
    decisions = read_decisions(done.project)

    def complete(design: Design) -> tuple[Design, tuple[Addition, ...]]:
        return with_missing_blocks(design, decisions.blocks, decisions.embeds, facts)

    done.complete(Design, complete, quietly=True)


def _accept_blocks(done: _Acceptance, settings: Settings) -> int:
    """Accept the blocks of the bodies that are open; return how many there were."""
    project = done.project
    decisions = read_decisions(project)
    design, decision = decisions.design, decisions.blocks
    if not decision.split_fields():
        return 0
    migration = open_migration(project, settings, reviewing=True)
    items = [entry.item for entry in migration.selected]
    splits = find_splits(items, migration.decisions, migration.engine)
    slugs = {each.body.key: each.body.item.slug for each in splits.undecided}
    review = Review.open(project, design, decision, slugs=slugs)
    review.reviewer = done.reviewed.by
    accepted = review.accept_all(
        [(each.body.key, each.facts) for each in splits.undecided]
    )
    if accepted:
        done.written[project.decisions / FILE_NAMES[BlocksDecision]] = None
    return accepted


def _problems(decisions: Decisions, origin: Origin) -> Iterator[str]:
    """Yield where decisions do not fit the origin; people decide about each."""
    decided: tuple[Decision, ...] = (
        decisions.collections,
        decisions.design,
        decisions.blocks,
        decisions.embeds,
    )
    for each in decided:
        for problem in decision_problems(each, origin.collections):
            yield f"{FILE_NAMES[type(each)]}: {problem}."


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
