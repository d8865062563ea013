"""Proposals as decisions: what a person accepts in bulk and edits afterwards."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.errors import UsageError
from cmsmig.events import Noticed, Observer
from cmsmig.mapping.choices import ConflictsDecision
from cmsmig.mapping.decisions import FILE_NAMES, Decision
from cmsmig.mapping.design import Reviewed
from cmsmig.mapping.facts import SpaceFacts
from cmsmig.mapping.proposals import (
    propose_bodies,
    propose_collections,
    propose_design,
    propose_embeds,
)
from cmsmig.origin.schema import Item
from cmsmig.settings import Project, Settings
from cmsmig.steps.connect import open_destination
from cmsmig.steps.decisionfiles import write_decision
from cmsmig.steps.migration import Origin, read_origin


async def accept_proposals(
    project: Project,
    settings: Settings,
    *,
    reviewer: str,
    observer: Observer,
    overwrite: bool = False,
) -> tuple[Path, ...]:
    """Write the proposals as decisions accepted in bulk by `reviewer`.

    Files that exist are kept unless `overwrite`. Returns the files written.
    Raises `UnreadError` without a complete pull.
    """
    if not reviewer.strip():
        raise UsageError(
            "Decisions name who took them; give --reviewer with your name."
        )
    origin = read_origin(project, settings.site_id)
    facts = await space_facts(settings, observer)
    at = datetime.now(UTC).isoformat(timespec="seconds")
    written = []
    for decision in _proposals(
        origin, facts, Reviewed(reviewer.strip(), at, "in bulk")
    ):
        name = FILE_NAMES[type(decision)]
        if (project.decisions / name).exists() and not overwrite:
            observer(Noticed(name, "it is decided already and stays as it is"))
        else:
            written.append(write_decision(project, decision))
    return tuple(written)


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
