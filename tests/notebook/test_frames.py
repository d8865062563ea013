"""The ledger's views as data frames."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmsmig.errors import LedgerError
from cmsmig.notebook.workspace import View, view_frame


def test_no_ledger_is_said(tmp_path: Path) -> None:
    """A view without a ledger names the missing file and makes none."""
    with pytest.raises(LedgerError, match="no ledger at"):
        view_frame(tmp_path / "ledger.sqlite", View.ITEMS)
    assert not (tmp_path / "ledger.sqlite").exists()


def test_views_of_a_ledger_are_frames(rehearse) -> None:
    """Every documented view can be read after an import, and adds up."""
    rehearsal = rehearse().decided()
    rehearsal.done("import")
    frames = {
        each: view_frame(rehearsal.folder / "ledger.sqlite", each) for each in View
    }
    accounting = dict(frames[View.ACCOUNTING].iloc[0])
    parts = ("created", "reused", "skipped", "failed", "open")
    assert accounting["items"] == sum(accounting[each] for each in parts)
    assert len(frames[View.ITEMS]) == accounting["items"]
    assert frames[View.REASONS]["items"].sum() == accounting["items"]
    assert set(frames[View.LOSSES_BY_KIND].columns) >= {"kind", "severity", "losses"}
