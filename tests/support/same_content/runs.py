"""Whole runs of a site in one way, and what they leave."""

from __future__ import annotations

import asyncio
import json
import os
import re
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

import yaml

from cmsmig.canonical import canonical, fingerprint
from cmsmig.errors import CmsmigError
from cmsmig.events import RequestSent
from cmsmig.evidence.old_addresses import address_map
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.redirects.address_map import AddressMap
from cmsmig.richtext.blocks.block_runs import Heuristic, Heuristics
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text
from cmsmig.settings import Project, Settings, load_settings
from cmsmig.steps.decide.accept_proposals import accept_proposals
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.project_init import start_project
from cmsmig.steps.pull.pull import pull
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write import import_steps
from tests.support.same_content.folder import write_site
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
from tests.support.sandbox.comparison import comparable_state
from tests.support.sandbox.observed import SandboxHandle, running_sandbox

_WHEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")


INTENTS = ("component", "datasource", "folder", "asset_folder", "sign", "create",
           "update", "publish")  # fmt: skip


@dataclass(frozen=True)
class Left:
    """What a site's migration leaves, ids and addresses of this run aside."""

    space: str
    """Canonical JSON."""
    ledger: dict[str, list]
    redirects: AddressMap
    decision_texts: dict[str, str]
    """Without the times."""
    raw_texts: dict[str, str]
    broken: int
    """How many interruptions there were."""
    assets: int
    """Records in the space, those without bytes counted."""
    violations: tuple[str, ...]

    def decisions(self) -> dict[str, object]:
        """Return the decisions, whatever comes first in a list of records."""
        return {
            name: in_one_order(yaml.safe_load(text))
            for name, text in self.decision_texts.items()
        }

    def raw(self) -> dict[str, object]:
        """Return the raw cache, whatever comes first in a list of records."""
        return {
            name: in_one_order(json.loads(text))
            for name, text in self.raw_texts.items()
        }


def assert_same(plain: Left, left: Left, way: Arrangement) -> None:
    """Insist that nothing differs but the order that the origin had itself."""
    assert (plain.violations, left.violations) == ((), ())
    assert left.space == plain.space
    assert left.assets == plain.assets
    assert left.ledger == plain.ledger
    assert left.decisions() == plain.decisions()
    assert left.redirects == plain.redirects
    assert left.raw() == plain.raw()
    if not (way.orders.collections or way.orders.locales):
        assert left.decision_texts == plain.decision_texts
    if way.orders.is_plain:
        assert left.raw_texts == plain.raw_texts


@dataclass(frozen=True)
class Finished:
    """A project that was imported, with its sandbox."""

    handle: SandboxHandle
    project: Project
    settings: Settings
    broken: int

    def left(self) -> Left:
        """Look at everything."""
        recorder = self.handle.state.recorder
        return Left(
            space=self._space(),
            ledger=self._ledger(),
            decision_texts=self._decision_texts(),
            redirects=self._redirects(),
            raw_texts=self._raw_texts(),
            broken=self.broken,
            assets=len(self.handle.state.space.assets),
            violations=tuple(f"{v.kind} {v.where}" for v in recorder.violations),
        )

    def _space(self) -> str:
        """Return the space; addresses within texts become what is behind them."""
        space = self.handle.state.space
        text = canonical(comparable_state(space)).decode("utf-8", "surrogatepass")
        for asset in space.assets.values():
            mark = f"asset {asset.key.rpartition('/')[2]} {asset.digest}"
            text = text.replace(space.address(asset), mark)
        return self._anywhere(text)

    def _ledger(self) -> dict[str, list]:
        with Ledger.open_existing(self.project.ledger) as ledger:
            return {
                "accounting": [str(ledger.items.accounting())],
                "items": [
                    (str(key), row.name, row.full_slug, row.status, row.reason,
                     row.link_state, bool(row.published))
                    for key, row in ledger.items.all().items()
                ],
                "assets": sorted(
                    (row.sha256, row.ext_id, row.name, row.status, row.reason)
                    for row in ledger.inventory.assets().values()
                ),
                "made": sorted(
                    (kind, row.name, row.made, fingerprint(row.body))
                    for kind in ("component", "folder", "asset_folder", "datasource")
                    for row in ledger.inventory.made(kind).values()
                ),
                "open intents": [
                    (each.kind, each.subject)
                    for kind in INTENTS
                    for each in ledger.intents.open(kind)
                ],
                "losses": sorted(ledger.findings.losses_by_kind().items()),
            }  # fmt: skip

    def _decision_texts(self) -> dict[str, str]:
        return {
            path.name: _WHEN.sub("then", self._anywhere(path.read_text()))
            for path in sorted(self.project.decisions.glob("*.yaml"))
        }

    def _redirects(self) -> AddressMap:
        with Ledger.open_existing(self.project.ledger) as ledger:
            existing = {
                key: row.story_record.full_slug
                for key, row in ledger.items.all().items()
                if row.story_record
            }
        migration = open_migration(self.project, self.settings)
        return address_map(self.project, migration, existing)

    def _raw_texts(self) -> dict[str, str]:
        raw = self.project.raw
        return {
            path.relative_to(raw).as_posix(): self._anywhere(path.read_text())
            for path in sorted(raw.rglob("*.json"))
            if path.parent.name != ".pages"
        }

    def _anywhere(self, text: str) -> str:
        return text.replace(self.handle.announcement["origin_api_url"], "origin:")


def in_one_order(value: object) -> object:
    """Return a document whose lists of records have an order of their own."""
    if isinstance(value, dict):
        return {key: in_one_order(each) for key, each in value.items()}
    if isinstance(value, list):
        found = [in_one_order(each) for each in value]
        records = any(isinstance(each, dict) for each in found)
        return sorted(found, key=canonical) if records else found
    return value


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
            if not ending.counts(event.method):
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
