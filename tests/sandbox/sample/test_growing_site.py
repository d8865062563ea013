"""The site that `make growth` measures with, and the figures of a process."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.proofs.growth.measured import measured
from tests.proofs.growth.site import GrowingSite
from tests.support.sandbox.sample_reading import read_sample

_HELD = 60_000_000


@pytest.mark.parametrize(("items", "collections"), [(200, 20), (100, 1), (40, 4)])
def test_no_reference_and_no_link_dangles(
    items: int, collections: int, tmp_path: Path
) -> None:
    """Every reference and link names an item that is published."""
    GrowingSite(items, collections).write(tmp_path)
    sample = read_sample(tmp_path)
    live = {item["id"]: slug for slug, rows in sample.live.items() for item in rows}
    paths = {
        f"/{slug}/{item['fieldData']['slug']}"
        for slug, rows in sample.live.items()
        for item in rows
    }
    counted = 0
    for slug, item in sample.all_items():
        data = item["fieldData"]
        assert live[data["next"]] in sample.staged
        assert {live[one] for one in data["related"]} == {slug}
        links = set(re.findall(r'href="(/[^"]*)"', data["text"]))
        assert links <= paths
        counted += len(links)
    assert counted > items


def test_bodies_differ_and_have_1_to_6_kb(tmp_path: Path) -> None:
    """No two bodies are equal, and a fifth of the items has a file of its own."""
    GrowingSite(1_000, 20).write(tmp_path)
    sample = read_sample(tmp_path)
    items = [item for rows in sample.staged.values() for item in rows]
    bodies = [item["fieldData"]["text"] for item in items]
    assert len(set(bodies)) == len(bodies)
    sizes = sorted(len(body) for body in bodies)
    assert 600 < sizes[0] < 1_500
    assert 5_000 < sizes[-1] < 7_000
    files = [path.read_bytes() for path in (tmp_path / "files").iterdir()]
    assert len(set(files)) == len(files) == 200


def test_figures_are_those_of_the_process_that_was_started() -> None:
    """Its memory counts, not that of the one which started it."""
    ballast = bytes(4 * _HELD)
    told = "import sys; x = bytes(range(256)) * {}; sys.exit(3)"
    small = measured([sys.executable, "-c", told.format(1)])
    large = measured([sys.executable, "-c", told.format(_HELD // 256)])
    assert small.code == large.code == 3
    assert small.peak < _HELD < large.peak < _HELD + 40_000_000 < len(ballast)
    assert small.seconds > 0
    assert small.cpu > 0
