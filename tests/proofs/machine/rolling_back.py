"""Rollback, tried on a copy of both sides at any time, so that the run goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.proofs.machine.decided import COMPONENT, OURS, STORY
from tests.proofs.machine.interruptions import APPLIED, REFUSED, UNSENT, Interruption
from tests.proofs.machine.model import (
    FIELDS,
    PICTURE,
    PUBLISHED,
    Home,
    Model,
    Story,
)
from tests.proofs.machine.play import Play, insist_same, parts_of, read, told
from tests.proofs.machine.schemas import NAME, PARTS

_ANOTHER = object()
"""An edit that no decision was made about: only those about any edit hold."""


@dataclass(frozen=True)
class Stays:
    """What is there after a rollback."""

    stories: tuple[Story, ...]
    """All that are in the space, those in the trash marked so."""
    component: bool
    assets: frozenset[int]
    clean: bool
    """Whether nothing of ours is left."""


def stays_of(model: Model) -> Stays:
    """Return what a rollback leaves: what was edited, and what that uses."""
    ours = {story_record.story_id: story_record for story_record in _made(model)}
    there = {own: each for own, each in model.stories.items() if not each.trashed}
    going = {
        own
        for own in ours.keys() & there.keys()
        if not _holds_edits(model, ours[own], there[own])
    }
    left = there.keys() - going
    shown = {there[own].values[PICTURE] for own in left & ours.keys()}
    brought = {file.asset_id for file in model.files.by_name.values()}
    assets = {own for own in model.files.there if own not in brought or own in shown}
    component = model.component.theirs is not None and (
        bool(left) or _is_component_edited(model)
    )
    return Stays(
        stories=tuple(
            replace(story, trashed=story.trashed or own in going)
            for own, story in model.stories.items()
        ),
        component=component,
        assets=frozenset(assets),
        clean=not (left & ours.keys() or component or assets & brought),
    )


def _made(model: Model) -> Iterator[Home]:
    return (
        each.story_record
        for each in model.accounts.values()
        if each.story_record is not None
    )


def _holds_edits(model: Model, story_record: Home, story: Story) -> bool:
    edited = [name for name in FIELDS if story.values[name] != story_record.base[name]]
    if story.public != story_record.left_public:
        edited.append(PUBLISHED)
    return _is_kept(model, STORY, story_record.path, edited)


def _is_component_edited(model: Model) -> bool:
    component = model.component
    assert component.theirs is not None
    edited = [name for name in PARTS if component.theirs[name] != component.base[name]]
    return _is_kept(model, COMPONENT, NAME, edited)


def _is_kept(model: Model, kind: str, what: str, edited: Sequence[str]) -> bool:
    """Return whether something was edited, and not all of it was given up."""
    decided = model.decisions
    sides = [decided.side(what, name, _ANOTHER, kind) for name in edited]
    return any(side != OURS for side in sides)


class RollingBack(Play):
    """The command, disturbed or not."""

    @precondition(lambda self: self.settled and not self.model.unsure)
    @rule(
        mode=st.sampled_from(("", *APPLIED, UNSENT, REFUSED)),
        killed=st.booleans(),
        number=st.integers(1, 3),
    )
    def roll_back_a_copy(self, mode: str, killed: bool, number: int) -> None:
        """What only we wrote goes, all else stays, however often it is begun."""
        stays = stays_of(self.model)
        wrong = Interruption("delete" if mode else "", mode, number, killing=killed)
        with self.world.aside():
            ended = self.world.run_through(wrong, "rollback")
            if wrong.struck:
                ended = self.world.run("rollback")
            assert ended.code == (0 if stays.clean else 1), told(ended)
            self._insist_on(stays)
            again = self.world.run("rollback")
            assert again.code == ended.code, told(again)
            self._insist_on(stays)
        self.compare()

    def _insist_on(self, stays: Stays) -> None:
        found = [read(self.world, own) for own in self.world.stories()]
        insist_same("the stories after a rollback", found, stays.stories)
        theirs = self.model.component.theirs if stays.component else None
        assert parts_of(self.world) == theirs, "the component after a rollback"
        there = self.world.space.assets.keys()
        insist_same("the assets after a rollback", there, stays.assets)
