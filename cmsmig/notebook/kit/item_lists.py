"""What panels of notebook 01 share: the browser of items, and the scan of the site."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cmsmig.errors import UsageError

if TYPE_CHECKING:
    from cmsmig.survey.site_scan import SiteScan


@dataclass(slots=True)
class ItemLists:
    """Knows the browser that was opened last, in one notebook."""

    shown_by: Callable[[str], None] | None = None
    """Shows the items with a finding, named as the catalogue names them."""
    scan: SiteScan | None = None

    def show(self, finding: str) -> None:
        """Show the items with a finding. Raises `UsageError` without a browser."""
        if self.shown_by is None:
            raise UsageError(
                "The browser of items is not open: run its cell above, then press "
                "this again."
            )
        self.shown_by(finding)
