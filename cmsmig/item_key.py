"""What identifies an item everywhere: in the origin, the ledger and the mapping."""

from __future__ import annotations

from typing import NamedTuple


class ItemKey(NamedTuple):
    """What identifies an item: locale variants share one id.

    A tuple, since keys are hashed and compared more than anything else. Source:
    Webflow, working with localization.
    """

    collection_id: str
    item_id: str
    locale_id: str
    """`cmsLocaleId`, or empty when the service names none."""

    def __str__(self) -> str:
        locale = f"@{self.locale_id}" if self.locale_id else ""
        return f"{self.collection_id}/{self.item_id}{locale}"
