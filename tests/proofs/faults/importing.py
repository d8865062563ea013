"""One import, pull or rollback, here or in a child, in fast time."""

from __future__ import annotations

import asyncio
import functools
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from pathlib import Path

import httpx

from cmsmig.destination import paging
from cmsmig.errors import CmsmigError
from cmsmig.events import RequestSent
from cmsmig.ledger.store import Ledger
from cmsmig.origin.client import OriginClient
from cmsmig.settings import Project, load_settings
from cmsmig.steps import connect
from cmsmig.steps.changes.changes import changes_of
from cmsmig.steps.pull import file_downloads, item_sets
from cmsmig.steps.pull import pull as pulling
from cmsmig.steps.rollback import rollback
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write import import_setup, import_steps
from cmsmig.wire.budget import Budget
from cmsmig.wire.session import Session

SPEED = 100
"""How much faster time passes here, pauses and budgets together."""
RATE = 500
_DAYS_115 = 10_000_000
LISTED, READ = 20, 10
"""Rows of a page of the destination's lists, and of the origin's items."""
SAME = "same"
"""A link in a project, to the folder that it is an equal copy of."""
TIMEOUT = 1.5
"""Real seconds until the client takes an answer for lost."""
LONGEST = 60
"""Real seconds after which a child counts as hanging."""


def hurry(patience: float = TIMEOUT) -> None:
    """Let time pass fast for everything that import and pull wait for.

    The steps take clock and sleep as arguments, but a command line has no place
    for them; here they are given where the steps build their sessions.
    """
    for module in (connect, pulling):
        module.Budget = partial(Budget, clock=fast_time, sleep=_sleep)
        module.Session = partial(Session, sleep=_sleep, timeout=patience)
    import_setup.ImportJob = partial(import_setup.ImportJob, sleep=_sleep)
    rollback.RollbackJob = partial(rollback.RollbackJob, sleep=_sleep)
    import_steps.open_migration = _once(import_steps.open_migration)
    # The site is small: lists of several pages, as large ones have them.
    paging.PAGE, item_sets.PAGE = LISTED, READ
    OriginClient.items.__kwdefaults__["limit"] = READ
    # Reading the certificates and looking for a library that is not installed cost
    # more than the requests, which are neither encrypted nor in need of it.
    httpx.create_ssl_context = functools.cache(httpx.create_ssl_context)
    sys.modules.setdefault("sniffio", None)


def _once(read: Callable) -> Callable:
    kept = {}

    def once(project: Project, settings: object, *, pilot: object) -> object:
        # The same raw cache and decisions give the same migration every time.
        source = copied_from(project.root)
        if (source, pilot) not in kept:
            kept[source, pilot] = read(Project(source), settings, pilot=pilot)
        return kept[source, pilot]

    return once


def copied_from(root: Path) -> Path:
    """Return the folder that a project is an equal copy of, or its own."""
    return (root / SAME).resolve() if (root / SAME).is_symlink() else root


def fast_time() -> float:
    """Return the time in seconds as the clients take it to be.

    It begins anew every 115 days: a budget believes no date in the far future.
    """
    return time.time() % _DAYS_115 * SPEED


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(seconds / SPEED)


def run_import(
    root: Path,
    state: Path,
    observer: Callable[[object], None] | None = None,
    *,
    plan: str | None = None,
    recreate: bool = False,
) -> tuple[int, str]:
    """Import once as the command does; return exit code and what was said."""
    project = Project(root)
    try:
        outcome = asyncio.run(
            import_steps.run_command(
                "import",
                project,
                load_settings(project, environ(state)),
                observer=observer or unheard,
                stop=StopSignal(),
                show=unheard,
                plan_hash=plan,
                recreate=recreate,
            )
        )
    except CmsmigError as error:
        return error.exit_code, str(error)
    return outcome.exit_code, f"writes: {outcome.writes}"


def run_planned(
    root: Path,
    state: Path,
    observer: Callable[[object], None] | None = None,
    *,
    recreate: bool = False,
) -> tuple[int, str]:
    """Import what the ledger's newest plan says; without one, as `run_import` does."""
    plan = None
    if (path := Project(root).ledger).exists():
        with Ledger.open_existing(path) as ledger:
            newest = ledger.plan("") or {}
            # One from before somebody said so is of another decision.
            plan = newest.get("hash") if newest.get("recreate") is recreate else None
    return run_import(root, state, observer, plan=plan, recreate=recreate)


def run_pull(
    root: Path,
    state: Path,
    observer: Callable[[object], None] | None = None,
    *,
    at_once: bool = False,
) -> tuple[int, str]:
    """Pull once as the command does; return exit code and what was said.

    One request follows the other, unless `at_once`.
    """
    project = Project(root)
    connect.ORIGIN_IN_FLIGHT = 4 if at_once else 1
    pulling.WORKERS = file_downloads.WORKERS = 8 if at_once else 1
    try:
        report = asyncio.run(
            pulling.pull(
                load_settings(project, environ(state), need_destination=False),
                project,
                observer=observer or unheard,
                clock=fast_time,
            )
        )
    except CmsmigError as error:
        return error.exit_code, str(error)
    failed = [str(row.detail) for row in report.files.failed]
    return int(bool(failed)), f"files failed: {failed}"


