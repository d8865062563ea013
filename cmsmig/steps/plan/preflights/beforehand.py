"""What is known before an import, beside what it will do: refusals, limits, counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from cmsmig.canonical import JsonObject
from cmsmig.settings import Settings
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.preflights.entry_names import find_entry_names
from cmsmig.steps.plan.preflights.findings import LIMITS, Preflight, Refused
from cmsmig.steps.plan.preflights.languages import find_missing_languages
from cmsmig.steps.plan.preflights.limits import (
    Count,
    count_all,
    file_totals,
    find_asset_fields,
    find_deliveries,
    find_limits,
    find_missing_scopes,
    verification_calls,
)
from cmsmig.steps.plan.preflights.releases import find_releases
from cmsmig.steps.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Beforehand:
    """What a plan tells beforehand."""

    findings: tuple[Preflight, ...] = ()
    counts: tuple[Count, ...] = ()
    """What the space would hold and need."""
    sizes: JsonObject = field(default_factory=dict)
    """Of the files: how many, bytes in all, the largest."""
    verification_calls: int = 0
    """Calls that reading everything back takes, once."""

    @classmethod
    def of(
        cls,
        migration: Migration,
        snapshot: Snapshot,
        settings: Settings,
        refused: Refused,
        calls: Mapping[str, int],
        publishes: int,
    ) -> Beforehand:
        """Return it for an import that makes these calls. Reads only."""
        counts = count_all(snapshot, settings, calls)
        shown = publishes + calls.get("unpublish_stories", 0)
        return cls(
            findings=(
                *find_missing_scopes(snapshot.rights, settings.space_id, shown),
                *find_missing_languages(migration, snapshot),
                *refused.findings,
                *find_limits(migration, snapshot.space, counts),
                *find_asset_fields(
                    migration, snapshot.space, calls.get("sign_uploads", 0)
                ),
                *find_entry_names(migration, snapshot),
                *find_deliveries(snapshot, publishes),
                *find_releases(snapshot),
            ),
            counts=counts,
            sizes=file_totals(migration),
            verification_calls=verification_calls(snapshot, calls),
        )

    @property
    def limits(self) -> tuple[str, ...]:
        """Return where the service's plan would be exceeded, a sentence each."""
        return tuple(each.text for each in self.findings if each.kind in LIMITS)

    def as_json(self) -> JsonObject:
        """Return what `plan --json` prints of it."""
        return {
            "limits": list(self.limits),
            "preflights": [each.as_json() for each in self.findings],
            "counts": {each.what: each.as_json() for each in self.counts},
            "sizes": self.sizes,
            "verification_calls": self.verification_calls,
        }


NOTHING_KNOWN: Final = Beforehand()
