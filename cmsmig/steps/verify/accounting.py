"""The accounting, from the ledger, and what the last pull could not read. Reads only,
asks no service."""

from __future__ import annotations

from cmsmig.canonical import JsonObject
from cmsmig.ledger.rows import Accounting
from cmsmig.ledger.store import Ledger
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import not_migrated
from cmsmig.steps.decide.pulled_origin import unread_sentences
from cmsmig.steps.plan.gone.gone_at_origin import gone_json


def accounting_json(accounting: Accounting) -> JsonObject:
    """Return the accounting as the JSON outputs hold it."""
    return {
        "in": accounting.items,
        "created": accounting.created,
        "reused": accounting.reused,
        "skipped": accounting.skipped,
        "failed": accounting.failed,
        "open": accounting.open,
    }


def gone_counts_json(accounting: Accounting) -> JsonObject:
    """Return what is gone at the origin in numbers, as the JSON outputs hold it."""
    return {
        "total": accounting.gone,
        "kept": accounting.gone_kept,
        "unpublished": accounting.gone_unpublished,
        "deleted": accounting.gone_deleted,
        "undecided": accounting.gone_undecided,
    }


def read_status(project: Project) -> tuple[tuple[str, ...], JsonObject]:
    """Return the lines and the document that `status` prints.

    Raises `LedgerError` when there is no ledger yet.
    """
    with Ledger.open_existing(project.ledger) as ledger:
        accounting = ledger.items.accounting()
        cache = RawCache(project.raw)
        unread = unread_sentences(
            map(cache.collection, cache.unread()), not_migrated(project)
        )
        rows = ledger.items.all().values()
        assets = ledger.inventory.assets().values()
        links: dict[str, int] = {}
        for row in rows:
            if row.story_record is not None and row.gone is None:
                links[row.link_state] = links.get(row.link_state, 0) + 1
        return (*unread, *accounting.lines), {
            "accounting": accounting_json(accounting),
            "gone": gone_counts_json(accounting),
            "reasons": {
                status: dict(counts)
                for status, counts in ledger.findings.reasons().items()
            },
            "failed": [
                {
                    "item": str(row.key),
                    "name": row.name,
                    "full_slug": row.full_slug,
                    "reason": row.reason,
                    "explanation": row.explanation,
                }
                for row in rows
                if row.status == "failed"
            ],
            "gone_at_origin": [gone_json(row) for row in ledger.gone.rows()],
            "links": dict(sorted(links.items())),
            "assets": {
                state: sum(1 for row in assets if row.status == state)
                for state in ("proven", "signed", "failed")
            },
            "failed_assets": [
                {"name": row.name, "reason": row.reason, "explanation": row.explanation}
                for row in assets
                if row.has_failed
            ],
            "losses_by_kind": dict(ledger.findings.losses_by_kind()),
            "collections_unread": [*unread],
        }
