"""One site pulled, decided and imported in some way."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

from cmsmig.errors import CmsmigError
from cmsmig.events import RequestSent
from cmsmig.richtext.blocks.proposals import Heuristic, Heuristics
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import (
    SandboxHandle,
    environment_file_text,
    running_sandbox,
)
from cmsmig.settings import Project, Settings, load_settings
from cmsmig.steps.decide.accept_proposals import accept_proposals
from cmsmig.steps.project_init import start_project
from cmsmig.steps.pull.pull import pull
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write import import_steps
from tests.support.same_content.folder import write_site
from tests.support.same_content.left import Finished, Left
from tests.support.same_content.sites import Choices, Site
from tests.support.same_content.ways import (
    CANCEL,
    PLAIN,
    STOP,
    Arrangement,
    Break,
    Reception,
    sized,
)

RATE = 1000
EVERY_RULE = Heuristics(frozenset(Heuristic))
COMMANDS = ("pull", "decide", "import")


def migrated(site: Site, way: Arrangement) -> Left:
    """Pull, decide and import a site in one way; return the result."""
    with _served(site, way) as served:
        for command in COMMANDS:
            served.through(command)
        return Finished(
            served.handle, served.project, served.settings, served.broken
        ).left()


Plainly = Callable[[Site], Future[Left]]


@contextmanager
def another_process() -> Iterator[Plainly]:
    """Give what migrates sites in the plain way, in a process of its own.

    Its hashes are other ones than here: where the order of a set is in what is
    left, that shows.
    """
    with (
        mock.patch.dict(os.environ, {"PYTHONHASHSEED": "1"}),
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
    ):
        yield lambda site: pool.submit(migrated, site, PLAIN)
        pool.submit(all_ended).result()


_ENDING: list[threading.Thread] = []


def all_ended() -> None:
    """Wait for the servers that are still stopping."""
    while _ENDING:
        _ENDING.pop().join()


@contextmanager
def _served(site: Site, way: Arrangement) -> Iterator[_BodyEditor]:
    """Serve a site, with an empty space and an empty project; all go away after."""
    stack = ExitStack()
    folder = Path(tempfile.mkdtemp(prefix="same-content-"))
    try:
        write_site(folder / "content", site, way.orders)
        reception = Reception(way)
        options = SandboxOptions(
            content=folder / "content",
            rate=1_000_000,
            origin_rate=1_000_000,
            middleware=(reception,),
        )
        handle = stack.enter_context(running_sandbox(options))
        project = Project(folder / "project")
        start_project(project)
        text = environment_file_text(dict(handle.announcement), RATE)
        project.env.write_text(f"{text}CMSMIG_IN_FLIGHT={way.in_flight}\n")
        settings = load_settings(project, {"CMSMIG_STATE_DIR": str(folder / "state")})
        with sized(way):
            yield _BodyEditor(site.choices, way, reception, handle, project, settings)
    finally:
        # A server takes a while to stop, which the next one need not wait for.
        ending = threading.Thread(target=stack.close)
        ending.start()
        _ENDING.append(ending)
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class _BodyEditor:
    """One project with its sandbox."""

    choices: Choices
    way: Arrangement
    reception: Reception
    handle: SandboxHandle
    project: Project
    settings: Settings
    broken: int = 0

    def through(self, command: str) -> None:
        """Run a command to its end, with the interruptions that are to come."""
        endings = [each for each in self.way.breaks if each.during == command]
        for ending in (*endings, None):
            if self._ended(command, ending):
                break
            self.broken += 1
        if command == "decide":
            self._choose()
            if self.choices.split:
                # Other items may be chosen now: their bodies are to be decided on.
                self._ended(command, None)

    def _ended(self, command: str, ending: Break | None) -> bool:
        self.reception.begin(ending)
        try:
            asyncio.run(self._command(command, ending))
        except (CmsmigError, asyncio.CancelledError):
            if ending is None:
                raise
            return False
        return True

    async def _command(self, command: str, ending: Break | None) -> None:
        stop, own, sent = StopSignal(), asyncio.current_task(), 0

        def observer(event: object) -> None:
            nonlocal sent
            if not isinstance(event, RequestSent) or ending is None:
                return
            if not ending.counts(event.method, event.path):
                return
            sent += 1
            if sent == ending.at and ending.how == STOP:
                stop.set()
            elif sent == ending.at and ending.how == CANCEL and own is not None:
                own.cancel()

        await _DONE[command](self, observer, stop)

    async def pull(self, observer: Callable[[object], None], _: StopSignal) -> None:
        """Bring the site here."""
        await pull(self.settings, self.project, observer=observer)

    async def decide(self, observer: Callable[[object], None], _: StopSignal) -> None:
        """Accept what is proposed."""
        await accept_proposals(
            self.project,
            self.settings,
            reviewer="a tester",
            observer=observer,
            heuristics=EVERY_RULE if self.choices.split else None,
        )

    async def import_(
        self, observer: Callable[[object], None], stop: StopSignal
    ) -> None:
        """Import it."""
        await import_steps.run_command(
            "import",
            self.project,
            self.settings,
            observer=observer,
            stop=stop,
            show=lambda plan: None,
        )

    def _choose(self) -> None:
        path = self.project.decisions / "collections.yaml"
        text = path.read_text()
        text = text.replace("items: staged", f"items: {self.choices.items}")
        if self.choices.publish:
            text = text.replace("publish: nothing", "publish: what_is_live")
        path.write_text(text)


_DONE: dict[str, Callable[[_BodyEditor, Callable, StopSignal], Awaitable[None]]] = {
    "pull": _BodyEditor.pull,
    "decide": _BodyEditor.decide,
    "import": _BodyEditor.import_,
}
