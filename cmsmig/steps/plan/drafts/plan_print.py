"""The fingerprint of all that the part of a plan depends on which needs no call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cmsmig.canonical import Json, fingerprint, fingerprint_of_each
from cmsmig.code_digest import code_digest
from cmsmig.item_key import ItemKey
from cmsmig.mapping.draft import DraftContext, ExistingStory
from cmsmig.mapping.select.reference_targets import KnownItems
from cmsmig.steps.decide.drafter import plain
from cmsmig.steps.decide.migration import Migration

_ROOMS = (
    "configuration",
    "mapping",
    "origin",
    "reconcile",
    "richtext",
    "steps/decide",
    "steps/plan",
)
"""Code that drafts, links and hashes."""


def plan_print(
    migration: Migration,
    context: DraftContext,
    existing: Mapping[ItemKey, ExistingStory],
    known: KnownItems,
) -> str:
    """Return the fingerprint of everything that decides what `draft_offline` finds:
    the code, the raw answers, the decisions, the files, the story records and which
    items are taken along."""
    reviews = migration.decisions.blocks.reviews
    return fingerprint(
        [
            code_digest(_ROOMS, migration.drafter.libraries),
            migration.namespace,
            fingerprint_of_each(str(entry.item.key) for entry in migration.selected),
            plain(migration.origin.site),
            dict(migration.origin.hashes),
            dict(migration.decisions.hashes),
            [[plain(key), reviews[key].decided] for key in sorted(reviews)],
            _files(context),
            fingerprint_of_each(
                [str(key), home.uuid, home.full_slug] for key, home in existing.items()
            ),
            [_sorted(each) for each in (known.kept, known.left, known.outside)],
        ]
    )


def _files(context: DraftContext) -> Json:
    """Return where files are, or will be, and what is said of them."""
    assets = fingerprint_of_each(
        [address, context.assets[address].asset_id, context.assets[address].filename]
        for address in sorted(context.assets)
    )
    hosts = sorted(context.file_hosts)
    return [assets, dict(context.missing_assets), dict(context.alts), [*hosts]]


def _sorted(keys: Iterable[ItemKey]) -> Json:
    return [*sorted(map(str, keys))]
