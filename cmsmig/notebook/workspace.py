"""Where every notebook starts; any cell can take the lists as data frames from here.

Names in here never move: projects keep their notebooks.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from cmsmig.notebook.kit import workspace as kit

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "open_workspace",
]


@dataclass(frozen=True, slots=True)
class Workspace(kit.Workspace):
    """The project that a notebook works in, with its lists as data frames. They write
    nothing but what can be derived again, and import pandas when they are called."""

    def items(self, collection: str = "") -> pd.DataFrame:
        """Return a row for each item and locale; with the slug of a collection those
        of its items, and a column for each of its fields.

        Columns: `Collection`, `Name`, `Slug`, `Locale`, `State`, `Changed`,
        `Story path`, `Id`, then the slugs of the fields.
        """
        from cmsmig.notebook.inspect.site_catalogue import items_of
        from cmsmig.survey.data_frames import relation_frame

        return relation_frame(*items_of(self, collection))

    def bodies(self) -> pd.DataFrame:
        """Return a row for each rich text body that is to be imported; scans those that
        are new.

        Columns: `Body`, `Field`, `Review`, `Losses` (a number).
        """
        from cmsmig.notebook.preview.previewing import scanned_previews
        from cmsmig.survey.data_frames import relation_frame

        rows = scanned_previews(self).scanner.rows
        return relation_frame(rows).astype({"Losses": int})

    def losses(self) -> pd.DataFrame:
        """Return a row for each thing that a body loses; scans bodies that are new.

        Columns: `Kind`, `Item`, `Page at the origin`, `Field`, `What`, `Why`,
        `What to do`.
        """
        from cmsmig.notebook.preview.previewing import scanned_previews
        from cmsmig.survey.data_frames import relation_frame

        return relation_frame(scanned_previews(self).losses)

    def ledger(self, view: str = "items") -> pd.DataFrame:
        """Return a documented view of the ledger: `items`, `accounting`,
        `losses_by_kind` or `reasons`; docs/notebooks.md names the columns of `items`.

        Raises `LedgerError` where there is no ledger yet.
        """
        from cmsmig.survey.data_frames import View, view_frame

        return view_frame(self.project.ledger, View(view))


def open_workspace(
    project: str = "",
    *,
    target: str = "",
    dry_run: bool = False,
    interactive: bool | None = None,
) -> Workspace:
    """Return the workspace of a project folder, as `kit.open_workspace` does."""
    opened = kit.open_workspace(
        project, target=target, dry_run=dry_run, interactive=interactive
    )
    return Workspace(*(getattr(opened, each.name) for each in fields(opened)))
