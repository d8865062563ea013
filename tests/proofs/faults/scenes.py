"""The situations in which a command is disturbed, each with what it leaves if not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from unittest import mock

from cmsmig.destination import paging
from cmsmig.ledger.store import Ledger
from cmsmig.origin.client import OriginClient
from cmsmig.steps import connect
from cmsmig.steps.pull import file_downloads, item_sets
from cmsmig.steps.pull import pull as pulling
from tests.proofs.faults import left
from tests.proofs.faults.left import Left
from tests.proofs.faults.site import decide, empty, move, restart, translate, write_site
from tests.proofs.world.in_process import TIME
from tests.proofs.world.world import Checkpoint, World, world
from tests.support.rehearsal import Ended

RATE = 500
ORIGIN_RATE = 60
"""Requests per minute."""
LISTED, READ = 20, 10
"""Rows of a page of the destination's lists, and of the origin's items."""
IMPORT, RECREATE = ("import", "--json"), ("import", "--recreate", "--json")
ROLLBACK, CHANGES, PULL = ("rollback", "--json"), ("changes", "--json"), ("pull",)
Judge = Callable[[World, Left, int, list[int]], list[str]]


@dataclass(frozen=True)
class Scene:
    """A command in a situation."""

    start: Checkpoint
    command: tuple[str, ...]
    """What is disturbed."""
    rerun: tuple[str, ...]
    """What is run until it is done."""
    judge: Judge
    whole: Left
    """What an undisturbed one leaves."""
    plan_before: str = ""
    """A plan of an earlier import, with which no rerun continues."""
    said: str = ""
    """Its document, where another run has to print the same."""


@dataclass
class Scenes:
    """All situations, prepared once on one sandbox."""

    world: World
    folder: Path
    by_name: dict[str, Scene]

    def add(
        self, name: str, command: tuple[str, ...], judge: Judge, *, says: bool = False
    ) -> None:
        """Keep the world as it is now as a situation, and run its command undisturbed.

        Ends the program where that goes wrong.
        """
        one = self.world
        one.begin()
        start = one.keep(self.folder / name)
        before = newest_plan(one)
        ended = one.run(*command)
        whole = Left.by(one)
        said = ended.out if says else ""
        self.by_name[name] = Scene(start, command, command, judge, whole, before, said)
        again = one.run(*command)
        wrong = judge(one, whole, 0, [])
        if ended.code or again.code or wrong:
            sys.exit(f"The undisturbed {name} went wrong: {ended} {again} {wrong}")
        one.go_back(start)

    def leaves(self, name: str, like: Left) -> None:
        """Insist that an undisturbed command leaves what another one did."""
        whole = self.by_name[name].whole
        if (whole.space, whole.ledger) != (like.space, like.ledger):
            sys.exit(f"The undisturbed {name} leaves something else.")


@contextmanager
def prepared(work: Path) -> Iterator[Scenes]:
    """Give all situations."""
    write_site(work / "content")
    rates = {"rate": 1_000_000, "origin_rate": ORIGIN_RATE}
    with paged(), world(work, RATE, clock=TIME.wall, **rates) as one:
        scenes = Scenes(one, work, {})
        scenes.add("pull", PULL, left.pull_problems)
        decide(one)
        scenes.add("import", IMPORT, left.import_problems)
        empty_space, imported = one.comparable(), scenes.by_name["import"]
        unfinished = partial(left.rollback_problems, is_whole=False)
        nothing = replace(imported.whole, space=empty_space)
        scenes.by_name["unfinished"] = replace(
            imported, rerun=ROLLBACK, judge=unfinished, whole=nothing
        )
        one.done("import")
        scenes.add("rollback", ROLLBACK, left.rollback_problems)
        if scenes.by_name["rollback"].whole.space != empty_space:
            sys.exit("The undisturbed rollback leaves something in the space.")
        for name, lose in (("emptied", empty), ("restarted", restart)):
            lose(one.space)
            _insist_on_a_decision(one)
            scenes.add(name, RECREATE, left.import_problems)
            scenes.leaves(name, imported.whole)
            one.go_back(scenes.by_name["rollback"].start)
        one.go_back(imported.start)
        move(one)
        scenes.add("changes", CHANGES, left.changes_problems, says=True)
        scenes.add("delta", IMPORT, left.import_problems)
        one.go_back(imported.start)
        translate(one)
        scenes.add("languages", IMPORT, left.import_problems)
        one.go_back(imported.start)
        yield scenes


def _insist_on_a_decision(one: World) -> None:
    """Import into a space that lost everything: it is reported, nothing is written."""
    one.begin()
    ended = one.run(*IMPORT)
    if ended.code != 1 or "--recreate" not in ended.out + ended.err:
        sys.exit(f"What is gone is not reported: {ended}")
    if left.confirmed(one.entries):
        sys.exit(f"Something was written without a confirmation: {ended}")


@contextmanager
def paged() -> Iterator[None]:
    """Read lists of several pages, as those of large sites are, page after page."""
    with ExitStack() as stack:
        for module in (pulling, file_downloads):
            stack.enter_context(mock.patch.object(module, "WORKERS", 1))
        stack.enter_context(mock.patch.object(connect, "ORIGIN_IN_FLIGHT", 1))
        stack.enter_context(mock.patch.object(paging, "PAGE", LISTED))
        stack.enter_context(mock.patch.object(item_sets, "PAGE", READ))
        defaults = OriginClient.items.__kwdefaults__ or {}
        stack.enter_context(mock.patch.dict(defaults, limit=READ))
        yield


def newest_plan(one: World) -> str:
    """Return the hash of the newest plan that the ledger has."""
    path = one.folder / "ledger.sqlite"
    if not path.exists():
        return ""
    # Plain SQLite would take away the log of a run that was killed.
    with Ledger.open_existing(path) as ledger:
        return str((ledger.plan("") or {}).get("hash", ""))


def writes_of(ended: Ended) -> int:
    """Return how often an import or a rollback that ended well wrote."""
    return int(ended.document["writes"]) if ended.out else 0
