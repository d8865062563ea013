"""Where every notebook starts; any cell can take the lists as data frames from here.

Names in here never move: projects keep their notebooks.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from cmsmig.errors import LedgerError
from cmsmig.ledger.connection import connect, translated
from cmsmig.notebook.kit import opened_project as kit
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.overview import Overview
from cmsmig.notebook.kit.parameters import takes_parameters
from cmsmig.ui.query import EVERYTHING, Query
from cmsmig.ui.relation import Relation

if TYPE_CHECKING:
    # It takes half a second, so only those wait for it who want a frame.
    import pandas as pd

__all__ = [
    "open_workspace",
    "overview",
]


class View(StrEnum):
    """The ledger's documented views."""

    ACCOUNTING = "accounting"
    """One row: in = created + reused + skipped + failed (+ open)."""
    ITEMS = "items"
    """One row per item and locale, with the story it lives in."""
    LOSSES_BY_KIND = "losses_by_kind"
    """How many of what was lost, and how bad."""
    REASONS = "reasons"
    """How many items ended in which state and why."""


@dataclass(frozen=True, slots=True)
class NotebookWorkspace(kit.Workspace):
    """The project that a notebook works in, with its lists as data frames. They write
    nothing but what can be derived again, and import pandas when they are called."""

    def items(self, collection: str = "") -> pd.DataFrame:
        """Return a row for each item and locale; with the slug of a collection those
        of its items, and a column for each of its fields.

        Columns: `Collection`, `Name`, `Slug`, `Locale`, `State`, `Changed`,
        `Story path`, `Id`, then the slugs of the fields.
        """
        from cmsmig.notebook.inspect.explorer import items_of

        return _relation_frame(*items_of(self, collection))

    def bodies(self) -> pd.DataFrame:
        """Return a row for each rich text body that is to be imported; scans those that
        are new.

        Columns: `Body`, `Field`, `Review`, `Losses` (a number).
        """
        from cmsmig.notebook.preview.previews import scanned_previews

        rows = scanned_previews(self).scanner.rows
        return _relation_frame(rows).astype({"Losses": int})

    def losses(self) -> pd.DataFrame:
        """Return a row for each thing that a body loses; scans bodies that are new.

        Columns: `Kind`, `Item`, `Page at the origin`, `Field`, `What`, `Why`,
        `What to do`.
        """
        from cmsmig.notebook.preview.previews import scanned_previews

        return _relation_frame(scanned_previews(self).losses)

    def ledger(self, view: str = "items") -> pd.DataFrame:
        """Return a documented view of the ledger: `items`, `accounting`,
        `losses_by_kind` or `reasons`; docs/notebooks.md names the columns of `items`.

        Raises `LedgerError` where there is no ledger yet.
        """
        return view_frame(self.project.ledger, View(view))


@takes_parameters()
def open_workspace(
    project: str = "",
    *,
    target: str = "",
    dry_run: bool = False,
    interactive: bool | None = None,
) -> NotebookWorkspace:
    """Return the workspace of a project folder, as `kit.open_workspace` does."""
    opened = kit.open_workspace(
        project, target=target, dry_run=dry_run, interactive=interactive
    )
    return NotebookWorkspace(*(getattr(opened, each.name) for each in fields(opened)))


def overview(workspace: kit.Workspace, notebook: str) -> Panel:
    """Show where the migration is and what comes next; before a person with a button
    for it. `notebook` is the number of the one that shows it."""
    return workspace.shows(Overview(workspace, notebook))


def view_frame(ledger: Path, view: View) -> pd.DataFrame:
    """Return one of the ledger's views. Reads only.

    Raises `LedgerError` when there is no ledger yet, or it is damaged.
    """
    if not ledger.is_file():
        raise LedgerError(
            f"There is no ledger at {ledger} yet; run `cmsmig prepare` or notebook 04."
        )
    with closing(connect(ledger, durable=False)) as db, translated(ledger):
        found = db.execute(f"SELECT * FROM {view}")
        columns = [column[0] for column in found.description]
        return _frame(found.fetchall(), columns)


def _relation_frame(
    relation: Relation, query: Query = EVERYTHING, shown: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the rows of a list as a frame, as its CSV file has them."""
    head, *rows = relation.csv(query, shown)
    return _frame(rows, head)


def _frame(rows: Sequence[Sequence[object]], columns: Sequence[str]) -> pd.DataFrame:
    """Return rows as a frame whose values stay as they are: whole numbers, texts."""
    import pandas as pd

    return pd.DataFrame(rows, columns=list(columns), dtype=object)
