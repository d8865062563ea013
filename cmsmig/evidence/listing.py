"""Losses and links one by one, for a report: gone through when it is written, never
in memory together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from cmsmig.canonical import JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.mapping.draft import ExistingStory
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.plan_details import PlanDetails

SHOWN = 200
"""Findings of one sort that the page shows; its CSV file has all of them."""


def details_of(
    migration: Migration, rows: Mapping[ItemKey, ItemRow], losing: Iterable[ItemKey]
) -> PlanDetails:
    """Return what the stories that are there lost, and the links that stay in them.

    `losing` are the items of which the ledger knows losses.
    """
    existing = {
        key: ExistingStory(row.story_record.uuid, row.story_record.full_slug)
        for key, row in rows.items()
        if row.story_record is not None
    }
    return PlanDetails(
        migration,
        migration.context(migration.files.planned_assets({}), migration.files.missing),
        existing,
        losing=[key for key in losing if key in existing],
        leaving=[key for key in migration.items if key in existing],
    )


def document_pieces(
    document: JsonObject, lists: Mapping[str, Iterable[JsonObject]]
) -> Iterator[str]:
    """Yield the text of a JSON document to which long lists are added at its end."""
    yield json.dumps(document, ensure_ascii=False, indent=1).removesuffix("\n}")
    for name, rows in lists.items():
        yield f',\n "{name}": ['
        between = "\n  "
        for row in rows:
            yield between + json.dumps(row, ensure_ascii=False)
            between = ",\n  "
        yield "]"
    yield "\n}\n"