def run_rollback(
    root: Path,
    state: Path,
    observer: Callable[[object], None] | None = None,
    *,
    planned: bool = False,
) -> tuple[int, str]:
    """Take an import back as the command does; return exit code and what was said.

    With `planned` by the ledger's newest plan, if that is of a rollback.
    """
    project = Project(root)
    plan = None
    if planned and project.ledger.exists():
        with Ledger.open_existing(project.ledger) as ledger:
            newest = ledger.plan("") or {}
            plan = newest.get("hash") if newest.get("command") == "rollback" else None
    settings = load_settings(project, environ(state))
    setup = rollback.RollbackSetup(project, settings, observer or unheard)
    try:
        outcome = asyncio.run(
            rollback.run_rollback(
                setup, stop=StopSignal(), plan_hash=plan, show=unheard
            )
        )
    except CmsmigError as error:
        return error.exit_code, str(error)
    if outcome is None:
        return 0, "writes: 0"
    left = [each.text for each in outcome.left]
    return outcome.exit_code, f"writes: {outcome.writes} {left}"


def run_changes(
    root: Path, state: Path, observer: Callable[[object], None] | None = None
) -> tuple[int, str]:
    """Look what moved, as the command does; return exit code and what was said."""
    project = Project(root)
    try:
        found = asyncio.run(
            changes_of(
                project,
                load_settings(project, environ(state)),
                observer=observer or unheard,
                stop=StopSignal(),
            )
        )
    except CmsmigError as error:
        return error.exit_code, str(error)
    # Values hold numbers and ports, which are others in each space.
    told = [[each.where, each.what, each.field, each.text] for each in found]
    return 0, "\n".join(sorted(map(str, told)))


RUNS = {
    "import": run_import,
    "import as planned": run_planned,
    "recreate": partial(run_import, recreate=True),
    "recreate as planned": partial(run_planned, recreate=True),
    "rollback": run_rollback,
    "rollback as planned": partial(run_rollback, planned=True),
    "changes": run_changes,
    "pull": run_pull,
    "pull at once": partial(run_pull, at_once=True),
}
"""What a child can be told to do."""
FORKS = multiprocessing.get_context("forkserver")
"""Makes processes from one that runs no threads."""


def start_forks() -> None:
    """Have children start from a process that has everything imported."""
    FORKS.set_forkserver_preload(["tests.proofs.faults.jobs"])
    # That process looks for modules where any Python does, and is silent about what
    # it cannot find: each child would import all of it anew.
    before = os.environ.get("PYTHONPATH", "")
    here = str(Path(__file__).resolve().parents[3])
    os.environ["PYTHONPATH"] = f"{here}{os.pathsep}{before}" if before else here
    # It would take Ctrl-C for its own until it has loaded everything.
    interrupted = signal.signal(signal.SIGINT, signal.SIG_IGN)
    forkserver.ensure_running()
    signal.signal(signal.SIGINT, interrupted)
    os.environ["PYTHONPATH"] = before


Child = BaseProcess | subprocess.Popen[bytes]


def start_child(
    what: str, root: Path, state: Path, die_after: int = 0, patience: float = TIMEOUT
) -> BaseProcess:
    """Run one of `RUNS` in a process of its own, in fast time."""
    arguments = (what, root, state, die_after, patience)
    child = FORKS.Process(target=_child, args=arguments)
    child.start()
    return child


def start_command(root: Path, state: Path) -> subprocess.Popen[bytes]:
    """Run the command itself, in real time; what it says goes into `said.txt`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CMSMIG_")}
    with open(root / "said.txt", "wb") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "cmsmig.cli", "--project", str(root), "import"],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            env={**kept, **environ(state)},
        )


def ended(child: Child, within: float = LONGEST) -> int | None:
    """Wait for a child; return its exit code, None when it is still running."""
    if isinstance(child, subprocess.Popen):
        with suppress(subprocess.TimeoutExpired):
            child.wait(within)
        return child.returncode
    child.join(within)
    return child.exitcode


def ended_at_last(child: Child) -> int | None:
    """Wait for a child that should end; None for one that had to be killed."""
    code = ended(child)
    if code is None:
        child.kill()
        ended(child)
    return code


def _child(what: str, root: Path, state: Path, die_after: int, patience: float) -> None:
    # Ctrl-C ends it without a word.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    hurry(patience)
    sent = 0

    def dying(event: object) -> None:
        # The answer is here, and nothing of it is in the ledger yet.
        nonlocal sent
        if isinstance(event, RequestSent):
            sent += 1
            if sent == die_after:
                os.kill(os.getpid(), signal.SIGKILL)

    code, _ = RUNS[what](root, state, dying)
    os._exit(code)


def environ(state: Path) -> dict[str, str]:
    """Return the settings that come from the environment."""
    return {"CMSMIG_STATE_DIR": str(state)}


def unheard(event: object) -> None:
    """Observe nothing."""
