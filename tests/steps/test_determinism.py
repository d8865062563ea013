"""Nothing about how a run went is in the content that it leaves."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from desk import Desk, Stage
from rehearsal import Rehearsal

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import running_sandbox
from cmsmig.steps import batches


@pytest.fixture(scope="module")
def expected(
    small_site: Path,
    decided_project: Callable[[Path], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict:
    """Return what a plain import of the small site leaves."""
    return imported(small_site, tmp_path_factory.mktemp("expected"))


def imported(content: Path, folder: Path) -> dict:
    """Pull, decide and import a content folder; return the comparable space."""
    options = SandboxOptions(content=content, rate=500, origin_rate=60_000)
    with running_sandbox(options) as handle:
        made = Rehearsal.start(handle, folder / "project", 500, folder / "state")
        desk = Desk(made.decided())
        desk.done("import")
        desk.verified()
        return desk.comparable()


def shuffled(content: Path, folder: Path, seed: int) -> Path:
    """Return a copy whose items stand in another order, in every file."""
    shutil.copytree(content, folder)
    order = random.Random(seed)
    for path in [*(folder / "items").iterdir(), *(folder / "live").iterdir()]:
        items = json.loads(path.read_text())["items"]
        order.shuffle(items)
        path.write_text(json.dumps({"items": items}))
    return folder


def test_the_order_of_items_does_not_matter(
    small_site: Path, tmp_path: Path, expected: dict
) -> None:
    """The same items in any order leave the same space, positions included."""
    content = shuffled(small_site, tmp_path / "content", seed=7)
    assert imported(content, tmp_path) == expected


def test_the_order_of_locales_does_not_matter(
    small_site: Path, tmp_path: Path, expected: dict
) -> None:
    """The primary locale is what is named so, not what comes first."""
    content = tmp_path / "content"
    shutil.copytree(small_site, content)
    path = content / "sites.json"
    sites = json.loads(path.read_text())
    for site in sites["sites"]:
        site["locales"]["secondary"].reverse()
        site["locales"] = dict(reversed(site["locales"].items()))
    path.write_text(json.dumps(sites))
    assert imported(content, tmp_path) == expected


@pytest.mark.parametrize("in_flight", [1, 29])
def test_the_number_of_requests_at_once_does_not_matter(
    stage: Stage, small_site: Path, expected: dict, in_flight: int
) -> None:
    """One after the other or all at once: the same space."""
    desk = stage(content=small_site, settings=f"in_flight = {in_flight}")
    desk.done("import")
    assert desk.comparable() == expected


@pytest.mark.parametrize("size", [1, 500])
def test_the_size_of_a_batch_does_not_matter(
    stage: Stage,
    small_site: Path,
    expected: dict,
    size: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """How many intents are committed together is invisible afterwards."""
    monkeypatch.setattr(batches, "BATCH", size)
    desk = stage(content=small_site)
    desk.done("import")
    assert desk.comparable() == expected


def test_the_steps_one_by_one_leave_what_the_import_leaves(
    stage: Stage, small_site: Path, expected: dict
) -> None:
    """`prepare`, `create`, `link` and `publish` are the import."""
    desk = stage(content=small_site)
    for command in ("prepare", "create", "link", "publish"):
        desk.done(command)
    assert desk.comparable() == expected
