"""A decided project beside a sandbox, in each of several ways to decide."""

from __future__ import annotations

import copy
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from cmsmig.sandbox.destination.space import Unknowns
from cmsmig.sandbox.options import SandboxOptions
from tests.proofs.machine.interruptions import Interruption
from tests.proofs.machine.site import FIRST, Site, serve, write_site
from tests.proofs.machine.world import Switch, World, space_names
from tests.proofs.world.in_process import answered_here, build_sandbox, ticking
from tests.support.rehearsal import Ended, Rehearsal

CODE = "fr-fr"
_RATE = 1000


@dataclass(frozen=True)
class Setup:
    """What is decided before the first import."""

    items: str = "staged"
    fields: bool = False
    """Whether the languages of an item are fields of one story."""
    dated: bool = False
    """Whether a publication renews the change date of a story: nobody documents it."""
    shaped: bool = True
    """Whether folders and tags come from fields."""


SETUPS: Mapping[str, Setup] = {
    "staged": Setup(dated=True),
    "mirror": Setup("mirror", dated=True),
    "fields": Setup(fields=True),
    "mirror-fields": Setup("mirror", fields=True),
    "live": Setup("live", shaped=False),
}


@dataclass
class Stage:
    """A setup's sandbox, and the project of the run under way."""

    world: World
    switch: Switch
    setup: Setup
    folder: Path
    space: dict[str, Any] = field(default_factory=dict)
    """What the space holds at the beginning of a run."""

    @contextmanager
    def run(self) -> Iterator[World]:
        """Begin a run: a decided project, an empty space, the origin as it was."""
        world = self.world
        world.runs += 1
        world.project = self.folder / f"run-{world.runs}"
        shutil.copytree(self.folder / "decided", world.project)
        for name, value in copy.deepcopy(self.space).items():
            setattr(world.space, name, value)
        world.space.selections.clear()
        self.serve(FIRST)
        environment = {"CMSMIG_STATE_DIR": str(self.folder), "CMSMIG_IN_FLIGHT": "1"}
        with (
            answered_here(world.handle.state),
            mock.patch.dict(os.environ, environment),
        ):
            yield world
        world.end()

    def serve(self, site: Site, *, has_mood: bool = False) -> None:
        """Have the origin hold a site, and perhaps one more field."""
        content = self.world.handle.state.naming.origin.content
        serve(content, site, has_mood=has_mood)

    def kill(self, at: int, mode: str, *arguments: str) -> tuple[bool, Ended]:
        """Run a command that is killed at a write; return whether it came to that.

        Of its project stays what was on the disk at that moment.
        """
        project = self.world.project
        kept = project.with_name("killed")
        kill = Interruption(at, mode, lambda: shutil.copytree(project, kept))
        ended = self.disturb(kill, *arguments)
        if kill.dead:
            shutil.rmtree(project)
            kept.rename(project)
        return kill.dead, ended

    def disturb(self, wrong: Interruption, *arguments: str) -> Ended:
        """Run a command while something goes wrong."""
        self.switch.interruption = wrong
        try:
            return self.world.run(*arguments)
        finally:
            self.switch.interruption = Interruption()


def staged(name: str, folder: Path) -> Stage:
    """Make the sandbox of a setup, and its decided project, in an empty folder."""
    setup = SETUPS[name]
    folder.mkdir()
    write_site(folder / "content")
    ticks, switch = ticking(), Switch()
    handle = build_sandbox(
        SandboxOptions(
            content=folder / "content",
            rate=_RATE,
            origin_rate=60_000,
            unknowns=Unknowns(publication_changes_date=setup.dated),
            languages=(CODE,) if setup.fields else (),
            origin_token="the-origin-token-of-the-days",
            destination_token="the-destination-token-of-the-days",
            clock=lambda: next(ticks),
            middleware=(switch,),
        )
    )
    world = World(handle, folder, project=folder / "decided")
    stage = Stage(world, switch, setup, folder)
    stage.serve(FIRST)
    with (
        answered_here(handle.state),
        mock.patch.dict(os.environ, {"CMSMIG_STATE_DIR": str(folder)}),
    ):
        Rehearsal.start(handle, world.project, _RATE, folder).decided()
    _decide(world, setup)
    body = {"story": {"name": "Other", "slug": "other", "is_folder": True}}
    world.api("POST", "/stories", body)
    names = space_names(world.space)
    stage.space = copy.deepcopy({each: getattr(world.space, each) for each in names})
    return stage


def _decide(world: World, setup: Setup) -> None:
    file = "collections.yaml"
    world.decide(file, "items: staged\n", f"items: {setup.items}\n")
    world.decide(file, "publish: nothing", "publish: what_is_live")
    if setup.fields:
        world.decide(file, "\nlocales:", "\nlanguages: fields\nlocales:")
    if setup.shaped:
        at = "    folder: notes\n"
        shape = f"{at}    folder_by: section\n    tags_by: label\n"
        world.decide("design.yaml", at, shape)
