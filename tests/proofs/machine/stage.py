"""A decided project and its sandbox, in each of several ways to decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from cmsmig.sandbox.destination.space import Unknowns
from tests.proofs.machine.site import FIRST, Site, serve, write_site
from tests.proofs.world.in_process import ticking
from tests.proofs.world.world import Checkpoint, World, build_world

CODE = "fr-fr"
START = "a-0"
"""The slug of the start page."""
_RATE = 1000


@dataclass(frozen=True)
class Setup:
    """What is decided before the first import."""

    items: str = "staged"
    fields: bool = False
    """Whether the languages of an item are fields of one story."""
    dated: bool = False
    """Whether a publication renews the change date of a story: it is undocumented."""
    shaped: bool = True
    """Whether folders and tags come from fields."""
    start: bool = False
    """Whether an item is the start page of its folder, as long as it has its slug."""


SETUPS: Mapping[str, Setup] = {
    "staged": Setup(dated=True),
    "mirror": Setup("mirror", dated=True),
    "fields": Setup(fields=True),
    "mirror-fields": Setup("mirror", fields=True),
    "live": Setup("live", shaped=False),
    "start": Setup(shaped=False, start=True),
}


@dataclass(frozen=True)
class Stage(World):
    """A setup's sandbox, and the project of the current run."""

    setup: Setup = Setup()
    start: Checkpoint | None = None
    """A decided project, an empty space, the origin as it was."""

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Begin a run, and have its commands ask this sandbox."""
        self.go_back(self.start)
        self.begin()
        self.serve(FIRST)
        with self.answering():
            yield

    def serve(self, site: Site, *, has_mood: bool = False) -> None:
        """Have the origin hold a site, and perhaps one more field."""
        content = self.handle.state.origin_api.content
        serve(content, site, has_mood=has_mood)


def staged(name: str, folder: Path) -> Stage:
    """Make the sandbox of a setup, and its decided project, in an empty folder."""
    setup = SETUPS[name]
    folder.mkdir()
    write_site(folder / "content")
    one = build_world(
        folder,
        rate=_RATE,
        origin_rate=60_000,
        unknowns=Unknowns(publication_changes_date=setup.dated),
        languages=(CODE,) if setup.fields else (),
        clock=ticking().__next__,
    )
    stage = Stage(one.handle, one.folder, one.state, one.switch, one.network, setup)
    stage.serve(FIRST)
    with stage.answering():
        stage.init(_RATE)
        stage.decided()
    _decide(stage)
    body = {"story": {"name": "Other", "slug": "other", "is_folder": True}}
    stage.api("POST", "/stories", body)
    return replace(stage, start=stage.keep(folder / "start"))


def _decide(stage: Stage) -> None:
    file, setup = "collections.yaml", stage.setup
    stage.decide(file, "items: staged\n", f"items: {setup.items}\n")
    stage.decide(file, "publish: nothing", "publish: what_is_live")
    if setup.fields:
        stage.decide(file, "\nlocales:", "\nlanguages: fields\nlocales:")
    if setup.start:
        at = "    folder: notes\n"
        stage.decide("design.yaml", at, f"{at}    start_page: {START}\n")
    if setup.shaped:
        at = "    folder: notes\n"
        shape = f"{at}    folder_by: section\n    tags_by: label\n"
        stage.decide("design.yaml", at, shape)
