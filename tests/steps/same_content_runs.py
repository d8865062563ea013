"""One site pulled, decided and imported in some way, and what that leaves."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import shutil
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from unittest import mock

import yaml
from hypothesis import strategies as st
from same_content_sites import (
    PLAIN_ORDERS,
    Choices,
    Orders,
    Shown,
    Site,
    orders,
    write_site,
)

from cmsmig.canonical import canonical
from cmsmig.errors import CmsmigError
from cmsmig.events import RequestSent
from cmsmig.ledger.store import Ledger
from cmsmig.report.redirects import RedirectMap, redirect_rows
from cmsmig.richtext.blocks import Heuristic, Heuristics
from cmsmig.sandbox.comparison import comparable_state
from cmsmig.sandbox.exchange import Call, Next, Reply, json_reply
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import (
    SandboxHandle,
    environment_file_text,
    running_sandbox,
)
from cmsmig.settings import Project, Settings, load_settings
from cmsmig.steps import batches, files, importing
from cmsmig.steps import pull as pulling
from cmsmig.steps.batches import StopSignal
from cmsmig.steps.deciding import accept_proposals
from cmsmig.steps.init import start_project
from cmsmig.steps.migration import open_migration
from cmsmig.steps.pull import pull

RATE = 1000
EVERY_RULE = Heuristics(frozenset(Heuristic))
_WHEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")
COMMANDS = ("pull", "decide", "import")
STOP = "stop"
"""A person asks to stop: what is in flight is brought to its end."""
CANCEL = "cancel"
"""The task is cancelled where it stands, answers in flight are lost."""
REFUSED = "refused"
"""From this request on, the service refuses the credentials."""
LAST = "last"
"""The same, but the request was applied, and its answer never comes."""


@dataclass(frozen=True)
class Break:
    """One interruption of one command; it is run again after it."""

    during: str
    how: str
    at: int
    """Which request, from 1. Beyond the last one: no interruption."""


@dataclass(frozen=True, repr=False)
class Arrangement(Shown):
    """How a site is served and worked through; the defaults are the plain way."""

    orders: Orders = PLAIN_ORDERS
    origin_page: int = 100
    """The most items that the origin puts into an answer."""
    listing_page: int = 100
    """The most rows that the destination does."""
    reading: int = 4
    """Origin requests, and downloads, at once."""
    in_flight: int = 12
    batch: int = 20
    """Intents committed together."""
    delays: int = 0
    """0: answers come as they are made; else another order of them for each."""
    breaks: tuple[Break, ...] = ()


PLAIN = Arrangement()


def arrangements() -> st.SearchStrategy[Arrangement]:
    """Return ways to serve and work through a site; the simplest is the plain one."""
    breaks = st.builds(
        Break,
        during=st.sampled_from(("import", "import", "pull", "decide")),
        how=st.sampled_from((STOP, CANCEL, REFUSED, LAST)),
        at=st.integers(1, 90),
    )
    pages = st.just(100) | st.integers(1, 7)
    return st.builds(
        Arrangement,
        orders=orders(),
        origin_page=pages,
        listing_page=pages,
        reading=st.just(4) | st.integers(1, 12),
        in_flight=st.just(12) | st.integers(1, 12),
        batch=st.sampled_from((20, 1, 3)),
        delays=st.just(0) | st.integers(1, 20),
        breaks=st.lists(breaks, max_size=3).map(tuple),
    )


@dataclass(frozen=True)
class Left:
    """What a site's migration leaves, ids and addresses of this run aside."""

    space: str
    """Canonical JSON."""
    ledger: dict[str, list]
    redirects: RedirectMap
    decision_texts: dict[str, str]
    """Without the times."""
    raw_texts: dict[str, str]
    broken: int
    """How many interruptions there were."""
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


def migrated(site: Site, way: Arrangement) -> Left:
    """Pull, decide and import a site in one way; return what is there then."""
    with _served(site, way) as desk:
        for command in COMMANDS:
            desk.through(command)
        return desk.left()


