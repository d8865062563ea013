"""What every test gets: places of its own, bounds, and rehearsals on request."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from cmsmig import masking
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import running_sandbox
from tests.support.examples import draw_the_same_always
from tests.support.ownplaces import own_places, use_memory
from tests.support.processortime import at_most
from tests.support.rehearsal import Rehearsal
from tests.support.sidebyside import longest_first, scheduler
from tests.support.sites.exact import write_small_site
from tests.support.timelimit import set_timer

draw_the_same_always()
use_memory()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long; `--random-order` shuffles after this."""
    longest_first(items)


def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool:
    """Let the limit of a test last longer on a crowded machine."""
    return set_timer(item, settings)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share tests out unit by unit, unless another way is asked for by `--dist`."""
    return scheduler(config, log) if config.getoption("dist") == "load" else None


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


@pytest.fixture(scope="session")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder with 30 items in two locales and 12 files."""
    folder = tmp_path_factory.mktemp("content") / "small"
    write_small_site(folder)
    return folder


@pytest.fixture
def rehearse(
    tmp_path: Path, small_site: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Rehearsal]]:
    """Start a sandbox and a project folder that points at it, both taken down.

    `rehearse()` serves the small site as fast as the machine allows;
    `rehearse(SandboxOptions(...))` anything else.
    """
    with ExitStack() as stack:

        def start(options: SandboxOptions | None = None) -> Rehearsal:
            options = options or SandboxOptions(
                content=small_site, rate=500, origin_rate=60_000
            )
            handle = stack.enter_context(running_sandbox(options))
            number = sum(1 for each in tmp_path.glob("project*"))
            project = tmp_path / f"project{number}"
            return Rehearsal.start(handle, project, options.rate, tmp_path / "state")

        yield start
