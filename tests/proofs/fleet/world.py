"""The sites of the fleet's proof: sandboxes, projects and who wrote when."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text
from tests.proofs.measuring.processes import COMMAND, Served, measured
from tests.support.rehearsal import write_env
from tests.support.sandbox.history import Entry
from tests.support.sandbox.observed import SandboxHandle, running_sandbox
from tests.support.sites.exact import write_load_site, write_small_site

RATE = 6
"""Calls a second that each space accepts, as the service's larger plans do."""
RECORDS = re.compile(r"record|plate")
NOTES = re.compile(r"note|spot|picture")


@dataclass(frozen=True)
class Kind:
    """A site of the proof."""

    name: str
    space: int
    decided: bool = True
    records: bool = False
    """Of records, so that its writes differ from those of a site of notes."""


@dataclass(frozen=True)
class World:
    """What the fleet works on."""

    folder: Path
    spaces: dict[int, SandboxHandle]

    def project(self, name: str) -> Path:
        """Return the project folder of a site."""
        return self.folder / "sites" / name

    def writes(self, space: int) -> list[Entry]:
        """Return what was written to a space so far, oldest first."""
        entries = self.spaces[space].state.recorder.entries
        return [e for e in list(entries) if e.quota and e.method != "GET"]

    def summary(self, space: int) -> dict[str, int]:
        """Return what the sandbox of a space counted."""
        return Served(self.spaces[space].announcement, os.getpid()).summary()

    def turns(self, space: int) -> list[tuple[str, float, float, int]]:
        """Return who wrote to a space in turn: the content, from when to when, calls.

        Two that import at once would take turns many times.
        """
        known = [(w, each) for each in self.writes(space) if (w := _whose(each))]
        grouped = [list(turn) for _, turn in groupby(known, key=lambda each: each[0])]
        return [(t[0][0], t[0][1].time, t[-1][1].time, len(t)) for t in grouped]

    def cmsmig(self, name: str, *arguments: str) -> None:
        """Run a command on a site and insist on exit code 0."""
        state = {"CMSMIG_STATE_DIR": str(self.folder / "state")}
        measured([*COMMAND, "--project", str(self.project(name)), *arguments], state)

    def decide(self, name: str) -> None:
        """Accept the proposals of a site."""
        self.cmsmig(name, "decide", "--accept-proposals", "--reviewer", "a person")


def _whose(entry: Entry) -> str:
    if RECORDS.search(entry.subject):
        return "records"
    return "notes" if NOTES.search(entry.subject) else ""


@contextmanager
def serving(folder: Path, kinds: Sequence[Kind]) -> Iterator[World]:
    """Serve an origin for each site and each space once; lay out the projects."""
    notes, records = folder / "content" / "notes", folder / "content" / "records"
    write_small_site(notes)
    write_load_site(records, items=24, images=24)
    with ExitStack() as stack:
        world, origins = World(folder, {}), {}
        for kind in kinds:
            handle = stack.enter_context(
                running_sandbox(
                    SandboxOptions(
                        content=records if kind.records else notes,
                        rate=RATE,
                        origin_rate=6000,
                        space_id=kind.space,
                    )
                )
            )
            world.spaces.setdefault(kind.space, handle)
            origins[kind.name] = handle
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda k: _lay_out(world, k, origins[k.name]), kinds))
        _write_fleet(world, kinds)
        yield world


def _lay_out(world: World, kind: Kind, origin: SandboxHandle) -> None:
    served = dict(world.spaces[kind.space].announcement)
    served |= {k: origin.announcement[k] for k in ("origin_api_url", "origin_token")}
    world.cmsmig(kind.name, "init")
    write_env(world.project(kind.name), environment_file_text(served, RATE))
    world.cmsmig(kind.name, "pull")
    if kind.decided:
        world.decide(kind.name)


def _write_fleet(world: World, kinds: Sequence[Kind]) -> None:
    text = "".join(
        f'[[site]]\nname = "{kind.name}"\nproject = "{world.project(kind.name)}"\n'
        f"space = {kind.space}\n"
        for kind in kinds
    )
    (world.folder / "fleet.toml").write_text(text)
