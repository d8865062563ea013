"""The lists as data frames: the examples of the documentation, in any cell."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pandas as pd
import pytest

from cmsmig.errors import LedgerError, UsageError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.notebook.workspace import NotebookWorkspace, open_workspace
from tests.support.ledger.files import OURS
from tests.support.notebook.pulled_site import POSTS, pulled_workspace
from tests.support.notebook.session import decide_all

DOCUMENT = Path(__file__).parents[2] / "docs" / "notebooks.md"


async def decided(folder: Path) -> NotebookWorkspace:
    """Return the workspace of the small site, decided; one item is skipped in its
    ledger."""
    pulled = pulled_workspace(folder)
    await decide_all(pulled)
    skipped = ItemRow(
        key=ItemKey(POSTS, "draft", ""), name="Draft", full_slug="", origin_hash="",
        status="skipped", reason="draft", explanation="It was never live.",
        link_state="open", published="", story_record=None,
    )  # fmt: skip
    with Ledger.open(pulled.project.ledger, OURS) as ledger:
        ledger.items.select([skipped])
    return open_workspace(str(folder), interactive=False)


async def test_the_documented_examples_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each as it is written; the last value of each is what it says."""
    workspace = await decided(tmp_path)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.S)
    assert len(blocks) == 3
    shown = [_last_value(each, {"workspace": workspace}) for each in blocks]
    assert shown[0].to_numpy().sum() == 6
    assert list(shown[1].index) == ["<b>Lossy</b>"]
    assert shown[1].loc["<b>Lossy</b>", "Script"] == 3
    left = pd.read_csv(tmp_path / "left-out.csv")
    assert left.to_numpy().tolist() == [["Draft", "skipped", "draft"]]


async def test_frames_have_the_documented_columns(tmp_path: Path) -> None:
    """In this order; losses are numbers, the fields of a collection are columns."""
    workspace = await decided(tmp_path)
    frames = {
        "workspace.items()": workspace.items(),
        "workspace.bodies()": workspace.bodies(),
        "workspace.losses()": workspace.losses(),
        "workspace.ledger()": workspace.ledger(),
    }
    for call, frame in frames.items():
        (line,) = [e for e in DOCUMENT.read_text().splitlines() if f"| `{call}`" in e]
        assert list(frame.columns) == re.findall(r"`([^`]+)`", line)[1:]
        assert len(frame) > 0
    bodies = frames["workspace.bodies()"]
    assert bodies["Losses"].sum() == len(frames["workspace.losses()"])
    posts = workspace.items("posts")
    assert list(posts.columns[-5:]) == ["name", "slug", "body", "tone", "author"]
    assert set(posts["Collection"]) == {"Posts"}


async def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    """A collection, a ledger."""
    workspace = open_workspace(str(pulled_workspace(tmp_path).project.root))
    with pytest.raises(UsageError, match="nothing"):
        workspace.items("nothing")
    with pytest.raises(LedgerError, match="no ledger"):
        workspace.ledger()


def _last_value(block: str, names: dict[str, object]) -> pd.DataFrame:
    """Run a cell, and return what it shows."""
    *before, last = ast.parse(block).body
    exec(compile(ast.Module(before, []), "cell", "exec"), names)
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
