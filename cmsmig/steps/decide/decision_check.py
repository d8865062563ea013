"""Whether the decision files hold together; a check for people and for CI."""

from __future__ import annotations

from dataclasses import dataclass

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.errors import UndecidedError
from cmsmig.mapping.decisions.redirects import RedirectsDecision
from cmsmig.mapping.propose.decision_checks import check_against
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.decision_store import Decisions, decision_in, read_decisions
from cmsmig.steps.decide.known_addresses import unused_rules
from cmsmig.steps.decide.migration import open_migration


@dataclass(frozen=True, slots=True)
class DecisionCheck:
    """What was looked at; that nothing is wrong with it."""

    collections: int
    reviews: int
    against_origin: bool
    """Whether the pulled origin was there to compare with."""

    @property
    def lines(self) -> list[str]:
        """Return it for a person."""
        against = (
            "they fit the origin as it was pulled"
            if self.against_origin
            else "not compared with the origin, which is not pulled here"
        )
        return [
            f"decisions are whole: {counted(self.collections, 'collection')}, "
            f"{counted(self.reviews, 'reviewed body', 'reviewed bodies')}; {against}"
        ]

    def as_json(self) -> JsonObject:
        """Return the document that `decisions check --json` prints."""
        return {
            "collections": self.collections,
            "reviews": self.reviews,
            "against_origin": self.against_origin,
        }


def check_decisions(project: Project, settings: Settings) -> DecisionCheck:
    """Read every decision file, and compare it with the origin where that is pulled.

    Raises `DecisionsError` for what is malformed or does not fit and
    `UndecidedError` for what is missing or waits for a person.
    """
    decisions = read_decisions(project)
    check_against(decision_in(project, RedirectsDecision) or RedirectsDecision(), ())
    _require_accepted(decisions)
    pulled = RawCache(project.raw).complete()
    if pulled:
        unused_rules(project, open_migration(project, settings).origin)
    return DecisionCheck(
        len(decisions.collections.collections), len(decisions.blocks.reviews), pulled
    )


def _require_accepted(decisions: Decisions) -> None:
    split = decisions.blocks.split_fields()
    waiting = [
        each
        for key, each in decisions.blocks.reviews.items()
        if not each.by and (key.collection_id, key.field) in split
    ]
    if waiting:
        raise UndecidedError(
            f"{counted(len(waiting), 'body waits', 'bodies wait')} for a review, such "
            f"as {waiting[0].slug or waiting[0].key.item_id}, field "
            f"{waiting[0].key.field}; accept or edit the blocks in notebook 03."
        )
