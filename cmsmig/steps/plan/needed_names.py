"""What stories stand on, as the migration is decided now. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from cmsmig.mapping.propose.component_payloads import (
    component_bodies,
    datasource_bodies,
)
from cmsmig.steps.decide.migration import Migration


def needed_names(migration: Migration) -> Mapping[str, frozenset[str]]:
    """Return the names of what stories stand on, by the ledger's kinds."""
    return {
        "folder": frozenset(plan.path for plan in migration.folders),
        "component": frozenset(
            each.name for each in component_bodies(migration.design)
        ),
        "datasource": frozenset(
            each.slug for each in datasource_bodies(migration.design)
        ),
        "asset_folder": frozenset({migration.design.asset_folder} - {""}),
    }
