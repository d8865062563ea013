"""Named destinations: `[targets.NAME]` of `cmsmig.toml`, and their variables.

Where a project names some, each setting of a destination belongs to one of them:
nothing is written anywhere because a value of another destination was left over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from cmsmig.configuration.regions import REGION_BASES
from cmsmig.errors import SettingsError

ENTRIES = {
    "space_id": "space_id",
    "base_url": "destination_base_url",
    "region": "destination_base_url",
    "plan": "destination_plan",
    "rate": "destination_rate",
    "token_for": "destination_token_for",
}
"""Names under `[targets.NAME]`, and the settings that they are."""
OF_A_TARGET = (*dict.fromkeys(ENTRIES.values()), "destination_token")
OWN = frozenset(OF_A_TARGET) - {"destination_plan", "destination_rate"}
"""Settings that no target has from elsewhere; plan and rate may be common to all."""
_NAME = re.compile(r"(?!for(?:[_-]|$))[a-z][a-z0-9_-]{0,30}")
"""None that begins with `for`: `CMSMIG_DESTINATION_TOKEN_FOR_STAGING` confirms a host
for the target `staging`, and would be the token of `for-staging`."""


def suffix_of(target: str) -> str:
    """Return what the variables of a target end with, such as `_STAGING`."""
    return f"_{target.replace('-', '_').upper()}" if target else ""


def require_names(table: object, toml: Path) -> Mapping[str, object]:
    """Return the tables of the targets by name.

    Raises `SettingsError` for a name that cannot be one.
    """
    if not isinstance(table, dict):
        raise SettingsError(f"{toml}: name destinations as [targets.staging].")
    for name in table:
        if not _NAME.fullmatch(name):
            raise SettingsError(
                f"{toml}: {name!r} cannot be a target's name; write small letters, "
                "digits and hyphens, such as staging, and not for- at its beginning."
            )
    if len({suffix_of(name) for name in table}) < len(table):
        raise SettingsError(
            f"{toml} names two targets that differ in - and _ alone, so that their "
            "variables are the same; rename one."
        )
    return table


def base_of_region(region: object, place: str) -> str:
    """Return the base address of a region. Raises `SettingsError` for none."""
    base = REGION_BASES.get(str(region).lower())
    if base is None:
        known = ", ".join(REGION_BASES)
        raise SettingsError(f"region in {place}: the regions are {known}.")
    return base
