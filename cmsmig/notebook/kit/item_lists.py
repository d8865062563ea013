"""How panels ask the browser of items in notebook 01 for a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cmsmig.errors import UsageError


@dataclass(slots=True)
class ItemLists:
    """Knows the browser that was opened last, in one notebook."""

    shown_by: Callable[[str], None] | None = None
    """Shows the items with a finding, named as the catalogue names them."""

    def show(self, finding: str) -> None:
        """Show the items with a finding. Raises `UsageError` without a browser."""
        if self.shown_by is None:
            raise UsageError(
                "The browser of items is not open: run its cell above, then press "
                "this again."
            )
        self.shown_by(finding)
