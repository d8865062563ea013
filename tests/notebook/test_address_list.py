"""Notebook 07: old addresses are searched, decided in the list, and written."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from cmsmig.notebook import verifying
from cmsmig.notebook.handover import open_handover
from tests.support.notebook.page import Page
from tests.support.notebook.staging import Staged

RULES = """Old path,Target path
/old-one,/nowhere
/old-two,/nowhere
/blog/record-3,/nowhere
/<b>hostile</b>,/nowhere
"""


@pytest.fixture
def stage(staged: Callable[..., Staged]) -> Staged:
    """Return a decided project whose origin has rules that lead nowhere."""
    made = staged()
    (made.folder / "decisions" / "redirects.csv").write_text(RULES)
    return made


def decided(stage: Staged) -> dict[str, dict[str, Any]]:
    """Return what is decided about each address."""
    path = stage.folder / "decisions" / "redirects.yaml"
    found = yaml.safe_load(path.read_text()) if path.exists() else {}
    return {each["old"]: each for each in found.get("addresses", ())}


async def opened(stage: Staged, reports: Path, *, dry_run: bool = False) -> Page:
    workspace = stage.workspace(interactive=True, dry_run=dry_run)
    handover = open_handover(workspace, str(reports))
    return Page(verifying.redirects(handover))


async def test_an_address_is_decided_in_its_row(stage: Staged, tmp_path: Path) -> None:
    """What waits is listed first; each decision is in the file at once, and a target
    that is none is refused; a decision is undone."""
    await stage.imported()
    page = await opened(stage, tmp_path)
    await page.shows("redirects_list", "waiting", "unchanged")
    await page.sees("wait for a decision. All are in")
    await page.nothing_runs("<b>hostile</b>")
    await page.set("redirects-search", "/old-one")
    await page.pick("redirects-decide", "gone (410)")
    assert decided(stage)["/old-one"]["action"] == "gone"
    await page.sees("1 is gone (410), ")
    await page.set("redirects-search", "/old-two")
    await page.pick("redirects-decide", "lead to …")
    assert "/old-two" not in decided(stage)
    await page.set("redirects-target", "elsewhere")
    await page.sees("is neither a path that begins with /")
    await page.set("redirects-target", "/records/record-1?a=1")
    assert decided(stage)["/old-two"]["to"] == "/records/record-1?a=1"
    await page.shows("redirects_list", "/records/record-1?a=1")
    await page.set("redirects-search", "/old-one")
    await page.shows("redirects_list", "✓ gone (410)")
    await page.pick("redirects-decide", "undo")
    assert [*decided(stage)] == ["/old-two"]


async def test_all_that_are_listed_are_decided_at_once(
    stage: Staged, tmp_path: Path
) -> None:
    """As proposed, or alike; what the list leaves out is left; in a dry run nothing
    can be decided."""
    await stage.imported()
    page = await opened(stage, tmp_path)
    await page.set("redirects-search", "old")
    await page.pick("redirects-all", "keep: a page is there")
    assert {old: each["action"] for old, each in decided(stage).items()} == {
        "/old-one": "keep",
        "/old-two": "keep",
    }
    await page.set("redirects-search", "record-3")
    await page.pick("redirects-all", "as proposed")
    assert decided(stage)["/blog/record-3"]["to"] == "/records/record-3"
    await page.set("redirects-host", "https://www.example.com/")
    await page.shows("redirects_list", "https://www.example.com/records/record-3")
    page = await opened(stage, tmp_path, dry_run=True)
    assert not page.tags("redirects-decide")
    assert not page.tags("redirects-write")


async def test_what_is_listed_is_saved_and_the_redirects_are_written(
    stage: Staged, tmp_path: Path
) -> None:
    """The CSV holds the rows of one outcome; no cell is a formula."""
    await stage.imported()
    page = await opened(stage, tmp_path)
    await page.set("redirects-outcome", "waiting")
    await page.click("redirects-save")
    path = stage.folder / "lists" / "old-addresses.csv"
    await page.until(path.exists, "no CSV")
    with path.open(newline="") as file:
        listed = [*csv.DictReader(file)]
    assert {each["Outcome"] for each in listed} == {"waiting"}
    assert {"/old-one", "/old-two"} < {each["Old address"] for each in listed}
    await page.click("redirects-write")
    await page.sees("files written to")
    assert (tmp_path / "redirects" / "redirects.csv").is_file()
