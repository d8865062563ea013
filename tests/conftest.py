"""What every test gets: places of its own, bounds, and rehearsals on request.

Tests are shared out among processes: what a process makes, it makes once. A file of
tests stays together, and a file of cases. The notebooks that are worked by hand in a
browser go together where the later tests build on the earlier ones; the other tests in
a browser share one, and its JupyterLab.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from cmsmig import masking
from cmsmig.sandbox.options import SandboxOptions
from tests.support.sandbox.in_process import DirectConnections
from tests.support.sandbox.observed import Show, running_addresses
from tests.support.sites.exact import write_small_site
from tests.support.steps.staged_project import StagedProject
from tests.support.timelimit import at_most, set_timer

_BY_HAND = re.compile(r"tests/browser/test_(by_hand|hostile_content)\.py")
_BROWSER = "tests/browser/"
_LONG = (
    "by hand",
    _BROWSER,
    "tests/run/",
    "tests/steps/",
    "tests/wire/",
)
"""Units that take long begin with one of these; the longest are begun first."""
_OF_THE_TESTS = frozenset({"CMSMIG_CHROMIUM", "CMSMIG_SCREENSHOTS"})
"""What is set for the browser tests; all else of that name is the machine's own."""
_PLACES = {
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "states",
    "JUPYTER_CONFIG_DIR": "jupyter-config",
    "JUPYTER_DATA_DIR": "jupyter-data",
    "JUPYTER_RUNTIME_DIR": "jupyter-runtime",
    "IPYTHONDIR": "ipython",
}
_MEMORY = Path("/dev/shm")
_ENOUGH = 4 * 1024**3
"""Bytes free in memory for the folders of all tests; those of passed tests go
at once."""
_SAME, _NEW = "always-the-same", "new-each-time"
"""New draws with `make test OPTIONS=--hypothesis-profile=new-each-time`."""
_NO_CONSTANTS = Constants()


def draw_the_same_always() -> None:
    """Make every property test draw what its own code decides, in every selection,
    order and process.

    By default Hypothesis would also draw constants of those modules of ours that happen
    to be imported by then, continue where an earlier run failed, begin with a seed of
    the process, and call a test slow by the wall clock.
    """
    # There is no setting for it; without this name a test of ours fails.
    providers._get_local_constants = lambda: _NO_CONSTANTS
    settings.register_profile(
        _NEW,
        derandomize=False,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.register_profile(_SAME, settings.get_profile(_NEW), derandomize=True)
    settings.load_profile(_SAME)


def use_memory() -> None:
    """Let pytest keep the folders of tests in memory, where there is room: on a disk,
    tests wait for it a quarter of their time.

    Nothing is done where the environment names a place.
    """
    named = {"PYTEST_DEBUG_TEMPROOT", "TMPDIR"} & os.environ.keys()
    if not named and _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ENOUGH:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(_MEMORY)


draw_the_same_always()
use_memory()


def unit_of(nodeid: str) -> str:
    """Return the name of what a test is kept together with."""
    path, _, name = nodeid.partition("::")
    if path == "tests/steps/test_cases.py":
        return f"{path} {name.partition(':')[0]}"
    if not _BY_HAND.fullmatch(path):
        return _BROWSER if path.startswith(_BROWSER) else path
    return f"by hand, {'one thread' if 'one-thread' in nodeid else 'subshells'}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long, in the order of `_LONG`; `--random-order` shuffles
    after this."""

    def rank(item: pytest.Item) -> int:
        unit = unit_of(item.nodeid)
        starts = (place for place, start in enumerate(_LONG) if unit.startswith(start))
        return next(starts, len(_LONG))

    items.sort(key=rank)


def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool:
    """Let the limit of a test last longer on a crowded machine."""
    return set_timer(item, settings)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share tests out unit by unit, in the order in which their first tests come,
    unless another way is asked for by `--dist`."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Units(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit_of(nodeid)

    config.option.loadscopereorder = False
    return Units(config, log)


def own_places(patch: pytest.MonkeyPatch, folder: Path, state: Path) -> None:
    """Take the machine's settings, tokens, budgets and programs' files away.

    Budgets go to `state`, the rest below `folder`, which is made: IPython warns of a
    place that it cannot make its own folder in.
    """
    for name in list(os.environ):
        if name.startswith("CMSMIG_") and name not in _OF_THE_TESTS:
            patch.delenv(name)
    patch.setenv("CMSMIG_STATE_DIR", str(state))
    patch.delenv("JUPYTER_PATH", raising=False)
    folder.mkdir(parents=True, exist_ok=True)
    for name, place in _PLACES.items():
        patch.setenv(name, str(folder / place))


@pytest.fixture(scope="session", autouse=True)
def no_places_of_this_machine(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """Give what is made for several tests places of its own, too."""
    base = tmp_path_factory.getbasetemp()
    with pytest.MonkeyPatch.context() as patch:
        own_places(patch, base / "own", base / "own" / "state")
        yield


@pytest.fixture(autouse=True)
def places_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own budgets, settings and files of programs."""
    own_places(monkeypatch, Path(f"{tmp_path}.own"), tmp_path / "state")


@pytest.fixture(autouse=True)
def processor_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hold a test to what its mark `processor_time(seconds)` allows."""
    mark = request.node.get_closest_marker("processor_time")
    if mark is None:
        yield
        return
    with at_most(*mark.args):
        yield


@pytest.fixture(autouse=True)
def no_tokens_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mask this test's tokens alone: one of another may be any word."""
    monkeypatch.setattr("cmsmig.masking._known", masking._Known())


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """Let all clients of tests share the machine's certificates: reading them takes
    longer than a request. The sandbox needs none of them."""
    with pytest.MonkeyPatch.context() as patch:
        where = "httpx._transports.default.create_ssl_context"
        patch.setattr(where, functools.cache(httpx.create_ssl_context))
        yield


@pytest.fixture
def without_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands of this process ask a sandbox without its server: connections are
    what other tests are about, and take half of the time."""
    monkeypatch.setattr("cmsmig.wire.http_library.Connections", DirectConnections)


@pytest.fixture(scope="session")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder with 30 items in two locales and 12 files."""
    folder = tmp_path_factory.mktemp("content") / "small"
    write_small_site(folder)
    return folder


@pytest.fixture(scope="session")
def addresses() -> Iterator[Callable[[int], Show]]:
    """Return what serves the first sandbox of a test, the second ...: each has the same
    addresses in all tests of a process."""
    running: list[Show] = []
    with ExitStack() as stack:

        def of(number: int) -> Show:
            while len(running) <= number:
                running.append(stack.enter_context(running_addresses()))
            return running[number]

        yield of


@pytest.fixture
def serve(addresses: Callable[[int], Show]) -> Show:
    """Serve a sandbox until the end of the test."""
    numbers = count()
    return lambda options: addresses(next(numbers))(options)


@pytest.fixture
def rehearse(
    tmp_path: Path, small_site: Path, serve: Show
) -> Callable[..., StagedProject]:
    """Start a sandbox and a project folder that points at it.

    `rehearse()` serves the small site as fast as the machine allows;
    `rehearse(SandboxOptions(...))` anything else.
    """

    def start(options: SandboxOptions | None = None) -> StagedProject:
        options = options or SandboxOptions(
            content=small_site, rate=500, origin_rate=60_000
        )
        project = tmp_path / f"project{sum(1 for each in tmp_path.glob('project*'))}"
        handle, state = serve(options), tmp_path / "state"
        return StagedProject.start(handle, project, options.rate, state)

    return start
