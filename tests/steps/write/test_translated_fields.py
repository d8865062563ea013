"""An item that only the other language has, where languages are fields."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.steps.french import (
    locale_of,
)
from tests.support.steps.origin_edits import edit_items
from tests.support.steps.staged_project import StagedProject


def test_an_item_without_the_primary_language_is_named(
    french: Callable[..., StagedProject],
) -> None:
    """There is no story that it could be a translation of."""
    staged = french()
    locale = locale_of(staged)
    edit_items(
        staged,
        lambda item: (
            None
            if item["fieldData"]["slug"] == "spot-2" and item["cmsLocaleId"] != locale
            else item
        ),
    )
    assert staged.plan()["skipped"]["no_primary_language"] == 1
    staged.done("import")
    rows = staged.rows(
        "SELECT explanation FROM item WHERE reason = 'no_primary_language'"
    )
    assert "decide `languages: folders`" in rows[0][0]