@dataclass
class _Reception:
    """The sandbox's middleware: pages, delays, and the end of a run."""

    way: Arrangement
    ending: Break | None = None
    arrived: int = 0
    over: bool = False

    def begin(self, ending: Break | None) -> None:
        """Count from here on, and end where the break says."""
        self.ending, self.arrived, self.over = ending, 0, False

    async def __call__(self, call: Call, answer: Next) -> Reply:
        if not call.path.startswith(("/v1/", "/v2/")):
            await self._delay(call, "file")
            return await answer(call)
        self.arrived += 1
        if self.over or self._ends(REFUSED):
            self.over = True
            return json_reply(401, {"error": "Unauthorized"})
        applied_last = self._ends(LAST)
        self.over = self.over or applied_last
        await self._delay(call, "before")
        reply = await answer(self._paged(call))
        await self._delay(call, "after")
        return json_reply(401, {"error": "Unauthorized"}) if applied_last else reply

    def _ends(self, how: str) -> bool:
        return self.ending is not None and (self.ending.how, self.ending.at) == (
            how,
            self.arrived,
        )

    def _paged(self, call: Call) -> Call:
        most = {"limit": self.way.origin_page, "per_page": self.way.listing_page}
        query = tuple(
            (name, str(min(int(value), most[name])) if name in most else value)
            for name, value in call.query
        )
        return replace(call, query=query)

    async def _delay(self, call: Call, when: str) -> None:
        """Hold an answer back for some thousandths of a second, by what it is to."""
        if self.way.delays:
            body = hashlib.sha256(call.body).hexdigest()
            about = f"{self.way.delays} {when} {call.method} {call.raw_path} {body}"
            await asyncio.sleep(Random(f"{about} {call.query}").random() / 100)


_ENDING: list[threading.Thread] = []


def all_ended() -> None:
    """Wait for the servers that are still stopping."""
    while _ENDING:
        _ENDING.pop().join()


@contextmanager
def _served(site: Site, way: Arrangement) -> Iterator[_Desk]:
    """Serve a site, with an empty space and an empty project; all go away after."""
    stack = ExitStack()
    folder = Path(tempfile.mkdtemp(prefix="same-content-"))
    try:
        write_site(folder / "content", site, way.orders)
        reception = _Reception(way)
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
        with _sized(way):
            yield _Desk(site.choices, way, reception, handle, project, settings)
    finally:
        # A server takes a while to stop, which the next one need not wait for.
        ending = threading.Thread(target=stack.close)
        ending.start()
        _ENDING.append(ending)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _sized(way: Arrangement) -> Iterator[None]:
    with (
        mock.patch.object(pulling, "_IN_FLIGHT", way.reading),
        mock.patch.object(pulling, "WORKERS", way.reading),
        mock.patch.object(files, "WORKERS", way.reading),
        mock.patch.object(batches, "BATCH", way.batch),
    ):
        yield


@dataclass
class _Desk:
    """One project beside its sandbox."""

    choices: Choices
    way: Arrangement
    reception: _Reception
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
        await importing.run_command(
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

    # what is left

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
                    (kind, row.name, row.made, row.body_hash)
                    for kind in ("component", "folder", "asset_folder", "datasource")
                    for row in ledger.inventory.made(kind).values()
                ),
                "losses": sorted(ledger.findings.losses_by_kind().items()),
            }  # fmt: skip

    def _decision_texts(self) -> dict[str, str]:
        return {
            path.name: _WHEN.sub("then", self._anywhere(path.read_text()))
            for path in sorted(self.project.decisions.glob("*.yaml"))
        }

    def _redirects(self) -> RedirectMap:
        with Ledger.open_existing(self.project.ledger) as ledger:
            homes = {
                key: row.home.full_slug
                for key, row in ledger.items.all().items()
                if row.home
            }
        return redirect_rows(open_migration(self.project, self.settings), homes)

    def _raw_texts(self) -> dict[str, str]:
        raw = self.project.raw
        return {
            path.relative_to(raw).as_posix(): self._anywhere(path.read_text())
            for path in sorted(raw.rglob("*.json"))
        }

    def _anywhere(self, text: str) -> str:
        told = self.handle.announcement
        return text.replace(told["origin_api_url"], "origin:")


_DONE: dict[str, Callable[[_Desk, Callable, StopSignal], Awaitable[None]]] = {
    "pull": _Desk.pull,
    "decide": _Desk.decide,
    "import": _Desk.import_,
}


def in_one_order(value: object) -> object:
    """Return a document whose lists of records have an order of their own."""
    if isinstance(value, dict):
        return {key: in_one_order(each) for key, each in value.items()}
    if isinstance(value, list):
        found = [in_one_order(each) for each in value]
        records = any(isinstance(each, dict) for each in found)
        return sorted(found, key=canonical) if records else found
    return value
